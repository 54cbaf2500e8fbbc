// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tone_label.h"

#include <QEvent>
#include <QPainter>

namespace partita::ui {

namespace {

class WheelFilter : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const auto* control = qobject_cast<QWidget*>(watched);
        if (event->type() == QEvent::Wheel && control && !control->hasFocus()) {
            event->ignore();
            return true;
        }
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

QColor colourOf(Tone tone, const Theme& theme)
{
    switch (tone) {
    case Tone::Muted:
        return theme.mutedText;
    case Tone::Good:
        return theme.good;
    case Tone::Bad:
        return theme.bad;
    case Tone::Plain:
        break;
    }
    return theme.text;
}

ToneLabel::ToneLabel(Tone tone, double relativeSize, QWidget* parent)
    : QLabel(parent)
    , m_tone(tone)
{
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    if (relativeSize != 1) {
        QFont small = font();
        small.setPointSizeF(small.pointSizeF() * relativeSize);
        setFont(small);
    }
    recolour();
}

void ToneLabel::setTone(Tone tone)
{
    if (m_tone != tone) {
        m_tone = tone;
        recolour();
    }
}

void ToneLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_recolouring) {
        recolour();
    }
}

void ToneLabel::recolour()
{
    m_recolouring = true;
    QPalette own = palette();
    own.setColor(QPalette::WindowText, colourOf(m_tone, Theme::fromPalette(own)));
    setPalette(own);
    m_recolouring = false;
}

VerdictLabel::VerdictLabel(QWidget* parent)
    : ToneLabel(Tone::Good, 1, parent)
{
    QFont bold = font();
    bold.setBold(true);
    setFont(bold);
    setMargin(6);
}

void VerdictLabel::paintEvent(QPaintEvent* event)
{
    const Theme theme = Theme::fromPalette(palette());
    const QColor colour = colourOf(tone(), theme);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(mix(theme.card, colour, 0.35));
    painter.setBrush(mix(theme.card, colour, 0.08));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.end();
    ToneLabel::paintEvent(event);
}

void wheelOnlyWithFocus(QWidget* control)
{
    control->setFocusPolicy(Qt::StrongFocus);
    control->installEventFilter(new WheelFilter(control));
}

} // namespace partita::ui
