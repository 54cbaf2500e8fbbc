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

LayoutEstimate SettingsChoice::bestSchedule(const LayoutEstimate& from)
{
    LayoutEstimate best = from;
    if (from.layout.pp == 1) {
        return best;
    }
    for (const Layout& layout : schedules(from.layout)) {
        if (LayoutEstimate estimate = m_costs.estimate(layout); isBetter(estimate, best)) {
            best = std::move(estimate);
        }
    }
    return best;
}

LayoutEstimate SettingsChoice::bestBatchAndRecompute(const LayoutEstimate& from)
{
    LayoutEstimate best = from;
    for (const std::int64_t microBatch : microBatches(from.layout)) {
        bool fits = false;
        for (const Name<Recompute>& recompute : Names<Recompute>::table) {
            Layout layout = from.layout;
            layout.microBatch = microBatch;
            layout.recompute = recompute.value;
            LayoutEstimate estimate = m_costs.estimate(layout);
            fits = fits || estimate.fits;
            if (isBetter(estimate, best)) {
                best = std::move(estimate);
            }
        }
        if (!fits) {
            break; // a larger micro-batch only holds more
        }
    }
    return best;
}

Layout SettingsChoice::best(const Layout& start)
{
    LayoutEstimate best = m_costs.estimate(start);
    const bool shards = start.dp * start.cp > 1;
    for (int stage = 1; stage <= (shards ? 3 : 1); ++stage) {
        // The leanest setting first: larger micro-batches and less recomputation only hold more.
        Layout lean = start;
        lean.zeroStage = stage;
        lean.microBatch = 1;
        lean.recompute = Recompute::Full;
        lean.layersPerStage.clear();
        LayoutEstimate estimate = m_costs.estimate(lean);
        if (!estimate.fits) {
            estimate = bestSchedule(estimate);
        }
        if (estimate.fits) {
            estimate = bestBatchAndRecompute(bestSchedule(bestBatchAndRecompute(estimate)));
        }
        if (isBetter(estimate, best)) {
            best = std::move(estimate);
        }
    }
    return best.layout;
}

} // namespace partita
