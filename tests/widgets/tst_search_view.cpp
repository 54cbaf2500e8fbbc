// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fixed_metrics.h"
#include "widgets/elided_label.h"
#include "widgets/folding_row.h"
#include "widgets/layout_table_model.h"
#include "widgets/pareto_view.h"
#include "widgets/search_view.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace partita;
using namespace partita::ui;

namespace {

LayoutFigures figures(int tp, int pp, double step, double gibibytes)
{
    LayoutFigures row;
    row.layout.tp = tp;
    row.layout.pp = pp;
    row.layout.dp = 64 / (tp * pp);
    row.fits = true;
    row.stepTime = step;
    row.tokensPerSecond = 1e6 / step;
    row.mfu = 3 / step;
    row.peakMemory = gibibytes * 1024 * 1024 * 1024;
    row.bubble = 0.01 * pp;
    row.exposed = 0.1 * step;
    return row;
}

/// Ten layouts, the first three of which are the front: the faster the more memory.
SearchState sampleState()
{
    SearchState state;
    state.best = {figures(8, 1, 6, 70), figures(8, 2, 7, 60), figures(8, 4, 8, 50)};
    state.front = {state.best[2], state.best[1], state.best[0]};
    for (const int tp : {1, 2, 4, 16}) {
        state.best.push_back(figures(tp, 4, 10 + tp, 55 + tp));
    }
    state.result.counts = {1000, 1000, 400, 30, 970, 0};
    state.result.complete = true;
    state.result.memoryLimit = figures(1, 1, 1, 80).peakMemory;
    state.seconds = 1.5;
    return state;
}

QStringList layoutsShown(const QTableView& table)
{
    QStringList layouts;
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        layouts << table.model()->index(row, 0).data().toString();
    }
    return layouts;
}

} // namespace

class SearchViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void sortsByValueNotByText();
    void filtersByWholeDegrees_data();
    void filtersByWholeDegrees();
    void theFilterSaysWhatItShowsAndWhatItCannotKnow();
    void aFilterCanBeSearchedWith();
    void theChartShowsWhatTheFilterShows();
    void layoutsCutShortAreToldApart();
    void namesWhatDiffersFromTheCurrentLayout();
    void enterAdoptsTheChosenLayout();
    void theChosenLayoutCanBePinned();
    void theChosenLayoutStaysChosenWhileResultsStream();
    void brushingTheScatterFiltersTheTable();
    void clickingAPointChoosesItsRow();
    void fewerNodesStandBesideWhereTheyAreAskedFor();
    void aBrushOnOneAxisIsLetGoOnAnother();
    void limitsAreReadOrObjectedTo();
    void boxesAndTextLimitTheSame();
    void limitsFoldIntoTwoRowsWhereTheyMust();
    void saysHowFarItIs();
    void onlyOneMessageStands();
    void everyMistakeInTheLimitsIsToldAtOnce();
    void whatIsToBeKnownOfASearchStandsBelowIt();
    void anEmptyFrontSaysWhy_data();
    void anEmptyFrontSaysWhy();
    void theFrontRisesFromLeanToFast();
    void everythingLiesInTheArea_data();
    void everythingLiesInTheArea();

private:
    static void show(SearchView& view)
    {
        view.resize(1100, 360);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
    }
};

void SearchViewTest::sortsByValueNotByText()
{
    SearchView view;
    view.setState(sampleState());
    const QAbstractItemModel& model = *view.table().model();
    for (const LayoutColumn column : {LayoutColumn::StepTime, LayoutColumn::Memory, LayoutColumn::Mfu}) {
        view.table().sortByColumn(static_cast<int>(column), Qt::AscendingOrder);
        for (int row = 1; row < model.rowCount(); ++row) {
            const auto value = [&](int at) {
                return model.index(at, static_cast<int>(column)).data(LayoutTableModel::sortRole).toDouble();
            };
            QVERIFY(value(row - 1) <= value(row));
        }
    }
    QCOMPARE(model.rowCount(), 7);
}

void SearchViewTest::filtersByWholeDegrees_data()
{
    QTest::addColumn<QString>("filter");
    QTest::addColumn<int>("rows");
    QTest::newRow("everything") << "" << 7;
    QTest::newRow("a degree, not its beginning") << "tp 1" << 0;
    QTest::newRow("one degree") << "tp 8" << 3;
    QTest::newRow("two degrees") << "tp 8, pp 4" << 1;
    QTest::newRow("a word") << "1f1b" << 6;
    QTest::newRow("nothing such") << "ep 8" << 0;
    QTest::newRow("unfinished") << "tp 16, " << 1;
    QTest::newRow("a degree compared") << "pp>=4" << 5;
    QTest::newRow("a degree equalled") << "tp=8, pp < 4" << 2;
    QTest::newRow("a figure") << "step<8" << 2;
    QTest::newRow("a figure and its end") << "step time <= 8 s" << 3;
    QTest::newRow("in another unit") << "step > 13500ms" << 2;
    QTest::newRow("as it is written") << "step = 7.0" << 1;
    QTest::newRow("a share") << "bubble<3 %" << 2;
    QTest::newRow("a share without its sign") << "MFU > 40" << 2;
    QTest::newRow("bytes") << "mem<58GiB" << 3;
    QTest::newRow("words and figures") << "1f1b, memory<58" << 3;
    QTest::newRow("a comparison still typed") << "step<" << 7;
    QTest::newRow("no figure") << "foo<3" << 7;
    QTest::newRow("no unit of it") << "step<3 GiB" << 7;
}

void SearchViewTest::filtersByWholeDegrees()
{
    QFETCH(QString, filter);
    QFETCH(int, rows);
    SearchView view;
    view.setState(sampleState());
    view.filterEdit().setText(filter);
    QCOMPARE(view.table().model()->rowCount(), rows);
}

/// Of more that fit only the fastest are listed.
void SearchViewTest::theFilterSaysWhatItShowsAndWhatItCannotKnow()
{
    SearchView view;
    show(view);
    view.setState(sampleState());
    QVERIFY(view.filterText().isEmpty() && view.filterSearchButton().isHidden());
    view.filterEdit().setText(QStringLiteral("pp 32"));
    QCOMPARE(view.filterText(),
             QStringLiteral("0 of the 7 layouts listed pass. Listed are the fastest of 400 that fit, and the front."));
    QCOMPARE(view.filterSearchButton().text(), QStringLiteral("Search with pp=32"));
    QVERIFY(!view.filterSearchButton().isHidden());
    view.filterEdit().setText(QStringLiteral("bubble < 3"));
    QVERIFY(view.filterText().startsWith(QStringLiteral("2 of the 7")));
    QVERIFY(view.filterSearchButton().isHidden()); // no limit of a search
    for (const char* refused : {"zero>=3", "tp<1", "tp=0", "tp=2, tp=4", "tp>99999999999999999999"}) {
        view.filterEdit().setText(QString::fromLatin1(refused));
        QVERIFY2(view.filterSearchButton().isHidden(), refused);
    }
    view.filterEdit().setText(QStringLiteral("foo<3"));
    QVERIFY(view.filterText().contains(QStringLiteral("step<8 s")));
    view.filterEdit().clear();
    QVERIFY(view.filterText().isEmpty());
    // All that fit are listed: there is nothing to search for.
    SearchState all = sampleState();
    all.result.counts.fit = 7;
    view.setState(all);
    view.filterEdit().setText(QStringLiteral("pp 32"));
    QCOMPARE(view.filterText(), QStringLiteral("0 of the 7 layouts listed pass."));
    QVERIFY(view.filterSearchButton().isHidden());
}

void SearchViewTest::aFilterCanBeSearchedWith()
{
    SearchView view;
    show(view);
    view.setState(sampleState());
    view.limitsEdit().setText(QStringLiteral("tp<=8, pp=4"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    view.filterEdit().setText(QStringLiteral("pp 32, ZeRO-1, dp>1, vpp<3, step<9"));
    QSignalSpy changed(&view, &SearchView::spaceChanged);
    view.filterSearchButton().click();
    QCOMPARE(changed.size(), 1);
    QCOMPARE(view.limitsEdit().text(), QStringLiteral("tp<=8, pp=32, zero_stage=1, dp>=2, vpp<=2"));
    QCOMPARE(view.space().pp, (Bounds{32, 32}));
    QCOMPARE(view.space().dp.least, 2);
    QCOMPARE(view.space().tp, (Bounds{1, 8}));
    QVERIFY(view.objectionText().isEmpty());
}

void SearchViewTest::theChartShowsWhatTheFilterShows()
{
    SearchView view;
    show(view);
    view.setState(sampleState());
    view.filterEdit().setText(QStringLiteral("pp>=4"));
    const ParetoChart& chart = view.pareto().scatter();
    QCOMPARE(chart.data().layouts.size(), std::size_t{5});
    // Points stand for the rows they show.
    const ParetoGeometry g = chart.geometry(view.pareto().chartArea(), textMetrics(view.pareto().theme()));
    QTest::mouseClick(&view.pareto(), Qt::LeftButton, {}, g.points[1].toPoint());
    QCOMPARE(view.chosenLayout(), std::optional(sampleState().best[3].layout));
    QCOMPARE(view.pareto().scatter().cursor, std::optional<std::size_t>(1));
    view.filterEdit().setText(QStringLiteral("tp=1")); // the chosen one is left; it moves in the chart
    QCOMPARE(view.pareto().scatter().cursor, std::optional<std::size_t>(0));
    view.filterEdit().setText(QStringLiteral("pp 32"));
    QCOMPARE(view.pareto().scatter().description(), QStringLiteral("No layout found passes the filter"));
    view.filterEdit().clear();
    QCOMPARE(view.pareto().scatter().data().layouts.size(), std::size_t{7});
}

void SearchViewTest::layoutsCutShortAreToldApart()
{
    LayoutTableModel model;
    std::vector<LayoutFigures> rows;
    for (const int microBatch : {1, 2}) {
        rows.push_back(figures(8, 4, 8, 50));
        rows.back().layout.zeroStage = 1;
        rows.back().layout.microBatch = microBatch;
        rows.back().layout.recompute = microBatch == 1 ? Recompute::Full : Recompute::None;
    }
    model.setRows(rows);
    const auto shortened = [&](int row) { return model.index(row, 0).data(LayoutTableModel::shortRole).toString(); };
    QCOMPARE(shortened(0), QStringLiteral("… · recompute full"));
    QCOMPARE(shortened(1), QStringLiteral("… · micro-batch 2"));
    QVERIFY(model.index(0, 0).data().toString().startsWith(QStringLiteral("tp 8 · pp 4")));
    QCOMPARE(model.index(0, 0).data(Qt::ToolTipRole), model.index(0, 0).data());
    model.setRows({rows.front()}); // nothing to be told from
    QCOMPARE(shortened(0), model.index(0, 0).data().toString());
}

void SearchViewTest::namesWhatDiffersFromTheCurrentLayout()
{
    SearchView view;
    view.setState(sampleState());
    Report report;
    report.stepTime = 9;
    report.tokensPerSecond = 1e6 / 9;
    view.setCurrent(figures(8, 2, 9, 60).layout, report);
    const auto changes = [&](int row) {
        return view.table().model()->index(row, static_cast<int>(LayoutColumn::Changes)).data().toString();
    };
    QVERIFY(changes(0).contains(QStringLiteral("pp 2 → 1")));
    QVERIFY(!changes(0).contains(QStringLiteral("tp")));
    QVERIFY(view.table().model()->index(1, 0).data(Qt::FontRole).value<QFont>().bold());
    QVERIFY(view.pareto().scatter().data().current);
}

void SearchViewTest::enterAdoptsTheChosenLayout()
{
    SearchView view;
    show(view);
    view.setState(sampleState());
    std::vector<Layout> adopted;
    connect(&view, &SearchView::layoutAdopted, this, [&](const Layout& layout) { adopted.push_back(layout); });
    view.table().setFocus();
    view.table().setCurrentIndex(view.table().model()->index(1, 0));
    QTest::keyClick(&view.table(), Qt::Key_Return);
    QCOMPARE(adopted, std::vector<Layout>{sampleState().best[1].layout});
}

void SearchViewTest::theChosenLayoutCanBePinned()
{
    SearchView view;
    view.setState(sampleState());
    std::vector<Layout> pinned;
    connect(&view, &SearchView::layoutPinned, this, [&](const Layout& layout) { pinned.push_back(layout); });
    QAction* action = view.table().actions().at(1);
    QVERIFY(!action->isEnabled());
    view.table().setCurrentIndex(view.table().model()->index(1, 0));
    QVERIFY(action->isEnabled());
    action->trigger();
    for (QPushButton* button : view.findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("&Pin")) {
            button->click();
        }
    }
    QCOMPARE(pinned, std::vector<Layout>(2, sampleState().best[1].layout));
}

void SearchViewTest::theChosenLayoutStaysChosenWhileResultsStream()
{
    SearchView view;
    SearchState state = sampleState();
    view.setState(state);
    view.table().setCurrentIndex(view.table().model()->index(2, 0));
    const std::optional<Layout> chosen = view.chosenLayout();
    state.best.insert(state.best.begin(), figures(4, 2, 5, 75));
    state.running = true;
    view.setState(state);
    QCOMPARE(view.chosenLayout(), chosen);
    QCOMPARE(view.table().currentIndex().row(), 3);
}

void SearchViewTest::brushingTheScatterFiltersTheTable()
{
    SearchView view;
    show(view);
    view.setState(sampleState());
    ParetoView& pareto = view.pareto();
    const ParetoGeometry g = pareto.scatter().geometry(pareto.chartArea(), textMetrics(pareto.theme()));
    const QPoint around = g.points[1].toPoint(); // the second of the front
    QTest::mousePress(&pareto, Qt::LeftButton, {}, around - QPoint(15, 15));
    QTest::mouseMove(&pareto, around);
    QTest::mouseMove(&pareto, around + QPoint(15, 15));
    QTest::mouseRelease(&pareto, Qt::LeftButton, {}, around + QPoint(15, 15));
    QVERIFY(pareto.brush());
    QCOMPARE(layoutsShown(view.table()).size(), 1);
    pareto.setFocus();
    QTest::keyClick(&pareto, Qt::Key_Escape);
    QVERIFY(!pareto.brush());
    QCOMPARE(layoutsShown(view.table()).size(), 7);
}

void SearchViewTest::clickingAPointChoosesItsRow()
{
    SearchView view;
    show(view);
    view.setState(sampleState());
    ParetoView& pareto = view.pareto();
    const ParetoGeometry g = pareto.scatter().geometry(pareto.chartArea(), textMetrics(pareto.theme()));
    QTest::mouseClick(&pareto, Qt::LeftButton, {}, g.points[2].toPoint());
    QCOMPARE(view.chosenLayout(), std::optional(sampleState().best[2].layout));
    QCOMPARE(pareto.scatter().cursor, std::optional<std::size_t>(2));
}

void SearchViewTest::fewerNodesStandBesideWhereTheyAreAskedFor()
{
    SearchView view;
    show(view);
    QSignalSpy wanted(&view, &SearchView::spaceChanged);
    SearchState state = sampleState();
    LayoutFigures half = figures(8, 4, 14, 65);
    half.layout.dp /= 2;
    state.bySize = {state.best[0], half};
    view.setState(state);
    const auto column = [](LayoutColumn each) { return static_cast<int>(each); };
    QCOMPARE(view.table().model()->rowCount(), 7);
    QVERIFY(view.table().isColumnHidden(column(LayoutColumn::Devices)));
    QVERIFY(!view.wantsSizes());

    view.setAgainst(FrontAgainst::Devices);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(view.wantsSizes());
    QCOMPARE(view.table().model()->rowCount(), 8);
    QVERIFY(!view.table().isColumnHidden(column(LayoutColumn::Devices)));
    const ParetoData& shown = view.pareto().scatter().data();
    QCOMPARE(shown.against, FrontAgainst::Devices);
    // The fastest of either size: more devices are faster.
    QCOMPARE(std::count(shown.onFront.begin(), shown.onFront.end(), true), std::ptrdiff_t{2});
    const ParetoGeometry g = view.pareto().scatter().geometry({0, 0, 480, 320}, fixedMetrics());
    for (std::size_t i = 0; i < shown.layouts.size(); ++i) {
        QCOMPARE(g.points[i].x() < g.points[0].x() - 1, shown.layouts[i].layout == half.layout);
    }
    // What is chosen in the table is where the scatter's cursor stands.
    view.table().sortByColumn(column(LayoutColumn::Devices), Qt::AscendingOrder);
    view.table().setCurrentIndex(view.table().model()->index(0, 0));
    QVERIFY(view.pareto().scatter().cursor);
    QCOMPARE(shown.layouts[*view.pareto().scatter().cursor].layout, half.layout);
    QCOMPARE(*view.chosenLayout(), half.layout);
}

void SearchViewTest::aBrushOnOneAxisIsLetGoOnAnother()
{
    SearchView view;
    show(view);
    view.setState(sampleState());
    view.pareto().setBrush(Brush{FrontAgainst::Memory, 0, 1, 0, 1});
    QCOMPARE(view.table().model()->rowCount(), 0);
    view.setAgainst(FrontAgainst::Cost);
    QVERIFY(!view.pareto().brush());
    QCOMPARE(view.table().model()->rowCount(), 7);
    const LayoutFigures& first = view.pareto().scatter().data().layouts.front();
    const double taken = takenBy(first, FrontAgainst::Cost);
    view.pareto().setBrush(Brush{FrontAgainst::Cost, taken * 0.999, taken * 1.001, 0, 2 * first.tokensPerSecond});
    QCOMPARE(view.table().model()->rowCount(), 1);
}

void SearchViewTest::limitsAreReadOrObjectedTo()
{
    SearchView view;
    show(view);
    QSignalSpy changed(&view, &SearchView::spaceChanged);
    view.limitsEdit().setText(QStringLiteral("tp<=8, pp=4, recompute=none|full"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(view.space().tp, (Bounds{1, 8}));
    QCOMPARE(view.space().pp, (Bounds{4, 4}));
    QCOMPARE(view.space().recompute, (std::vector{Recompute::None, Recompute::Full}));
    const SearchSpace before = view.space();
    view.limitsEdit().setText(QStringLiteral("tp<=eight"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(view.space(), before);
    const QList<QLabel*> labels = view.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QStringLiteral("eight"));
    }));
    view.limitsEdit().setText(QStringLiteral("split=any, rank_order=any"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    QCOMPARE(view.space().stageSplit, StageSplit::Any);
    QVERIFY(view.space().rankOrders);
}

void SearchViewTest::boxesAndTextLimitTheSame()
{
    SearchView view;
    show(view);
    QSignalSpy changed(&view, &SearchView::spaceChanged);
    const auto pick = [](QComboBox& box, auto value) {
        box.setCurrentIndex(static_cast<int>(value));
        Q_EMIT box.activated(static_cast<int>(value));
    };
    QCOMPARE(view.splitBox().count(), static_cast<int>(Names<StageSplit>::table.size()));
    QCOMPARE(view.splitBox().currentIndex(), static_cast<int>(SearchSpace().stageSplit));
    pick(view.splitBox(), StageSplit::Any);
    pick(view.ordersBox(), SearchedOrders::Every);
    QCOMPARE(changed.size(), 2);
    QCOMPARE(view.space().stageSplit, StageSplit::Any);
    QVERIFY(view.space().rankOrders);
    view.limitsEdit().setText(QStringLiteral("tp<=8, split=even, rank_order=tp-pp-cp-ep-dp"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    QCOMPARE(view.space().stageSplit, StageSplit::Even); // what is typed says more
    QVERIFY(!view.space().rankOrders && view.space().orders.size() == 1);
    QCOMPARE(view.splitBox().currentIndex(), static_cast<int>(StageSplit::Even));
    QCOMPARE(view.ordersBox().currentIndex(), static_cast<int>(SearchedOrders::Listed));
    pick(view.ordersBox(), SearchedOrders::Own);
    QCOMPARE(view.limitsEdit().text(), QStringLiteral("tp<=8, split=even")); // until a box says otherwise
    QVERIFY(view.space().orders.empty() && !view.space().rankOrders);
    pick(view.splitBox(), StageSplit::UnevenWhereNeeded);
    QCOMPARE(view.limitsEdit().text(), QStringLiteral("tp<=8"));
    QCOMPARE(view.space().stageSplit, StageSplit::UnevenWhereNeeded);
    QCOMPARE(view.space().tp, (Bounds{1, 8}));
}

void SearchViewTest::limitsFoldIntoTwoRowsWhereTheyMust()
{
    SearchView view;
    show(view);
    auto* row = view.findChild<FoldingRow*>();
    view.resize(1500, 300);
    QTRY_VERIFY(!row->isFolded());
    view.resize(view.minimumSizeHint().width(), 300);
    QTRY_VERIFY(row->isFolded());
    for (const QComboBox* box : {&view.splitBox(), &view.ordersBox()}) {
        QVERIFY(row->rect().contains(QRect(box->mapTo(row, QPoint(0, 0)), box->size())));
    }
    view.resize(1500, 300);
    QTRY_VERIFY(!row->isFolded());
}

void SearchViewTest::saysHowFarItIs()
{
    SearchView view;
    QCOMPARE(view.statusText(), QStringLiteral("Not searched yet"));
    SearchState state = sampleState();
    view.setState(state);
    QVERIFY(view.statusText().contains(QStringLiteral("1,000 of 1,000")));
    QVERIFY(view.statusText().contains(QStringLiteral("complete in 1.5")));
    state.running = true;
    view.setState(state);
    QSignalSpy stopped(&view, &SearchView::stopRequested);
    const QList<QPushButton*> buttons = view.findChildren<QPushButton*>();
    const auto stop = std::find_if(buttons.begin(), buttons.end(),
                                   [](const QPushButton* button) { return button->text() == QStringLiteral("S&top"); });
    QVERIFY(stop != buttons.end());
    (*stop)->click();
    QCOMPARE(stopped.size(), 1);
    state = {};
    state.result.counts.enumerated = 5;
    state.result.leanest = FoundLayout{{}, 0, 100 * 1024.0 * 1024 * 1024};
    view.setState(state);
    QVERIFY(view.statusText().contains(QStringLiteral("none fits; the leanest needs 100")));
}

/// What is wrong with the limits takes the place of what was said of the search, and the other way round.
void SearchViewTest::onlyOneMessageStands()
{
    SearchView view;
    show(view);
    const auto* status = view.findChild<ElidedLabel*>();
    view.setState(sampleState());
    QVERIFY(!status->text().isEmpty() && view.objectionText().isEmpty());
    SearchState none;
    none.problems = {{"search", "tp=3", "leaves no legal layout", "loosen it"}};
    view.setState(none);
    QVERIFY(status->text().isEmpty());
    QCOMPARE(view.objectionText(), QStringLiteral("tp=3: leaves no legal layout (loosen it)"));
    view.limitsEdit().setText(QStringLiteral("tp=x"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    QVERIFY(view.objectionText().contains(QStringLiteral("x")));
    QVERIFY(!view.objectionText().contains(QStringLiteral("loosen it")) && status->text().isEmpty());
    view.limitsEdit().setText(QStringLiteral("tp=4"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    view.setState(sampleState());
    QVERIFY(!status->text().isEmpty() && view.objectionText().isEmpty());
}

void SearchViewTest::everyMistakeInTheLimitsIsToldAtOnce()
{
    SearchView view;
    show(view);
    SearchState none;
    none.problems = {{"search", "tp=3", "leaves no legal layout", "loosen it"}};
    view.setState(none);
    QCOMPARE(view.pareto().scatter().description(), QStringLiteral("No layout is legal"));
    view.limitsEdit().setText(QStringLiteral("tp<=banana, foo>=2"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    QVERIFY(view.objectionText().contains(QStringLiteral("banana")));
    QVERIFY(view.objectionText().contains(QStringLiteral("foo")));
    QVERIFY(view.pareto().scatter().description().startsWith(QStringLiteral("Not searched")));
}

void SearchViewTest::whatIsToBeKnownOfASearchStandsBelowIt()
{
    SearchView view;
    show(view);
    SearchState state = sampleState();
    view.setState(state);
    QVERIFY(view.notesText().isEmpty());
    state.warnings = {"SGLang only serves: it trains with usual constants", "the stack offers no zb-v"};
    view.setState(state);
    QCOMPARE(
        view.notesText(),
        QStringLiteral("note: SGLang only serves: it trains with usual constants\nnote: the stack offers no zb-v"));
    QVERIFY(!view.statusText().isEmpty());
    view.limitsEdit().setText(QStringLiteral("tp=x"));
    QTest::keyClick(&view.limitsEdit(), Qt::Key_Return);
    QVERIFY(view.notesText().isEmpty() && !view.objectionText().isEmpty());
}

void SearchViewTest::anEmptyFrontSaysWhy_data()
{
    QTest::addColumn<SearchStage>("stage");
    QTest::addColumn<QString>("text");
    QTest::newRow("not begun") << SearchStage::NotBegun << QStringLiteral("Not searched yet");
    QTest::newRow("running") << SearchStage::Running << QStringLiteral("No layout found yet");
    QTest::newRow("stopped") << SearchStage::Stopped << QStringLiteral("Stopped before a layout was found that fits");
    QTest::newRow("refused") << SearchStage::Refused << QStringLiteral("Not searched: see what is wrong above");
    QTest::newRow("illegal") << SearchStage::NothingLegal << QStringLiteral("No layout is legal");
    QTest::newRow("done") << SearchStage::Done << QStringLiteral("No layout fits in 80.0\u00A0GiB");
}

void SearchViewTest::anEmptyFrontSaysWhy()
{
    QFETCH(SearchStage, stage);
    QFETCH(QString, text);
    ParetoData data;
    data.searched = stage;
    data.memoryLimit = stage == SearchStage::Done ? 80 * 1024.0 * 1024 * 1024 : 0;
    QCOMPARE(ParetoChart(data).description(), text);
    QVERIFY(ParetoChart(data).isEmpty());

    SearchView view;
    SearchState state;
    state.running = stage == SearchStage::Running;
    state.result.counts.enumerated = stage == SearchStage::Stopped || stage == SearchStage::Done ? 5 : 0;
    state.result.complete = stage == SearchStage::Done;
    state.result.memoryLimit = data.memoryLimit;
    if (stage == SearchStage::NothingLegal) {
        state.problems = {{"search", {}, "no layout", {}}};
    } else if (stage == SearchStage::Refused) {
        state.problems = {{"model.layers", "0", "must be positive", {}}};
    }
    view.setState(state);
    QCOMPARE(view.pareto().scatter().description(), text);
}

void SearchViewTest::theFrontRisesFromLeanToFast()
{
    SearchView view;
    view.setState(sampleState());
    const ParetoGeometry g = view.pareto().scatter().geometry({0, 0, 400, 300}, fixedMetrics());
    QCOMPARE(g.front.size(), 5); // three corners and the steps between them
    for (qsizetype i = 1; i < g.front.size(); ++i) {
        QVERIFY(g.front[i].x() >= g.front[i - 1].x());
        QVERIFY(g.front[i].y() <= g.front[i - 1].y());
    }
    const Brush brush = g.brushOf(g.plot);
    for (const LayoutFigures& row : view.pareto().scatter().data().layouts) {
        QVERIFY(brush.holds(row));
    }
}

void SearchViewTest::everythingLiesInTheArea_data()
{
    QTest::addColumn<QRectF>("area");
    QTest::newRow("card") << QRectF(0, 0, 480, 320);
    QTest::newRow("narrow") << QRectF(10, 20, 240, 300);
    QTest::newRow("low") << QRectF(0, 0, 600, 140);
}

void SearchViewTest::everythingLiesInTheArea()
{
    QFETCH(QRectF, area);
    SearchView view;
    view.setState(sampleState());
    const ParetoGeometry g = view.pareto().scatter().geometry(area, fixedMetrics());
    QVERIFY(area.contains(g.plot));
    for (const QPointF& point : g.points) {
        QVERIFY(g.plot.contains(point));
    }
    for (const ParetoGeometry::Tick& tick : g.ticks) {
        QVERIFY(tick.label.empty() || area.adjusted(-1, -1, 1, 1).contains(tick.label.rect));
    }
    for (const Label& label : g.labels) {
        QVERIFY(area.adjusted(-1, -1, 1, 1).contains(label.rect));
    }
}

QTEST_MAIN(SearchViewTest)
#include "tst_search_view.moc"
