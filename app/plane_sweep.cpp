// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plane_sweep.h"

#include "app/background_thread.h"

#include <QElapsedTimer>

#include <algorithm>
#include <utility>

namespace partita::ui {

/// What the worker hands to the window's thread.
struct PlaneSweep::Slice {
    quint64 generation = 0;
    std::vector<std::pair<std::size_t, PlaneCell>> cells;
    bool complete = false;
    StopMarks marks;
    bool hasMarks = false;
};

PlaneSweep::PlaneSweep(QObject* parent)
    : QObject(parent)
    , m_worker(std::make_unique<QObject>())
{
    m_worker->moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("plane sweep"));
    m_thread.start();
    QMetaObject::invokeMethod(m_worker.get(), giveWayToWindow, Qt::QueuedConnection);
}

PlaneSweep::~PlaneSweep()
{
    ++m_latest;
    m_thread.quit();
    m_thread.wait();
}

void PlaneSweep::request(const Scenario& scenario, PlaneAxis rows, PlaneAxis columns, PlaneRest rest,
                         const SearchSpace& limits)
{
    const quint64 generation = ++m_latest;
    m_running = true;
    Plane plane = planeAround(scenario, rows, columns, rest, limits);
    const bool sameStops = plane.rowAxis == m_plane.rowAxis && plane.columnAxis == m_plane.columnAxis
        && plane.rest == m_plane.rest && plane.limits == m_plane.limits && plane.rows == m_plane.rows
        && plane.columns == m_plane.columns;
    if (!sameStops) {
        m_plane = plane;
        Q_EMIT planeAdvanced(m_plane, false);
    }
    QMetaObject::invokeMethod(
        m_worker.get(), [this, generation, scenario, plane = std::move(plane)] { run(generation, scenario, plane); },
        Qt::QueuedConnection);
}

void PlaneSweep::cancel()
{
    ++m_latest;
    m_running = false;
}

/// On the worker's thread.
void PlaneSweep::run(quint64 generation, const Scenario& scenario, const Plane& plane)
{
    constexpr qint64 sliceMilliseconds = 30;
    const auto outdated = [this, generation] { return m_latest != generation; };
    const auto hand = [this](Slice slice) {
        QMetaObject::invokeMethod(
            this, [this, slice = std::move(slice)] { take(slice); }, Qt::QueuedConnection);
    };
    if (outdated()) {
        return;
    }
    Slice marks;
    marks.generation = generation;
    marks.hasMarks = true;
    constexpr std::array fields{LayoutField::Tp, LayoutField::Cp,  LayoutField::Pp,         LayoutField::Vpp,
                                LayoutField::Ep, LayoutField::Etp, LayoutField::MicroBatch, LayoutField::GlobalBatch};
    for (const LayoutField field : fields) {
        marks.marks.emplace(field, markStops(scenario, field, outdated));
    }
    if (outdated()) {
        return;
    }
    hand(std::move(marks));

    Slice slice;
    slice.generation = generation;
    QElapsedTimer sinceSlice;
    sinceSlice.start();
    // One at a time, if from any of the threads.
    const auto collect = [&](std::size_t index, PlaneCell cell) {
        slice.cells.emplace_back(index, std::move(cell));
        if (sinceSlice.elapsed() >= sliceMilliseconds) {
            hand(std::exchange(slice, Slice{generation, {}, false, {}, false}));
            sinceSlice.restart();
        }
    };
    // Where cells take microseconds each, starting threads would take longer.
    const int threads = plane.rest == PlaneRest::Searched ? std::max(1, QThread::idealThreadCount()) : 1;
    sweep(scenario, plane, outdated, collect, threads);
    if (!outdated()) {
        slice.complete = true;
        hand(std::move(slice));
    }
}

void PlaneSweep::take(const Slice& slice)
{
    if (slice.generation != m_latest) {
        return;
    }
    if (slice.hasMarks) {
        Q_EMIT marksReady(slice.marks);
        return;
    }
    for (const auto& [index, cell] : slice.cells) {
        m_plane.cells[index] = cell;
    }
    m_running = !slice.complete;
    Q_EMIT planeAdvanced(m_plane, slice.complete);
}

} // namespace partita::ui
