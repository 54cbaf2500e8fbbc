// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/geometry.h"

/// Text of a font whose every character is 7 px wide and 14 px high: layouts without a screen.
inline partita::ui::TextMetrics fixedMetrics()
{
    return {[](const QString& text, partita::ui::TextRole) { return 7.0 * static_cast<double>(text.size()); },
            [](partita::ui::TextRole) { return 14.0; }, 8};
}

/// Whether a rectangle lies inside another, up to rounding.
inline bool inside(const QRectF& inner, const QRectF& outer)
{
    return outer.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(inner);
}

inline bool inside(const QPointF& point, const QRectF& outer)
{
    return outer.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(point);
}
