// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/newest_job.h"
#include "core/advice/why_not.h"
#include "core/training/report.h"
#include "widgets/problem_list.h"

#include <QTimer>

#include <optional>

namespace partita::ui {

/// Of a layout that does not fit: what it lacks and where, at once, and beside the window the fastest single change
/// after which it would fit.
class MemoryVerdict final : public QObject {
    Q_OBJECT

public:
    /// What explains the change: the path of findings() for it.
    static const QString fixPath;

    MemoryVerdict();

    void setScenario(const Scenario& scenario, const Report& report);
    /// What the user limits layouts to.
    void setLimits(const SearchSpace& limits);
    /// None for a layout that fits, or has problems.
    std::vector<Finding> findings() const;
    /// Null as long as it is not known, or where no single change makes the layout fit.
    const Relief* fix() const;

Q_SIGNALS:
    void changed(); ///< findings()

private:
    void refresh();
    void work();

    Scenario m_scenario;
    SearchSpace m_limits;
    std::optional<LayoutCost> m_cost; ///< of a layout that does not fit
    std::optional<WhyNot> m_answer; ///< null while it is worked out
    QTimer m_delay; ///< not for every step of a drag
    NewestJob m_job;
};

} // namespace partita::ui
