// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_text.h"

#include "core/advice/advise.h"
#include "core/base/format.h"
#include "core/layout/layout_text.h"

#include <fmt/format.h>

#include <cmath>

namespace partita {

namespace {

constexpr std::size_t mostPlacements = 8;

std::string change(double share)
{
    return (share < 0 ? "−" : "+") + formatPercent(std::abs(share));
}

std::string placementText(const std::vector<RankPlacement>& placements)
{
    std::string text =
        fmt::format("placement: {}, innermost axis first\n",
                    placements.size() == 1 ? "every rank order places the groups alike"
                                           : fmt::format("{} rank orders that differ", placements.size()));
    for (std::size_t i = 0; i < placements.size(); ++i) {
        const RankPlacement& placement = placements[i];
        if (i >= mostPlacements && !placement.current) {
            continue;
        }
        text += fmt::format("{} {:<16}{:>9}  {}\n", placement.current ? "→" : " ",
                            rankOrderText(placement.cost.layout.rankOrder), formatSeconds(placement.cost.stepTime),
                            describe(placement.groups));
    }
    return text;
}

std::string curveText(const ScalingCurve& curve)
{
    std::string text = fmt::format("{}, {}\n{:>16}{:>10}{:>9}{:>16}  layout\n", labelOf(curve.axis),
                                   labelOf(curve.mode), "", "step", "MFU", "tokens/s/device");
    for (const ScalingPoint& point : curve.points) {
        text += fmt::format("{:>16}", scalingValueText(curve.axis, point.value));
        if (point.cost.fits) {
            text += fmt::format("{:>10}{:>9}{:>16}  {}\n", formatSeconds(point.cost.stepTime),
                                formatPercent(point.cost.mfu), formatSignificant(point.tokensPerSecondPerDevice()),
                                layoutText(point.cost.layout));
        } else {
            text += fmt::format("{:>37}{}\n", "", describe(point.cost));
        }
    }
    return text;
}

std::string endText(const SensitivityEnd& end, double stepTime)
{
    const std::string text = end.fits ? change(end.stepTime / stepTime - 1) : "no fit";
    return end.clamped ? fmt::format("{} at {:g}", text, end.value) : text;
}

/// Who is the fastest then, where it is another than before.
std::string rankingText(const SensitivityEnd& end, const SensitivityEnd& unchanged, const std::string& change)
{
    if (sameWinner(end, unchanged)) {
        return {};
    }
    return end.bestStepTime > 0 ? fmt::format("    at {} the fastest is {}, {}\n", change, layoutText(end.best),
                                              formatSeconds(end.bestStepTime))
                                : fmt::format("    at {} nothing fits\n", change);
}

std::string tornadoText(const Tornado& tornado)
{
    const std::string share = formatPercent(tornado.share);
    const SensitivityEnd& unchanged = tornado.unchanged;
    std::string text = fmt::format("sensitivity: step time {}, each constant changed by {}; what changes which layout "
                                   "is fastest comes first\n{:<34}{:>14}{:>14}\n",
                                   formatSeconds(tornado.stepTime), share, "", "−" + share, "+" + share);
    bool clamped = false;
    for (const Sensitivity& bar : tornado.bars) {
        text += fmt::format("{:<34}{:>14}{:>14}\n", bar.label, endText(bar.low, tornado.stepTime),
                            endText(bar.high, tornado.stepTime));
        text += rankingText(bar.low, unchanged, "−" + share);
        text += rankingText(bar.high, unchanged, "+" + share);
        clamped = clamped || bar.low.clamped || bar.high.clamped;
    }
    if (clamped) {
        text += "\"at\": the constant cannot go further\n";
    }
    if (unchanged.bestStepTime <= 0) {
        return text + "nothing fits as things are\n";
    }
    return text
        + fmt::format(
               "fastest as things are: {}, {}{}\n", layoutText(unchanged.best), formatSeconds(unchanged.bestStepTime),
               unchanged.regret() > 0 ? fmt::format("; this layout is {} slower", formatPercent(unchanged.regret()))
                                      : std::string());
}

} // namespace

std::string studyText(const Study& study)
{
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
    if (!study.placements.empty()) {
        add(placementText(study.placements));
    }
    for (const ScalingCurve& curve : study.scaling) {
        add(curveText(curve));
    }
    if (study.tornado.share > 0) {
        add(tornadoText(study.tornado));
    }
    return text;
}

} // namespace partita
