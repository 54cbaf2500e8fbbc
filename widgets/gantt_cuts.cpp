// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gantt_cuts.h"

#include <algorithm>
#include <array>
#include <limits>

namespace partita::ui {

namespace {

constexpr double LeastLegible = 3; // px of a usual op: it is told from its neighbours
constexpr double WellLegible = 9; // px: there is room for digits
constexpr double LeastCut = 0.15; // of the step: less is not worth a break
constexpr double SteadyShare = 0.2; // of what is shown, at least
constexpr double SteadyOps = 8; // usual ops, at least

struct Phases {
    double filled = 0; ///< s, the first backward anywhere
    double drains = 0; ///< s, the last forward anywhere has ended
    double usualOp = 0; ///< s, of the shorter half on the first stage, where forwards are, the median
};

Phases phasesOf(const Timeline& timeline, double end)
{
    Phases phases{end, 0, 0};
    std::vector<double> lengths;
    for (const StageTimeline& stage : timeline.stages) {
        for (const TimelineOp& op : stage.ops) {
            const bool forward = op.kind == OpKind::Forward || op.kind == OpKind::ForwardBackward;
            if (op.kind != OpKind::Forward) {
                phases.filled = std::min(phases.filled, op.start);
            }
            if (forward) {
                phases.drains = std::max(phases.drains, op.end);
            }
            if (&stage == &timeline.stages.front()) {
                lengths.push_back(op.end - op.start);
            }
        }
    }
    if (!lengths.empty()) {
        const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 4);
        std::nth_element(lengths.begin(), middle, lengths.end());
        phases.usualOp = *middle;
    }
    return phases;
}

Phases phasesOf(const std::vector<const Timeline*>& timelines, double end)
{
    Phases all = phasesOf(*timelines.front(), end);
    for (std::size_t i = 1; i < timelines.size(); ++i) {
        const Phases each = phasesOf(*timelines[i], end);
        all.filled = std::max(all.filled, each.filled);
        all.drains = std::min(all.drains, each.drains);
        all.usualOp = std::min(all.usualOp, each.usualOp);
    }
    return all;
}

} // namespace

std::vector<GanttStretch> legibleStretches(const std::vector<const Timeline*>& timelines, double end, double width,
                                           double gap)
{
    const Phases phases = phasesOf(timelines, end);
    const double room = width - 2 * gap;
    if (!(phases.usualOp > 0) || !(end > 0) || room <= 0 || phases.usualOp * width / end >= LeastLegible) {
        return {};
    }
    // A filling or draining of a step that hardly has a steady phase still has a beginning and an end.
    const double fill = std::min(phases.filled, end / 2) + phases.usualOp;
    const double drain = std::min(end - phases.drains, end / 2) + phases.usualOp;
    const double well = room / WellLegible * phases.usualOp; // s that fit, and at most
    const double most = room / LeastLegible * phases.usualOp;
    const double wanted = fill + drain + std::max(SteadyOps * phases.usualOp, (fill + drain) * SteadyShare);
    const double shown = std::clamp(wanted, well, most);
    if (shown > end * (1 - LeastCut)) {
        return {};
    }
    const double ends = std::min(fill + drain, shown * (1 - SteadyShare));
    const double first = ends * fill / (fill + drain);
    const double last = ends - first;
    const double steady = shown - ends;
    const double centre = std::clamp((phases.filled + phases.drains) / 2, first + steady / 2, end - last - steady / 2);
    const double scale = room / shown; // px a second
    std::vector<GanttStretch> stretches;
    double left = 0;
    for (const auto& [from, span] : {std::pair{0.0, first}, {centre - steady / 2, steady}, {end - last, last}}) {
        stretches.push_back({from, from + span, left, left + span * scale});
        left = stretches.back().right + gap;
    }
    return stretches;
}

} // namespace partita::ui
