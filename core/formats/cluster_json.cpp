// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/cluster_json.h"

#include "core/formats/preset_reference.h"

#include <fmt/format.h>

namespace partita {

void checkAccelerator(FieldReader& reader, const Accelerator& accelerator)
{
    if (accelerator.peak.bf16 <= 0 && accelerator.peak.fp16 <= 0) {
        reader.problem("peak", "", "has neither a bf16 nor an fp16 peak", "add bf16_tflops, without sparsity");
    }
    if (accelerator.peak.vector <= 0) {
        reader.problem("peak", "", "has no vector peak", "add vector_tflops, FP32 outside the matrix units");
    }
}

namespace {

void checkLevels(FieldReader& reader, const std::vector<Level>& levels)
{
    constexpr std::size_t mostLevels = 16;
    if (levels.empty() || levels.size() > mostLevels) {
        reader.problem("levels", fmt::to_string(levels.size()), fmt::format("must be 1 to {} levels", mostLevels));
        return;
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::string path = memberPath(elementPath("levels", i), "domain");
        const bool isLast = i + 1 == levels.size();
        if (levels[i].domain == 0 && !isLast) {
            reader.problem(path, "0", "only the outermost level may join the whole cluster");
        }
        if (i > 0 && levels[i].domain != 0 && levels[i - 1].domain != 0
            && (levels[i].domain <= levels[i - 1].domain || levels[i].domain % levels[i - 1].domain != 0)) {
            reader.problem(
                path, fmt::to_string(levels[i].domain),
                fmt::format("must be a multiple of the {} devices of the level inside", levels[i - 1].domain));
        }
    }
}

void readLevel(FieldReader& reader, Level& level, const std::vector<Link>* links)
{
    const nlohmann::json* value = links != nullptr ? reader.member("link") : nullptr;
    if (value == nullptr) {
        describe(reader, level);
        return;
    }
    if (const auto id = readText(*value, memberPath(reader.path(), "link"), reader.problems())) {
        if (const Link* link = presetWithId(reader, "link", *id, *links)) {
            level = link->level;
        }
    }
    reader.member("domain", Presence::Required);
    describe(reader, level, Presence::Stated);
}

} // namespace

void readLevels(FieldReader& reader, std::vector<Level>& levels, const std::vector<Link>* links)
{
    reader.objects("levels", levels, Presence::Required,
                   [&](FieldReader& fields, Level& level) { readLevel(fields, level, links); });
    checkLevels(reader, levels);
}

void readCluster(FieldReader& reader, Cluster& cluster, const std::vector<Accelerator>& accelerators,
                 const std::vector<Link>* links)
{
    describe(
        reader, cluster,
        [&](FieldReader& fields, Accelerator& accelerator) {
            readPresetOr(fields, "accelerator", accelerator, accelerators, Presence::Required,
                         [](FieldReader& inner, Accelerator& value) {
                             describe(inner, value);
                             checkAccelerator(inner, value);
                         });
        },
        [&](FieldReader& fields, std::vector<Level>& levels) { readLevels(fields, levels, links); });
    if (cluster.nodes > mostDevices / cluster.devicesPerNode) {
        reader.problem(
            "nodes", fmt::to_string(cluster.nodes),
            fmt::format("give {} devices, more than the {} that can be costed", cluster.devices(), mostDevices));
    }
}

void writeCluster(FieldWriter& writer, Cluster& cluster, const std::vector<Accelerator>& accelerators)
{
    describe(
        writer, cluster,
        [&](FieldWriter& fields, Accelerator& accelerator) {
            writePresetOr(fields, "accelerator", accelerator, accelerators,
                          [](FieldWriter& inner, Accelerator& value) { describe(inner, value); });
        },
        [](FieldWriter& fields, std::vector<Level>& levels) { fields.objects("levels", levels, Presence::Required); });
}

} // namespace partita
