// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/training/report.h"

namespace partita {

/// What a search asks of layouts of one scenario, over and over. Layouts must be legal.
class FastModel {
public:
    explicit FastModel(const Scenario& scenario);

    double peakMemory(const Layout& layout);
    double stepTimeBound(const Layout& layout);
    double stepTime(const Layout& layout);

private:
    const Report& reportOf(const Layout& layout);

    Scenario m_scenario;
    Report m_report;
    bool m_known = false;
};

} // namespace partita
