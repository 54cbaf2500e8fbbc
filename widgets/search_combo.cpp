// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/search_combo.h"

#include "widgets/window_undo.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHelpEvent>
#include <QLineEdit>
#include <QStylePainter>
#include <QToolTip>

namespace partita::ui {

bool ChoiceCombo::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && toolTip().isEmpty()) {
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), currentText(), this);
        return true;
    }
    return QComboBox::event(event);
}

void ChoiceCombo::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    constexpr int textMargin = 4;
    const int room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width();
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room - textMargin);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

namespace {

/// Ends a text too long for it with an ellipsis while nobody types in it.
class ElidingEdit final : public QLineEdit {
protected:
    void paintEvent(QPaintEvent* event) override
    {
        constexpr int textMargin = 2; // QLineEdit's own
        const QRect room = contentsRect().adjusted(textMargin, 0, -textMargin, 0);
        if (hasFocus() || fontMetrics().horizontalAdvance(text()) <= room.width()) {
            return QLineEdit::paintEvent(event);
        }
        QStylePainter painter(this);
        painter.drawItemText(room, Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(),
                             fontMetrics().elidedText(text(), Qt::ElideRight, room.width()), QPalette::Text);
    }
};

} // namespace

SearchCombo::SearchCombo(QWidget* parent)
    : QComboBox(parent)
{
    setLineEdit(new ElidingEdit);
    setInsertPolicy(QComboBox::NoInsert);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
    setMaxVisibleItems(24);
    completer()->setFilterMode(Qt::MatchContains);
    completer()->setCompletionMode(QCompleter::PopupCompletion);
    completer()->setCaseSensitivity(Qt::CaseInsensitive);
    leaveUndoToWindow(this, lineEdit());
    connect(this, &QComboBox::activated, this, &SearchCombo::chosen);
    connect(lineEdit(), &QLineEdit::returnPressed, this, &SearchCombo::chooseTyped);
    connect(lineEdit(), &QLineEdit::editingFinished, this, [this] {
        if (findText(currentText()) < 0 && currentText() != m_shown) {
            restore();
        }
    });
}

/// The choice whose name was typed, or the only one that holds what was typed.
void SearchCombo::chooseTyped()
{
    const QString typed = currentText().trimmed();
    if (typed.isEmpty() || typed == m_shown || findText(typed) >= 0) {
        return; // taken as it is
    }
    QList<int> holding;
    int named = -1;
    for (int i = 0; i < count(); ++i) {
        if (itemText(i).contains(typed, Qt::CaseInsensitive)) {
            holding << i;
            named = itemText(i).startsWith(typed + QStringLiteral("  "), Qt::CaseInsensitive) ? i : named;
        }
    }
    const int found = named >= 0 ? named : holding.size() == 1 ? holding.front() : -1;
    if (found >= 0) {
        setCurrentIndex(found);
        Q_EMIT chosen(found);
    }
}

void SearchCombo::setAccessibleNameOfAll(const QString& name)
{
    setAccessibleName(name);
    lineEdit()->setAccessibleName(name);
    view()->setAccessibleName(name);
}

void SearchCombo::showChoice(int index, const QString& text)
{
    if (m_shown == text && currentIndex() == index) {
        return; // whatever is being typed stays
    }
    m_shown = text;
    setCurrentIndex(index);
    restore();
}

void SearchCombo::setChoices(const QStringList& choices)
{
    clear();
    addItems(choices);
    m_shown.clear();
}

void SearchCombo::restore()
{
    setEditText(m_shown);
    lineEdit()->setCursorPosition(0);
    setToolTip(m_shown);
}

} // namespace partita::ui
