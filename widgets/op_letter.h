// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"

#include <QString>

namespace partita::ui {

/// The letter the pipeline papers give an op; of an op of the whole step its text.
inline QString opLetter(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return QStringLiteral("F");
    case OpKind::Backward:
    case OpKind::BackwardInput:
        return QStringLiteral("B");
    case OpKind::BackwardWeight:
        return QStringLiteral("W");
    case OpKind::ForwardBackward:
        return QStringLiteral("P");
    default:
        return QString::fromStdString(opText(kind, 0, 0, -1, -1));
    }
}

} // namespace partita::ui
