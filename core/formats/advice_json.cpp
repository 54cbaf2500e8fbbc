// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/advice_json.h"

#include "core/formats/cost_json.h"
#include "core/formats/json_fields.h"
#include "core/formats/report_parts.h"

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json reliefObject(const Relief& relief, const LayoutCost& before)
{
    Json json{{"relief", std::string(keyOf(relief.kind))}, {"text", describe(relief, before)}};
    json.update(costObject(relief.cost));
    return json;
}

Json stepObject(const AdviceStep& step)
{
    Json reliefs = Json::array();
    for (const Relief& relief : step.reliefs) {
        reliefs.push_back(reliefObject(relief, step.before));
    }
    return {{"constraint", std::string(keyOf(step.binding.kind))},
            {"text", step.binding.text},
            {"before", costObject(step.before)},
            {"reliefs", std::move(reliefs)},
            {"chosen", step.chosen ? Json(*step.chosen) : Json(nullptr)},
            {"reason", step.reason}};
}

/// Of so many sequences.
Json differenceObject(const TimeDifference& difference, std::int64_t sequences)
{
    Json terms = Json::array();
    for (const DifferenceTerm<TimeKind>& term : difference.terms) {
        terms.push_back({{"term", std::string(keyOf(term.kind))},
                         {"from_s", jsonNumber(term.from)},
                         {"to_s", jsonNumber(term.to)}});
    }
    return {{"sequences", sequences},
            {"before_s", jsonNumber(difference.before)},
            {"after_s", jsonNumber(difference.after)},
            {"terms", std::move(terms)}};
}

Json bestWithObject(const BestWith& best)
{
    return {{"kept", best.kept},
            {"complete", best.complete},
            {"best", best.cost ? costObject(*best.cost) : Json(nullptr)},
            {"gap", best.gap ? jsonNumber(*best.gap) : Json(nullptr)}};
}

Json whyNotObject(const WhyNot& answer)
{
    Json json{{"verdict", std::string(keyOf(answer.verdict))},
              {"read_as", answer.readAs},
              {"text", answer.text},
              {"wanted", costObject(answer.wanted)},
              {"reference", costObject(answer.reference)}};
    if (answer.verdict == Verdict::Illegal) {
        json["problems"] = problemList(answer.problems);
        json["nearest_legal"] = answer.nearest ? costObject(*answer.nearest) : Json(nullptr);
    } else if (!answer.broken.empty()) {
        json["broken"] = answer.broken;
        json["nearest_within"] = answer.nearest ? costObject(*answer.nearest) : Json(nullptr);
    } else if (answer.verdict == Verdict::OutOfMemory) {
        json["category"] = std::string(keyOf(answer.category));
        json["cheapest_fix"] = answer.cheapestFix ? reliefObject(*answer.cheapestFix, answer.wanted) : Json(nullptr);
    }
    if (answer.nearestThatFits) {
        json["nearest_that_fits"] = costObject(*answer.nearestThatFits);
    }
    if (answer.bestWith) {
        json["best_with"] = bestWithObject(*answer.bestWith);
    }
    if (!answer.time.terms.empty()) {
        json["difference"] = differenceObject(answer.time, answer.reference.layout.globalBatch);
    }
    return json;
}

} // namespace

std::string writeAdvice(const Advice& advice, const std::optional<Optimum>& optimum,
                        const std::optional<WhyNot>& whyNot)
{
    Json steps = Json::array();
    for (const AdviceStep& step : advice.steps) {
        steps.push_back(stepObject(step));
    }
    Json json{{"voice", std::string(keyOf(advice.voice))},
              {"complete", advice.complete},
              {"evaluated", advice.evaluated},
              {"fits", advice.pick.fits},
              {"pick", costObject(advice.pick)},
              {"steps", std::move(steps)},
              {"notes", advice.notes}};
    if (optimum) {
        json["optimum"] = {{"complete", optimum->complete},
                           {"legal", optimum->space},
                           {"best", optimum->best ? costObject(*optimum->best) : Json(nullptr)},
                           {"gap", jsonNumber(optimum->gap())}};
    }
    if (whyNot) {
        json["why_not"] = whyNotObject(*whyNot);
    }
    return jsonText(json);
}

} // namespace partita
