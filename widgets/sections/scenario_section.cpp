// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sections/scenario_section.h"

#include "widgets/text.h"

#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

/// Whatever spelling a reader of files prefers: "kv_heads" and "kvHeads" are one field, and so is every element of a
/// list.
QString canonical(const QString& field)
{
    QString plain;
    bool inIndex = false;
    for (const QChar character : field) {
        inIndex = character == QLatin1Char('[') || (inIndex && character.isDigit());
        const bool index = inIndex && character != QLatin1Char('[');
        if (!index && character != QLatin1Char('_')) {
            plain += character.toLower();
        }
    }
    return plain;
}

/// Length of the key when it names the field or something around it: "model.layers" for "model.layers[3].norms".
int coveredBy(const QString& givenKey, const QString& givenField)
{
    const QString key = canonical(givenKey);
    const QString field = canonical(givenField);
    if (!field.startsWith(key)) {
        return 0;
    }
    const bool whole =
        field.size() == key.size() || field[key.size()] == QLatin1Char('.') || field[key.size()] == QLatin1Char('[');
    return whole ? static_cast<int>(key.size()) : 0;
}

} // namespace

QString problemText(const Problem& problem)
{
    const QString message = toText(problem.message);
    return problem.suggestion.empty() ? message
                                      : ScenarioSection::tr("%1 (%2)").arg(message, toText(problem.suggestion));
}

QString inSentence(const QString& label)
{
    const bool name = label.size() > 1 && (label[1].isUpper() || (label.size() > 2 && label[2].isUpper()));
    return name || label.isEmpty() ? label : label.left(1).toLower() + label.mid(1);
}

ScenarioSection::ScenarioSection(const QString& title, QString prefix, QWidget* parent)
    : CollapsibleSection(title, Rank::Section, parent)
    , m_prefix(std::move(prefix))
{
}

void ScenarioSection::setState(const PanelState& state)
{
    m_state = state;
    m_showing = true;
    showState();
    m_showing = false;
}

void ScenarioSection::setChoices(const PresetChoices&) { }

void ScenarioSection::enlist(FieldEditor* editor)
{
    m_editors.push_back(editor);
}

CollapsibleSection* ScenarioSection::addFold(const QString& title)
{
    auto* fold = new CollapsibleSection(title, Rank::Subsection);
    fold->setExpanded(false);
    body()->addWidget(fold);
    m_folds.push_back(fold);
    return fold;
}

int ScenarioSection::matchLength(const QString& field) const
{
    int longest = coveredBy(m_prefix, field);
    for (const FieldEditor* editor : m_editors) {
        longest = std::max(longest, editor->isHidden() ? 0 : coveredBy(editor->key(), field));
    }
    return longest;
}

FieldEditor* ScenarioSection::editorOf(const QString& field) const
{
    FieldEditor* nearest = nullptr;
    int longest = 0;
    for (FieldEditor* editor : m_editors) {
        const int length = editor->isHidden() ? 0 : coveredBy(editor->key(), field);
        if (length > longest) {
            longest = length;
            nearest = editor;
        }
    }
    return nearest;
}

void ScenarioSection::setProblems(const Problems& problems)
{
    QStringList all;
    QStringList loose;
    for (FieldEditor* editor : m_editors) {
        QStringList own;
        for (const Problem& problem : problems) {
            if (editorOf(toText(problem.field)) == editor) {
                own << problemText(problem);
            }
        }
        editor->setProblems(own);
    }
    for (const Problem& problem : problems) {
        all << tr("%1: %2").arg(toText(problem.field), problemText(problem));
        if (!editorOf(toText(problem.field))) {
            loose << all.back();
        }
    }
    setSummary(all, loose);
    for (CollapsibleSection* fold : m_folds) {
        QStringList inside;
        for (const FieldEditor* editor : m_editors) {
            inside << (fold->isAncestorOf(editor) ? editor->problems() : QStringList());
        }
        fold->setSummary(inside, {});
    }
}

void ScenarioSection::commit(const Scenario& scenario, const QString& what)
{
    if (m_showing || scenario == m_state.scenario) {
        return;
    }
    const bool merge = m_dragging && m_merge;
    m_merge = true;
    Q_EMIT edited(scenario, what, merge);
}

void ScenarioSection::beginDrag()
{
    m_dragging = true;
    m_merge = false;
    m_dragStart = m_state.scenario;
}

void ScenarioSection::endDrag()
{
    m_dragging = false;
}

} // namespace partita::ui
