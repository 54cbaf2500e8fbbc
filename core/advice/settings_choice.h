// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace partita {

/// Chooses what costs no devices: sharding, recomputation, micro-batch, schedule and how layers are split between
/// stages. Degrees stay.
class SettingsChoice {
public:
    /// costs must outlive the choice.
    explicit SettingsChoice(LayoutCosts& costs)
        : m_costs(costs)
    {
    }

    /// The best found for the degrees of a layout, its own settings among those tried. Where nothing takes less than
    /// `enough` s, the step time may come back as infinite.
    LayoutEstimate best(const Layout& start, double enough);

    /// Micro-batches that the batch of a replica divides into, ascending, as large as is worth a look and within
    /// limits.
    std::vector<std::int64_t> microBatches(const Layout& layout) const;
    /// The same of the ZeRO stages of a layout's pipeline.
    std::vector<int> zeroStages(const Layout& layout) const;
    /// Every schedule within limits with every number of chunks that is worth a look for pp stages.
    std::vector<Layout> schedules(const Layout& like) const;
    /// The layout with the plainest schedule within limits: 1F1B where that is one.
    Layout plainlyScheduled(Layout layout) const;

private:
    using Place = std::pair<std::array<int, 5>, std::array<Axis, 5>>; ///< tp, cp, pp, ep and etp; the order of ranks
    struct Known {
        LayoutEstimate best;
        double enough = 0; ///< s it was asked for with
    };

    LayoutEstimate chosen(const Layout& start, double enough);
    void offer(const Layout& layout);
    void offerBatchesAndRecompute(Layout layout);

    LayoutCosts& m_costs;
    std::map<Place, Known> m_known; ///< what was chosen before
    double m_enough = 0;
    LayoutEstimate m_best; ///< of what was offered
    bool m_offeredFits = false; ///< the last
};

} // namespace partita
