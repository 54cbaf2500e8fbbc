// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/newest_job.h"
#include "core/advice/advise.h"
#include "core/advice/why_not.h"
#include "core/compare/comparison.h"
#include "core/explain/layout_values.h"

#include <QTimer>

#include <memory>

class QComboBox;

namespace partita::ui {

class AdviceView;
class Chart;
class ChartDock;

/// The card of the advisor: works the advice out beside the window while the card is open, and answers why not another
/// layout. Its chart is the answer's, else the steps of the advice as a table.
class AdviceCard final : public QObject {
    Q_OBJECT

public:
    AdviceCard();

    ChartDock* dock() const { return m_dock; }
    AdviceView& view() const { return *m_view; }
    Voice voice() const;
    void setVoice(Voice voice);
    /// The scenario to advise about; the layout it has does not matter.
    void setScenario(const Scenario& scenario);
    /// Derives the advice shown, or the answer shown where the path is of it; null without one. runs must outlive it.
    std::shared_ptr<const ExplainedValues> explained(const QString& path, const std::vector<ComparableRun>& runs) const;
    /// The advice and what was asked about, where the card's chart compares them; else none.
    const std::vector<ComparedLayout>& compared() const;
    /// What the user limits layouts to.
    void setLimits(const SearchSpace& limits);

Q_SIGNALS:
    void adoptRequested(const partita::Layout& layout);
    void explainRequested(const QString& path); ///< see explained()

private:
    void refresh();
    void work();
    void ask(const QString& typed);
    void forgetAnswer();
    bool isCurrent() const; ///< the advice shown is of the scenario of now
    void renewChart();

    AdviceView* m_view;
    ChartDock* m_dock;
    QComboBox* m_voice;
    Scenario m_scenario;
    SearchSpace m_limits;
    std::optional<Scenario> m_advised; ///< what the advice shown, or being worked out, is about; its layout left out
    std::shared_ptr<const Advice> m_current; ///< of m_advised; null while it is being worked out
    std::optional<Optimum> m_optimum; ///< as far as the search for it has come
    /// What the answer shown is about.
    struct Answered {
        Scenario scenario;
        std::shared_ptr<const Advice> advice;
        WhyNot answer;
        std::vector<ComparedLayout> compared; ///< none: there is no chart
    };
    std::optional<Answered> m_answered;
    std::shared_ptr<const Chart> m_chart; ///< of the answer, else of the advice; null without either
    QTimer m_delay; ///< no advice for every step of a drag
    NewestJob m_advice;
    NewestJob m_answer;
};

} // namespace partita::ui
