// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_view.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace partita::ui {

bool RunFilter::admits(const RunPoint& run) const
{
    return std::all_of(runWords.begin(), runWords.end(), [&](const RunWord& word) {
        return (this->*word.wanted).isEmpty() || this->*word.wanted == run.*word.ofRun;
    });
}

QStringList wordsOf(const std::vector<RunPoint>& runs, const RunWord& word)
{
    QStringList words;
    for (const RunPoint& run : runs) {
        words << run.*word.ofRun;
    }
    words.removeDuplicates();
    words.sort();
    return words;
}

std::vector<RunPoint> admitted(const std::vector<RunPoint>& runs, const RunFilter& filter)
{
    std::vector<RunPoint> shown;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(shown),
                 [&](const RunPoint& run) { return filter.admits(run); });
    return shown;
}

RunsView::RunsView(QWidget* parent)
    : ChartView(parent)
    , m_scatter(std::make_shared<RunsChart>())
{
    setChart(m_scatter);
}

void RunsView::setRuns(std::vector<RunPoint> runs)
{
    m_runs = std::move(runs);
    showFiltered();
}

void RunsView::setFilter(const RunFilter& filter)
{
    if (m_filter == filter) {
        return;
    }
    m_filter = filter;
    showFiltered();
}

void RunsView::showFiltered()
{
    m_scatter = std::make_shared<RunsChart>(admitted(m_runs, m_filter));
    setChart(m_scatter);
}

std::optional<std::size_t> RunsView::runAt(const QPointF& point) const
{
    return m_scatter->geometry(chartArea(), textMetrics(theme())).pointAt(point);
}

void RunsView::setCursorAt(std::optional<std::size_t> index)
{
    if (index == m_scatter->cursor) {
        return;
    }
    m_scatter->cursor = index;
    update();
    setAccessibleDescription(index ? m_scatter->pointText(*index) : m_scatter->description());
}

void RunsView::mouseMoveEvent(QMouseEvent* event)
{
    const auto at = runAt(event->position());
    setCursor(at ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setCursorAt(at);
}

void RunsView::mouseReleaseEvent(QMouseEvent* event)
{
    const auto at = event->button() == Qt::LeftButton ? runAt(event->position()) : std::nullopt;
    if (at) {
        Q_EMIT runActivated(m_scatter->points()[*at].id);
    }
}

void RunsView::leaveEvent(QEvent* event)
{
    ChartView::leaveEvent(event);
    setCursorAt(std::nullopt);
}

void RunsView::keyPressEvent(QKeyEvent* event)
{
    const std::size_t count = m_scatter->points().size();
    const std::optional<std::size_t> at = m_scatter->cursor;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down:
        if (count > 0) {
            return setCursorAt(at && *at > 0 ? *at - 1 : 0);
        }
        break;
    case Qt::Key_Right:
    case Qt::Key_Up:
        if (count > 0) {
            return setCursorAt(at ? std::min(*at + 1, count - 1) : 0);
        }
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (at) {
            Q_EMIT runActivated(m_scatter->points()[*at].id);
            return;
        }
        break;
    case Qt::Key_X:
        if (at) {
            Q_EMIT runExplained(m_scatter->points()[*at].id);
        }
        return;
    case Qt::Key_Escape:
        if (at) {
            return setCursorAt(std::nullopt);
        }
        break;
    default:
        break;
    }
    ChartView::keyPressEvent(event);
}

} // namespace partita::ui
