// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/training/report.h"

namespace partita {

/// A layout and what a table of layouts shows of its report.
struct LayoutFigures {
    Layout layout;
    bool fits = false;
    double stepTime = 0; ///< s
    double tokensPerSecond = 0;
    double mfu = 0; ///< causal
    double peakMemory = 0; ///< bytes
    int peakStage = 0;
    double bubble = 0; ///< share
    double exposed = 0; ///< s of communication that nothing hides
    double trainingDays = 0; ///< as in Report
    double trainingCost = 0;

    bool operator==(const LayoutFigures&) const = default;
};

LayoutFigures figuresOf(const Layout& layout, const Report& report);

/// By evaluateFigures(): what opening the layout shows. The layout must be legal for the scenario.
LayoutFigures figuresOf(const Scenario& scenario, const Layout& layout);

} // namespace partita
