// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/search_combo.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>

namespace partita::ui {

SearchCombo::SearchCombo(QWidget* parent)
    : QComboBox(parent)
{
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
    setMaxVisibleItems(24);
    completer()->setFilterMode(Qt::MatchContains);
    completer()->setCompletionMode(QCompleter::PopupCompletion);
    completer()->setCaseSensitivity(Qt::CaseInsensitive);
    connect(this, &QComboBox::activated, this, &SearchCombo::chosen);
    connect(lineEdit(), &QLineEdit::editingFinished, this, [this] {
        if (findText(currentText()) < 0 && currentText() != m_shown) {
            restore();
        }
    });
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
