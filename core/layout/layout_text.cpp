// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layout_text.h"

#include "core/layout/layer_split.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace partita {

namespace {

struct Field {
    std::string_view key;
    std::string_view label;
    std::string (*text)(const Layout&);
};

constexpr std::array fields{
    Field{"tp", "tp", [](const Layout& l) { return fmt::to_string(l.tp); }},
    Field{"cp", "cp", [](const Layout& l) { return fmt::to_string(l.cp); }},
    Field{"pp", "pp", [](const Layout& l) { return fmt::to_string(l.pp); }},
    Field{"vpp", "vpp", [](const Layout& l) { return fmt::to_string(l.vpp); }},
    Field{"dp", "dp", [](const Layout& l) { return fmt::to_string(l.dp); }},
    Field{"ep", "ep", [](const Layout& l) { return fmt::to_string(l.ep); }},
    Field{"etp", "etp", [](const Layout& l) { return fmt::to_string(l.etp); }},
    Field{"sequence_parallel", "sequence parallel",
          [](const Layout& l) { return std::string(l.sequenceParallel ? "on" : "off"); }},
    Field{"zero_stage", "ZeRO", [](const Layout& l) { return fmt::to_string(l.zeroStage); }},
    Field{"shard_group", "shard group", [](const Layout& l) { return fmt::to_string(l.shardGroup); }},
    Field{"micro_batch", "micro-batch", [](const Layout& l) { return fmt::to_string(l.microBatch); }},
    Field{"global_batch", "global batch", [](const Layout& l) { return fmt::to_string(l.globalBatch); }},
    Field{"recompute", "recompute", [](const Layout& l) { return std::string(labelOf(l.recompute)); }},
    Field{"schedule", "schedule", [](const Layout& l) { return std::string(labelOf(l.schedule)); }},
    Field{"rank_order", "rank order", [](const Layout& l) { return rankOrderText(l.rankOrder); }},
    Field{"layers_per_stage", "layers per stage",
          [](const Layout& l) {
              return l.layersPerStage.empty() ? std::string("even") : layerSplitText(l.layersPerStage);
          }},
};

} // namespace

std::string rankOrderText(const std::array<Axis, 5>& order)
{
    std::string text;
    for (const Axis axis : order) {
        text += (text.empty() ? "" : "-") + std::string(keyOf(axis));
    }
    return text;
}

std::string layoutText(const Layout& layout)
{
    std::vector<std::string> parts;
    const auto degree = [&](const char* name, int value) {
        if (value > 1) {
            parts.push_back(fmt::format("{} {}", name, value));
        }
    };
    degree("tp", layout.tp);
    degree("cp", layout.cp);
    degree("pp", layout.pp);
    degree("vpp", layout.vpp);
    parts.push_back(fmt::format("dp {}", layout.dp));
    degree("ep", layout.ep);
    degree("etp", layout.etp);
    if (layout.dp * layout.cp > 1) {
        parts.push_back(fmt::format("ZeRO-{}", layout.zeroStage));
    }
    if (layout.pp > 1) {
        parts.emplace_back(labelOf(layout.schedule));
    }
    if (layout.recompute != Recompute::None) {
        parts.push_back(fmt::format("recompute {}", labelOf(layout.recompute)));
    }
    if (layout.microBatch > 1) {
        parts.push_back(fmt::format("micro-batch {}", layout.microBatch));
    }
    if (layout.tp > 1 && !layout.sequenceParallel) {
        parts.emplace_back("no sequence parallelism");
    }
    if (layout.shardGroup > 0) {
        parts.push_back(fmt::format("shard group {}", layout.shardGroup));
    }
    if (layout.rankOrder != Layout{}.rankOrder) {
        parts.push_back(rankOrderText(layout.rankOrder));
    }
    if (!layout.layersPerStage.empty()) {
        parts.push_back("layers " + layerSplitText(layout.layersPerStage));
    }
    return fmt::format("{}", fmt::join(parts, " · "));
}

std::vector<LayoutChange> layoutChanges(const Layout& before, const Layout& after)
{
    std::vector<LayoutChange> changes;
    for (const Field& field : fields) {
        std::string from = field.text(before);
        std::string to = field.text(after);
        if (from != to) {
            changes.push_back({field.key, field.label, std::move(from), std::move(to)});
        }
    }
    return changes;
}

std::string describe(const std::vector<LayoutChange>& changes)
{
    std::string text;
    for (const LayoutChange& change : changes) {
        text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", change.label, change.before, change.after);
    }
    return text.empty() ? "no change" : text;
}

} // namespace partita
