// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"

#include <QString>

namespace partita::ui {

/// What an edit is about. Degrees that move along (dp, and what a new degree makes illegal) do not count.
enum class EditedField {
    Nothing,
    Model,
    Cluster,
    Stack,
    Workload,
    Tp,
    Pp,
    Cp,
    Ep,
    Etp,
    Vpp,
    MicroBatch,
    GlobalBatch,
    Dp,
    LayoutChoice, ///< recompute, schedule, sharding, sequence parallel, rank order
    Several
};

EditedField changedField(const Scenario& before, const Scenario& after);

/// For the Edit menu and the history, in the imperative: "Set tensor parallel to 8".
QString describeEdit(const Scenario& before, const Scenario& after);

} // namespace partita::ui
