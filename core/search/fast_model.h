// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/rank_grid.h"
#include "core/scenario/scenario.h"
#include "core/search/balance_stages.h"
#include "core/search/layout_space.h"
#include "core/search/step_floor.h"
#include "core/training/chunk_planner.h"
#include "core/training/gradient_exchange.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace partita {

/// evaluate() for many layouts of one scenario, reduced to memory and step time: the same functions, called only for
/// what changed from one layout to the next and once for stages that hold the same layers. Fast where neighbours share
/// their degrees, as LayoutSpace visits them. Layouts must be legal. Memory is evaluate()'s to the last bits, step time
/// too (tests/core/search/tst_fast_model.cpp).
class FastModel {
public:
    explicit FastModel(const Scenario& scenario);
    ~FastModel();

    /// Bytes on the fullest device.
    double peakMemory(const Layout& layout);
    /// s that a step of the layout takes at least. Looks no further than to a bound above `enough`.
    double stepTimeBound(const Layout& layout, double enough);
    double stepTime(const Layout& layout);

    /// What all pipelines of a group have in common, and the ZeRO stages to choose from.
    struct Common {
        bool plain = false; ///< one chunk a rank, backwards whole, a pass at a time
        bool whole = false; ///< backwards are whole
        double inFlight = 1; ///< micro-batches of a layer's activations that are held at least; as far as asked for
        int zeroStage = 2; ///< the highest below 3
        bool gathers = true; ///< 3, too
    };
    static Common common(const Pipelines& pipelines);
    static Common common(const LayoutGroup& group);
    double leastInFlight(const LayoutGroup& group);

    /// Bytes that the fullest device holds, and s that a step takes, at least in every layout of a family, of which
    /// `layout` is one. The latter looks no further than to a floor above `enough`.
    double memoryFloor(Family family, const Layout& layout, const Common& common);
    double timeFloor(Family family, const Layout& layout, double enough, const Common& common);
    /// s that a step takes at least in every layout of a group.
    double timeFloor(const LayoutGroup& group, const Common& common);
    /// The way to split experts that needs least memory, whatever the micro-batch.
    std::size_t leanestWay(const LayoutGroup& group, const Common& common);

    /// Bytes and s that layouts take at least, by their way of recomputing.
    struct Floor {
        double memory = 0;
        double time = 0;
    };
    using Floors = std::array<Floor, Names<Recompute>::table.size()>;
    Floors floors(const LayoutGroup& group, std::size_t leanest, const Common& common);
    /// The same of a family of one sort of kernels; if those of experts are priced, a tighter time.
    Floors floors(const Layout& kernels, bool priced, const Common& common);

    /// s that a step of the layout takes at least, however its layers are split.
    double anySplitFloor(const Layout& layout);
    /// Ways to split the layers of a layout other than as even as possible that are worth a look: StageBalance's by
    /// time and, where that takes more than `limit` bytes, within them.
    std::vector<std::vector<int>> balancedSplits(double limit, const Layout& layout);

private:
    struct StageSet;
    struct Planner;
    struct Run;
    using PlaceKey = std::pair<std::array<int, 4>, std::vector<std::int64_t>>;
    using ShardKey = std::pair<std::int64_t, bool>; ///< micro-batch, sequence parallelism
    struct Place;
    struct Dense;
    struct Ground;
    using GroundKey = std::array<int, 12>; ///< degrees, rank order, shard group
    using DensePlace = std::map<ShardKey, Dense>;

    void moveTo(const Layout& layout);
    void moveToKernels(const Layout& layout);
    PlaceKey placeKey(const std::array<int, 4>& degrees, std::initializer_list<GroupKind> groups) const;
    const RankGrid& grid() const;
    Place& place();
    Dense& dense();
    const LayerPrices& prices();
    Planner& planner();
    StageSet& stages(Planner& planner);
    const std::vector<StagePlan>& plans();
    const StageTimes& times();
    void selectRun();
    const std::vector<double>& ends();
    const std::vector<GradientExchange>& exchanges();
    double stepWith(const std::vector<double>& ends);
    double pipelineFloor() const;
    double meanTime(const PassTimes& work, const Common& common) const;
    StageBalance& balance();
    const std::vector<int>& balancedByTime();
    struct Held;
    /// The whole model with one way of recomputing, if ZeRO does not shard weights; bytes of a micro-batch.
    struct Sketch {
        PassTimes whole;
        double keptOfLayers = 0;
        double keptApart = 0; ///< of what is no layer
        double keptOfKind = 0; ///< of layers of the commonest kind
        double workingOfKind = 0; ///< what one of them works with at least
    };
    using Sketches = std::array<Sketch, Names<Recompute>::table.size()>;
    /// Bytes of a stage at least: of one with a mean share of all, or of one with a mean share of the layers of the
    /// commonest kind, which then works with such a layer, too.
    struct MeanBytes {
        double ofAll = 0;
        double ofKind = 0;

        double most() const { return std::max(ofAll, ofKind); }
        MeanBytes operator+(const MeanBytes& other) const { return {ofAll + other.ofAll, ofKind + other.ofKind}; }
    };
    MeanBytes statesOf(const Held& all, const Held& kind) const;
    MeanBytes leastStates(const Common& common);
    MeanBytes activationsOf(const Sketch& sketch, double inFlight) const;
    Held heldOf(const std::vector<int>& layers, bool ends, const ChunkPlanner& chunks) const;
    Sketch sketchOf(const ChunkPlanner& chunks) const;
    const Sketches& sketches();
    const Sketch& passes();
    const PassTimes& wholePriced();

    Scenario m_scenario; ///< with the layout asked about last
    StageShapes m_shapes;
    std::vector<int> m_layersOfKind; ///< of the model
    std::vector<int> m_commonest; ///< the same of the commonest kind, others 0
    std::map<PlaceKey, std::unique_ptr<Place>> m_places;
    std::map<PlaceKey, DensePlace> m_dense; ///< what layouts share that split experts differently
    std::size_t m_densePriced = 0; ///< entries of all of them
    std::map<GroundKey, Ground> m_grounds;
    GemmTimes m_products;
    std::size_t m_priced = 0; ///< entries of all places
    std::size_t m_passes = 0; ///< the same
    CountedShares m_shares;
    Ground* m_ground = nullptr; ///< of the degrees and the rank order
    const LayerPrices* m_prices = nullptr; ///< of the grid and what shapes kernels; once asked for
    std::vector<std::unique_ptr<Planner>> m_planners; ///< of those prices and the way of recomputing
    StageSet* m_set = nullptr; ///< of the schedule's chunks
    std::unique_ptr<Run> m_run; ///< of the schedule
    std::vector<double> m_ends; ///< of a bound, by row
    bool m_known = false;
};

} // namespace partita
