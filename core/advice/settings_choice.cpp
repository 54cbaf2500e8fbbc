// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/settings_choice.h"

#include "core/pipeline/schedule.h"
#include "core/scenario/split_limits.h"

#include <algorithm>

namespace partita {

namespace {

constexpr std::int64_t largestMicroBatch = 64;
constexpr int mostChunks = 16;

} // namespace

std::vector<std::int64_t> SettingsChoice::microBatches(const Layout& layout)
{
    return divisors(layout.globalBatch / layout.dp, largestMicroBatch);
}

std::vector<Layout> SettingsChoice::schedules(const Layout& like) const
{
    std::vector<Layout> result;
    const int layers = m_costs.scenario().model.layerCount();
    for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
        const ScheduleFacts facts = describe(name.value);
        const int least = facts.chunks != 0 ? facts.chunks : facts.minChunks;
        const int most = facts.chunks != 0 ? facts.chunks : std::min(mostChunks, layers / like.pp);
        for (int chunks = least; chunks <= most; ++chunks) {
            // Chunks of unequal size wait for the fullest: worth a look only where every other number is the same.
            const bool even = layers % (like.pp * chunks) == 0;
            if (even || chunks <= 2 || chunks == most) {
                Layout layout = like;
                layout.schedule = name.value;
                layout.vpp = chunks;
                layout.layersPerStage.clear();
                result.push_back(std::move(layout));
            }
        }
    }
    return result;
}

void SettingsChoice::offer(const Layout& layout)
{
    LayoutEstimate estimate = m_costs.estimate(layout, m_best.fits ? std::min(m_enough, m_best.stepTime) : m_enough);
    m_offeredFits = estimate.fits;
    if (isBetter(estimate, m_best)) {
        m_best = std::move(estimate);
    }
}

void SettingsChoice::offerBatchesAndRecompute(Layout layout)
{
    // The leanest setting first: larger micro-batches and less recomputation only hold more.
    layout.microBatch = 1;
    layout.recompute = Recompute::Full;
    offer(layout);
    if (!m_offeredFits) {
        return;
    }
    for (const std::int64_t microBatch : microBatches(layout)) {
        bool fits = false;
        for (const Name<Recompute>& recompute : Names<Recompute>::table) {
            layout.microBatch = microBatch;
            layout.recompute = recompute.value;
            offer(layout);
            fits = fits || m_offeredFits;
        }
        if (!fits) {
            return;
        }
    }
}

LayoutEstimate SettingsChoice::best(const Layout& start, double enough)
{
    m_enough = enough;
    m_best = m_costs.estimate(start, enough);
    Layout layout = start;
    layout.layersPerStage.clear();
    const bool shards = start.dp * start.cp > 1;
    const std::vector<Layout> scheduled = start.pp > 1 ? schedules(layout) : std::vector<Layout>{layout};
    for (layout.zeroStage = 1; layout.zeroStage <= (shards ? 3 : 1); ++layout.zeroStage) {
        for (const Layout& schedule : scheduled) {
            layout.schedule = schedule.schedule;
            layout.vpp = schedule.vpp;
            offerBatchesAndRecompute(layout);
        }
    }
    if (m_best.layout.tp > 1) {
        layout = m_best.layout;
        layout.sequenceParallel = !layout.sequenceParallel;
        offerBatchesAndRecompute(layout);
    }
    return m_best;
}

} // namespace partita
