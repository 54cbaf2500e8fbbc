// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/score_json.h"

#include "core/formats/json_fields.h"
#include "core/formats/report_parts.h"

namespace partita {

namespace {

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value)
{
    return value ? jsonNumber(*value) : Json(nullptr);
}

Json orNull(const std::optional<bool>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

void addFigures(Json& json, std::string_view prefix, const ServingFigures& figures)
{
    const auto set = [&](std::string_view key, const std::optional<double>& value) {
        json[std::string(prefix) + std::string(key)] = orNull(value);
    };
    set("tpot_s", figures.tpot);
    set("ttft_s", figures.ttft);
    set("tokens_per_s", figures.tokensPerSecond);
    set("tokens_per_s_per_device", figures.tokensPerSecondPerDevice);
}

Json servingRow(const ScoredRun& row)
{
    Json json = {{"id", row.id}, {"source", row.source}, {"layout", row.layout}};
    addFigures(json, "predicted_", row.predictedServing);
    addFigures(json, "measured_", row.measuredServing);
    json["assumptions"] = row.assumptions;
    json["skipped"] = row.skipped.empty() ? Json(nullptr) : Json(row.skipped);
    return json;
}

Json rowAsJson(const ScoredRun& row)
{
    if (row.serves) {
        return servingRow(row);
    }
    return {{"id", row.id},
            {"source", row.source},
            {"predicted_tokens_per_s_per_device", orNull(row.predictedTokens)},
            {"measured_tokens_per_s_per_device", orNull(row.measuredTokens)},
            {"predicted_peak_gib", orNull(row.predictedMemoryGib)},
            {"measured_peak_gib", orNull(row.measuredMemoryGib)},
            {"memory_kind", row.memoryKind.empty() ? Json(nullptr) : Json(row.memoryKind)},
            {"predicted_fits", orNull(row.predictedFits)},
            {"measured_fits", orNull(row.measuredFits)},
            {"assumptions", row.assumptions},
            {"skipped", row.skipped.empty() ? Json(nullptr) : Json(row.skipped)}};
}

Json statistics(const ErrorStatistics& value)
{
    Json json = {{"count", value.count}};
    const auto set = [&](const char* key, double number) {
        json[key] = value.count > 0 ? jsonNumber(number) : Json(nullptr);
    };
    set("mape", value.mape);
    set("median", value.median);
    set("within_10", value.within10);
    set("within_20", value.within20);
    set("bias", value.bias);
    return json;
}

Json sourceAsJson(const SourceScore& source)
{
    Json memory = Json::object();
    for (const auto& [kind, errors] : source.memory) {
        memory[kind.empty() ? "unknown" : kind] = statistics(errors);
    }
    return {{"source", source.source},
            {"rows", source.rows},
            {"usable", source.usable()},
            {"skipped", source.skipped},
            {"tokens_per_s", statistics(source.time)},
            {"memory", std::move(memory)},
            {"fit",
             {{"fits_right", source.fit.fitsRight},
              {"fits_wrong", source.fit.fitsWrong},
              {"fails_right", source.fit.failsRight},
              {"fails_wrong", source.fit.failsWrong},
              {"right", source.fit.count() > 0 ? jsonNumber(source.fit.right()) : Json(nullptr)},
              {"balanced", source.fit.count() > 0 ? jsonNumber(source.fit.balanced()) : Json(nullptr)}}},
            {"tpot_s", statistics(source.tpot)},
            {"ttft_s", statistics(source.ttft)},
            {"layout_pairs", source.layoutPairs},
            {"layout_pairs_right", source.layoutPairsRight},
            {"rank_groups", source.rankGroups},
            {"rank_correlation", source.rankGroups > 0 ? jsonNumber(source.rankCorrelation) : Json(nullptr)}};
}

} // namespace

std::string writeScore(const std::vector<ScoredRun>& rows, const Score& score, const Problems& problems)
{
    Json json = {{"rows", Json::array()}, {"sources", Json::array()}};
    for (const ScoredRun& row : rows) {
        json["rows"].push_back(rowAsJson(row));
    }
    for (const SourceScore& source : score.sources) {
        json["sources"].push_back(sourceAsJson(source));
    }
    json["overall"] = sourceAsJson(score.overall);
    json["overall"]["mean_source_mape"] = score.overall.time.count > 0 ? jsonNumber(score.meanSourceMape) : nullptr;
    json["problems"] = problemList(problems);
    return jsonText(json);
}

} // namespace partita
