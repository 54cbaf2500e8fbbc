// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/rank_order_edit.h"

#include "widgets/labels.h"
#include "widgets/text.h"

#include <QDropEvent>
#include <QKeyEvent>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int axisRole = Qt::UserRole;

int degreeOn(const Layout& layout, Axis axis)
{
    switch (axis) {
    case Axis::Tp:
        return layout.tp;
    case Axis::Cp:
        return layout.cp;
    case Axis::Ep:
        return layout.ep;
    case Axis::Dp:
        return layout.dp;
    case Axis::Pp:
        break;
    }
    return layout.pp;
}

} // namespace

RankOrderEdit::RankOrderEdit(QWidget* parent)
    : QListWidget(parent)
{
    setAccessibleName(tr("Rank order, innermost first"));
    setAccessibleDescription(tr("Shift and an arrow key move the dimension"));
    setToolTip(tr("Ranks are numbered along the leftmost dimension first: its groups lie closest together.\n"
                  "Drag a dimension, or move it with Shift+Left and Shift+Right."));
    setFlow(QListView::LeftToRight);
    setWrapping(false);
    setSpacing(3);
    setDragDropMode(QAbstractItemView::InternalMove);
    setDefaultDropAction(Qt::MoveAction);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    for (const Name<Axis>& axis : Names<Axis>::table) {
        auto* item = new QListWidgetItem(toText(axis.key), this);
        item->setData(axisRole, static_cast<int>(axis.value));
        item->setTextAlignment(Qt::AlignCenter);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled);
    }
    setCurrentRow(0);
    m_told = order();
    recolour();
}

void RankOrderEdit::recolour()
{
    for (int place = 0; place < count(); ++place) {
        item(place)->setBackground(palette().button());
    }
}

void RankOrderEdit::changeEvent(QEvent* event)
{
    QListWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        recolour();
    }
}

void RankOrderEdit::setOrderOf(const Layout& layout)
{
    const QVariant chosen = currentItem() != nullptr ? currentItem()->data(axisRole) : QVariant();
    for (int place = 0; place < count(); ++place) {
        const Axis axis = layout.rankOrder[static_cast<std::size_t>(place)];
        QListWidgetItem* each = item(place);
        each->setData(axisRole, static_cast<int>(axis));
        each->setText(QStringLiteral("%1 %2").arg(toText(keyOf(axis))).arg(degreeOn(layout, axis)));
        each->setToolTip(tr("%1 parallel, degree %2").arg(labelText(axis)).arg(degreeOn(layout, axis)));
        if (each->data(axisRole) == chosen) {
            setCurrentItem(each);
        }
    }
    m_told = layout.rankOrder;
}

RankOrderEdit::Order RankOrderEdit::order() const
{
    Order order{};
    for (int place = 0; place < count() && place < static_cast<int>(order.size()); ++place) {
        order[static_cast<std::size_t>(place)] = static_cast<Axis>(item(place)->data(axisRole).toInt());
    }
    return order;
}

QSize RankOrderEdit::sizeHint() const
{
    return {(fontMetrics().horizontalAdvance(QStringLiteral("dp 64")) + 2 * spacing()) * count(),
            chipHeight() + 2 * spacing() + 2 * frameWidth()};
}

int RankOrderEdit::chipHeight() const
{
    return fontMetrics().height() + 6;
}

void RankOrderEdit::resizeEvent(QResizeEvent* event)
{
    QListWidget::resizeEvent(event);
    for (int place = 0; place < count(); ++place) {
        item(place)->setSizeHint({viewport()->width() / count() - 2 * spacing(), chipHeight()});
    }
}

void RankOrderEdit::keyPressEvent(QKeyEvent* event)
{
    const bool moves = event->modifiers() == Qt::ShiftModifier;
    if (moves && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        moveCurrent(event->key() == Qt::Key_Left ? -1 : 1);
        return;
    }
    QListWidget::keyPressEvent(event);
}

void RankOrderEdit::moveCurrent(int by)
{
    moveTo(std::clamp(currentRow() + by, 0, count() - 1));
}

void RankOrderEdit::moveTo(int place)
{
    const int from = currentRow();
    if (from < 0 || from == place) {
        return;
    }
    QListWidgetItem* moved = takeItem(from);
    insertItem(place, moved);
    setCurrentItem(moved);
    m_told = order();
    Q_EMIT edited(m_told);
}

/// Moved here, where the view would drop a copy and take the original away.
void RankOrderEdit::dropEvent(QDropEvent* event)
{
    int place = 0;
    for (int each = 0; each < count(); ++each) {
        const bool before = visualItemRect(item(each)).center().x() < event->position().x();
        place += before && each != currentRow() ? 1 : 0;
    }
    event->setDropAction(Qt::CopyAction); // the drag has nothing left to take away
    event->accept();
    stopAutoScroll();
    setState(NoState);
    viewport()->update();
    moveTo(place);
}

} // namespace partita::ui
