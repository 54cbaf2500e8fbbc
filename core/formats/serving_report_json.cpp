// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/serving_report_json.h"

#include "core/formats/json_fields.h"
#include "core/formats/report_parts.h"

#include <cmath>

namespace partita {

namespace {

using Json = nlohmann::ordered_json;

/// Unlimited is null: JSON has no infinity.
Json finite(double value)
{
    return std::isfinite(value) ? jsonNumber(value) : Json(nullptr);
}

Json memory(const ServingReport& report)
{
    Json room = byName<RoomKind>(report.cache.room);
    room["total"] = jsonNumber(report.cache.room.total());
    room["stage"] = report.cache.stage;
    return room;
}

void addRates(Json& json, const ServingReport& report)
{
    json["batch"] = jsonNumber(report.batch);
    json["concurrency"] = jsonNumber(report.concurrency);
    json["waiting"] = jsonNumber(report.waiting);
    json["tpot_s"] = jsonNumber(report.tpot);
    json["ttft_s"] = jsonNumber(report.ttft);
    json["latency_s"] = jsonNumber(report.latency);
    json["decode_step_s"] = jsonNumber(report.decodeStep);
    json["prefill_s"] = jsonNumber(report.prefill);
    json["floor_s"] = jsonNumber(report.floor);
    json["tokens_per_s"] = jsonNumber(report.tokensPerSecond);
    json["tokens_per_s_per_device"] = jsonNumber(report.tokensPerSecondPerDevice);
    json["requests_per_s"] = jsonNumber(report.requestsPerSecond);
    json["goodput_per_s"] = jsonNumber(report.goodput);
    json["meets_ttft"] = report.meetsTtft;
    json["meets_tpot"] = report.meetsTpot;
    if (report.costPerMillionTokens > 0) {
        json["cost_per_million_tokens_usd"] = jsonNumber(report.costPerMillionTokens);
    }
}

Json point(const ServingReport& report)
{
    Json json = Json::object();
    json["fits"] = report.fits && report.waiting <= 0;
    addRates(json, report);
    return json;
}

Json point(const ServingPoint& value)
{
    Json json = {{"tp", value.layout.tp}, {"cp", value.layout.cp}, {"pp", value.layout.pp},
                 {"dp", value.layout.dp}, {"ep", value.layout.ep}, {"batch", value.batch}};
    if (value.batch == 0) {
        return json;
    }
    json["tpot_s"] = jsonNumber(value.tpot);
    json["ttft_s"] = jsonNumber(value.ttft);
    json["tokens_per_s"] = jsonNumber(value.tokensPerSecond);
    json["tokens_per_s_per_device"] = jsonNumber(value.tokensPerSecondPerDevice);
    json["goodput_per_s"] = jsonNumber(value.meets ? value.requestsPerSecond : 0);
    if (value.costPerMillionTokens > 0) {
        json["cost_per_million_tokens_usd"] = jsonNumber(value.costPerMillionTokens);
    }
    return json;
}

Json searchAsJson(const ServingSearch& search)
{
    Json json = {{"legal", search.layouts}, {"fitting", search.fitting}, {"points", search.points.size()}};
    json["best"] = search.best() != nullptr ? point(*search.best()) : Json(nullptr);
    json["front"] = Json::array();
    for (const std::size_t i : search.front) {
        json["front"].push_back(point(search.points[i]));
    }
    return json;
}

Json recipeAsJson(const ServingRecipe& recipe)
{
    Json json = {{"steps", Json::array()}};
    for (const RecipeStep& step : recipe.steps) {
        json["steps"].push_back({{"decision", step.decision}, {"reason", step.reason}, {"settled", step.settled}});
    }
    json["pick"] = point(recipe.pick);
    json["optimum"] = point(recipe.optimum);
    json["gap"] = jsonNumber(recipe.gap);
    return json;
}

Json layout(const ServingLayout& value)
{
    return {{"tp", value.tp},
            {"cp", value.cp},
            {"pp", value.pp},
            {"ep", value.ep},
            {"etp", value.etp},
            {"attention_dp", value.attentionRanks},
            {"replicas", value.replicas},
            {"decode_context", value.decodeContext},
            {"in_flight", value.inFlight}};
}

void addResults(Json& json, const ServingReport& report)
{
    addRates(json, report);
    json["max_concurrency"] = finite(report.maxConcurrency);
    json["kv"] = {{"tokens", finite(report.cache.tokens)},
                  {"bytes_per_token", jsonNumber(report.keyValueBytesPerToken)},
                  {"bytes_per_token_per_device", jsonNumber(report.keyValueBytesPerTokenPerDevice)},
                  {"copies", jsonNumber(report.keyValueCopies)},
                  {"room_bytes", jsonNumber(report.cache.room[RoomKind::KeyValues])},
                  {"eviction", report.eviction}};
    json["weights"] = {{"bytes_per_device", jsonNumber(report.weightBytesPerDevice)},
                       {"checkpoint_bytes", jsonNumber(report.checkpointBytes)}};
    json["memory"] = memory(report);
    json["time"] = {{"parts", byName<TimeKind>(report.time)}};
    json["pipeline_idle"] = jsonNumber(report.pipelineIdle);
    json["layout"] = layout(report.layout);
}

void addExtras(Json& json, const ServingExtras& extras)
{
    if (!extras.sweep.empty()) {
        json["sweep"] = Json::array();
        for (const ServingReport& each : extras.sweep) {
            json["sweep"].push_back(point(each));
        }
    }
    if (extras.search) {
        json["layouts"] = searchAsJson(*extras.search);
    }
    if (!extras.widths.empty()) {
        json["comparison"] = Json::array();
        for (const ServingPoint& each : extras.widths) {
            json["comparison"].push_back(point(each));
        }
    }
    if (extras.recipe) {
        json["recipe"] = recipeAsJson(*extras.recipe);
    }
}

} // namespace

std::string writeServingReport(const ServingReport& report, const ServingExtras& extras)
{
    Json json = Json::object();
    json["fits"] = report.legal() && report.fits;
    if (report.legal()) {
        addResults(json, report);
        addExtras(json, extras);
    }
    json["problems"] = problemList(report.problems);
    json["warnings"] = report.warnings;
    return jsonText(json);
}

} // namespace partita
