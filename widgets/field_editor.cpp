// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/field_editor.h"

#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace partita::ui {

namespace {
constexpr int labelShare = 11;
constexpr int controlShare = 14;
} // namespace

FieldEditor::FieldEditor(QString key, QWidget* parent)
    : QWidget(parent)
    , m_key(std::move(key))
    , m_rows(new QVBoxLayout)
    , m_problemLabel(new ToneLabel(Tone::Bad, 0.88))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    m_rows->setSpacing(2);
    column->addLayout(m_rows);
    column->addWidget(m_problemLabel);
    m_problemLabel->hide();
}

void FieldEditor::setProblems(const QStringList& problems)
{
    m_problems = problems;
    showProblems();
}

void FieldEditor::setOwnProblem(const QString& text)
{
    m_ownProblem = text;
    showProblems();
}

void FieldEditor::showProblems()
{
    const QStringList shown = m_problems.isEmpty() && !m_ownProblem.isEmpty() ? QStringList{m_ownProblem} : m_problems;
    QStringList lines;
    for (const QString& problem : shown) {
        lines << QStringLiteral("✗ ") + problem;
    }
    m_problemLabel->setText(lines.join(QLatin1Char('\n')));
    m_problemLabel->setVisible(!lines.isEmpty());
    if (QWidget* target = control()) {
        target->setAccessibleDescription(shown.join(QStringLiteral("; ")));
    }
}

FieldRow::FieldRow(const QString& key, const QString& label, QWidget* control, QWidget* parent)
    : FieldEditor(key, parent)
    , m_control(control)
{
    auto* name = new ToneLabel;
    name->setText(label);
    name->setBuddy(control);
    control->setAccessibleName(label);
    wheelOnlyWithFocus(control);
    for (QWidget* part : {static_cast<QWidget*>(name), control}) {
        QSizePolicy policy = part->sizePolicy(); // a label that wraps stays as high as it needs
        policy.setHorizontalPolicy(QSizePolicy::Ignored);
        part->setSizePolicy(policy);
    }
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(name, labelShare);
    row->addWidget(control, controlShare);
    rows()->addLayout(row);
}

} // namespace partita::ui
