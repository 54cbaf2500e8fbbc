// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/advise.h"
#include "core/advice/why_not.h"

#include <QWidget>

#include <memory>

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QTreeWidget;

namespace partita::ui {

class Chart;
class ChartView;

/// What is advised and how far it is from the best, then the answer to what was asked, then how the advice came about:
/// its steps, each with the reliefs it had. All of it scrolls as one, by whole lines; below, what is selected can be
/// adopted, and any other layout asked about.
class AdviceView final : public QWidget {
    Q_OBJECT

public:
    explicit AdviceView(QWidget* parent = nullptr);

    void setAdvice(std::shared_ptr<const Advice> advice);
    /// Null until there is one.
    const Advice* advice() const { return m_advice.get(); }
    /// A new advice is being worked out: what is shown is of the scenario before.
    void setBusy(bool busy);
    /// How far the advice is from the best layout there is; empty while that is not known.
    void setOptimum(const QString& text);
    void setAnswer(const QString& text); ///< to the question last asked; without one that was understood
    void setExplainedAnswer(const WhyNot& answer); ///< its figures can be explained
    /// The answer as a chart, below its sentences until there is another answer.
    void setAnswerChart(std::shared_ptr<const Chart> chart);

    QTreeWidget* steps() const { return m_steps; }
    QPushButton* adoptButton() const { return m_adopt; }
    QPushButton* explainButton() const { return m_explain; }
    QLineEdit* question() const { return m_question; }
    QString summary() const;
    QString answer() const;
    QLabel* answerLabel() const { return m_answer; }
    ChartView& answerChart() const { return *m_chart; } ///< hidden without one
    QScrollArea& findings() const { return *m_findings; } ///< all but the question and what can be done
    /// What the button would adopt: the relief or the step selected, else the pick. Null without an advice.
    const LayoutCost* candidate() const;

Q_SIGNALS:
    void adoptRequested(const partita::Layout& layout);
    void explainRequested(const QString& path); ///< as `advise --json` names it
    void asked(const QString& typed); ///< "tp=4, pp=2"

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< a click on the answer, a width of steps or chart

private:
    QWidget* makeFindings();
    QWidget* makeQuestion();
    void connectAnswer();
    void addStep(std::size_t index);
    void fitSteps();
    void fitChart();
    void showAnswer();
    void showSummary();
    void showCandidate();
    QString candidatePath() const;
    void explainAnswer();

    std::shared_ptr<const Advice> m_advice;
    QString m_optimum;
    bool m_busy = false;
    QTreeWidget* m_steps;
    QLabel* m_summary;
    QPushButton* m_adopt;
    QPushButton* m_explain;
    QLineEdit* m_question;
    QLabel* m_answer;
    ChartView* m_chart;
    QScrollArea* m_findings = nullptr;
    QString m_answerPath; ///< what decided; empty without figures
};

} // namespace partita::ui
