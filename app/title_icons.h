// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

namespace partita::ui {

enum class TitleIcon { Table, Copy, Export, Maximise, Restore, Float };

/// A line drawing in a colour, sharp at any device pixel ratio.
QIcon titleIcon(TitleIcon icon, const QColor& colour);

} // namespace partita::ui
