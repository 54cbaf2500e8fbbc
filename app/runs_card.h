// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/error_band.h"
#include "widgets/runs_view.h"

#include <QObject>

#include <vector>

class QComboBox;

namespace partita::ui {

class ChartDock;

/// As the chart shows runs that have been evaluated.
std::vector<RunPoint> runPoints(const std::vector<ComparableRun>& runs);

/// The card of published runs: fills the view and keeps the filters in its title bar.
class RunsCard final : public QObject {
    Q_OBJECT

public:
    /// The dock holds the view.
    RunsCard(ChartDock* dock, RunsView* view);

    ChartDock* dock() const { return m_dock; }
    RunsView& view() const { return *m_view; }
    /// Runs that have been evaluated.
    void setRuns(const std::vector<ComparableRun>& runs);

private:
    QComboBox* addFilter(const QString& name, const QString& all);
    void filter();

    ChartDock* m_dock;
    RunsView* m_view;
    std::array<QComboBox*, runWords.size()> m_filters{};
};

} // namespace partita::ui
