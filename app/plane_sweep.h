// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/plane.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <map>
#include <memory>

namespace partita::ui {

/// Slider marks by field.
using StopMarks = std::map<LayoutField, std::vector<StopMark>>;

/// Computes a plane of layouts and the marks of every slider beside the window: the newest request wins, results come
/// in slices, and cells of the last plane stay until they are replaced.
class PlaneSweep final : public QObject {
    Q_OBJECT

public:
    explicit PlaneSweep(QObject* parent = nullptr);
    ~PlaneSweep() override;

    /// Asks for the scenario's plane and marks; drops what is being computed.
    /// Limits are those of a search of the rest.
    void request(const Scenario& scenario, PlaneAxis rows, PlaneAxis columns, PlaneRest rest = PlaneRest::Kept,
                 const SearchSpace& limits = {});
    /// Drops what is being computed; what is there stays.
    void cancel();
    bool running() const { return m_running; }
    const Plane& plane() const { return m_plane; }

Q_SIGNALS:
    /// Some cells are new; all when complete.
    void planeAdvanced(const partita::Plane& plane, bool complete);
    void marksReady(const partita::ui::StopMarks& marks);

private:
    struct Slice;
    void take(const Slice& slice);
    void run(quint64 generation, const Scenario& scenario, const Plane& plane);

    QThread m_thread;
    std::unique_ptr<QObject> m_worker; ///< lives in m_thread; where the sweeps run
    std::atomic<quint64> m_latest = 0;
    bool m_running = false;
    Plane m_plane;
};

} // namespace partita::ui
