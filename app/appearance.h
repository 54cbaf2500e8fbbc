// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "widgets/theme.h"

#include <QPalette>

namespace partita::ui {

/// Which of the screen themes the window wears.
enum class Appearance { System, Light, Dark };

/// The palette that makes Qt's own controls match a theme.
QPalette paletteOf(const Theme& theme);

/// Dresses the whole application. System follows the palette the desktop gave at start.
void setAppearance(Appearance appearance);

} // namespace partita::ui

namespace partita {

template <> struct Names<ui::Appearance> {
    static constexpr std::array table{
        Name<ui::Appearance>{ui::Appearance::System, "system", "As the &system"},
        Name<ui::Appearance>{ui::Appearance::Light, "light", "&Light"},
        Name<ui::Appearance>{ui::Appearance::Dark, "dark", "&Dark"},
    };
};

} // namespace partita
