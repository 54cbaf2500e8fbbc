// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/drawing.h"

#include <QPainter>
#include <QPainterPath>

namespace partita::ui {

void drawArea(QPainter& painter, const QRectF& rect, const FillStyle& style)
{
    if (rect.isEmpty()) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double edgeX = rect.width() >= 4 ? 1 : 0;
    const double edgeY = rect.height() >= 4 ? 1 : 0;
    const QRectF inner = rect.adjusted(edgeX, edgeY, -edgeX, -edgeY);
    if (edgeX + edgeY > 0) {
        painter.fillRect(rect, style.edge);
    }
    painter.fillRect(inner, style.fill);
    drawHatch(painter, inner, style.hatch, mix(style.fill, style.edge, 0.75));
    if (style.footer) {
        const double height = std::max(1.0, inner.height() * 0.16);
        painter.fillRect(QRectF(inner.left(), inner.bottom() - height, inner.width(), height), style.edge);
    }
}

void drawHatch(QPainter& painter, const QRectF& rect, Hatch hatch, const QColor& color, double spacing)
{
    if (hatch == Hatch::None) {
        return;
    }
    QPainterPath path; // one element in a file, however many lines
    for (const QLineF& line : hatchLines(rect, hatch, spacing)) {
        path.moveTo(line.p1());
        path.lineTo(line.p2());
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    QPen pen(color, 1);
    pen.setCapStyle(Qt::FlatCap);
    painter.setPen(pen);
    painter.drawPath(path);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void drawFrame(QPainter& painter, const QRectF& rect, const QColor& color, double width)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double w = std::min({width, rect.width() / 2, rect.height() / 2});
    painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), w), color);
    painter.fillRect(QRectF(rect.left(), rect.bottom() - w, rect.width(), w), color);
    painter.fillRect(QRectF(rect.left(), rect.top() + w, w, rect.height() - 2 * w), color);
    painter.fillRect(QRectF(rect.right() - w, rect.top() + w, w, rect.height() - 2 * w), color);
}

void drawLine(QPainter& painter, const QLineF& line, const QColor& color, double width, Qt::PenStyle style)
{
    QPen pen(color, width, style, Qt::FlatCap);
    if (style == Qt::DashLine) {
        pen.setDashPattern({4, 2.5});
    }
    painter.setRenderHint(QPainter::Antialiasing, width != 1 || (line.dx() != 0 && line.dy() != 0));
    painter.setPen(pen);
    painter.drawLine(line);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void drawLabel(QPainter& painter, const Label& label, const Theme& theme)
{
    drawLabel(painter, label, theme, label.warns ? theme.bad : theme.colorOf(label.role));
}

void drawLabel(QPainter& painter, const Label& label, const Theme& theme, const QColor& color)
{
    if (label.empty()) {
        return;
    }
    painter.setFont(theme.fontOf(label.role));
    painter.setPen(color);
    painter.drawText(label.rect, static_cast<int>(label.alignment) | Qt::TextSingleLine | Qt::TextDontClip, label.text);
}

} // namespace partita::ui
