// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/elided_tips.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QToolTip>

namespace partita::ui {

bool ElidedTips::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                           const QModelIndex& index)
{
    if (event->type() != QEvent::ToolTip || index.data(Qt::ToolTipRole).isValid()
        || sizeHint(option, index).width() <= option.rect.width()) {
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    }
    QToolTip::showText(event->globalPos(), index.data().toString(), view);
    return true;
}

} // namespace partita::ui
