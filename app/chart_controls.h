// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chart_dock.h"
#include "widgets/chart_view.h"
#include "widgets/labels.h"
#include "widgets/search_combo.h"

#include <QAbstractItemView>
#include <QComboBox>

namespace partita::ui {

/// A card for a chart: its actions are the card's.
ChartDock* dockFor(const QString& id, const QString& title, ChartView* view);

constexpr int leastChoiceWidth = 56; // px: a card beside open docks is narrow, its choices end in ellipses

/// A box that offers some enumerators; their values are its data.
template <class E, class Choices> QComboBox* choiceBox(const QString& name, const Choices& choices)
{
    auto* box = new ChoiceCombo;
    box->setMinimumWidth(leastChoiceWidth);
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->view()->setAccessibleName(name);
    box->setFocusPolicy(Qt::StrongFocus); // the wheel must not change a box that is only scrolled past
    for (const E choice : choices) {
        box->addItem(labelText(choice), static_cast<int>(choice));
    }
    return box;
}

/// A box that offers all of them.
template <class E> QComboBox* choiceBox(const QString& name)
{
    std::vector<E> choices;
    for (const Name<E>& choice : Names<E>::table) {
        choices.push_back(choice.value);
    }
    return choiceBox<E>(name, choices);
}

template <class E> E chosen(const QComboBox& box)
{
    return static_cast<E>(box.currentData().toInt());
}

template <class E> void choose(QComboBox& box, E value)
{
    box.setCurrentIndex(box.findData(static_cast<int>(value)));
}

} // namespace partita::ui
