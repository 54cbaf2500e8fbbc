// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace partita::ui {

// How far one key press or wheel notch goes.

inline constexpr double zoomStep = 1.25;
inline constexpr double panStep = 0.15; ///< of the time in view

} // namespace partita::ui
