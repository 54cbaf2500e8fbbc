// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pipeline_view.h"

#include "core/training/timeline_with.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QTimer>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int FrameTime = 40; // ms
constexpr std::size_t MostRemembered = 64;

} // namespace

PipelineView::PipelineView(QWidget* parent)
    : ChartView(parent)
    , m_gantt(std::make_shared<GanttChart>())
    , m_clock(new QTimer(this))
{
    setContextMenuPolicy(Qt::DefaultContextMenu);
    m_clock->setInterval(FrameTime);
    connect(m_clock, &QTimer::timeout, this, [this] { advance(FrameTime * 1e-3); });
    buildActions();
    setChart(m_gantt);
}

void PipelineView::setReport(const Report& report)
{
    setTimeline(std::make_shared<const Timeline>(report.timeline), m_gantt->title());
}

void PipelineView::setTimeline(std::shared_ptr<const Timeline> timeline, const QString& title)
{
    m_scenario.reset();
    rebuild(std::move(timeline), title);
}

void PipelineView::setScenario(const Scenario& scenario, std::shared_ptr<const Timeline> timeline, const QString& title)
{
    m_scenario = scenario;
    rebuild(std::move(timeline), title);
}

std::vector<ScheduleKind> PipelineView::comparable() const
{
    std::vector<ScheduleKind> kinds;
    for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
        if (m_scenario && name.value != m_scenario->layout.schedule
            && checkTimelineWith(*m_scenario, name.value).empty()) {
            kinds.push_back(name.value);
        }
    }
    return kinds;
}

void PipelineView::setComparison(std::optional<ScheduleKind> kind)
{
    if (kind == m_compare && !m_showMeasured) {
        return;
    }
    m_compare = kind;
    m_showMeasured = false;
    rebuild(m_gantt->sharedTimeline(), m_gantt->title());
}

void PipelineView::setMeasured(std::shared_ptr<const Timeline> timeline, const QString& name)
{
    m_measured = std::move(timeline);
    m_measuredName = name;
    m_showMeasured = false;
    showMeasured(m_measured != nullptr);
}

void PipelineView::showMeasured(bool show)
{
    if (show != m_showMeasured && m_measured) {
        m_showMeasured = show;
        rebuild(m_gantt->sharedTimeline(), m_gantt->title());
    }
}

namespace {

std::vector<double> statedPeaks(const Timeline& timeline, const Layout& layout)
{
    std::vector<double> peaks;
    const int stages = static_cast<int>(timeline.stages.size());
    for (int stage = 0; stage < stages; ++stage) {
        peaks.push_back(statedActivations(layout.schedule, stages, timeline.microBatches, layout.vpp, stage));
    }
    return peaks;
}

} // namespace

/// New charts for what is to be shown; what was looked at and marked stays as far as it still makes sense.
void PipelineView::rebuild(std::shared_ptr<const Timeline> timeline, const QString& title)
{
    const GanttView old = m_gantt->view;
    const GanttExtent before = m_gantt->extent();
    const bool wasFitted = old == fitted(before);
    const std::optional<double> head = m_gantt->playhead();
    const bool path = m_criticalPath->isChecked();

    m_gantt = std::make_shared<GanttChart>(std::move(timeline), title);
    m_other.reset();
    m_pair.reset();
    m_selectedIn = nullptr;
    if (m_scenario) {
        m_gantt->stated = statedPeaks(m_gantt->timeline(), m_scenario->layout);
    }
    addComparison(title);
    const GanttExtent now = m_gantt->extent();
    for (GanttChart* chart : panes()) {
        showCurves(*chart);
        chart->showCriticalPath(path);
        if (head && before.makespan > 0) {
            chart->setPlayhead(*head / before.makespan * now.makespan);
        }
        if (!wasFitted && before.lanes == now.lanes && before.makespan > 0) {
            const double stretch = now.makespan / before.makespan;
            chart->view = clamped({old.t0 * stretch, old.t1 * stretch, old.firstLane, old.lanes}, now);
        }
    }
    m_before.clear();
    m_drag = Drag::None;
    if (m_pair) {
        setChart(m_pair);
    } else {
        setChart(m_gantt);
    }
    updateActions();
    Q_EMIT comparisonChanged();
    Q_EMIT viewChanged(view());
}

/// The lower chart, when there is one to show.
void PipelineView::addComparison(const QString& title)
{
    if (m_showMeasured) {
        m_other = std::make_shared<GanttChart>(m_measured, title);
        // The trace's file is named by the card: a projector and a chart handed on are no place for it.
        m_pair = std::make_shared<GanttPair>(m_gantt, m_other, tr("predicted"), tr("measured"));
        return;
    }
    if (m_scenario && m_compare && *m_compare != m_scenario->layout.schedule) {
        Result<Timeline> second = timelineWith(*m_scenario, *m_compare);
        if (second) {
            m_other = std::make_shared<GanttChart>(std::make_shared<const Timeline>(*std::move(second)), title);
            m_other->stated = statedPeaks(m_other->timeline(), withSchedule(*m_scenario, *m_compare).layout);
            m_pair = std::make_shared<GanttPair>(m_gantt, m_other, labelText(m_scenario->layout.schedule),
                                                 labelText(*m_compare));
        } else {
            m_gantt->parts.heading =
                tr("%1 cannot run here: %2").arg(labelText(*m_compare), toText(describe(second.problems.front())));
        }
    }
}

std::vector<GanttChart*> PipelineView::panes() const
{
    return m_other ? std::vector<GanttChart*>{m_gantt.get(), m_other.get()} : std::vector<GanttChart*>{m_gantt.get()};
}

GanttChart& PipelineView::pane(const GanttChart* chart) const
{
    return m_other && chart == m_other.get() ? *m_other : *m_gantt;
}

GanttChart& PipelineView::paneAt(const QPointF& point) const
{
    return m_pair && point.y() >= m_pair->areas(chartArea(), textMetrics(theme())).second.top() ? *m_other : *m_gantt;
}

void PipelineView::showCurves(GanttChart& chart) const
{
    chart.curves.clear();
    chart.curvesBeforeLegend = m_curvesAsked;
    const auto stages = static_cast<int>(chart.timeline().stages.size());
    for (int stage = 0; stage < stages; ++stage) {
        if (!m_curveStages || std::find(m_curveStages->begin(), m_curveStages->end(), stage) != m_curveStages->end()) {
            chart.curves.push_back(heldActivations(chart.timeline(), stage));
        }
    }
}

void PipelineView::setCurveStages(std::optional<std::vector<int>> stages)
{
    m_curveStages = std::move(stages);
    for (GanttChart* chart : panes()) {
        showCurves(*chart);
    }
    updateActions();
    updateGeometry();
    update();
}

void PipelineView::setPlayhead(std::optional<double> seconds)
{
    for (GanttChart* chart : panes()) {
        chart->setPlayhead(seconds);
    }
    if (!seconds) {
        m_clock->stop();
        refresh();
    } else if (!isPlaying()) {
        setAccessibleDescription(m_gantt->countersText());
    }
    updateActions();
    update();
}

bool PipelineView::isPlaying() const
{
    return m_clock->isActive();
}

void PipelineView::setPlaying(bool playing)
{
    if (!playing || m_gantt->timeline().stages.empty()) {
        m_clock->stop();
    } else {
        const double makespan = m_gantt->extent().makespan;
        const double from = playhead().value_or(view().t0);
        setPlayhead(from >= makespan ? 0 : from);
        m_clock->start();
    }
    updateActions();
}

void PipelineView::advance(double seconds)
{
    const double makespan = m_gantt->extent().makespan;
    const double next = playhead().value_or(view().t0) + seconds / playSeconds * view().span();
    setPlayhead(next);
    if (next > view().t1) {
        lookAt(panned(view(), view().span() * 0.8, m_gantt->extent()));
    } else if (next < view().t0) {
        lookAt(panned(view(), next - view().t0, m_gantt->extent()));
    }
    if (next >= makespan) {
        setPlaying(false);
    }
}

void PipelineView::stepPlayhead(int by)
{
    if (m_gantt->timeline().stages.empty()) {
        return;
    }
    const double now = playhead().value_or(view().t0);
    double to = by > 0 ? m_gantt->extent().makespan : 0;
    for (const GanttChart* chart : panes()) {
        to = by > 0 ? std::min(to, std::max(chart->nextEnd(now), now)) : std::max(to, chart->previousEnd(now));
    }
    // A schedule that has ended stops nobody from stepping through the other.
    if (by > 0 && to <= now) {
        for (const GanttChart* chart : panes()) {
            to = std::max(to, chart->nextEnd(now));
        }
    }
    setPlaying(false);
    setPlayhead(to);
    setAccessibleDescription(m_gantt->countersText());
    if (to < view().t0 || to > view().t1) {
        lookAt(panned(view(), to - (view().t0 + view().t1) / 2, m_gantt->extent()));
    }
}

void PipelineView::lookAt(const GanttView& view)
{
    const GanttView inside = clamped(view, m_gantt->extent());
    if (inside != m_gantt->view) {
        for (GanttChart* chart : panes()) {
            chart->view = inside;
        }
        update();
        Q_EMIT viewChanged(inside);
    }
}

void PipelineView::setView(const GanttView& view)
{
    const GanttView inside = clamped(view, m_gantt->extent());
    if (inside == m_gantt->view) {
        return;
    }
    m_before.push_back(m_gantt->view);
    if (m_before.size() > MostRemembered) {
        m_before.erase(m_before.begin());
    }
    lookAt(inside);
    updateActions();
}

GanttGeometry PipelineView::layOut(const GanttChart& chart) const
{
    const TextMetrics metrics = textMetrics(theme());
    if (!m_pair) {
        return chart.geometry(chartArea(), metrics);
    }
    const auto [above, below] = m_pair->areas(chartArea(), metrics);
    return chart.geometry(&chart == m_gantt.get() ? above : below, metrics);
}

std::optional<OpRef> PipelineView::opAt(const QPointF& point) const
{
    const GanttChart& chart = paneAt(point);
    const GanttGeometry g = layOut(chart);
    const GanttGeometry::Block* block = g.blockAt(point);
    if (block == nullptr) {
        return std::nullopt;
    }
    // Inside a fold the op under the pointer is meant, as far as a pixel can tell.
    const std::size_t at = chart.indexAfter(block->lane, g.timeAt(point.x()));
    return OpRef{block->lane,
                 static_cast<int>(std::clamp(at, block->run.first, block->run.first + block->run.count - 1))};
}

void PipelineView::zoom(double factor, std::optional<double> about)
{
    setView(zoomed(view(), factor, about.value_or((view().t0 + view().t1) / 2), m_gantt->extent()));
}

} // namespace partita::ui
