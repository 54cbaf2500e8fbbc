// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/markers.h"

#include <QPainter>
#include <QPolygonF>

#include <array>

namespace partita::ui {

namespace {

// Okabe & Ito 2008, without black and yellow: told apart with every colour vision and seen on light and dark.
constexpr std::array<QRgb, 6> colors{0xffe69f00, 0xff56b4e9, 0xff009e73, 0xff0072b2, 0xffd55e00, 0xffcc79a7};

QPolygonF outline(Marker marker, const QPointF& at, double size)
{
    switch (marker) {
    case Marker::Square:
        return QPolygonF(QRectF(at - QPointF(size, size) * 0.9, QSizeF(size, size) * 1.8));
    case Marker::Triangle:
        return QPolygonF({at + QPointF(0, -1.2 * size), at + QPointF(1.15 * size, 0.8 * size),
                          at + QPointF(-1.15 * size, 0.8 * size)});
    case Marker::Diamond:
        return QPolygonF({at + QPointF(0, -1.3 * size), at + QPointF(1.3 * size, 0), at + QPointF(0, 1.3 * size),
                          at + QPointF(-1.3 * size, 0)});
    case Marker::Circle:
        break;
    }
    return {};
}

MarkerStyle styleOf(std::size_t color, std::size_t marker, const Theme& theme)
{
    const QColor plain = QColor::fromRgb(colors[color % colors.size()]);
    return {theme.dark ? plain.lighter(115) : plain, static_cast<Marker>(marker % 4), theme.scale};
}

} // namespace

MarkerStyle markerStyle(int series, const Theme& theme)
{
    const auto index = static_cast<std::size_t>(series);
    return styleOf(index, index / colors.size(), theme);
}

MarkerStyle distinctMarkerStyle(int series, const Theme& theme)
{
    const auto index = static_cast<std::size_t>(series);
    return styleOf(index, index, theme);
}

void drawMarker(QPainter& painter, const QPointF& at, const MarkerStyle& style, const QColor& edge)
{
    painter.setPen(QPen(edge, 0.7));
    painter.setBrush(style.color);
    const double radius = MarkerRadius * style.scale;
    if (style.marker == Marker::Circle) {
        painter.drawEllipse(at, radius, radius);
    } else {
        painter.drawPolygon(outline(style.marker, at, radius));
    }
}

} // namespace partita::ui
