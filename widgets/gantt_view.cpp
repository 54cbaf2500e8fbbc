// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gantt_view.h"

#include <algorithm>

namespace partita::ui {

namespace {

constexpr double Narrowest = 1e-6; // of the makespan

double whole(const GanttExtent& extent)
{
    return extent.makespan > 0 ? extent.makespan : 1.0;
}

} // namespace

GanttView fitted(const GanttExtent& extent)
{
    return {0, whole(extent), 0, std::max(1, extent.lanes)};
}

GanttView clamped(GanttView view, const GanttExtent& extent)
{
    const double span = std::clamp(view.span(), whole(extent) * Narrowest, whole(extent));
    view.t0 = std::clamp(view.t0, 0.0, whole(extent) - span);
    view.t1 = view.t0 + span;
    const int lanes = std::max(1, extent.lanes);
    view.lanes = std::clamp(view.lanes, 1, lanes);
    view.firstLane = std::clamp(view.firstLane, 0, lanes - view.lanes);
    return view;
}

GanttView zoomed(const GanttView& view, double factor, double about, const GanttExtent& extent)
{
    const double span = std::clamp(view.span() / factor, whole(extent) * Narrowest, whole(extent));
    const double place = (about - view.t0) / view.span();
    GanttView result = view;
    result.t0 = about - place * span;
    result.t1 = result.t0 + span;
    return clamped(result, extent);
}

GanttView panned(const GanttView& view, double seconds, const GanttExtent& extent)
{
    GanttView result = view;
    result.t0 += seconds;
    result.t1 += seconds;
    return clamped(result, extent);
}

GanttView scrolled(const GanttView& view, int lanes, const GanttExtent& extent)
{
    GanttView result = view;
    result.firstLane += lanes;
    return clamped(result, extent);
}

} // namespace partita::ui
