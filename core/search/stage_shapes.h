// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/drawn_schedule.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace partita {

/// Consecutive layers, one of many chunks with as many of each kind.
struct ChunkShape {
    std::vector<int> layersOfKind;
    bool first = false; ///< holds the embedding
    bool last = false; ///< holds the head

    auto operator<=>(const ChunkShape&) const = default;
};

/// How a micro-batch comes to a rank down one chain of chunks: what it meets on its way.
struct Approach {
    std::vector<int> chunks; ///< [chunk shape] so many
    int wires = 0; ///< hops between ranks
};

/// A rank that no other rank of its row is further from the start than, and the chains it stands in.
struct RankReach {
    int rank = 0;
    int row = 0;
    std::vector<Approach> approaches; ///< the shortest is what a first micro-batch takes
};

/// A rank of one sort.
struct RowShape {
    std::vector<int> chunks; ///< by slot
    ChunkShape whole; ///< all of them in one
    bool headApart = false; ///< whole lacks the head, which lives in another chunk than the embedding
};

/// Which ranks of a pipeline hold the same layers: what is worth computing once. Knows nothing of costs.
struct StageShape {
    Placement placement;
    std::vector<ChunkShape> chunks; ///< one of each
    std::vector<RowShape> rows; ///< one of each sort
    std::vector<int> rowOf; ///< [rank]
    std::vector<RankReach> reaches;
    Approach whole; ///< from one end of the model to the other
};

/// Passes that a rank runs two at a time, a forward beside a backward; [slot].
struct PairedPasses {
    std::vector<double> forwards;
    std::vector<double> backwards;
};

/// Those of a step's micro-batches, at most.
struct PairedRanks {
    const std::vector<PairedPasses>* drawn = nullptr; ///< [rank], of the micro-batches drawn up
    double more = 0; ///< of every slot, for the others; 0 too where nothing is paired
};

/// Layers of the model's commonest kind that a rank holds of a copy of the model, and of how many micro-batches it
/// holds each one's activations, together.
struct RankLoad {
    double layers = 0;
    double copies = 0;

    bool operator==(const RankLoad&) const = default;
};

/// What a pipeline's ranks hold at least of layers' activations.
struct PipelineLoad {
    double inFlight =
        1; ///< micro-batches of a layer of any kind, on the mean rank, counted once for each of its layers
    RankLoad heaviest; ///< of some rank
    double paired = 0; ///< share of the passes of any kind of layer that run in pairs, at most
};

/// Everything about pipelines that does not depend on times, drawn up once for each pipeline of a scenario's model.
class StageShapes {
public:
    explicit StageShapes(const Scenario& scenario);

    /// layout: schedule, pp, vpp and stated layers count. Where layers are stated every rank is a row of its own, so
    /// that all splits of a pipeline share what is drawn up for it.
    std::shared_ptr<const StageShape> shapeOf(const Layout& layout);
    /// Most micro-batches of activations a rank of each row holds at once.
    const std::vector<double>& inFlight(const Layout& layout, const StageShape& shape);
    /// The same of every rank.
    const std::vector<double>& inFlightOfRanks(const Layout& layout, const Placement& placement);
    const PipelineLoad& load(const Layout& layout);
    PairedRanks paired(const Layout& layout, const Placement& placement);
    /// The kind that most layers are of, the first of equals.
    std::size_t commonestKind() const { return m_commonest; }
    /// The schedule, ready to be run; stays until the next call.
    DrawnSchedule& drawn(const Layout& layout, const StageShape& shape);

private:
    using PipelineKey = std::tuple<ScheduleKind, int, int>; ///< schedule, pp, vpp
    using ScheduleKey = std::tuple<ScheduleKind, int, int, std::int64_t>; ///< and micro-batches
    using DrawnKey = std::pair<PipelineKey, bool>; ///< whether layers are stated

    /// What ranks do, whatever it takes.
    struct RankCounts {
        std::vector<double> inFlight; ///< [rank]
        std::vector<PairedPasses> paired; ///< [rank]
    };

    static ScheduleKey inFlightKey(const Layout& layout);
    const std::shared_ptr<StageShape>& evenShape(const Layout& layout);
    std::shared_ptr<const StageShape> statedShape(const Layout& layout);
    std::shared_ptr<StageShape> makeShape(Placement placement) const;
    const RankCounts& counts(const Layout& layout, const Placement& placement);
    RankCounts count(const Layout& layout, const Placement& placement) const;
    double pairedShare(const Layout& layout, const StageShape& shape);
    std::vector<ChunkShape> modelChunks() const;

    Scenario m_scenario; ///< for its layers
    std::size_t m_commonest = 0;
    std::vector<std::shared_ptr<StageShape>> m_distinct;
    std::map<PipelineKey, std::shared_ptr<StageShape>> m_shapes;
    std::map<std::pair<PipelineKey, std::vector<int>>, std::shared_ptr<const StageShape>> m_stated;
    std::map<ScheduleKey, std::vector<double>> m_inFlight;
    std::map<ScheduleKey, RankCounts> m_counts;
    std::map<ScheduleKey, PipelineLoad> m_loads;
    std::map<DrawnKey, std::vector<std::unique_ptr<DrawnSchedule>>> m_drawn;
    std::size_t m_drawnOps = 0;
};

} // namespace partita
