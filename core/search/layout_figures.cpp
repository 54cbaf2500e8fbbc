// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/layout_figures.h"

#include "core/training/evaluate.h"

namespace partita {

LayoutFigures figuresOf(const Layout& layout, const Report& report)
{
    LayoutFigures figures;
    figures.layout = layout;
    figures.fits = report.fits;
    figures.stepTime = report.stepTime;
    figures.tokensPerSecond = report.tokensPerSecond;
    figures.mfu = report.mfu.causal;
    figures.peakMemory = report.peakMemory();
    figures.peakStage = report.peakStage;
    figures.bubble = report.bubbleFraction;
    figures.exposed = report.time.exposedCommunication();
    figures.trainingDays = report.trainingDays;
    figures.trainingCost = report.trainingCost;
    return figures;
}

LayoutFigures figuresOf(const Scenario& scenario, const Layout& layout)
{
    Scenario other = scenario;
    other.layout = layout;
    return figuresOf(layout, evaluateFigures(other));
}

} // namespace partita
