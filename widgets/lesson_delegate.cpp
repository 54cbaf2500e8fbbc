// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lesson_delegate.h"

#include <QAbstractItemView>
#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QPainter>
#include <QResizeEvent>
#include <QTextDocument>

#include <cmath>

namespace partita::ui {

namespace {
constexpr int margin = 6; // px
}

void LessonDelegate::layOut(QTextDocument& document, const QStyleOptionViewItem& option, const QString& text)
{
    const QString title = text.section(u'\n', 0, 0).toHtmlEscaped();
    const QString rest = text.section(u'\n', 1).toHtmlEscaped();
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    document.setDocumentMargin(margin);
    document.setDefaultFont(option.font);
    document.setHtml(QStringLiteral("<b>%1</b><br/>%2").arg(title, rest));
    document.setTextWidth(view != nullptr ? view->viewport()->width() - 2 * margin : option.rect.width());
}

void LessonDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    QTextDocument document;
    layOut(document, item, index.data().toString()); // the option's own text has lost its line breaks
    item.text.clear();
    const QStyle* style = item.widget != nullptr ? item.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);
    QAbstractTextDocumentLayout::PaintContext context;
    const bool selected = item.state.testFlag(QStyle::State_Selected);
    context.palette.setColor(QPalette::Text, item.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    painter->save();
    painter->translate(item.rect.topLeft());
    painter->setClipRect(item.rect.translated(-item.rect.topLeft()));
    document.documentLayout()->draw(painter, context);
    painter->restore();
}

QSize LessonDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    QTextDocument document;
    layOut(document, item, index.data().toString());
    return {static_cast<int>(document.size().width()), static_cast<int>(std::ceil(document.size().height()))};
}

LessonList::LessonList(QWidget* parent)
    : QListWidget(parent)
{
    setItemDelegate(new LessonDelegate(this));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // one that comes takes width from texts that just found theirs
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
}

/// A list that does not wrap its items keeps the heights it has.
void LessonList::resizeEvent(QResizeEvent* event)
{
    QListWidget::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) {
        doItemsLayout();
    }
}

void LessonList::changeEvent(QEvent* event)
{
    QListWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        scheduleDelayedItemsLayout();
    }
}

} // namespace partita::ui
