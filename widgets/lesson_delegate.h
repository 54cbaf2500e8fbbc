// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

class QTextDocument;

namespace partita::ui {

/// A lesson in a list: its title in bold, below it what it is about. The item's text holds both, a line each.
class LessonDelegate final : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    static void layOut(QTextDocument& document, const QStyleOptionViewItem& option, const QString& text);
};

} // namespace partita::ui
