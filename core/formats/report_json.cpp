// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/report_json.h"

#include "core/formats/json_fields.h"
#include "core/formats/report_parts.h"

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json utilization(const Utilization& value)
{
    return {{"full", jsonNumber(value.full)}, {"causal", jsonNumber(value.causal)}, {"6n", jsonNumber(value.sixN)}};
}

Json stage(const StageReport& value)
{
    Json memory = byName<MemoryKind>(value.memory);
    memory["total"] = jsonNumber(value.memory.total());
    return memory;
}

Json stageTimes(const StageReport& value)
{
    return {{"layers", value.layers},
            {"parameters", jsonNumber(value.parameters)},
            {"forward_s", jsonNumber(value.forward)},
            {"backward_input_s", jsonNumber(value.backwardInput)},
            {"backward_weight_s", jsonNumber(value.backwardWeight)},
            {"in_flight", jsonNumber(value.inFlight)}};
}

void addResults(Json& json, const Report& report)
{
    json["step_time_s"] = jsonNumber(report.stepTime);
    json["tokens_per_step"] = jsonNumber(report.tokensPerStep);
    json["tokens_per_s"] = jsonNumber(report.tokensPerSecond);
    json["tokens_per_s_per_device"] = jsonNumber(report.tokensPerSecondPerDevice);
    json["mfu"] = utilization(report.mfu);
    json["hfu"] = utilization(report.hfu);
    json["model_flops_per_step"] = jsonNumber(report.modelFlopsPerStep);
    json["bubble_fraction"] = jsonNumber(report.bubbleFraction);
    Json memory = {{"peak_bytes", jsonNumber(report.peakMemory())},
                   {"limit_bytes", jsonNumber(report.memoryLimit)},
                   {"peak_stage", report.peakStage},
                   {"stages", Json::array()}};
    Json stages = Json::array();
    for (const StageReport& each : report.stages) {
        memory["stages"].push_back(stage(each));
        stages.push_back(stageTimes(each));
    }
    json["memory"] = std::move(memory);
    json["stages"] = std::move(stages);
    json["time"] = {{"parts", byName<TimeKind>(report.time)}};
    if (report.trainingDays > 0) {
        json["training_days"] = jsonNumber(report.trainingDays);
    }
    if (report.trainingCost > 0) {
        json["training_cost_usd"] = jsonNumber(report.trainingCost);
    }
}

} // namespace

Json problemList(const Problems& problems)
{
    Json list = Json::array();
    for (const Problem& problem : problems) {
        list.push_back({{"field", problem.field},
                        {"value", problem.value},
                        {"message", problem.message},
                        {"suggestion", problem.suggestion}});
    }
    return list;
}

Json parameterCounts(const ModelParameters& value)
{
    return {{"total", value.total()},
            {"active", value.active},
            {"embedding", value.embedding},
            {"head", value.head},
            {"final_norm", value.finalNorm},
            {"mixer", value.layers.mixer},
            {"dense_ffn", value.layers.denseFfn},
            {"routed_experts", value.layers.routedExperts},
            {"shared_experts", value.layers.sharedExperts},
            {"router", value.layers.router},
            {"norms", value.layers.norms},
            {"multi_token_prediction", value.multiTokenPrediction}};
}

std::string writeReport(const Report& report, const std::optional<StepTimeBand>& band)
{
    Json json = Json::object();
    json["fits"] = report.legal() && report.fits;
    if (report.legal()) {
        addResults(json, report);
        if (band) {
            json["step_time_band_s"] = {jsonNumber(band->low), jsonNumber(band->high)};
            json["nearest_runs"] = band->runs;
        }
    }
    json["parameters"] = parameterCounts(report.parameters);
    json["problems"] = problemList(report.problems);
    json["warnings"] = report.warnings;
    return jsonText(json);
}

std::string writeProblems(const Problems& problems)
{
    return jsonText({{"problems", problemList(problems)}});
}

} // namespace partita
