// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QLabel>

namespace partita::ui {

enum class Tone { Plain, Muted, Good, Bad };

QColor colourOf(Tone tone, const Theme& theme);

/// A word-wrapped label whose colour follows the theme. Relative size: 1 = the font it inherits.
class ToneLabel : public QLabel {
    Q_OBJECT

public:
    explicit ToneLabel(Tone tone = Tone::Plain, double relativeSize = 1, QWidget* parent = nullptr);

    Tone tone() const { return m_tone; }
    void setTone(Tone tone);

protected:
    void changeEvent(QEvent* event) override;

private:
    void recolour();

    Tone m_tone;
    bool m_recolouring = false;
};

/// A label with a tinted frame around it: green for what balances, red for what does not.
class VerdictLabel : public ToneLabel {
    Q_OBJECT

public:
    explicit VerdictLabel(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// Keeps the wheel from changing a control that has no focus: the panel scrolls instead.
void wheelOnlyWithFocus(QWidget* control);

} // namespace partita::ui
