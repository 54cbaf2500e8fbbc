// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/drawn_schedule.h"
#include "core/scenario/scenario.h"

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace partita {

/// Consecutive layers, some of many chunks with the same kinds of layers.
struct ChunkShape {
    int firstLayer = 0;
    int layers = 0;
    bool first = false; ///< holds the embedding
    bool last = false; ///< holds the head
};

/// Which ranks of a pipeline hold the same layers: what is worth computing once. Knows nothing of costs.
struct StageShape {
    Placement placement;
    std::vector<ChunkShape> chunks; ///< one of each
    std::vector<std::vector<int>> rows; ///< chunks of one rank of each sort, by slot
    std::vector<int> rowOf; ///< [rank]
};

/// Everything about pipelines that does not depend on times, drawn up once for each pipeline of a scenario's model.
class StageShapes {
public:
    explicit StageShapes(const Scenario& scenario);

    /// layout: schedule, pp and vpp count.
    const StageShape& shapeOf(const Layout& layout);
    /// Most micro-batches of activations a rank of each row holds at once.
    const std::vector<double>& inFlight(const Layout& layout, const StageShape& shape);
    /// The schedule, ready to be run; stays until the next call.
    DrawnSchedule& drawn(const Layout& layout, const StageShape& shape);

private:
    using PipelineKey = std::tuple<ScheduleKind, int, int>; ///< schedule, pp, vpp
    using ScheduleKey = std::tuple<ScheduleKind, int, int, std::int64_t>; ///< and micro-batches

    std::shared_ptr<StageShape> makeShape(const Layout& layout, Placement placement) const;
    std::vector<double> countInFlight(const Layout& layout, const StageShape& shape) const;

    Scenario m_scenario; ///< for its layers
    std::vector<std::shared_ptr<StageShape>> m_distinct;
    std::map<PipelineKey, std::shared_ptr<StageShape>> m_shapes;
    std::map<ScheduleKey, std::vector<double>> m_inFlight;
    std::map<ScheduleKey, std::unique_ptr<DrawnSchedule>> m_drawn;
    std::size_t m_drawnOps = 0;
};

} // namespace partita
