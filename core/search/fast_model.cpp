// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model.h"

#include "core/training/evaluate.h"

namespace partita {

FastModel::FastModel(const Scenario& scenario)
    : m_scenario(scenario)
{
}

const Report& FastModel::reportOf(const Layout& layout)
{
    if (!m_known || m_scenario.layout != layout) {
        m_scenario.layout = layout;
        m_report = evaluate(m_scenario);
        m_known = true;
    }
    return m_report;
}

double FastModel::peakMemory(const Layout& layout)
{
    return reportOf(layout).peakMemory();
}

double FastModel::stepTimeBound(const Layout&)
{
    return 0;
}

double FastModel::stepTime(const Layout& layout)
{
    return reportOf(layout).stepTime;
}

} // namespace partita
