// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"

#include <QCoreApplication>

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

inline QString opName(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return QCoreApplication::translate("labels", "forward");
    case OpKind::Backward:
        return QCoreApplication::translate("labels", "backward");
    case OpKind::BackwardInput:
        return QCoreApplication::translate("labels", "input gradient");
    case OpKind::BackwardWeight:
        return QCoreApplication::translate("labels", "weight gradient");
    case OpKind::ForwardBackward:
        return QCoreApplication::translate("labels", "forward beside backward");
    }
    return {};
}

} // namespace partita::ui
