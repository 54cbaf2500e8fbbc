// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"

#include <functional>
#include <string>
#include <vector>

namespace partita {

/// What becomes of a scenario when one constant is another.
struct SensitivityEnd {
    double value = 0; ///< of the constant
    bool fits = false; ///< the scenario's layout
    double stepTime = 0; ///< s, of the scenario's layout
    Layout best; ///< the fastest that fits then; the scenario's layout where none does
    double bestStepTime = 0; ///< s; 0 where nothing fits
    bool clamped = false; ///< the constant stops short of the change: shares at 1, factors that cannot fall below it

    /// Share by which the scenario's layout is then slower than the best.
    double regret() const { return bestStepTime > 0 ? stepTime / bestStepTime - 1 : 0; }
    bool operator==(const SensitivityEnd&) const = default;
};

/// Whether the same layout is the fastest at both ends, or none at either.
bool sameWinner(const SensitivityEnd& a, const SensitivityEnd& b);

/// A bar of the tornado.
struct Sensitivity {
    std::string label; ///< with its level where there are several: "bandwidth of InfiniBand"
    double value = 0; ///< as the scenario has it, base units
    SensitivityEnd low;
    SensitivityEnd high;

    /// Whether another layout is then the best one than as things are.
    bool changesRanking(const SensitivityEnd& unchanged) const
    {
        return !sameWinner(low, unchanged) || !sameWinner(high, unchanged);
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
    SensitivityEnd unchanged; ///< which layout is best as things are; its value means nothing
    /// Those that change the ranking first, among them and the others the widest swing; constants that change neither
    /// ranking nor the layout's time or fit are left out.
    std::vector<Sensitivity> bars;

    bool operator==(const Tornado&) const = default;
};

struct TornadoOptions {
    double share = 0.2; ///< by which constants are changed
    int threads = 1; ///< of the searches
    std::function<bool()> stop = [] { return false; }; ///< asked from any thread
};

/// Changes every constant of accelerator, links and stack by a share, up and down, one at a time. candidates: layouts
/// that might become the best one, timed anew for every constant. Where the best of them does not fit any more, all
/// layouts that the stack offers are searched again. Another layout counts as faster where it leads by 0.1 %. Empty for
/// a layout with problems; bars are missing once stopped.
Tornado tornado(const Scenario& scenario, const std::vector<Layout>& candidates, const TornadoOptions& options = {});

/// The scenario with a constant of tornado(), by its label, times a factor, within its bounds; as it is where there is
/// no such constant.
Scenario withConstant(const Scenario& scenario, const std::string& label, double factor);

/// Layouts that come near the best: the scenario's own, the fastest of a search, and, as those are much alike, what the
/// constraint-first advice met on its way that fits and is at most a tenth slower than its pick.
std::vector<Layout> contenders(const Scenario& scenario, const TornadoOptions& options = {});

} // namespace partita
