// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart_view.h"
#include "widgets/runs_chart.h"

#include <array>

namespace partita::ui {

/// Which runs are shown; an empty word lets every run through.
struct RunFilter {
    QString source;
    QString accelerator;
    QString stack;
    QString model = {};

    bool admits(const RunPoint& run) const;
    bool operator==(const RunFilter&) const = default;
};

/// A word that runs are told apart by.
struct RunWord {
    const char* key; ///< "source"; --source on the command line
    const char* name; ///< for screen readers and tool tips
    const char* all; ///< "all sources"
    QString RunPoint::*ofRun;
    QString RunFilter::*wanted;
};

inline constexpr std::array runWords{
    RunWord{"source", "Source of the runs", "all sources", &RunPoint::source, &RunFilter::source},
    RunWord{"model", "Model of the runs", "all models", &RunPoint::model, &RunFilter::model},
    RunWord{"accelerator", "Accelerator of the runs", "all accelerators", &RunPoint::accelerator,
            &RunFilter::accelerator},
    RunWord{"stack", "Stack of the runs", "all stacks", &RunPoint::stack, &RunFilter::stack},
};
/// Of all runs, the words of one kind, each once, in order.
QStringList wordsOf(const std::vector<RunPoint>& runs, const RunWord& word);
std::vector<RunPoint> admitted(const std::vector<RunPoint>& runs, const RunFilter& filter);

/// Published runs as a scatter. Hover tells about a run, click or Enter asks for it, X for where its
/// prediction is from, arrows go from run to run.
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
    void runExplained(const QString& id); ///< X: where its prediction is from

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
