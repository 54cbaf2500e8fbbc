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
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
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
        double paired = 1; ///< share of passes that run in pairs, at most; as far as asked for
        double inFlight = 1; ///< micro-batches of a layer's activations that are held at least; as far as asked for
        std::vector<RankLoad> heaviest; ///< some rank holds one of these or more; empty where that is not known
        int zeroStage = 2; ///< the highest below 3
        bool gathers = true; ///< 3, too
    };
    static Common common(const Pipelines& pipelines);
    static Common common(const LayoutGroup& group);
    /// Fills in what ranks hold of activations.
    void addLoads(const LayoutGroup& group, Common& common);

    /// Bytes that the fullest device holds, and s that a step takes, at least in every layout of a family, of which
    /// `layout` is one. The latter looks no further than to a floor above `enough`.
    double memoryFloor(Family family, const Layout& layout, const Common& common);
    struct GroupFloors;
    struct States;
    using StatesByZero = std::array<States, 4>; ///< [ZeRO stage]
    /// The same of a group's layouts with those states: of passes before their layers are priced, of stages by what
    /// their schedule holds.
    double memoryFloor(Family family, const GroupFloors& group, const StatesByZero& states, const Layout& layout,
                       const Common& common);
    double timeFloor(Family family, const Layout& layout, double enough, const Common& common);
    /// s that a step takes at least in every layout of a group.
    double timeFloor(const LayoutGroup& group, const Common& common);
    /// Bytes and s that layouts take at least, by their way of recomputing.
    struct Floor {
        double memory = 0;
        double time = 0;
    };
    /// Bytes on a stage without a micro-batch, buffers of exchanges left out.
    struct States {
        double mean = -1; ///< of one with a mean share of all; its working weights, too, if it is the only one
        double noLayers = 0; ///< of one that has to do with layers of the commonest kind
        double perLayer = 0; ///< for each of those on top
    };
    /// Each the least of all ways to split experts, whatever the micro-batch; here and below only of ZeRO stages that
    /// the group has and that need least.
    StatesByZero leastStates(const LayoutGroup& group, const Common& common);
    const StatesByZero& states(const Layout& layout, const Common& common);
    /// What a group's layouts share of their floors, however experts are split.
    GroupFloors groupFloors(const LayoutGroup& group, const std::vector<Recompute>& recompute, const Common& common);
    /// The same of layouts that take no time and keep no activations.
    static GroupFloors statesAlone(const LayoutGroup& group);
    /// With the states of one way to split experts, or the least, wherever ranks lie.
    Floor floor(const GroupFloors& group, const StatesByZero& states, Recompute recompute, const Common& common) const;
    /// With what routed experts take and keep, split as in one of the group's layouts.
    struct Routed;
    const Routed& routed(const Layout& kernels);
    Floor floor(const GroupFloors& group, const StatesByZero& states, const Routed& experts, const Layout& kernels,
                Recompute recompute, const Common& common) const;

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
    using DensePlace = std::map<ShardKey, Dense>;
    using RoutedPlace = std::map<double, Routed>; ///< by tokens of a device's residual stream
    /// Where ranks lie, and what is known of layouts with such a grid.
    struct Ground {
        std::optional<RankGrid> grid;
        Place* place = nullptr; ///< once asked for
        DensePlace* dense = nullptr;
    };
    template <std::size_t n> struct Mix {
        std::size_t operator()(const std::array<int, n>& key) const
        {
            std::uint64_t mixed = 0;
            for (const int value : key) {
                mixed = (mixed ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U; // 2^64 / the golden ratio
                mixed ^= mixed >> 32U;
            }
            return static_cast<std::size_t>(mixed);
        }
    };
    template <std::size_t n, class T> using ByInts = std::unordered_map<std::array<int, n>, T, Mix<n>>;

    void moveTo(const Layout& layout);
    void moveToKernels(const Layout& layout);
    PlaceKey placeKey(const std::array<int, 4>& degrees, std::initializer_list<GroupKind> groups) const;
    const RankGrid& grid() const;
    Place& place();
    Dense& dense();
    const LayerPrices& densePrices(Dense& dense);
    const LayerPrices& prices();
    Planner& planner();
    const ChunkPlanner& chunks();
    const ChunkPlanner& chunksInMemory();
    StepFloor& stepFloor();
    StageSet& stages(Planner& planner);
    const std::vector<StagePlan>& plans();
    const StageTimes& times();
    void selectRun();
    const std::vector<double>& ends();
    const std::vector<GradientExchange>& exchanges();
    double stepWith(const std::vector<double>& ends);
    const StageFloor& stageFloor();
    double pipelineFloor();
    double meanTime(const Layout& layout, const PassTimes& work, const Common& common) const;
    StageBalance& balance();
    const std::vector<int>& balancedByTime();
    /// The whole model with one way of recomputing, if ZeRO does not shard weights; bytes of a micro-batch.
    struct Sketch {
        PassTimes whole;
        double keptOfLayers = 0;
        double keptApart = 0; ///< of what is no layer
        double keptPerLayer = 0; ///< of the commonest kind
        double working = 0; ///< what one of those works with at least
        double head = 0; ///< logits and loss
    };
    using Sketches = std::array<Sketch, Names<Recompute>::table.size()>;
    struct Parameters;
    const Parameters& parameters();
    States statesNow(const Parameters& held) const;
    double memoryOf(const Sketch& sketch, const StatesByZero& states, int pp, const Common& common) const;
    double buffersOf(const Layout& layout);
    Sketch sketchOf(const ChunkPlanner& chunks) const;
    const Sketch& sketch(Recompute recompute);
    Sketch withRouted(Sketch sketch, const Routed& experts, Recompute recompute, double transient) const;
    const Sketch& passes();
    std::vector<int> layersOfCommonest(int count) const;

    Scenario m_scenario; ///< with the layout asked about last
    StageShapes m_shapes;
    std::vector<int> m_layersOfKind; ///< of the model
    std::map<PlaceKey, std::unique_ptr<Place>> m_places;
    std::map<PlaceKey, DensePlace> m_dense; ///< what layouts share that split experts differently
    std::size_t m_denseKnown = 0; ///< entries of all of them
    std::size_t m_densePriced = 0; ///< of those with prices
    std::map<PlaceKey, RoutedPlace> m_routed; ///< what experts add that are split and lie alike
    ByInts<10, RoutedPlace*>
        m_routedPlaces; ///< by rank order, ep, etp, ranks of a stage, pp and how ranks are numbered
    std::size_t m_routedKnown = 0; ///< entries of all of them
    ByInts<12, Ground> m_grounds; ///< by degrees, rank order, shard group
    ByInts<7, StatesByZero> m_states; ///< by degrees, shard group
    std::map<std::array<int, 3>, Parameters> m_parameters; ///< by what splits them: tp, ep, etp
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
    std::vector<double> m_room; ///< for runs of schedules
    bool m_known = false;
};

struct FastModel::GroupFloors {
    Sketches sketches;
    std::array<double, Names<Recompute>::table.size()> times{}; ///< s
    double transient = 0; ///< bytes, of the commonest kind's largest operator
    double buffers = 0; ///< bytes
    int pp = 1;
};

} // namespace partita
