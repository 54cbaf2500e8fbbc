// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"

#include <functional>
#include <string>
#include <vector>

namespace partita {

/// What becomes of a scenario when one constant is another.
struct SensitivityEnd {
    double value = 0; ///< of the constant; shares stop at 1, factors that cannot fall below 1 stop there
    bool fits = false; ///< the scenario's layout
    double stepTime = 0; ///< s, of the scenario's layout
    Layout best; ///< of the candidates, the fastest that fits then; the scenario's layout where none does
    double bestStepTime = 0; ///< s

    /// Share by which the scenario's layout is then slower than the best candidate.
    double regret() const { return bestStepTime > 0 ? stepTime / bestStepTime - 1 : 0; }
    bool operator==(const SensitivityEnd&) const = default;
};

/// A bar of the tornado.
struct Sensitivity {
    std::string label; ///< with its level where there are several: "bandwidth of InfiniBand"
    double value = 0; ///< as the scenario has it, base units
    SensitivityEnd low;
    SensitivityEnd high;

    /// Whether another candidate is then the best one than as things are.
    bool changesRanking(const SensitivityEnd& unchanged) const
    {
        return low.best != unchanged.best || high.best != unchanged.best;
    }
    double swing() const
    {
        return low.stepTime > high.stepTime ? low.stepTime - high.stepTime : high.stepTime - low.stepTime;
    }
    bool operator==(const Sensitivity&) const = default;
};

struct Tornado {
    double share = 0; ///< by which every constant is changed
    double stepTime = 0; ///< s, unchanged
    SensitivityEnd unchanged; ///< which of the candidates is best as things are; its value means nothing
    std::vector<Sensitivity> bars; ///< widest swing first; constants that change neither time nor fit are left out

    bool operator==(const Tornado&) const = default;
};

/// Changes every constant of accelerator, links and stack by a share, up and down, one at a time. candidates: layouts
/// that might become the best one. Empty for a layout with problems.
Tornado tornado(const Scenario& scenario, const std::vector<Layout>& candidates, double share = 0.2);

/// Layouts that come near the best: those the constraint-first advice met on its way that fit and are at most so much
/// slower than its pick, the scenario's own among them.
std::vector<Layout> contenders(
    const Scenario& scenario, const std::function<bool()>& stop = [] { return false; }, double within = 0.1);

} // namespace partita
