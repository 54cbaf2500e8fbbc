// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/appearance.h"

#include <QApplication>

namespace partita::ui {

QPalette paletteOf(const Theme& theme)
{
    QPalette palette(theme.window);
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::Base, theme.card);
    palette.setColor(QPalette::AlternateBase, theme.window);
    palette.setColor(QPalette::Button, theme.dark ? theme.card.lighter(120) : theme.card.darker(103));
    palette.setColor(QPalette::Mid, theme.border);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, inkOn(theme.accent));
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::ToolTipBase, theme.card);
    palette.setColor(QPalette::ToolTipText, theme.text);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(role, theme.text);
        palette.setColor(QPalette::Disabled, role, mix(theme.mutedText, theme.window, 0.4));
    }
    palette.setColor(QPalette::PlaceholderText, mix(theme.mutedText, theme.card, 0.3)); // nobody has entered it
    palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.border);
    return palette;
}

void setAppearance(Appearance appearance)
{
    // Qt 6.4 cannot be asked for the desktop's colour scheme; the palette it starts with tells.
    static const bool systemIsDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    const bool dark = appearance == Appearance::Dark || (appearance == Appearance::System && systemIsDark);
    QApplication::setPalette(paletteOf(dark ? Theme::darkMode() : Theme::light()));
}

} // namespace partita::ui
