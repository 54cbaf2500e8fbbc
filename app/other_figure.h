// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"

#include <QString>

namespace partita::ui {

/// A figure that is not of the window's own scenario, to be derived.
struct OtherFigure {
    Scenario scenario;
    QString where; ///< which it is, a sentence: "Of 128 devices, layout held."
    QString path; ///< of its report; of a change, of its comparison (b) with the window's (a)
    bool change = false;
};

} // namespace partita::ui
