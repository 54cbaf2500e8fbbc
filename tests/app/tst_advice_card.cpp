// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/advice_card.h"
#include "app/chart_board.h"
#include "app/charts.h"
#include "app/main_window.h"
#include "app/placement_card.h"
#include "app/study_cards.h"
#include "core/formats/typed_layout.h"
#include "core/layout/layout_text.h"
#include "core/serving/serving_layout.h"
#include "core/serving/serving_search.h"
#include "core/training/evaluate.h"
#include "tests/app/open_window.h"
#include "widgets/advice_view.h"
#include "widgets/chart_view.h"
#include "widgets/placement_view.h"
#include "widgets/search_view.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyleOptionViewItem>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

using namespace partita;
using namespace partita::ui;

class AdviceCardTest : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void noSentenceIsCut_data();
    void noSentenceIsCut();
    void cleanup();
    void adviceIsWorkedOutWhenTheCardIsOpenedAndCanBeAdopted();
    void aReliefThatWasNotTakenCanBeAdoptedToo();
    void voicesDiffer();
    void theVerdictIsSeenFirstAndOnePaneScrollsByWholeLines();
    void questionsAreAnswered();
    void anAnswerIsDrawnAsTheWayFromTheAdvice_data();
    void anAnswerIsDrawnAsTheWayFromTheAdvice();
    void anIllegalLayoutHasNoWayToDraw();
    void theStepsAreAChartToExport();
    void limitsOfTheSearchHoldForTheAdviceToo();
    void questionsAreAnsweredAsOnTheCommandLine();
    void aSplitForServingIsAdoptedAsOne();
    void theRankOrderIsEditedOnItsCard();
    void scalingFollowsTheAxisAndTheScenario();

private:
    AdviceCard& card() { return m_window->charts().advice(); }
    AdviceView& view() { return card().view(); }
    Workspace& workspace() { return m_window->workspace(); }
    void open();
    void ask(const char* question);
};

void AdviceCardTest::initTestCase()
{
    load();
}

void AdviceCardTest::init()
{
    showNewWindow();
}

void AdviceCardTest::cleanup()
{
    m_window.reset();
}

void AdviceCardTest::open()
{
    card().dock()->raise();
    QTRY_VERIFY_WITH_TIMEOUT(view().advice() != nullptr, 60000);
}

void AdviceCardTest::adviceIsWorkedOutWhenTheCardIsOpenedAndCanBeAdopted()
{
    QVERIFY(view().advice() == nullptr);
    QVERIFY(!view().adoptButton()->isEnabled());
    open();
    const Advice advice = *view().advice();
    QVERIFY(advice.pick.fits);
    QCOMPARE(view().steps()->topLevelItemCount(), static_cast<int>(advice.steps.size()));
    QVERIFY(view().summary().contains(QString::fromStdString(layoutText(advice.pick.layout))));
    QTRY_VERIFY_WITH_TIMEOUT(view().summary().contains(QStringLiteral("all ")), 60000); // layouts looked at
    QTest::mouseClick(view().adoptButton(), Qt::LeftButton);
    QVERIFY(workspace().scenario().layout == advice.pick.layout);
    QCOMPARE(workspace().report().stepTime, advice.pick.stepTime);
    // The advice does not depend on the layout: it stays.
    QVERIFY(view().advice() != nullptr && view().advice()->pick == advice.pick);
    workspace().history().undo();
    QVERIFY(workspace().scenario() == m_scenario);

    // It depends on the devices.
    Scenario larger = m_scenario;
    larger.cluster.nodes *= 2;
    larger.layout.dp *= 2;
    workspace().edit(larger, QStringLiteral("More nodes"));
    QTRY_VERIFY_WITH_TIMEOUT(view().advice()->pick.layout.devices() == larger.cluster.devices(), 60000);
}

void AdviceCardTest::noSentenceIsCut_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("card") << QSize(430, 230);
    QTest::newRow("narrow") << QSize(300, 300);
    QTest::newRow("wide") << QSize(1200, 600);
}

/// What was found stands first and whole; steps break into as many lines as they need.
void AdviceCardTest::noSentenceIsCut()
{
    QFETCH(QSize, size);
    open();
    AdviceView alone;
    alone.resize(size);
    alone.show();
    QVERIFY(QTest::qWaitForWindowExposed(&alone));
    alone.setAdvice(std::make_shared<const Advice>(*view().advice()));
    alone.setOptimum(
        QStringLiteral("Of all 719,388 legal layouts within the limits, in every rank order, stages as even as they "
                       "can be or balanced by time and memory none is faster than the advice."));
    const auto* summary = alone.findChild<QLabel*>(QStringLiteral("adviceSummary"));
    QTRY_VERIFY(summary->height() >= summary->heightForWidth(summary->width()));
    QVERIFY(summary->geometry().bottom() <= alone.steps()->geometry().top());
    alone.setAnswer(QStringLiteral("Slower: by far"));
    QTRY_VERIFY(summary->height() >= summary->heightForWidth(summary->width()));
    for (int step = 0; step < alone.steps()->topLevelItemCount(); ++step) {
        QTreeWidgetItem* item = alone.steps()->topLevelItem(step);
        QStyleOptionViewItem option;
        option.initFrom(alone.steps());
        option.features = QStyleOptionViewItem::HasDisplay | QStyleOptionViewItem::WrapText;
        option.rect = alone.steps()->visualItemRect(item);
        option.text = item->text(0);
        option.widget = alone.steps();
        const int margin = 2 * (alone.style()->pixelMetric(QStyle::PM_FocusFrameHMargin, &option, alone.steps()) + 1);
        const QRect text = alone.steps()->fontMetrics().boundingRect(QRect(0, 0, option.rect.width() - margin, 1 << 20),
                                                                     Qt::TextWordWrap, option.text);
        QVERIFY2(text.height() <= option.rect.height(), qPrintable(option.text));
    }
}

void AdviceCardTest::aReliefThatWasNotTakenCanBeAdoptedToo()
{
    open();
    QTreeWidgetItem* first = view().steps()->topLevelItem(0);
    first->setExpanded(true);
    QTreeWidgetItem* relief = first->child(1);
    view().steps()->setCurrentItem(relief);
    const Layout wanted = view().advice()->steps[0].reliefs[1].cost.layout;
    QVERIFY(view().candidate()->layout == wanted);
    QVERIFY(view().adoptButton()->toolTip().contains(QString::fromStdString(layoutText(wanted))));
    view().adoptButton()->click();
    QVERIFY(workspace().scenario().layout == wanted);
}

void AdviceCardTest::voicesDiffer()
{
    open();
    const Layout first = view().advice()->pick.layout;
    card().setVoice(Voice::TopologyFirst);
    QTRY_COMPARE_WITH_TIMEOUT(view().advice()->voice, Voice::TopologyFirst, 60000);
    QVERIFY(view().advice()->pick.layout != first);
}

void AdviceCardTest::ask(const char* question)
{
    view().setAnswer(QString());
    view().question()->setText(QString::fromLatin1(question));
    QTest::keyClick(view().question(), Qt::Key_Return);
}

void AdviceCardTest::theVerdictIsSeenFirstAndOnePaneScrollsByWholeLines()
{
    open();
    QTRY_VERIFY_WITH_TIMEOUT(view().summary().contains(QStringLiteral("than the advice.")), 60000);
    AdviceView alone;
    alone.resize(330, 185); // as the card is at first
    alone.show();
    QVERIFY(QTest::qWaitForWindowExposed(&alone));
    alone.setAdvice(std::make_shared<const Advice>(*view().advice()));
    alone.setOptimum(view().summary().section(u'\n', 1, 1));
    const auto* summary = alone.findChild<QLabel*>(QStringLiteral("adviceSummary"));
    const QWidget* seen = alone.findings().viewport();
    QTRY_VERIFY(summary->height() >= summary->heightForWidth(summary->width()));
    QVERIFY(summary->mapTo(seen, summary->contentsRect().bottomLeft()).y() < seen->height());
    const int line = alone.findings().fontMetrics().lineSpacing();
    QCOMPARE(seen->height() % line, 0);
    // One bar scrolls all of it.
    QScrollBar* bar = alone.findings().verticalScrollBar();
    QVERIFY(bar->maximum() > 0);
    QCOMPARE(alone.steps()->verticalScrollBar()->maximum(), 0);
    bar->setValue(line + line / 2);
    QCOMPARE(bar->value(), line);
    // Who walks the steps by keys sees them.
    QTreeWidgetItem* last = alone.steps()->topLevelItem(alone.steps()->topLevelItemCount() - 1);
    alone.steps()->setCurrentItem(last);
    const QRect row = alone.steps()->visualItemRect(last);
    QVERIFY(seen->rect().contains(alone.steps()->viewport()->mapTo(seen, row.topLeft())));
    // More rows, a higher list.
    const int before = alone.steps()->height();
    last->setExpanded(true);
    QVERIFY(alone.steps()->height() > before);
    QCOMPARE(alone.steps()->verticalScrollBar()->maximum(), 0);
}

void AdviceCardTest::anAnswerIsDrawnAsTheWayFromTheAdvice_data()
{
    QTest::addColumn<QString>("question");
    QTest::addColumn<QString>("path"); // of the whole change
    QTest::newRow("slower") << QStringLiteral("recompute=full") << QStringLiteral("ab.waterfall.step_time.change");
    QTest::newRow("out of memory") << QStringLiteral("tp=1, pp=1") << QStringLiteral("ab.waterfall.memory.change");
    QTest::newRow("another batch") << QStringLiteral("tp=8, pp=2, global_batch=32")
                                   << QStringLiteral("ab.waterfall.mfu.change");
}

void AdviceCardTest::anAnswerIsDrawnAsTheWayFromTheAdvice()
{
    QFETCH(QString, question);
    QFETCH(QString, path);
    open();
    ask(question.toLatin1().constData());
    QTRY_VERIFY_WITH_TIMEOUT(view().answerChart().isVisibleTo(&view()), 30000);
    QCOMPARE(card().dock()->chart(), view().answerChart().chart());
    QVERIFY(card().dock()->isReady());
    QCOMPARE(card().dock()->chart()->id(), QStringLiteral("why-not"));
    QCOMPARE(card().compared().size(), std::size_t{2});
    QVERIFY(card().compared()[0].scenario.layout == view().advice()->pick.layout);
    // Its terms add up to what lies between the two, which can be explained.
    const ChartTable table = card().dock()->chart()->table();
    const auto& total = table.rows.back();
    const double change = total[4].toDouble();
    QVERIFY(qFuzzyCompare(total[2].toDouble() + change, total[3].toDouble()));
    double sum = 0;
    for (const QStringList& row : table.rows) {
        sum += row[4].toDouble();
    }
    QVERIFY(std::abs(sum - 2 * change) <= 1e-9 * std::abs(total[3].toDouble()));
    const std::vector<ComparableRun> runs;
    const auto values = card().explained(path, runs);
    QVERIFY(values != nullptr);
    const auto derived = values->explain(path.toStdString());
    QVERIFY(derived);
    QVERIFY(std::abs(derived->value - change) <= 1e-9 * std::abs(total[3].toDouble()));
    // Another scenario: neither answer nor chart.
    Scenario larger = m_scenario;
    larger.cluster.nodes *= 2;
    larger.layout.dp *= 2;
    workspace().edit(larger, QStringLiteral("More nodes"));
    QVERIFY(!view().answerChart().isVisibleTo(&view()));
    QVERIFY(card().compared().empty());
    QVERIFY(!card().dock()->isReady());
}

void AdviceCardTest::anIllegalLayoutHasNoWayToDraw()
{
    open();
    ask("tp=3");
    QTRY_VERIFY_WITH_TIMEOUT(!view().answer().isEmpty(), 10000);
    QVERIFY(!view().answerChart().isVisibleTo(&view()));
    QVERIFY(card().compared().empty());
}

void AdviceCardTest::theStepsAreAChartToExport()
{
    QVERIFY(!card().dock()->isReady());
    open();
    QVERIFY(card().dock()->isReady());
    const ChartTable table = card().dock()->chart()->table();
    QCOMPARE(table.rows.size(), view().advice()->steps.size() + 1);
    QCOMPARE(table.rows.back()[3], QString::fromStdString(layoutText(view().advice()->pick.layout)));
    QCOMPARE(table.rows.back()[5].toDouble(), view().advice()->pick.stepTime);
    QTRY_VERIFY_WITH_TIMEOUT(card().dock()->chart()->table().rows.back()[2].contains(QStringLiteral("layouts")), 60000);
}

void AdviceCardTest::questionsAreAnswered()
{
    open();
    ask("tp=3");
    QTRY_VERIFY_WITH_TIMEOUT(view().answer().contains(QStringLiteral("does not divide 64 heads")), 10000);
    ask("tp=1, pp=1");
    QTRY_VERIFY_WITH_TIMEOUT(view().answer().startsWith(QStringLiteral("Out of memory")), 10000);
    ask("recompute=full");
    QTRY_VERIFY_WITH_TIMEOUT(view().answer().startsWith(QStringLiteral("Slower")), 10000);
    ask("tpp=3");
    QTRY_VERIFY_WITH_TIMEOUT(view().answer().contains(QStringLiteral("did you mean")), 10000);
}

void AdviceCardTest::limitsOfTheSearchHoldForTheAdviceToo()
{
    open();
    QVERIFY(!view().summary().contains(QStringLiteral("Within the limits")));
    const int other = view().advice()->pick.layout.tp == 2 ? 4 : 2;
    QLineEdit& limits = m_window->charts().search().limitsEdit();
    limits.setText(QStringLiteral("tp=%1").arg(other));
    Q_EMIT limits.editingFinished();
    QTRY_COMPARE_WITH_TIMEOUT(view().advice()->pick.layout.tp, other, 60000);
    QVERIFY(view().summary().contains(QStringLiteral("Within the limits")));
}

/// Against the advice within the limits of the search, whatever the scenario's own layout is.
void AdviceCardTest::questionsAreAnsweredAsOnTheCommandLine()
{
    open();
    SearchSpace limits;
    QVERIFY(narrow(limits, "tp<=4").empty());
    QLineEdit& edit = m_window->charts().search().limitsEdit();
    edit.setText(QStringLiteral("tp<=4"));
    Q_EMIT edit.editingFinished();
    const Advice advice = advise(m_scenario, Voice::ConstraintFirst, limits);
    for (const char* question : {"tp=8,dp=8", "tp 8 · pp 4", "micro_batch=2", "schedule=zb-v"}) {
        const Result<WhyNot> expected =
            whyNotTyped(m_scenario, advice.pick.layout, limits, question, 1, [] { return false; });
        QVERIFY(expected);
        view().setAnswer(QString());
        view().question()->setText(QString::fromUtf8(question));
        QTest::keyClick(view().question(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(view().answer(), QString::fromStdString(expected->text).trimmed(), 60000);
    }
    card().setVoice(Voice::ServingRecipe);
    QTest::keyClick(view().question(), Qt::Key_Return);
    QVERIFY(view().answer().contains(QStringLiteral("training layouts")));
}

/// A scenario has one split: serving takes it, keeps the rest of training, and what that costs training is told.
void AdviceCardTest::aSplitForServingIsAdoptedAsOne()
{
    const Layout before = m_scenario.layout;
    QVERIFY(workspace().report().fits);
    card().setVoice(Voice::ServingRecipe);
    open();
    QTRY_VERIFY_WITH_TIMEOUT(view().advice()->voice == Voice::ServingRecipe, 60000);
    const Layout pick = view().advice()->pick.layout;
    QTest::mouseClick(view().adoptButton(), Qt::LeftButton);
    const Scenario& adopted = workspace().scenario();
    QVERIFY(adopted.layout == splitForServing(before, pick));
    QCOMPARE(adopted.layout.zeroStage, before.zeroStage);
    Scenario served = m_scenario;
    served.layout = pick;
    QCOMPARE(adopted.serving.batch, bestBatch(served).batch);
    QCOMPARE(m_window->notices().text().contains(QStringLiteral("does not fit")), !workspace().report().fits);
    workspace().history().undo();
    QVERIFY(workspace().scenario() == m_scenario);
}

void AdviceCardTest::theRankOrderIsEditedOnItsCard()
{
    PlacementCard& placement = m_window->charts().placement();
    QSignalSpy completed(&placement, &PlacementCard::completed);
    placement.dock()->toggleViewAction()->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(completed.size() > 0, 60000);
    const std::array<Axis, 5> before = workspace().scenario().layout.rankOrder;
    RankOrderEdit& order = placement.view().order();
    QCOMPARE(order.order(), before);
    order.setCurrentRow(0);
    QTest::keyClick(&order, Qt::Key_Right, Qt::ShiftModifier);
    const std::array<Axis, 5> after = workspace().scenario().layout.rankOrder;
    QCOMPARE(after[0], before[1]);
    QCOMPARE(after[1], before[0]);
    workspace().history().undo();
    QCOMPARE(order.order(), before);
}

void AdviceCardTest::scalingFollowsTheAxisAndTheScenario()
{
    ScalingCard& scaling = m_window->charts().scaling();
    QSignalSpy completed(&scaling, &ScalingCard::completed);
    scaling.setAxis(ScalingAxis::FastBandwidth);
    scaling.dock()->toggleViewAction()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(completed.size(), 1, 60000);
    QCOMPARE(scaling.curves().size(), std::size_t{2});
    QCOMPARE(scaling.curves()[0].points.size(), scaling.curves()[1].points.size());
    scaling.setAxis(ScalingAxis::NetworkBandwidth);
    QTRY_COMPARE_WITH_TIMEOUT(completed.size(), 2, 60000);
    QCOMPARE(scaling.curves()[0].axis, ScalingAxis::NetworkBandwidth);
    QCOMPARE(scaling.dock()->chart()->id(), QStringLiteral("scaling"));
    const QString before = scaling.view().accessibleDescription();
    scaling.setQuantity(PlaneQuantity::StepTime);
    QVERIFY(scaling.view().accessibleDescription() != before);
}

QTEST_MAIN(AdviceCardTest)
#include "tst_advice_card.moc"
