// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>

namespace partita::ui {

/// Colours, type and spacing of every chart and panel: screen light, screen dark, paper. The one place they are stated.
struct Theme {
    QColor window;
    QColor card;
    QColor border;
    QColor text;
    QColor mutedText;
    QColor grid;
    QColor accent;
    QColor good;
    QColor bad;
    QFont font;
    bool dark = false;

    static Theme light();
    static Theme darkMode();
    static Theme paper();
};

} // namespace partita::ui
