// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/explained_values.h"
#include "widgets/formula_box.h"
#include "widgets/theme.h"

#include <QStringList>
#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QTextBrowser;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace partita::ui {

/// A derivation's formula, set large; smaller where it would not fit. With its numbers it is empty where they would not
/// be legible: over lists, and where they are too wide.
class FormulaView final : public QWidget {
    Q_OBJECT

public:
    enum class Shows { Symbols, Numbers };

    explicit FormulaView(Shows shows, QWidget* parent = nullptr);

    void setDerivation(const Derivation& derivation);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void layOut();

    Shows m_shows;
    Derivation m_derivation;
    FormulaBox m_box;
};

/// Where a number comes from: formula, numbers, terms that unfold down to presets, assumptions, sources, nearest runs.
class ExplainPanel final : public QWidget {
    Q_OBJECT

public:
    explicit ExplainPanel(QWidget* parent = nullptr);

    /// The numbers of another scenario, or of this one after an edit; where says which, when it is not the one in the
    /// window. What is explained stays explained as long as it exists.
    /// path: to explain then, as by explain(); empty: what is explained now.
    void setExplainer(std::shared_ptr<const ExplainedValues> explainer, const QString& where = {},
                      const QString& path = {});
    /// A path as ExplainedValues::explain takes it. One that does not exist is told.
    void explain(const QString& path);
    const QString& path() const { return m_path; }
    void back();

    const FormulaView& formula() const { return *m_formula; }
    const FormulaView& formulaWithNumbers() const { return *m_formulaWithNumbers; }
    QTreeWidget& terms() const { return *m_terms; }
    QString notes() const;
    QString value() const;
    QSize sizeHint() const override { return {360, 640}; } // charts beside it keep their numbers

Q_SIGNALS:
    void pathChanged(const QString& path);
    void runActivated(const QString& id);

private:
    void build();
    void show(const QString& path);
    void addTerms(QTreeWidgetItem* parent, const Derivation& derivation);
    void unfold(QTreeWidgetItem* item);
    void showNotes(const Derivation& derivation);

    std::shared_ptr<const ExplainedValues> m_explainer;
    QString m_path = QStringLiteral("step_time_s");
    QStringList m_before;
    QToolButton* m_back;
    QComboBox* m_choice;
    QLabel* m_where;
    QLabel* m_title;
    QLabel* m_numbers;
    FormulaView* m_formula;
    FormulaView* m_formulaWithNumbers;
    QTreeWidget* m_terms;
    QTextBrowser* m_notes;
};

} // namespace partita::ui
