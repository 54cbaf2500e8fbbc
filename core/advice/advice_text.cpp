// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/advise.h"

#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/serving/serving_layout.h"

#include <fmt/format.h>

#include <cmath>

namespace partita {

namespace {

constexpr std::size_t mostReliefs = 6;

std::string stepText(const AdviceStep& step, std::size_t number, Voice voice)
{
    std::string text = fmt::format("{}. {}\n   {}\n", number, step.binding.text, layoutLine(step.before.layout, voice));
    std::size_t shown = 0;
    for (std::size_t i = 0; i < step.reliefs.size(); ++i) {
        if (shown >= mostReliefs && step.chosen != i) {
            continue;
        }
        ++shown;
        text += fmt::format("   {} {}\n", step.chosen == i ? "→" : "·", describe(step.reliefs[i], step.before));
    }
    if (!step.reason.empty()) {
        text += fmt::format("   {}\n", step.reason);
    }
    return text + '\n';
}

} // namespace

std::string layoutLine(const Layout& layout, Voice voice)
{
    return trains(voice) ? layoutText(layout) : servingText(layout);
}

std::string describe(const LayoutCost& cost)
{
    if (!cost.legal()) {
        return cost.objection;
    }
    if (!cost.figures.empty()) {
        return cost.figures;
    }
    if (!cost.fits) {
        return fmt::format("lacks {} on stage {}", formatBytes(cost.lacks()), cost.peakStage);
    }
    return fmt::format("{}, MFU {}, {} to spare", formatSeconds(cost.stepTime), formatPercent(cost.mfu),
                       formatBytes(cost.spare()));
}

std::string describe(const Relief& relief, const LayoutCost& before)
{
    std::string text =
        fmt::format("{}: {}", describe(layoutChanges(before.layout, relief.cost.layout)), describe(relief.cost));
    if (before.fits && relief.cost.fits && relief.cost.figures.empty()) {
        const double change = relief.cost.stepTime / before.stepTime - 1;
        text += fmt::format(" ({}{})", change < 0 ? "−" : "+", formatPercent(std::abs(change)));
    }
    return text;
}

std::string adviceText(const Advice& advice)
{
    std::string text;
    for (std::size_t i = 0; i < advice.steps.size(); ++i) {
        text += stepText(advice.steps[i], i + 1, advice.voice);
    }
    if (!advice.pick.layout.globalBatch) {
        return text;
    }
    text += fmt::format("{}: {}\n{}\n", advice.pick.fits ? "advice" : "nothing fits; nearest",
                        layoutLine(advice.pick.layout, advice.voice), describe(advice.pick));
    for (const std::string& note : advice.notes) {
        text += fmt::format("note: {}\n", note);
    }
    return text;
}

} // namespace partita
