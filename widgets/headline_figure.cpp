// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline_strip.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int padding = 12;
constexpr int lineGap = 2;

QFont sized(QFont font, double relative, bool bold)
{
    font.setPointSizeF(font.pointSizeF() * relative);
    font.setBold(bold);
    return font;
}

} // namespace

HeadlineFigure::HeadlineFigure(QString key, QString hint, QWidget* parent)
    : QPushButton(parent)
    , m_key(std::move(key))
    , m_hint(std::move(hint))
{
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::PointingHandCursor);
}

void HeadlineFigure::setFigure(const QString& caption, const QString& value, const QString& detail, Tone tone)
{
    m_caption = caption;
    m_value = value;
    m_detail = detail;
    m_tone = tone;
    const QString told =
        detail.isEmpty() ? tr("%1: %2").arg(caption, value) : tr("%1: %2, %3").arg(caption, value, detail);
    setAccessibleName(told);
    setAccessibleDescription({});
    setToolTip(QStringLiteral("%1\n%2").arg(told, m_hint));
    updateGeometry();
    update();
}

void HeadlineFigure::setRemark(const QString& remark)
{
    setToolTip(QStringLiteral("%1\n%2").arg(toolTip(), remark));
    setAccessibleDescription(remark);
}

void HeadlineFigure::setSeparated(bool separated)
{
    m_separated = separated;
    update();
}

QFont HeadlineFigure::captionFont() const
{
    return sized(font(), 0.92, false);
}

QFont HeadlineFigure::valueFont() const
{
    return sized(font(), 1.25, true);
}

QFont HeadlineFigure::detailFont() const
{
    return sized(font(), 0.82, false);
}

QRect HeadlineFigure::captionRect() const
{
    return {padding, padding / 2 + 2, std::max(0, width() - 2 * padding + 4), QFontMetrics(captionFont()).height()};
}

void HeadlineFigure::setRoomFor(Lines lines)
{
    m_room = std::move(lines);
    updateGeometry();
}

QSize HeadlineFigure::sizeHint() const
{
    const auto width = [](const QFont& font, const QString& text) {
        return QFontMetrics(font).horizontalAdvance(text);
    };
    const int caption = std::max(width(captionFont(), m_caption), width(captionFont(), m_room.caption)) + m_reserve;
    const int value = std::max(width(valueFont(), m_value), width(valueFont(), m_room.value));
    const int detail = width(detailFont(), m_room.detail.isEmpty() ? m_detail : m_room.detail);
    const int height =
        QFontMetrics(captionFont()).height() + QFontMetrics(valueFont()).height() + QFontMetrics(detailFont()).height();
    return {std::max({caption, value, detail}) + 2 * padding, height + 2 * lineGap + padding + 4};
}

QSize HeadlineFigure::minimumSizeHint() const
{
    constexpr int shortestValue = 6;
    return {QFontMetrics(valueFont()).averageCharWidth() * shortestValue + 2 * padding, sizeHint().height()};
}

void HeadlineFigure::paintEvent(QPaintEvent*)
{
    const Theme theme = Theme::fromPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || isDown()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(mix(theme.card, theme.accent, isDown() ? 0.18 : 0.08));
        painter.drawRoundedRect(rect().adjusted(3, 3, -3, -3), 4, 4);
    }
    if (m_separated) {
        painter.setPen(theme.border);
        painter.drawLine(QPointF(0.5, 10), QPointF(0.5, height() - 10));
    }
    const auto line = [&](const QFont& font, const QColor& colour, const QString& text, QRect box) {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
    };
    QRect box = captionRect();
    line(captionFont(), theme.mutedText, m_caption, box.adjusted(0, 0, -m_reserve, 0));
    box = {padding, box.bottom() + 1 + lineGap, box.width(), QFontMetrics(valueFont()).height()};
    line(valueFont(), colourOf(m_tone, theme), m_value, box);
    box = {padding, box.bottom() + 1 + lineGap, box.width(), QFontMetrics(detailFont()).height()};
    line(detailFont(), theme.mutedText, m_detail, box);
    if (hasFocus() && window()->testAttribute(Qt::WA_KeyboardFocusChange)) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(3, 3, -3, -3), 4, 4);
    }
}

void HeadlineFigure::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
    } else {
        QPushButton::keyPressEvent(event);
    }
}

} // namespace partita::ui
