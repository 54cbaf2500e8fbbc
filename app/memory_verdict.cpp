// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory_verdict.h"

#include "widgets/text.h"

namespace partita::ui {

namespace {
constexpr int delayMilliseconds = 150;
}

const QString MemoryVerdict::fixPath = QStringLiteral("fix");

MemoryVerdict::MemoryVerdict()
    : m_job(QStringLiteral("memory"))
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(delayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &MemoryVerdict::work);
}

void MemoryVerdict::setScenario(const Scenario& scenario, const Report& report)
{
    if (m_cost && scenario == m_scenario) {
        return;
    }
    m_scenario = scenario;
    m_cost.reset();
    if (report.legal() && !report.fits) {
        m_cost = costOf(scenario.layout, report);
    }
    refresh();
}

void MemoryVerdict::setLimits(const SearchSpace& limits)
{
    if (!(limits == m_limits)) {
        m_limits = limits;
        refresh();
    }
}

void MemoryVerdict::refresh()
{
    m_answer.reset();
    m_job.cancel();
    m_delay.stop();
    if (m_cost) {
        m_delay.start();
    }
    Q_EMIT changed();
}

void MemoryVerdict::work()
{
    m_job.start([this, scenario = m_scenario, limits = m_limits](const NewestJob::Outdated&,
                                                                 const NewestJob::Deliver& deliver) {
        deliver([this, answer = whyNot(scenario, scenario.layout, limits)] {
            m_answer = answer;
            Q_EMIT changed();
        });
    });
}

const Relief* MemoryVerdict::fix() const
{
    return m_answer && m_answer->cheapestFix ? &*m_answer->cheapestFix : nullptr;
}

std::vector<Finding> MemoryVerdict::findings() const
{
    if (!m_cost) {
        return {};
    }
    std::vector<Finding> found{{true, toText(shortfallText(*m_cost)), QStringLiteral("memory.lacks_bytes")}};
    if (m_answer && !fixText(*m_answer).empty()) {
        found.push_back({false, toText(fixText(*m_answer)), fix() != nullptr ? fixPath : QString()});
    }
    return found;
}

} // namespace partita::ui
