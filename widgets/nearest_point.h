// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace partita::ui {

/// The point closest to a place, none beyond reach; of equals the last, which is drawn on top.
inline std::optional<std::size_t> nearestPoint(const std::vector<QPointF>& points, const QPointF& place, double reach)
{
    std::optional<std::size_t> found;
    double nearest = reach;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double away = std::hypot(points[i].x() - place.x(), points[i].y() - place.y());
        if (away <= nearest) {
            nearest = away;
            found = i;
        }
    }
    return found;
}

} // namespace partita::ui
