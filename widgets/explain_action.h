// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

class QAbstractItemView;
class QModelIndex;

namespace partita::ui {

/// X, and an entry of the context menu, ask where the figure of a table's current cell is from.
void addExplainAction(QAbstractItemView& table, const std::function<void(const QModelIndex& cell)>& ask);

} // namespace partita::ui
