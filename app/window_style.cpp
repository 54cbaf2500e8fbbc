// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_style.h"

#include "widgets/theme.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace partita::ui {

WindowStyle::WindowStyle()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
{
}

void WindowStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const
{
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const Theme theme = Theme::fromPalette(option->palette);
    if (element == PE_IndicatorCheckBox && theme.dark) {
        painter->save();
        painter->setPen((option->state & State_Enabled) != 0 ? theme.mutedText : theme.border);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5));
        painter->restore();
    }
}

} // namespace partita::ui
