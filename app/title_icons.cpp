// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/title_icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>

namespace partita::ui {

namespace {

/// On a grid of 16 units.
QPainterPath outline(TitleIcon icon)
{
    QPainterPath path;
    const auto line = [&path](double x1, double y1, double x2, double y2) {
        path.moveTo(x1, y1);
        path.lineTo(x2, y2);
    };
    switch (icon) {
    case TitleIcon::Table:
        path.addRect(2.5, 3.5, 11, 9);
        line(2.5, 6.5, 13.5, 6.5);
        line(2.5, 9.5, 13.5, 9.5);
        line(6.5, 3.5, 6.5, 12.5);
        break;
    case TitleIcon::Copy:
        path.addRoundedRect(5.5, 5.5, 8, 8, 1, 1);
        path.moveTo(3.5, 10.5);
        path.lineTo(2.5, 10.5);
        path.lineTo(2.5, 2.5);
        path.lineTo(10.5, 2.5);
        path.lineTo(10.5, 3.5);
        break;
    case TitleIcon::Export:
        line(8, 2.5, 8, 10);
        line(5, 7, 8, 10);
        line(11, 7, 8, 10);
        path.moveTo(2.5, 10.5);
        path.lineTo(2.5, 13.5);
        path.lineTo(13.5, 13.5);
        path.lineTo(13.5, 10.5);
        break;
    case TitleIcon::Maximise:
        line(9.5, 2.5, 13.5, 2.5);
        line(13.5, 2.5, 13.5, 6.5);
        line(13.5, 2.5, 9, 7);
        line(6.5, 13.5, 2.5, 13.5);
        line(2.5, 13.5, 2.5, 9.5);
        line(2.5, 13.5, 7, 9);
        break;
    case TitleIcon::Restore:
        line(9.5, 2.5, 9.5, 6.5);
        line(9.5, 6.5, 13.5, 6.5);
        line(9.5, 6.5, 14, 2);
        line(6.5, 13.5, 6.5, 9.5);
        line(6.5, 9.5, 2.5, 9.5);
        line(6.5, 9.5, 2, 14);
        break;
    case TitleIcon::Float:
        path.addRect(2.5, 5.5, 8, 8);
        path.moveTo(5.5, 5.5);
        path.lineTo(5.5, 2.5);
        path.lineTo(13.5, 2.5);
        path.lineTo(13.5, 10.5);
        path.lineTo(10.5, 10.5);
        break;
    }
    return path;
}

class LineEngine final : public QIconEngine {
public:
    LineEngine(TitleIcon icon, const QColor& colour)
        : m_icon(icon)
        , m_colour(colour)
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        QColor colour = m_colour;
        if (mode == QIcon::Disabled) {
            colour.setAlphaF(0.4F);
        }
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.topLeft());
        painter->scale(rect.width() / 16.0, rect.height() / 16.0);
        painter->setPen(QPen(colour, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPath(outline(m_icon));
        painter->restore();
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect({0, 0}, size), mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new LineEngine(*this); }

private:
    TitleIcon m_icon;
    QColor m_colour;
};

} // namespace

QIcon titleIcon(TitleIcon icon, const QColor& colour)
{
    return QIcon(new LineEngine(icon, colour));
}

} // namespace partita::ui
