// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/advice_card.h"

#include "app/advice_charts.h"
#include "app/chart_controls.h"
#include "core/advice/optimum.h"
#include "core/compare/comparison_values.h"
#include "core/formats/typed_layout.h"
#include "widgets/advice_view.h"
#include "widgets/chart_view.h"
#include "widgets/text.h"

#include <QComboBox>

namespace partita::ui {

namespace {

constexpr int delayMilliseconds = 250;

/// All that an advice depends on.
Scenario withoutLayout(Scenario scenario)
{
    Layout batch;
    batch.globalBatch = scenario.layout.globalBatch;
    scenario.layout = batch;
    scenario.name.clear();
    return scenario;
}

/// Of the comparison of two layouts, not of an advice.
bool isOfComparison(const QString& path)
{
    const std::string text = path.toStdString();
    const auto begins = [&](const std::string& start) { return text.compare(0, start.size(), start) == 0; };
    return begins(comparedPath(0, {})) || begins(comparedPath(1, {}))
        || begins(waterfallPath(0, 1, ComparedQuantity::StepTime))
        || begins(waterfallPath(0, 1, ComparedQuantity::Memory)) || begins(waterfallPath(0, 1, ComparedQuantity::Mfu));
}

QString linesOf(const Problems& problems)
{
    QStringList lines;
    for (const Problem& problem : problems) {
        lines << toText(describe(problem));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace

AdviceCard::AdviceCard()
    : m_view(new AdviceView)
    , m_dock(new ChartDock(QStringLiteral("advice"), tr("Advice"), m_view, [this] { return m_chart.get(); }))
    , m_voice(choiceBox<Voice>(tr("Rule to advise by")))
    , m_advice(QStringLiteral("advice"))
    , m_answer(QStringLiteral("why not"))
{
    m_dock->addControl(m_voice);
    m_dock->setUpToDate([this] { return isCurrent(); });
    connect(&m_view->answerChart(), &ChartView::copyRequested, m_dock, &ChartDock::copyRequested);
    connect(&m_view->answerChart(), &ChartView::exportRequested, m_dock, &ChartDock::exportRequested);
    connect(&m_view->answerChart(), &ChartView::tableRequested, m_dock, [this] { m_dock->showTable(true); });
    m_delay.setSingleShot(true);
    m_delay.setInterval(delayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &AdviceCard::work);
    connect(m_voice, &QComboBox::activated, this, [this] {
        m_advised.reset();
        refresh();
    });
    connect(m_dock, &QDockWidget::visibilityChanged, this, &AdviceCard::refresh);
    connect(m_view, &AdviceView::adoptRequested, this, &AdviceCard::adoptRequested);
    connect(m_view, &AdviceView::explainRequested, this, &AdviceCard::explainRequested);
    connect(m_view, &AdviceView::asked, this, &AdviceCard::ask);
}

Voice AdviceCard::voice() const
{
    return chosen<Voice>(*m_voice);
}

void AdviceCard::setVoice(Voice voice)
{
    choose(*m_voice, voice);
    m_advised.reset();
    refresh();
}

void AdviceCard::setScenario(const Scenario& scenario)
{
    m_scenario = scenario;
    forgetAnswer();
    refresh();
}

void AdviceCard::setLimits(const SearchSpace& limits)
{
    if (!(limits == m_limits)) {
        m_limits = limits;
        m_advised.reset();
        refresh();
    }
}

void AdviceCard::refresh()
{
    if (m_dock->isVisible() && m_advised != withoutLayout(m_scenario)) {
        m_view->setBusy(true);
        m_delay.start();
    }
}

bool AdviceCard::isCurrent() const
{
    return m_current && m_advised == withoutLayout(m_scenario);
}

void AdviceCard::renewChart()
{
    if (m_answered && !m_answered->compared.empty()) {
        m_chart = std::make_shared<const CompareChart>(whyNotChart(m_answered->answer, m_answered->compared));
        m_view->setAnswerChart(m_chart);
    } else if (m_current && m_current->problems.empty()) {
        m_chart = std::make_shared<const TableChart>(adviceChart(*m_current, m_optimum));
    } else {
        m_chart.reset();
    }
    m_dock->refresh();
}

const std::vector<ComparedLayout>& AdviceCard::compared() const
{
    static const std::vector<ComparedLayout> none;
    return m_answered ? m_answered->compared : none;
}

void AdviceCard::work()
{
    m_advised = withoutLayout(m_scenario);
    m_current.reset();
    m_optimum.reset();
    m_advice.start([this, scenario = *m_advised, limits = m_limits,
                    voice = voice()](const NewestJob::Outdated& outdated, const NewestJob::Deliver& deliver) {
        const auto advice = std::make_shared<const Advice>(advise(scenario, voice, limits, outdated));
        deliver([this, advice] {
            m_current = advice;
            m_view->setAdvice(advice);
            renewChart();
        });
        if (!advice->problems.empty() || !trains(voice)) {
            return;
        }
        const auto tell = [&](const Optimum& optimum) {
            deliver([this, optimum] {
                m_optimum = optimum;
                m_view->setOptimum(toText(describe(optimum)));
                renewChart();
            });
        };
        const Optimum optimum = findOptimum(scenario, *advice, 1, outdated, tell);
        tell(optimum);
    });
}

std::shared_ptr<const ExplainedValues> AdviceCard::explained(const QString& path,
                                                             const std::vector<ComparableRun>& runs) const
{
    if (isOfComparison(path)) {
        return compared().empty() ? nullptr : explainComparison(compared(), {}, runs);
    }
    if (path.startsWith(QStringLiteral("why_not."))) {
        return m_answered
            ? explainAdvice(m_answered->scenario, *m_answered->advice, std::nullopt, m_answered->answer, runs)
            : nullptr;
    }
    return m_current && m_advised ? explainAdvice(*m_advised, *m_current, m_optimum, std::nullopt, runs) : nullptr;
}

void AdviceCard::forgetAnswer()
{
    m_answer.cancel();
    m_answered.reset();
    m_view->setAnswer(QString());
    renewChart();
}

void AdviceCard::ask(const QString& typed)
{
    forgetAnswer();
    if (!trains(voice())) {
        m_view->setAnswer(tr("Answers are about training layouts: choose a rule that trains."));
        return;
    }
    // Where the advice shown is of another scenario, the question waits for its own.
    m_answer.start([this, scenario = m_scenario, limits = m_limits, voice = voice(), typed,
                    advice = isCurrent() ? m_current : nullptr](const NewestJob::Outdated& outdated,
                                                                const NewestJob::Deliver& deliver) {
        const auto about = advice ? advice : std::make_shared<const Advice>(advise(scenario, voice, limits, outdated));
        Result<WhyNot> answer = about->problems.empty()
            ? whyNotTyped(scenario, about->pick.layout, limits, typed.toStdString(), 1, outdated)
            : Result<WhyNot>(about->problems);
        std::vector<ComparedLayout> compared =
            answer ? comparedIn(*answer, scenario, limits) : std::vector<ComparedLayout>();
        deliver([this, scenario, about, answer = std::move(answer), compared = std::move(compared)] {
            if (!answer) {
                return m_view->setAnswer(linesOf(answer.problems));
            }
            m_answered = Answered{scenario, about, *answer, compared};
            m_view->setExplainedAnswer(*answer);
            renewChart();
        });
    });
}

} // namespace partita::ui
