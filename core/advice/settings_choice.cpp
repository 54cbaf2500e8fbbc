// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/settings_choice.h"

#include "core/pipeline/schedule.h"
#include "core/scenario/split_limits.h"

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr std::int64_t largestMicroBatch = 64;
constexpr int mostChunksWorthALook = 16;

/// Of a rank within limits; 0 where the schedule has no such number.
int fewestChunks(ScheduleKind kind, const Bounds& limits)
{
    const ScheduleFacts facts = describe(kind);
    const std::int64_t fewest =
        facts.chunks != 0 ? facts.chunks : std::max<std::int64_t>(facts.minChunks, limits.least);
    return limits.hold(fewest) ? static_cast<int>(fewest) : 0;
}

} // namespace

std::vector<std::int64_t> SettingsChoice::microBatches(const Layout& layout) const
{
    const SearchSpace& limits = m_costs.limits();
    const std::int64_t batch = layout.globalBatch / layout.dp;
    std::vector<std::int64_t> sizes = divisors(batch, std::max(largestMicroBatch, limits.microBatch.least));
    sizes.erase(std::remove_if(sizes.begin(), sizes.end(),
                               [&](std::int64_t size) {
                                   return !limits.microBatch.hold(size) || !limits.microBatches.hold(batch / size);
                               }),
                sizes.end());
    return sizes;
}

std::vector<int> SettingsChoice::zeroStages(const Layout& layout) const
{
    const SearchSpace& limits = m_costs.limits();
    std::vector<int> stages = limits.zeroStages;
    if (layout.pp > 1) {
        stages.erase(
            std::remove_if(stages.begin(), stages.end(), [&](int stage) { return stage > limits.pipelineZeroStage; }),
            stages.end());
    }
    return stages;
}

Layout SettingsChoice::plainlyScheduled(Layout layout) const
{
    const std::vector<ScheduleKind>& kinds = m_costs.limits().schedules;
    const bool usual = kinds.empty() || std::find(kinds.begin(), kinds.end(), ScheduleKind::OneFOneB) != kinds.end();
    const auto schedule = [&](ScheduleKind kind) {
        const int chunks = fewestChunks(kind, m_costs.limits().vpp);
        layout.schedule = kind;
        layout.vpp = layout.pp == 1 && chunks > 1 ? 0 : chunks; // a single stage has none
    };
    schedule(usual ? ScheduleKind::OneFOneB : kinds.front());
    for (std::size_t i = 0; layout.vpp == 0 && i < kinds.size(); ++i) {
        schedule(kinds[i]);
    }
    layout.vpp = std::max(layout.vpp, 1);
    layout.layersPerStage.clear();
    return layout;
}

std::vector<Layout> SettingsChoice::schedules(const Layout& like) const
{
    std::vector<Layout> result;
    const int layers = m_costs.scenario().model.layerCount();
    for (const ScheduleKind kind : m_costs.limits().schedules) {
        const ScheduleFacts facts = describe(kind);
        const int least = facts.chunks != 0 ? facts.chunks : facts.minChunks;
        const int most = facts.chunks != 0 ? facts.chunks : std::min(mostChunksWorthALook, mostChunks(layers, like.pp));
        for (int chunks = least; chunks <= most; ++chunks) {
            if (!m_costs.limits().vpp.hold(chunks)) {
                continue;
            }
            // Chunks of unequal size wait for the fullest: worth a look only where every other number is the same.
            const bool even = splitsEvenly(layers, like.pp, chunks);
            if (even || chunks <= 2 || chunks == most) {
                Layout layout = like;
                layout.schedule = kind;
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
    LayoutEstimate estimate =
        m_costs.estimateBestSplit(layout, m_best.fits ? std::min(m_enough, m_best.stepTime) : m_enough);
    m_offeredFits = estimate.fits;
    if (isBetter(estimate, m_best)) {
        m_best = std::move(estimate);
    }
}

void SettingsChoice::offerBatchesAndRecompute(Layout layout)
{
    const std::vector<std::int64_t> sizes = microBatches(layout);
    const std::vector<Recompute>& recomputations = m_costs.limits().recompute;
    if (sizes.empty() || recomputations.empty()) {
        return;
    }
    // Where the most recomputation does not fit, less does not either. Of micro-batches no such thing holds: a single
    // one needs no buffer to accumulate in, and some schedules hold all of them.
    const Recompute leanest = *std::max_element(recomputations.begin(), recomputations.end());
    for (const std::int64_t microBatch : sizes) {
        layout.microBatch = microBatch;
        layout.recompute = leanest;
        offer(layout);
        if (!m_offeredFits) {
            continue;
        }
        for (const Recompute recompute : recomputations) {
            layout.recompute = recompute;
            if (recompute != leanest) {
                offer(layout);
            }
        }
    }
}

LayoutEstimate SettingsChoice::best(const Layout& start, double enough)
{
    const Place place{{start.tp, start.cp, start.pp, start.ep, start.etp}, start.rankOrder};
    const auto known = m_known.find(place);
    // What was not faster than was enough then need not be the best of what is enough now.
    const auto settled = [&](const Known& was) {
        return was.enough >= enough || (was.best.fits && was.best.stepTime < was.enough);
    };
    if (known == m_known.end() || !settled(known->second)) {
        LayoutEstimate found = chosen(start, enough);
        const bool stated = !start.layersPerStage.empty() && found.layout.layersPerStage == start.layersPerStage;
        if (!stated) {
            m_known.insert_or_assign(place, Known{found, enough});
        }
        return found;
    }
    // Its own settings among those tried.
    LayoutEstimate own =
        m_costs.estimate(start, std::min(enough, known->second.best.fits ? known->second.best.stepTime : enough));
    return isBetter(own, known->second.best) ? own : known->second.best;
}

LayoutEstimate SettingsChoice::chosen(const Layout& start, double enough)
{
    m_enough = enough;
    m_best = m_costs.estimate(start, enough);
    Layout layout = start;
    layout.layersPerStage.clear();
    const bool shards = start.dp * start.cp > 1;
    const std::vector<Layout> scheduled = start.pp > 1 ? schedules(layout) : std::vector<Layout>{layout};
    std::vector<int> stages = zeroStages(start);
    // Nothing sharded is worth a look only where nothing else is to be had, a second stage only where there is
    // something to shard over.
    if (stages.size() > 1 && stages.front() == 0) {
        stages.erase(stages.begin());
    }
    stages.resize(shards ? stages.size() : std::min<std::size_t>(stages.size(), 1));
    for (const int stage : stages) {
        layout.zeroStage = stage;
        for (const Layout& schedule : scheduled) {
            layout.schedule = schedule.schedule;
            layout.vpp = schedule.vpp;
            offerBatchesAndRecompute(layout);
        }
    }
    if (m_best.layout.tp > 1) {
        layout = m_best.layout;
        layout.layersPerStage.clear();
        layout.sequenceParallel = !layout.sequenceParallel;
        offerBatchesAndRecompute(layout);
    }
    return m_best;
}

} // namespace partita
