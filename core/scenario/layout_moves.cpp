// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/rules.h"

#include "core/scenario/split_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace partita {

namespace {

constexpr std::int64_t largestMicroBatch = 4096; ///< where a slider ends

int toInt(std::int64_t value)
{
    return static_cast<int>(std::clamp<std::int64_t>(value, 1, std::numeric_limits<int>::max()));
}

/// Solves layouts for the devices of one scenario.
class Mover {
public:
    explicit Mover(const Scenario& scenario)
        : m_scenario(scenario)
        , m_devices(std::max<std::int64_t>(1, deviceCount(scenario.cluster)))
        , m_divisors(divisors(m_devices, std::numeric_limits<int>::max()))
        , m_moe(isMoe(scenario.model))
    {
        const std::int64_t largest = largestTensorDegree(scenario.model);
        for (const std::int64_t degree : m_divisors) {
            if (largest % degree == 0 && tensorObjection(scenario.model, degree).empty()) {
                m_tensorDegrees.push_back(degree);
            }
            if (scenario.workload.sequenceLength % degree == 0) {
                m_contextDegrees.push_back(degree);
            }
        }
    }

    Layout moved(LayoutField field, std::int64_t value) const
    {
        Layout layout = positive(m_scenario.layout);
        set(layout, field, value);
        balance(layout, field);
        settle(layout, field);
        return layout;
    }

    std::vector<std::int64_t> stops(LayoutField field) const
    {
        Layout base = positive(m_scenario.layout);
        balance(base, std::nullopt);
        settle(base, std::nullopt);
        switch (field) {
        case LayoutField::Tp:
            return stopsAmong(m_tensorDegrees,
                              [&](std::int64_t tp) { return divides(tp, base.cp, base.pp) && splitFits(tp, base.cp); });
        case LayoutField::Cp:
            return stopsAmong(m_contextDegrees,
                              [&](std::int64_t cp) { return divides(base.tp, cp, base.pp) && splitFits(base.tp, cp); });
        case LayoutField::Pp:
            return stopsAmong(m_divisors,
                              [&](std::int64_t pp) { return divides(base.tp, base.cp, pp) && pp <= layers(); });
        case LayoutField::Dp:
            return dpStops();
        case LayoutField::Ep:
            return stopsAmong(m_divisors, [&](std::int64_t ep) { return expertsFit(base, ep, base.etp); });
        case LayoutField::Etp:
            return stopsAmong(m_divisors, [&](std::int64_t etp) { return expertsFit(base, base.ep, etp); });
        case LayoutField::Vpp:
            return vppStops(base);
        case LayoutField::MicroBatch:
            return divisors(base.globalBatch / base.dp, largestMicroBatch);
        case LayoutField::GlobalBatch:
            return globalBatchStops(base);
        }
        return {};
    }

private:
    std::int64_t layers() const { return std::max(1, m_scenario.model.layerCount()); }

    bool divides(std::int64_t tp, std::int64_t cp, std::int64_t pp) const
    {
        return m_devices % boundedProduct(boundedProduct(tp, cp), pp) == 0;
    }

    bool splitFits(std::int64_t tp, std::int64_t cp) const
    {
        return tensorObjection(m_scenario.model, tp).empty() && contextObjection(m_scenario, cp, tp).empty()
            && sequenceParallelObjection(m_scenario, tp, cp).empty();
    }

    bool expertsFit(const Layout& layout, std::int64_t ep, std::int64_t etp) const
    {
        const std::int64_t ranks = boundedProduct(boundedProduct(layout.tp, layout.cp), layout.dp);
        return ranks % boundedProduct(ep, etp) == 0 && expertObjection(m_scenario.model, ep).empty()
            && expertTensorObjection(m_scenario.model, etp).empty();
    }

    static Layout positive(Layout layout)
    {
        for (int* degree : {&layout.tp, &layout.cp, &layout.pp, &layout.vpp, &layout.dp, &layout.ep, &layout.etp}) {
            *degree = std::max(1, *degree);
        }
        layout.microBatch = std::max<std::int64_t>(1, layout.microBatch);
        layout.globalBatch = std::max<std::int64_t>(1, layout.globalBatch);
        return layout;
    }

    static void set(Layout& layout, LayoutField field, std::int64_t value)
    {
        value = std::max<std::int64_t>(1, value);
        switch (field) {
        case LayoutField::Tp:
            layout.tp = toInt(value);
            break;
        case LayoutField::Cp:
            layout.cp = toInt(value);
            break;
        case LayoutField::Pp:
            layout.pp = toInt(value);
            break;
        case LayoutField::Vpp:
            layout.vpp = toInt(value);
            break;
        case LayoutField::Dp:
            layout.dp = toInt(value);
            break;
        case LayoutField::Ep:
            layout.ep = toInt(value);
            break;
        case LayoutField::Etp:
            layout.etp = toInt(value);
            break;
        case LayoutField::MicroBatch:
            layout.microBatch = value;
            break;
        case LayoutField::GlobalBatch:
            layout.globalBatch = value;
            break;
        }
    }

    /// Whether degrees give a legal layout with the edited field as it is; dp follows.
    bool solves(const Layout& layout, std::optional<LayoutField> edited, std::int64_t tp, std::int64_t cp,
                std::int64_t pp) const
    {
        const std::int64_t model = boundedProduct(boundedProduct(tp, cp), pp);
        if (m_devices % model != 0 || pp > layers()) {
            return false;
        }
        if (edited == LayoutField::Dp && m_devices / model != layout.dp) {
            return false;
        }
        const std::int64_t stageRanks = m_devices / pp;
        return (edited != LayoutField::Ep || stageRanks % layout.ep == 0)
            && (edited != LayoutField::Etp || stageRanks % layout.etp == 0);
    }

    /// dp for the devices. When the degrees are not legal with it, the legal tp, cp and pp nearest to them; when none
    /// are (the edited value itself is illegal), at least degrees that balance.
    void balance(Layout& layout, std::optional<LayoutField> edited) const
    {
        const bool balances = solves(layout, edited, layout.tp, layout.cp, layout.pp);
        if (!(balances && splitFits(layout.tp, layout.cp)) && !moveDegrees(layout, edited, true) && !balances) {
            moveDegrees(layout, edited, false);
        }
        if (edited != LayoutField::Dp) {
            const std::int64_t model = boundedProduct(boundedProduct(layout.tp, layout.cp), layout.pp);
            layout.dp = toInt(m_devices / model);
        }
    }

    /// False, and nothing changed, when no degrees solve. Not strict: a split that the model does not allow is taken
    /// too.
    bool moveDegrees(Layout& layout, std::optional<LayoutField> edited, bool strict) const
    {
        const Layout from = layout;
        double best = std::numeric_limits<double>::infinity();
        const auto away = [](std::int64_t a, std::int64_t b) {
            return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
        };
        for (const std::int64_t tp : edited == LayoutField::Tp ? std::vector<std::int64_t>{from.tp} : m_tensorDegrees) {
            for (const std::int64_t cp :
                 edited == LayoutField::Cp ? std::vector<std::int64_t>{from.cp} : m_contextDegrees) {
                const std::int64_t split = boundedProduct(tp, cp);
                if (m_devices % split != 0 || (strict && !splitFits(tp, cp))) {
                    continue;
                }
                for (const std::int64_t pp :
                     edited == LayoutField::Pp ? std::vector<std::int64_t>{from.pp} : m_divisors) {
                    // Stages are the cheapest to change, then context ranks: neither moves what a kernel computes.
                    const double cost = 4 * away(tp, from.tp) + 2 * away(cp, from.cp) + away(pp, from.pp);
                    if (cost < best && solves(from, edited, tp, cp, pp)) {
                        best = cost;
                        layout.tp = toInt(tp);
                        layout.cp = toInt(cp);
                        layout.pp = toInt(pp);
                    }
                }
            }
        }
        return std::isfinite(best);
    }

    /// Moves what depends on the degrees to the nearest legal value where it no longer fits.
    void settle(Layout& layout, std::optional<LayoutField> edited) const
    {
        settleExperts(layout, edited);
        settleChunks(layout, edited);
        settleBatch(layout, edited);
        const std::int64_t replicas = boundedProduct(layout.dp, layout.cp);
        if (layout.shardGroup > 0 && replicas % layout.shardGroup != 0) {
            layout.shardGroup = toInt(divisors(replicas, layout.shardGroup).back());
        }
    }

    void settleExperts(Layout& layout, std::optional<LayoutField> edited) const
    {
        if (!m_moe) {
            layout.ep = edited == LayoutField::Ep ? layout.ep : 1;
            layout.etp = edited == LayoutField::Etp ? layout.etp : 1;
            return;
        }
        if (expertsFit(layout, layout.ep, layout.etp)) {
            return;
        }
        const std::int64_t ranks = boundedProduct(boundedProduct(layout.tp, layout.cp), layout.dp);
        if (edited != LayoutField::Etp) {
            const std::int64_t taken = edited == LayoutField::Ep ? layout.ep : 1;
            layout.etp = toInt(
                largestFitting(ranks, layout.etp, [&](std::int64_t etp) { return expertsFit(layout, taken, etp); }));
        }
        if (edited != LayoutField::Ep) {
            layout.ep = toInt(
                largestFitting(ranks, layout.ep, [&](std::int64_t ep) { return expertsFit(layout, ep, layout.etp); }));
        }
    }

    template <class Fits> static std::int64_t largestFitting(std::int64_t ranks, std::int64_t limit, Fits fits)
    {
        const std::vector<std::int64_t> candidates = divisors(ranks, limit);
        const auto found = std::find_if(candidates.rbegin(), candidates.rend(), fits);
        return found == candidates.rend() ? 1 : *found;
    }

    void settleChunks(Layout& layout, std::optional<LayoutField> edited) const
    {
        if (edited != LayoutField::Vpp) {
            layout.vpp = toInt(std::min(std::int64_t{layout.vpp}, layers() / layout.pp));
            if (layout.pp == 1 && layout.vpp > 1) { // chunks, and what schedules them, take a pipeline
                layout.vpp = 1;
                layout.schedule = ScheduleKind::OneFOneB;
            }
        }
        // 1F1B is what the interleaved schedule is called with one chunk a rank.
        if (layout.schedule == ScheduleKind::Interleaved && layout.vpp == 1) {
            layout.schedule = ScheduleKind::OneFOneB;
        } else if (layout.schedule == ScheduleKind::OneFOneB && layout.vpp > 1) {
            layout.schedule = ScheduleKind::Interleaved;
        }
        if (static_cast<std::int64_t>(layout.layersPerStage.size()) != boundedProduct(layout.pp, layout.vpp)) {
            layout.layersPerStage.clear();
        }
    }

    static void settleBatch(Layout& layout, std::optional<LayoutField> edited)
    {
        if (edited == LayoutField::GlobalBatch) {
            if (layout.globalBatch % layout.dp == 0) {
                layout.microBatch = divisors(layout.globalBatch / layout.dp, layout.microBatch).back();
            }
            return;
        }
        const std::int64_t unit = boundedProduct(layout.microBatch, layout.dp);
        const std::int64_t rest = layout.globalBatch % unit;
        if (rest != 0) {
            const bool up = layout.globalBatch < unit
                || (rest >= unit - rest && layout.globalBatch <= std::numeric_limits<std::int64_t>::max() - unit);
            layout.globalBatch += up ? unit - rest : -rest;
        }
    }

    template <class Fits>
    static std::vector<std::int64_t> stopsAmong(const std::vector<std::int64_t>& degrees, Fits fits)
    {
        std::vector<std::int64_t> result;
        for (const std::int64_t degree : degrees) {
            if (fits(degree)) {
                result.push_back(degree);
            }
        }
        return result;
    }

    /// Replicas that leave a product that some legal tp, cp and pp make up.
    std::vector<std::int64_t> dpStops() const
    {
        std::vector<std::int64_t> splits; // legal tp * cp
        for (const std::int64_t tp : m_tensorDegrees) {
            for (const std::int64_t cp : m_contextDegrees) {
                if (m_devices % boundedProduct(tp, cp) == 0 && splitFits(tp, cp)) {
                    splits.push_back(tp * cp);
                }
            }
        }
        std::sort(splits.begin(), splits.end());
        splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
        return stopsAmong(m_divisors, [&](std::int64_t dp) {
            const std::int64_t model = m_devices / dp;
            return std::any_of(splits.begin(), splits.end(),
                               [&](std::int64_t split) { return model % split == 0 && model / split <= layers(); });
        });
    }

    std::vector<std::int64_t> vppStops(const Layout& base) const
    {
        std::vector<std::int64_t> result;
        const std::int64_t most = base.pp == 1 ? 1 : std::max<std::int64_t>(1, layers() / base.pp);
        for (std::int64_t vpp = 1; vpp <= most; ++vpp) {
            result.push_back(vpp);
        }
        return result;
    }

    /// Every count of micro-batches up to 16, then four an octave, and the present one.
    static std::vector<std::int64_t> globalBatchStops(const Layout& base)
    {
        constexpr std::int64_t mostMicroBatches = 4096;
        const std::int64_t unit = boundedProduct(base.microBatch, base.dp);
        const std::int64_t present = base.globalBatch / unit;
        std::vector<std::int64_t> counts{present};
        for (std::int64_t m = 1, step = 1; m <= mostMicroBatches; m += step) {
            counts.push_back(m);
            step = m >= 16 && m % (step * 8) == 0 ? m / 4 : step;
        }
        std::sort(counts.begin(), counts.end());
        counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
        std::vector<std::int64_t> result;
        for (const std::int64_t count : counts) {
            if (count <= std::numeric_limits<std::int64_t>::max() / unit) {
                result.push_back(count * unit);
            }
        }
        return result;
    }

    const Scenario& m_scenario;
    std::int64_t m_devices;
    std::vector<std::int64_t> m_divisors; ///< of the devices, ascending, as are the two below
    std::vector<std::int64_t> m_tensorDegrees; ///< those the model can be split by
    std::vector<std::int64_t> m_contextDegrees; ///< those that divide the sequence
    bool m_moe;
};

} // namespace

std::vector<std::int64_t> legalStops(const Scenario& scenario, LayoutField field)
{
    return Mover(scenario).stops(field);
}

Layout withField(const Scenario& scenario, LayoutField field, std::int64_t value)
{
    return Mover(scenario).moved(field, value);
}

} // namespace partita
