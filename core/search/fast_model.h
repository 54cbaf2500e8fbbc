// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/rank_grid.h"
#include "core/scenario/scenario.h"
#include "core/search/stage_shapes.h"
#include "core/training/chunk_planner.h"
#include "core/training/gradient_exchange.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace partita {

/// evaluate() for many layouts of one scenario, reduced to memory and step time: the same functions, called only for
/// what changed from one layout to the next and once for stages that hold the same layers. Fast where neighbours share
/// their degrees, as LayoutSpace visits them. Layouts must be legal and have no stated layers per stage. Memory is
/// evaluate()'s to the last bits, step time too (tests/core/search/tst_fast_model.cpp).
class FastModel {
public:
    explicit FastModel(const Scenario& scenario);
    ~FastModel();

    /// Bytes on the fullest device.
    double peakMemory(const Layout& layout);
    /// s that a step of the layout takes at least. Looks no further than to a bound above `enough`.
    double stepTimeBound(const Layout& layout, double enough);
    double stepTime(const Layout& layout);
    /// s that a step takes at least whatever the layout's schedule, virtual stages, recomputation and ZeRO stage are.
    double groupBound(const Layout& layout);

private:
    struct StageSet;
    struct Planner;
    struct Run;
    using PriceKey = std::tuple<std::array<std::int64_t, 6>, std::vector<std::int64_t>>;

    void moveTo(const Layout& layout);
    void moveToKernels(const Layout& layout);
    const LayerPrices& prices();
    Planner& planner();
    StageSet& stages(Planner& planner);
    void selectRun();
    void boundEnds(StageSet& set) const;
    const std::vector<double>& ends();
    const std::vector<GradientExchange>& exchanges();
    double stepWith(const std::vector<double>& ends);

    Scenario m_scenario; ///< with the layout asked about last
    StageShapes m_shapes;
    std::map<PriceKey, LayerPrices> m_prices;
    std::optional<RankGrid> m_grid; ///< of the degrees and the rank order
    const LayerPrices* m_current = nullptr; ///< of the grid and what shapes kernels
    std::vector<std::unique_ptr<Planner>> m_planners; ///< of those prices and the way of recomputing
    StageSet* m_set = nullptr; ///< of the schedule's chunks
    std::unique_ptr<Run> m_run; ///< of the schedule
    bool m_known = false;
};

} // namespace partita
