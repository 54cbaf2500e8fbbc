// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

namespace partita::ui {

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent)
    : QLabel(text, parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setShorterText(const QString& text)
{
    m_shorter = text;
    update();
}

QString ElidedLabel::shownText() const
{
    const int room = contentsRect().width();
    const auto fits = [&](const QString& text) { return fontMetrics().horizontalAdvance(text) <= room; };
    const QString& shown = !fits(text()) && !m_shorter.isEmpty() && fits(m_shorter) ? m_shorter : text();
    return fontMetrics().elidedText(shown, Qt::ElideRight, room);
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {0, QLabel::minimumSizeHint().height()};
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const QString whole = shownText() == text() ? toolTip() : text();
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), whole, this);
        return true;
    }
    return QLabel::event(event);
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    style()->drawItemText(&painter, contentsRect(), Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(),
                          shownText(), foregroundRole());
}

} // namespace partita::ui
