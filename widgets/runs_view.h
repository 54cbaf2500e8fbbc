// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart_view.h"
#include "widgets/runs_chart.h"

namespace partita::ui {

/// Which runs are shown; an empty word lets every run through.
struct RunFilter {
    QString source;
    QString accelerator;
    QString stack;

    bool admits(const RunPoint& run) const;
    bool operator==(const RunFilter&) const = default;
};

/// Published runs as a scatter. Hover tells about a run, click or Enter asks for it, arrows go from run to run.
class RunsView final : public ChartView {
    Q_OBJECT

public:
    explicit RunsView(QWidget* parent = nullptr);

    void setRuns(std::vector<RunPoint> runs);
    void setFilter(const RunFilter& filter);
    const RunFilter& filter() const { return m_filter; }
    const std::vector<RunPoint>& runs() const { return m_runs; } ///< also those that the filter hides
    const RunsChart& scatter() const { return *m_scatter; }

Q_SIGNALS:
    void runActivated(const QString& id);

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void showFiltered();
    void setCursorAt(std::optional<std::size_t> index);
    std::optional<std::size_t> runAt(const QPointF& point) const;

    std::vector<RunPoint> m_runs;
    RunFilter m_filter;
    std::shared_ptr<RunsChart> m_scatter;
};

} // namespace partita::ui
