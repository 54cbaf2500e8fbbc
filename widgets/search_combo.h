// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/labels.h"
#include "widgets/text.h"

#include "core/base/names.h"

#include <QComboBox>

#include <algorithm>
#include <vector>

namespace partita::ui {

/// A list of a few choices; a choice too long for the box ends in an ellipsis and is told whole by the tool tip.
class ChoiceCombo : public QComboBox {
    Q_OBJECT

public:
    using QComboBox::QComboBox;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

/// A list to choose from by typing any part of a name. What is typed and found nowhere is dropped again.
class SearchCombo : public QComboBox {
    Q_OBJECT

public:
    explicit SearchCombo(QWidget* parent = nullptr);

    void setAccessibleNameOfAll(const QString& name);
    void setChoices(const QStringList& choices);
    /// Shows an item, or with index -1 a text that is no item.
    void showChoice(int index, const QString& text);

Q_SIGNALS:
    void chosen(int index); ///< by the user; also when it is the index already shown, to go back to the preset

private:
    void restore();
    void chooseTyped();

    QString m_shown;
};

template <class T> QStringList namesOf(const std::vector<T>& presets)
{
    QStringList names;
    for (const T& preset : presets) {
        names << toText(preset.name);
    }
    return names;
}

/// Shows which preset a value says it is, and whether it has been changed since.
template <class T> void showPreset(SearchCombo* combo, const std::vector<T>& presets, const T& value)
{
    const auto found =
        std::find_if(presets.begin(), presets.end(), [&value](const T& one) { return one.id == value.id; });
    const bool changed = found != presets.end() && *found != value;
    const QString name = toText(value.name);
    combo->showChoice(found == presets.end() ? -1 : static_cast<int>(found - presets.begin()),
                      changed ? SearchCombo::tr("%1 (edited)").arg(name) : name);
}

/// A combo over all names of an enumeration; item data is the key.
template <class E> QComboBox* makeEnumCombo()
{
    auto* combo = new ChoiceCombo;
    for (const Name<E>& name : Names<E>::table) {
        combo->addItem(labelText(name.value), toText(name.key));
    }
    return combo;
}

template <class E> void showEnum(QComboBox* combo, E value)
{
    combo->setCurrentIndex(combo->findData(toText(keyOf(value))));
}

template <class E> E chosenEnum(const QComboBox* combo)
{
    return Names<E>::table[static_cast<std::size_t>(combo->currentIndex())].value;
}

} // namespace partita::ui
