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
    std::string text = fmt::format("placement: {} rank orders that differ, innermost axis first\n", placements.size());
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
    return end.fits ? change(end.stepTime / stepTime - 1) : "no fit";
}

/// Which contender wins then, where it is another than before.
std::string rankingText(const SensitivityEnd& end, const SensitivityEnd& unchanged, const std::string& change)
{
    return end.best == unchanged.best ? std::string()
                                      : fmt::format("    at {} the fastest is {}, {}\n", change, layoutText(end.best),
                                                    formatSeconds(end.bestStepTime));
}

std::string tornadoText(const Tornado& tornado)
{
    const std::string share = formatPercent(tornado.share);
    std::string text = fmt::format("sensitivity: step time {}, each constant changed by {}\n{:<34}{:>10}{:>10}\n",
                                   formatSeconds(tornado.stepTime), share, "", "−" + share, "+" + share);
    for (const Sensitivity& bar : tornado.bars) {
        text += fmt::format("{:<34}{:>10}{:>10}\n", bar.label, endText(bar.low, tornado.stepTime),
                            endText(bar.high, tornado.stepTime));
        text += rankingText(bar.low, tornado.unchanged, "−" + share);
        text += rankingText(bar.high, tornado.unchanged, "+" + share);
    }
    text += fmt::format("fastest contender as things are: {}, {}{}\n", layoutText(tornado.unchanged.best),
                        formatSeconds(tornado.unchanged.bestStepTime),
                        tornado.unchanged.regret() > 0
                            ? fmt::format("; this layout is {} slower", formatPercent(tornado.unchanged.regret()))
                            : std::string());
    return text;
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
