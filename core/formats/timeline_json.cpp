// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/timeline_json.h"

#include "core/formats/json_fields.h"

#include <fmt/format.h>
#include <iterator>

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json stageSummaries(const Timeline& timeline)
{
    Json stages = Json::array();
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        const StageTimeline& stage = timeline.stages[i];
        stages.push_back({{"stage", i},
                          {"busy", jsonNumber(stage.busy)},
                          {"idle", jsonNumber(stage.idle)},
                          {"transfer_wait", jsonNumber(stage.transferWait)},
                          {"peak_activations", jsonNumber(stage.peakActivations)},
                          {"weight_copies", stage.weightCopies}});
    }
    return stages;
}

// By hand, one line an op: as a JSON tree half a million ops would take gigabytes. All texts are keys of ours, all
// numbers finite.
void appendOps(fmt::memory_buffer& out, const Timeline& timeline)
{
    std::string_view separator = "\n";
    for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
        for (const TimelineOp& op : timeline.stages[stage].ops) {
            fmt::format_to(std::back_inserter(out),
                           "{}    {{\"stage\": {}, \"kind\": \"{}\", \"micro_batch\": {}, \"chunk\": {}, ", separator,
                           stage, keyOf(op.kind), op.microBatch, op.chunk);
            if (op.kind == OpKind::ForwardBackward) {
                fmt::format_to(std::back_inserter(out), "\"backward_micro_batch\": {}, \"backward_chunk\": {}, ",
                               op.partner, op.partnerChunk);
            }
            fmt::format_to(std::back_inserter(out), "\"start\": {}, \"end\": {}}}", op.start, op.end);
            separator = ",\n";
        }
    }
}

} // namespace

std::string writeTimeline(const Timeline& timeline, ScheduleKind kind, std::string_view timeUnit, bool ops)
{
    const Placement& placement = timeline.placement;
    Json json = Json::object();
    json["schedule"] = std::string(keyOf(kind));
    json["stage_count"] = placement.stages;
    json["micro_batches"] = timeline.microBatches;
    json["chunks"] = placement.chunks / placement.weightCopies();
    json["time_unit"] = std::string(timeUnit);
    json["makespan"] = jsonNumber(timeline.makespan);
    json["ideal"] = jsonNumber(timeline.ideal);
    json["bubble_fraction"] = jsonNumber(timeline.bubbleFraction());
    json["bubble_definition"] = std::string(bubbleDefinition);
    json["stages"] = stageSummaries(timeline);
    json["problems"] = Json::array();
    std::string text = jsonText(json);
    if (!ops) {
        return text;
    }
    text.resize(text.rfind("\n}")); // reopens the object
    fmt::memory_buffer list;
    appendOps(list, timeline);
    return text + ",\n  \"ops\": [" + fmt::to_string(list) + "\n  ]\n}\n";
}

} // namespace partita
