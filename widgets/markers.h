// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

class QPainter;

namespace partita::ui {

/// Points of series differ in colour and shape.
enum class Marker { Circle, Square, Triangle, Diamond };

struct MarkerStyle {
    QColor color;
    Marker marker = Marker::Circle;
    double scale = 1; ///< that of the type around it
};

inline constexpr double MarkerRadius = 3.5; // px

/// Of the series at an index; colours come round again with another shape.
MarkerStyle markerStyle(int series, const Theme& theme);
/// Colour and shape both change from one series to the next: for charts of few series.
MarkerStyle distinctMarkerStyle(int series, const Theme& theme);

void drawMarker(QPainter& painter, const QPointF& at, const MarkerStyle& style, const QColor& edge);

} // namespace partita::ui
