// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/stack_offer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace partita {

namespace {

template <class E> std::string labels(const std::vector<E>& values)
{
    std::vector<std::string_view> names;
    for (const E value : values) {
        names.push_back(labelOf(value));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string stages(const std::vector<int>& zeroStages)
{
    return fmt::format("ZeRO {}", fmt::join(zeroStages, ", "));
}

std::vector<int> stagesInPipelines(const Offer& offer)
{
    std::vector<int> left;
    for (int stage = 0; stage <= offer.pipelineZeroStage; ++stage) {
        if (offers(offer.zeroStages, stage)) {
            left.push_back(stage);
        }
    }
    return left;
}

} // namespace

bool servesOnly(const Stack& stack)
{
    Stack server;
    server.id = stack.id;
    server.name = stack.name;
    server.attention = stack.attention;
    server.frameworkBytes = stack.frameworkBytes;
    server.commBufferBytes = stack.commBufferBytes;
    server.engine = stack.engine;
    server.sources = stack.sources;
    server.notes = stack.notes;
    return stack.engine != Engine() && stack == server;
}

std::string servesOnlyText(const Stack& stack)
{
    return servesOnly(stack)
        ? fmt::format("{} serves and does not train: a training step is priced as if by software with the usual "
                      "constants.",
                      stack.name)
        : std::string();
}

std::vector<std::string> beyondOffer(const Scenario& scenario)
{
    std::vector<std::string> sentences;
    const Layout& layout = scenario.layout;
    const Offer& offer = scenario.stack.offer;
    const auto add = [&](std::string_view what, std::string instead) {
        sentences.push_back(fmt::format("{} does not offer {}: {}.", scenario.stack.name, what, instead));
    };
    const auto split = [&](Axis axis, int degree) {
        if (degree > 1 && !offers(offer.dimensions, axis)) {
            add(fmt::format("{} parallelism", labelOf(axis)), "it splits by " + labels(offer.dimensions));
        }
    };
    split(Axis::Tp, layout.tp);
    split(Axis::Cp, layout.cp);
    split(Axis::Pp, layout.pp);
    split(Axis::Ep, layout.ep);
    if (layout.pp > 1 && !offers(offer.schedules, layout.schedule)) {
        add(labelOf(layout.schedule), "it has " + labels(offer.schedules));
    }
    const bool shards = std::int64_t{layout.dp} * layout.cp > 1;
    if (shards && !offers(offer.zeroStages, layout.zeroStage)) {
        add(fmt::format("ZeRO {}", layout.zeroStage), "it has " + stages(offer.zeroStages));
    } else if (shards && layout.pp > 1 && layout.zeroStage > offer.pipelineZeroStage) {
        add(fmt::format("ZeRO {} in a pipeline", layout.zeroStage), "there it has " + stages(stagesInPipelines(offer)));
    }
    if (!offers(offer.recompute, layout.recompute)) {
        add(fmt::format("{} recomputation", labelOf(layout.recompute)), "it has " + labels(offer.recompute));
    }
    if (layout.tp > 1 && layout.sequenceParallel && !offer.sequenceParallel) {
        add("sequence parallelism", "tensor ranks hold whole sequences");
    }
    return sentences;
}

std::string describe(const Offer& offer)
{
    std::vector<std::string> parts;
    if (!offer.dimensions.empty()) {
        parts.push_back(fmt::format("{} parallelism", labels(offer.dimensions)));
    }
    if (!offer.schedules.empty()) {
        parts.push_back(labels(offer.schedules));
    }
    if (!offer.zeroStages.empty()) {
        parts.push_back(stages(offer.zeroStages));
    }
    const std::vector<int> piped = stagesInPipelines(offer);
    const bool pipelines = offers(offer.dimensions, Axis::Pp);
    if (pipelines && (offer.zeroStages.empty() ? offer.pipelineZeroStage < 3 : piped != offer.zeroStages)) {
        parts.push_back(stages(piped) + " in pipelines");
    }
    if (!offer.recompute.empty()) {
        parts.push_back(fmt::format("{} recomputation", labels(offer.recompute)));
    }
    if (!offer.sequenceParallel) {
        parts.emplace_back("no sequence parallelism");
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace partita
