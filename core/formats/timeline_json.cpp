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
class OpLines {
public:
    explicit OpLines(const Timeline& timeline)
        : m_timeline(timeline)
    {
    }

    void add(std::size_t stage, const TimelineOp& op)
    {
        print("{}    {{\"stage\": {}, \"kind\": \"{}\", ", m_first ? "\n" : ",\n", stage, keyOf(op.kind));
        m_first = false;
        if (isPipelineOp(op.kind)) {
            print("\"micro_batch\": {}, \"chunk\": {}, ", op.microBatch, op.chunk);
        }
        if (op.kind == OpKind::ForwardBackward) {
            print("\"backward_micro_batch\": {}, \"backward_chunk\": {}, ", op.partner, op.partnerChunk);
        }
        print("\"start\": {}, \"end\": {}", op.start, op.end);
        addExposed(m_timeline.exposedIn(static_cast<int>(stage), op));
        print("}}");
    }

    std::string take() { return fmt::to_string(m_text); }

private:
    template <class... Arguments> void print(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(m_text), format, std::forward<Arguments>(arguments)...);
    }

    void addExposed(const ExposedExchange& exposed)
    {
        std::string_view separator = ", \"exposed\": {";
        for (const Name<ExchangeGroup>& group : Names<ExchangeGroup>::table) {
            if (exposed[group.value] > 0) {
                print("{}\"{}\": {}", separator, group.key, exposed[group.value]);
                separator = ", ";
            }
        }
        if (exposed.total() > 0) {
            print("}}");
        }
    }

    const Timeline& m_timeline;
    fmt::memory_buffer m_text;
    bool m_first = true;
};

std::string opLines(const Timeline& timeline, std::vector<TimelineOp> StageTimeline::*ops)
{
    OpLines lines(timeline);
    for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
        for (const TimelineOp& op : timeline.stages[stage].*ops) {
            lines.add(stage, op);
        }
    }
    return lines.take();
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
    json["makespan_definition"] = std::string(makespanDefinition);
    json["step_end"] = jsonNumber(timeline.end());
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
    text += fmt::format(",\n  \"ops\": [{}\n  ]", opLines(timeline, &StageTimeline::ops));
    return text + fmt::format(",\n  \"step_ops\": [{}\n  ]\n}}\n", opLines(timeline, &StageTimeline::after));
}

} // namespace partita
