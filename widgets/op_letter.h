// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"

#include <QChar>

namespace partita::ui {

/// The letter the pipeline papers give an op.
inline QChar opLetter(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return u'F';
    case OpKind::Backward:
    case OpKind::BackwardInput:
        return u'B';
    case OpKind::BackwardWeight:
        return u'W';
    case OpKind::ForwardBackward:
        return u'P';
    }
    return u'?';
}

} // namespace partita::ui
