// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/search_json.h"

#include "core/formats/json_fields.h"
#include "core/formats/layout_json.h"

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json figuresObject(const LayoutFigures& figures, double pricePerHour)
{
    Json json{{"layout", layoutObject(figures.layout)},
              {"fits", figures.fits},
              {"step_time_s", jsonNumber(figures.stepTime)},
              {"tokens_per_s", jsonNumber(figures.tokensPerSecond)},
              {"mfu", jsonNumber(figures.mfu)},
              {"peak_memory_bytes", jsonNumber(figures.peakMemory)},
              {"peak_stage", figures.peakStage},
              {"bubble_fraction", jsonNumber(figures.bubble)},
              {"exposed_communication_s", jsonNumber(figures.exposed)}};
    const double hours = takenBy(figures, FrontAgainst::Cost);
    json["device_hours_per_billion_tokens"] = jsonNumber(hours);
    if (pricePerHour > 0) {
        json["usd_per_billion_tokens"] = jsonNumber(hours * pricePerHour);
    }
    if (figures.trainingDays > 0) {
        json["training_days"] = jsonNumber(figures.trainingDays);
    }
    if (figures.trainingCost > 0) {
        json["training_cost_usd"] = jsonNumber(figures.trainingCost);
    }
    return json;
}

Json list(const std::vector<LayoutFigures>& layouts, double pricePerHour)
{
    Json array = Json::array();
    for (const LayoutFigures& figures : layouts) {
        array.push_back(figuresObject(figures, pricePerHour));
    }
    return array;
}

Json notVaried(const SearchAnswer& answer)
{
    Json array = Json::array();
    for (const Unvaried& each : answer.unvaried) {
        array.push_back(each.key);
    }
    return array;
}

Json corners(const SearchAnswer& answer)
{
    Json array = Json::array();
    for (const LayoutFigures& figures : answer.front) {
        Json json = figuresObject(figures, answer.pricePerHour);
        json["devices"] = figures.layout.devices();
        array.push_back(std::move(json));
    }
    return array;
}

} // namespace

std::string writeSearch(const SearchAnswer& answer)
{
    const SearchCounts& counts = answer.result.counts;
    Json json{{"counts",
               {{"enumerated", counts.enumerated},
                {"counted", counts.counted},
                {"legal", counts.legal},
                {"fit", counts.fit},
                {"evaluated", counts.evaluated},
                {"pruned", counts.pruned},
                {"unseen", counts.unseen},
                {"beyond_stack", answer.beyondStack ? Json(*answer.beyondStack) : Json()},
                {"seconds", jsonNumber(answer.seconds)}}},
              {"complete", answer.result.complete},
              {"memory_limit_bytes", jsonNumber(answer.result.memoryLimit)},
              {"warnings", answer.warnings},
              {"not_varied", notVaried(answer)},
              {"best", list(answer.best, answer.pricePerHour)}};
    if (answer.pricePerHour > 0) {
        json["price"] = {{"usd_per_device_hour", jsonNumber(answer.pricePerHour)}, {"origin", answer.priceOrigin}};
    }
    if (answer.result.bound > 0) {
        json["unfinished_step_time_at_least_s"] = jsonNumber(answer.result.bound);
    }
    if (answer.against) {
        json["front"] = corners(answer);
        if (!answer.frontDevices.empty()) {
            json["front_devices"] = answer.frontDevices;
        }
    }
    if (answer.result.leanest) {
        json["leanest"] = {{"layout", layoutObject(answer.result.leanest->layout)},
                           {"peak_memory_bytes", jsonNumber(answer.result.leanest->peakMemory)}};
    }
    return jsonText(json);
}

} // namespace partita
