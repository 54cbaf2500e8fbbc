// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"
#include "core/formats/json_fields.h"
#include "core/runs/trace_comparison.h"

#include <cmath>
#include <fmt/format.h>

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json bothSides(const PredictedMeasured<double>& figure)
{
    return {{"predicted", jsonNumber(figure.predicted)}, {"measured", jsonNumber(figure.measured)}};
}

bool occurs(const PredictedMeasured<KindTimes>& times)
{
    return times.predicted.count + times.measured.count > 0;
}

PredictedMeasured<double> means(const PredictedMeasured<KindTimes>& times)
{
    return {times.predicted.mean(), times.measured.mean()};
}

} // namespace

std::string writeTraceComparison(const TraceComparison& comparison)
{
    Json json = Json::object();
    json["time_unit"] = "s";
    json["makespan"] = bothSides(comparison.makespan);
    json["bubble_fraction"] = bothSides(comparison.bubbleFraction);
    json["stages"] = Json::array();
    for (std::size_t i = 0; i < comparison.stages.size(); ++i) {
        const TraceComparison::Stage& stage = comparison.stages[i];
        json["stages"].push_back({{"stage", i},
                                  {"busy", bothSides(stage.busy)},
                                  {"idle", bothSides(stage.idle)},
                                  {"ops", {{"predicted", stage.ops.predicted}, {"measured", stage.ops.measured}}}});
    }
    json["kinds"] = Json::array();
    for (const Name<OpKind>& kind : Names<OpKind>::table) {
        const PredictedMeasured<KindTimes>& times = comparison.kinds[static_cast<std::size_t>(kind.value)];
        if (occurs(times)) {
            json["kinds"].push_back(
                {{"kind", std::string(kind.key)},
                 {"count", {{"predicted", times.predicted.count}, {"measured", times.measured.count}}},
                 {"total", bothSides({times.predicted.seconds, times.measured.seconds})},
                 {"mean", bothSides(means(times))}});
        }
    }
    json["remarks"] = comparison.remarks;
    json["problems"] = Json::array();
    return jsonText(json);
}

std::string traceText(const TraceComparison& comparison)
{
    std::string text;
    const auto line = [&](std::string_view name, std::string_view what, const PredictedMeasured<double>& figure) {
        const bool both = figure.predicted > 0 && figure.measured > 0;
        constexpr double shown = 0.05; // less reads as a signed zero
        const double exact = relativeError(figure) * 100;
        const double error = std::abs(exact) < shown ? 0 : exact;
        text += fmt::format("{:<26}{:<7}{:>14}{:>14}{:>10}\n", name, what, formatSeconds(figure.predicted),
                            formatSeconds(figure.measured), both ? fmt::format("{:+.1f} %", error) : "-");
    };
    text += fmt::format("{:<33}{:>14}{:>14}{:>10}\n", "", "predicted", "measured", "off by");
    line("makespan", "", comparison.makespan);
    text += fmt::format("{:<33}{:>14}{:>14}\n", "bubble", formatPercent(comparison.bubbleFraction.predicted),
                        formatPercent(comparison.bubbleFraction.measured));
    for (std::size_t i = 0; i < comparison.stages.size(); ++i) {
        line(fmt::format("stage {}", i), "busy", comparison.stages[i].busy);
    }
    for (const Name<OpKind>& kind : Names<OpKind>::table) {
        const PredictedMeasured<KindTimes>& times = comparison.kinds[static_cast<std::size_t>(kind.value)];
        if (occurs(times)) {
            line(kind.label, "mean", means(times));
        }
    }
    for (const std::string& remark : comparison.remarks) {
        text += fmt::format("note: {}\n", remark);
    }
    return text;
}

std::string describeTrace(const ImportedTrace& trace, bool asJson)
{
    Json json = Json::object();
    json["kind"] = "trace";
    json["duration"] = jsonNumber(trace.duration);
    json["has_pipeline_ops"] = trace.hasPipelineOps;
    json["lanes"] = Json::array();
    std::string text = fmt::format("{:<12}{} lanes, {}\n", "trace", trace.lanes.size(), formatSeconds(trace.duration));
    for (const TraceLane& lane : trace.lanes) {
        json["lanes"].push_back({{"name", lane.name}, {"stage", lane.stage}, {"spans", lane.spans.size()}});
        text += fmt::format("{:<12}{}, {} spans{}\n", "lane", lane.name, lane.spans.size(),
                            lane.stage >= 0 ? fmt::format(", stage {}", lane.stage) : "");
    }
    for (const std::string& line : trace.ignored) {
        text += fmt::format("{:<12}{}\n", "ignored", line);
    }
    json["ignored"] = trace.ignored;
    json["problems"] = Json::array();
    return asJson ? jsonText(json) : text;
}

} // namespace partita
