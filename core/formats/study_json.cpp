// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/study_json.h"

#include "core/formats/cost_json.h"
#include "core/formats/json_fields.h"
#include "core/formats/layout_json.h"

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json groupList(const std::vector<PlacedGroup>& groups)
{
    Json list = Json::array();
    for (const PlacedGroup& group : groups) {
        list.push_back({{"group", std::string(keyOf(group.kind))},
                        {"size", group.size},
                        {"level", group.level},
                        {"level_name", group.levelName},
                        {"crosses", group.crosses()},
                        {"slowdown", jsonNumber(group.slowdown)},
                        {"exposed_s", jsonNumber(group.exposed)}});
    }
    return list;
}

Json placementList(const std::vector<RankPlacement>& placements)
{
    Json list = Json::array();
    for (const RankPlacement& placement : placements) {
        Json json = costObject(placement.cost);
        json["current"] = placement.current;
        json["groups"] = groupList(placement.groups);
        list.push_back(std::move(json));
    }
    return list;
}

Json curveObject(const ScalingCurve& curve)
{
    Json points = Json::array();
    for (const ScalingPoint& point : curve.points) {
        Json json{{"value", jsonNumber(point.value)}, {"devices", point.devices}};
        json.update(costObject(point.cost));
        json["tokens_per_s_per_device"] = jsonNumber(point.tokensPerSecondPerDevice());
        points.push_back(std::move(json));
    }
    return {{"axis", std::string(keyOf(curve.axis))},
            {"layout", std::string(keyOf(curve.mode))},
            {"points", std::move(points)}};
}

Json endObject(const SensitivityEnd& end)
{
    Json json{{"value", jsonNumber(end.value)},
              {"clamped", end.clamped},
              {"fits", end.fits},
              {"step_time_s", jsonNumber(end.stepTime)},
              {"best", nullptr},
              {"best_step_time_s", nullptr},
              {"regret", nullptr}};
    if (end.bestStepTime > 0) {
        json["best"] = layoutObject(end.best);
        json["best_step_time_s"] = jsonNumber(end.bestStepTime);
        json["regret"] = jsonNumber(end.regret());
    }
    return json;
}

Json tornadoObject(const Tornado& tornado)
{
    Json bars = Json::array();
    for (const Sensitivity& bar : tornado.bars) {
        bars.push_back({{"constant", bar.label},
                        {"value", jsonNumber(bar.value)},
                        {"changes_ranking", bar.changesRanking(tornado.unchanged)},
                        {"low", endObject(bar.low)},
                        {"high", endObject(bar.high)}});
    }
    Json unchanged = endObject(tornado.unchanged);
    unchanged.erase("value"); // of no one constant
    unchanged.erase("clamped");
    return {{"share", jsonNumber(tornado.share)},
            {"step_time_s", jsonNumber(tornado.stepTime)},
            {"unchanged", std::move(unchanged)},
            {"bars", std::move(bars)}};
}

} // namespace

std::string writeStudy(const Study& study)
{
    Json json = Json::object();
    if (!study.placements.empty()) {
        json["placements"] = placementList(study.placements);
    }
    if (!study.scaling.empty()) {
        Json curves = Json::array();
        for (const ScalingCurve& curve : study.scaling) {
            curves.push_back(curveObject(curve));
        }
        json["scaling"] = std::move(curves);
    }
    if (study.tornado.share > 0) {
        json["sensitivity"] = tornadoObject(study.tornado);
    }
    return jsonText(json);
}

} // namespace partita
