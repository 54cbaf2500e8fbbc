// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"

#include <QCoreApplication>
#include <QString>

namespace partita::ui {

/// An enumerator's label from its one table, translated.
template <class E> QString labelText(E value)
{
    const std::string label(labelOf(value)); // tr wants a terminated string
    return QCoreApplication::translate("labels", label.c_str());
}

} // namespace partita::ui
