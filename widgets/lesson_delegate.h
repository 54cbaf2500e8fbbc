// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>
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

/// A list of lessons: rows get the height that their texts take at the width there is.
class LessonList final : public QListWidget {
    Q_OBJECT

public:
    explicit LessonList(QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
};

} // namespace partita::ui
