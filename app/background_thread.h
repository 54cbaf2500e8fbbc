// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace partita::ui {

/// Makes the calling thread give way to the window's; on Linux also the threads it starts from now on. Linux ignores
/// the priorities of QThread above the idle one, which a busy machine would starve.
void giveWayToWindow();

} // namespace partita::ui
