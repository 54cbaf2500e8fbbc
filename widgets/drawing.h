// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/geometry.h"

class QPainter;

namespace partita::ui {

// The few strokes every chart is painted with.

/// A filled area with its one-pixel edge, hatch and footer, all inside the rectangle.
void drawArea(QPainter& painter, const QRectF& rect, const FillStyle& style);
void drawHatch(QPainter& painter, const QRectF& rect, Hatch hatch, const QColor& color, double spacing = 5);
/// A frame of the given width just inside the rectangle.
void drawFrame(QPainter& painter, const QRectF& rect, const QColor& color, double width);
void drawLine(QPainter& painter, const QLineF& line, const QColor& color, double width = 1,
              Qt::PenStyle style = Qt::SolidLine);
void drawLabel(QPainter& painter, const Label& label, const Theme& theme);
/// The same in a colour of its own, as on a fill.
void drawLabel(QPainter& painter, const Label& label, const Theme& theme, const QColor& color);

} // namespace partita::ui
