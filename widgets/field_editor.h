// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace partita::ui {

class ToneLabel;

/// One field of the scenario: a control with its label, and below it every problem the report has with the field.
class FieldEditor : public QWidget {
    Q_OBJECT

public:
    /// key: the field's path as problems name it, "layout.tp".
    FieldEditor(QString key, QWidget* parent = nullptr);

    const QString& key() const { return m_key; }
    void setProblems(const QStringList& problems);
    QStringList problems() const { return m_problems; }
    /// The control that takes the focus when the field is called up.
    virtual QWidget* control() const = 0;

protected:
    QVBoxLayout* rows() const { return m_rows; } ///< holds the label and control rows, above the problems
    void setOwnProblem(const QString& text); ///< what the control itself finds; gives way to the report's problems

private:
    void showProblems();

    QString m_key;
    QStringList m_problems;
    QString m_ownProblem;
    QVBoxLayout* m_rows;
    ToneLabel* m_problemLabel;
};

/// Label on the left, any control on the right, in columns that line up over the whole panel.
class FieldRow : public FieldEditor {
    Q_OBJECT

public:
    FieldRow(const QString& key, const QString& label, QWidget* control, QWidget* parent = nullptr);

    QWidget* control() const override { return m_control; }

private:
    QWidget* m_control;
};

} // namespace partita::ui
