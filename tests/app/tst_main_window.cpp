// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/advice_card.h"
#include "app/chart_board.h"
#include "app/chart_dock.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/heatmap_data.h"
#include "app/notice_bar.h"
#include "app/runs_card.h"
#include "app/study_cards.h"
#include "core/formats/flat_json.h"
#include "core/formats/timeline_trace.h"
#include "tests/app/open_window.h"
#include "widgets/accessible_names.h"
#include "widgets/elided_label.h"
#include "widgets/figures.h"
#include "widgets/headline_strip.h"
#include "widgets/heatmap_view.h"
#include "widgets/lesson_panel.h"
#include "widgets/pipeline_view.h"
#include "widgets/search_view.h"
#include "widgets/stop_slider.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include <algorithm>

using namespace partita;
using namespace partita::ui;

class MainWindowTest : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { load(); }
    void init() { showNewWindow(); }
    void cleanup() { m_window.reset(); }
    void draggingASliderMovesEveryPanelAtOnceAndIsOneStep();
    void clickingAHeatmapCellAdoptsItAndUndoReturns();
    void anIllegalScenarioKeepsTheChartsAndNamesTheProblem();
    void savesAndOpens();
    void droppingAConfigurationImportsItsModel();
    void droppingRubbishChangesNothingAndSaysWhy();
    void aDroppedTraceLiesBelowThePrediction();
    void pinnedScenariosAreComparedAndGoneBackTo();
    void aCrashIsOfferedForRecovery();
    void aChartFillsTheWindowAndReturns();
    void publishedRunsAreShownAndLoaded();
    void servingOpensItsChartsAndFollowsTheScenario();
    void theHeadlineSaysHowSureItIs();
    void everyChartHasATable();
    void copyingAChartGivesPictureAndNumbers();
    void searchingFindsALayoutThatCanBeAdopted();
    void heatmapCellsMayHoldTheBestOfTheRest();
    void theLayoutIsRemembered();
    void theWindowFitsASmallScreen();
    void numbersStayInTheMapBesideThePanelThatExplains();
    void everyControlHasAName();
    void bothAppearancesPaint();

private:
    QString chartText(int dock) const
    {
        return m_window->board().docks()[static_cast<std::size_t>(dock)]->chart()->description();
    }
    void drop(const QString& path);
};

void MainWindowTest::aDroppedTraceLiesBelowThePrediction()
{
    const QString path = m_folder->filePath(QStringLiteral("step.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(timelineTrace(workspace().report().timeline)));
    file.close();
    QSignalSpy ready(&m_window->measuredStep(), &MeasuredStep::ready);
    drop(path);
    QVERIFY(ready.wait());
    QVERIFY(m_window->charts().pipeline().showsMeasured());
    QVERIFY(m_window->notices().text().contains(QStringLiteral("step.json")));
    QVERIFY(workspace().scenario() == m_scenario);

    QSignalSpy failed(&m_window->measuredStep(), &MeasuredStep::failed);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("{\"traceEvents\": [");
    file.close();
    drop(path);
    QVERIFY(failed.wait());
    QVERIFY(m_window->charts().pipeline().showsMeasured()); // the last good one stays
}

void MainWindowTest::pinnedScenariosAreComparedAndGoneBackTo()
{
    CompareCard& compare = m_window->charts().compare();
    QVERIFY(compare.shown().empty());
    act(Qt::CTRL | Qt::Key_D);
    act(Qt::CTRL | Qt::Key_D); // the same scenario once
    QCOMPARE(compare.pinned().size(), std::size_t{1});
    QVERIFY(compare.dock()->isVisible());
    Scenario other = m_scenario;
    for (int batch : {128, 256, 512, 1024}) {
        other.layout.globalBatch = batch;
        workspace().edit(other, QStringLiteral("Edit"));
        if (batch == 128) {
            QCOMPARE(compare.shown().size(), std::size_t{2}); // beside the current one
        }
        act(Qt::CTRL | Qt::Key_D);
    }
    QCOMPARE(compare.pinned().size(), std::size_t{4});
    QCOMPARE(compare.shown().size(), std::size_t{5});
    const ChartTable table = compare.dock()->chart()->table();
    QCOMPARE(table.header.size(), 8); // what, its unit, five layouts, the change
    QVERIFY(compare.dock()->chart()->description().contains(QStringLiteral("step time")));
    compare.setQuantity(ComparedQuantity::Mfu);
    QVERIFY(compare.dock()->chart()->title().contains(QStringLiteral("MFU")));
    compare.unpin(3);
    Q_EMIT compare.loaded(compare.pinned().front().scenario, QStringLiteral("first"));
    QVERIFY(workspace().scenario() == m_scenario);
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == other);
}

void MainWindowTest::drop(const QString& path)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    const QPoint at(100, 100);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &event);
}

void MainWindowTest::draggingASliderMovesEveryPanelAtOnceAndIsOneStep()
{
    StopTrack* track = slider(QStringLiteral("layout.pp"))->track();
    const QString memory = chartText(0);
    const QString time = chartText(1);
    const QString pipeline = chartText(2);
    auto* headline = m_window->findChild<HeadlineStrip*>();
    const QString peak = headline->figure(QStringLiteral("memory"))->value();
    const auto at = [track](std::int64_t value) {
        return QPoint(static_cast<int>(track->xOf(value)), track->height() / 2);
    };

    QTest::mousePress(track, Qt::LeftButton, {}, at(4));
    QTest::mouseMove(track, at(2));
    QTest::mouseMove(track, at(8));
    QCOMPARE(workspace().scenario().layout.pp, 8);
    QCOMPARE(workspace().scenario().layout.devices(), std::int64_t{64});
    // Without returning to the event loop: the next paint shows all of them.
    QVERIFY(chartText(0) != memory);
    QVERIFY(chartText(1) != time);
    QVERIFY(chartText(2) != pipeline);
    QVERIFY(headline->figure(QStringLiteral("memory"))->value() != peak);
    QTest::mouseRelease(track, Qt::LeftButton, {}, at(8));

    QCOMPARE(workspace().history().count(), 1);
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == m_scenario);
    QCOMPARE(chartText(0), memory);
}

void MainWindowTest::clickingAHeatmapCellAdoptsItAndUndoReturns()
{
    sweepToTheEnd();
    HeatmapView& view = m_window->charts().heatmap();
    const auto& chart = static_cast<const HeatmapChart&>(*view.chart());
    const HeatmapGeometry geometry = chart.geometry(view.chartArea(), textMetrics(view.theme()));
    const Plane& plane = m_window->planeSweep().plane();
    const auto cell =
        std::find_if(geometry.cells.begin(), geometry.cells.end(), [&](const HeatmapGeometry::Cell& each) {
            return chart.data().at(each.index).state == HeatmapCell::State::Value
                && !(each.index == *chart.data().current);
        });
    QVERIFY(cell != geometry.cells.end());
    QTest::mouseClick(&view, Qt::LeftButton, {}, cell->rect.center().toPoint());
    QCOMPARE(std::int64_t{workspace().scenario().layout.tp}, plane.rows[static_cast<std::size_t>(cell->index.y)]);
    QCOMPARE(std::int64_t{workspace().scenario().layout.pp}, plane.columns[static_cast<std::size_t>(cell->index.x)]);
    QVERIFY(workspace().report().legal());
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == m_scenario);
}

void MainWindowTest::anIllegalScenarioKeepsTheChartsAndNamesTheProblem()
{
    const QString memory = chartText(0);
    Scenario broken = m_scenario;
    broken.layout.tp = 7;
    workspace().edit(broken, QStringLiteral("Break"));
    QCOMPARE(chartText(0), memory);
    QVERIFY(!slider(QStringLiteral("layout.tp"))->problems().isEmpty());
}

void MainWindowTest::savesAndOpens()
{
    Scenario changed = m_scenario;
    changed.layout.globalBatch = 128;
    workspace().edit(changed, QStringLiteral("Edit"));
    QVERIFY(m_window->isWindowModified());
    const QString path = m_folder->filePath(QStringLiteral("a&b.partita"));
    QVERIFY(m_window->saveFile(path));
    QVERIFY(!m_window->isWindowModified());
    workspace().reset(m_scenario);
    QVERIFY(m_window->openFile(path));
    QVERIFY(workspace().scenario() == changed);
    QCOMPARE(m_settings->recentFiles(), QStringList{path});
    QVERIFY(!m_window->saveFile(m_folder->filePath(QStringLiteral("no/such/folder/a.partita"))));
    QVERIFY(!m_window->notices().text().isEmpty());
}

void MainWindowTest::droppingAConfigurationImportsItsModel()
{
    const QString path = m_folder->filePath(QStringLiteral("config.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
                   "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000,
                   "max_position_embeddings": 4096})");
    file.close();
    drop(path);
    QCOMPARE(workspace().report().parameters.total(), std::int64_t{6738415616}); // Llama 2 7B
    QVERIFY(m_window->notices().text().contains(QStringLiteral("Imported")));
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == m_scenario);
}

void MainWindowTest::droppingRubbishChangesNothingAndSaysWhy()
{
    const QString path = m_folder->filePath(QStringLiteral("rubbish.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"model_type\": \"no-such\"}");
    file.close();
    drop(path);
    QVERIFY(workspace().scenario() == m_scenario);
    QVERIFY(m_window->notices().text().contains(QStringLiteral("no-such")));
}

void MainWindowTest::aCrashIsOfferedForRecovery()
{
    Scenario changed = m_scenario;
    changed.layout.globalBatch = 128;
    workspace().edit(changed, QStringLiteral("Edit"));
    m_window->document().keepNow();
    m_window.reset(); // without saving; the file stays
    showWindow();
    m_window->offerRecovery();
    QVERIFY(m_window->notices().isVisible());
    const QList<QPushButton*> answers = m_window->notices().findChildren<QPushButton*>();
    QCOMPARE(answers.size(), 2);
    QTest::mouseClick(answers.front(), Qt::LeftButton);
    QVERIFY(workspace().scenario() == changed);
    QVERIFY(m_window->isWindowModified());
    QVERIFY(!m_window->notices().isVisible());
}

void MainWindowTest::aChartFillsTheWindowAndReturns()
{
    ChartBoard& board = m_window->board();
    ChartDock* pipeline = board.docks()[2];
    m_window->charts().advice().dock()->raise(); // behind another at first
    QCoreApplication::processEvents();
    std::vector<bool> hidden; // cards that are closed at first
    std::vector<std::pair<bool, QSize>> places; // in front of its tabs, and how large
    const auto placeOf = [](const ChartDock* dock) {
        return std::pair(!dock->visibleRegion().isEmpty(), dock->visibleRegion().isEmpty() ? QSize() : dock->size());
    };
    for (const ChartDock* dock : board.docks()) {
        hidden.push_back(dock->isHidden());
        places.push_back(placeOf(dock));
    }
    QVERIFY(placeOf(m_window->charts().advice().dock()).first);
    Q_EMIT pipeline->maximiseRequested();
    for (const ChartDock* dock : board.docks()) {
        QCOMPARE(dock->isVisible(), dock == pipeline);
    }
    Q_EMIT pipeline->maximiseRequested();
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        QCOMPARE(board.docks()[i]->isHidden(), static_cast<bool>(hidden[i]));
        QTRY_COMPARE(placeOf(board.docks()[i]), places[i]);
    }
}

void MainWindowTest::publishedRunsAreShownAndLoaded()
{
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000);
    RunsCard& card = m_window->charts().runs();
    card.dock()->toggleViewAction()->trigger();
    QVERIFY(card.dock()->isVisible());
    QCOMPARE(card.view().runs().size(), m_window->publishedRuns().runs().size());
    const ComparableRun& run = m_window->publishedRuns().runs()[3];
    const Scenario before = workspace().scenario();
    Q_EMIT card.view().runActivated(QString::fromStdString(run.id));
    QVERIFY(workspace().scenario() == run.scenario);
    workspace().history().undo();
    QVERIFY(workspace().scenario() == before);
}

void MainWindowTest::servingOpensItsChartsAndFollowsTheScenario()
{
    auto* serve = m_window->findChild<QAction*>(QStringLiteral("serve"));
    QVERIFY(serve != nullptr && !serve->isChecked());
    const auto curve = [this] {
        for (ChartDock* dock : m_window->board().docks()) {
            if (dock->chart() != nullptr && dock->chart()->id() == QStringLiteral("serving-curve")) {
                return dock;
            }
        }
        return static_cast<ChartDock*>(nullptr);
    };
    QVERIFY(curve() == nullptr); // nothing is worked out for closed cards
    serve->trigger();
    QTRY_VERIFY(curve() != nullptr && curve()->isVisible());
    const auto* headline = m_window->findChild<HeadlineStrip*>();
    const auto shows = [headline](const char* key) { return headline->figure(QString::fromLatin1(key))->isVisible(); };
    QVERIFY(shows("tpot") && !shows("mfu"));
    const QString before = curve()->chart()->description();
    Scenario next = workspace().scenario();
    next.serving.batch = 7;
    workspace().edit(next, QStringLiteral("Serve seven"));
    QVERIFY(curve()->chart()->description() != before);
    next.serving.prompt = 0;
    workspace().edit(next, QStringLiteral("Ask nothing"));
    QVERIFY(curve()->chart()->description().contains(QStringLiteral("serves nothing")));
    serve->trigger();
    QVERIFY(curve() == nullptr); // nor kept for them
    QVERIFY(shows("mfu") && !shows("tpot"));
}

void MainWindowTest::theHeadlineSaysHowSureItIs()
{
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000);
    const HeadlineFigure* step = m_window->findChild<HeadlineStrip*>()->figure(QStringLiteral("step_time"));
    const auto band =
        stepTimeBand(workspace().scenario(), workspace().report().stepTime, m_window->publishedRuns().runs());
    QVERIFY(band.has_value());
    const QString range = timeWithRangeText(workspace().report().stepTime, band->low, band->high);
    QVERIFY2(step->value().endsWith(range), qPrintable(step->value()));
    QVERIFY(step->toolTip().contains(QString::fromStdString(band->runs.front())));
}

void MainWindowTest::everyChartHasATable()
{
    sweepToTheEnd();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000);
    QSignalSpy scaled(&m_window->charts().scaling(), &ScalingCard::completed);
    QSignalSpy changed(&m_window->charts().sensitivity(), &SensitivityCard::completed);
    m_window->charts().scaling().setAxis(ScalingAxis::NetworkBandwidth);
    m_window->charts().scaling().dock()->toggleViewAction()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(scaled.size(), 1, 60000);
    m_window->charts().sensitivity().dock()->toggleViewAction()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, 60000);
    for (ChartDock* dock : m_window->board().docks()) {
        dock->show();
        dock->raise();
        if (dock == &m_window->charts().searchDock()) {
            QTRY_VERIFY_WITH_TIMEOUT(!m_window->layoutSearch().state().best.empty(), 60000);
        }
        if (const Chart* chart = dock->chart()) {
            const bool nothingToCompare = dock == m_window->charts().compare().dock();
            QVERIFY2(!chart->table().rows.empty() || nothingToCompare, qPrintable(chart->id()));
            dock->showTable(true);
            QVERIFY(!dock->view()->isVisible());
            dock->showTable(false);
            QVERIFY(dock->view()->isVisible());
        }
    }
}

void MainWindowTest::copyingAChartGivesPictureAndNumbers()
{
    Q_EMIT m_window->board().docks().front()->copyRequested();
    const QMimeData* data = QApplication::clipboard()->mimeData();
    QVERIFY(data->hasImage() || data->hasFormat(QStringLiteral("image/png")));
    QVERIFY(data->hasText());
}

void MainWindowTest::searchingFindsALayoutThatCanBeAdopted()
{
    LayoutSearch& search = m_window->layoutSearch();
    QVERIFY(!search.running()); // nobody sees it
    SearchView& view = m_window->charts().search();
    view.limitsEdit().setText(QStringLiteral("cp=1, vpp<=2"));
    Q_EMIT view.limitsEdit().editingFinished();
    m_window->charts().searchDock().show();
    m_window->charts().searchDock().raise();
    QTRY_VERIFY(search.running());
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    QVERIFY(view.table().model()->rowCount() > 10);
    view.table().setCurrentIndex(view.table().model()->index(0, 0));
    const double promised = search.state().best.front().stepTime;
    view.table().actions().at(1)->trigger();
    QCOMPARE(m_window->charts().compare().pinned().size(), std::size_t{1});
    QCOMPARE(m_window->charts().compare().pinned().front().report->stepTime, promised);
    QCOMPARE(workspace().scenario(), m_scenario); // pinning changes nothing
    QTest::keyClick(&view.table(), Qt::Key_Return);
    QCOMPARE(workspace().report().stepTime, promised);
    QVERIFY(!search.running()); // what was found is still right
    workspace().history().undo();
    QCOMPARE(workspace().scenario(), m_scenario);
    m_window->charts().searchDock().close();
    Scenario other = m_scenario;
    other.workload.sequenceLength /= 2;
    workspace().edit(other, QStringLiteral("edit"));
    QVERIFY(!search.running());
}

void MainWindowTest::heatmapCellsMayHoldTheBestOfTheRest()
{
    m_window->charts().setRest(PlaneRest::Searched);
    sweepToTheEnd();
    const Plane& plane = m_window->planeSweep().plane();
    QCOMPARE(plane.rest, PlaneRest::Searched);
    const auto fits = std::find_if(plane.cells.begin(), plane.cells.end(),
                                   [](const PlaneCell& cell) { return cell.state == CellState::Fits; });
    QVERIFY(fits != plane.cells.end());
    const PlaneCell cell = *fits;
    const auto place = static_cast<std::size_t>(fits - plane.cells.begin());
    Q_EMIT m_window->charts().cellChosen(place / plane.columns.size(), place % plane.columns.size());
    QCOMPARE(workspace().scenario().layout, cell.layout);
    QCOMPARE(workspace().report().stepTime, cell[PlaneQuantity::StepTime]);

    // What the user limits searches to holds for these, and the title says so.
    QLineEdit& limits = m_window->charts().search().limitsEdit();
    limits.setText(QStringLiteral("tp<=2"));
    Q_EMIT limits.editingFinished();
    QTRY_COMPARE(m_window->planeSweep().plane().limits.tp.most, std::int64_t{2});
    sweepToTheEnd();
    const Plane& limited = m_window->planeSweep().plane();
    for (std::size_t i = 0; i < limited.cells.size(); ++i) {
        QCOMPARE(limited.rows[i / limited.columns.size()] > 2 && limited.cells[i].state != CellState::Illegal, false);
    }
    const HeatmapData shown = heatmapData(limited, m_scenario, PlaneQuantity::Mfu, workspace().lastLegal().get());
    QVERIFY(shown.rest.contains(QStringLiteral("within tp ≤ 2")));
    // The scenario's place is marked though it shows another layout; why nothing is legal is said as people do.
    QVERIFY(shown.current && shown.currentIsOther);
    for (const HeatmapCell& each : shown.cells) {
        if (each.state == HeatmapCell::State::Illegal) {
            QVERIFY2(each.reason.startsWith(QStringLiteral("No layout is legal there within tp ≤ 2.")),
                     qPrintable(each.reason));
        }
    }
}

void MainWindowTest::theLayoutIsRemembered()
{
    m_window->board().docks()[1]->hide();
    m_window->resize(1111, 777);
    m_window->close();
    showWindow();
    QVERIFY(!m_window->board().docks()[1]->isVisible());
    QCOMPARE(m_window->size(), QSize(1111, 777));
    m_window->board().arrange();
    QVERIFY(m_window->board().docks()[1]->isVisible());
}

void MainWindowTest::theWindowFitsASmallScreen()
{
    const QSize small(1280, 660); // 1280 x 700 less the title of a window
    m_window->resize(small);
    QCOMPARE(m_window->size(), small);
    QVERIFY(m_window->minimumSizeHint().height() <= small.height());
    QVERIFY(m_window->minimumSizeHint().width() <= small.width());
    m_window->lessons().start(0);
    act(Qt::CTRL | Qt::Key_I);
    QCoreApplication::processEvents();
    QVERIFY2(m_window->minimumSizeHint().width() <= small.width(), "with a lesson and the panel that explains");
    QCOMPARE(m_window->size(), small);
}

void MainWindowTest::numbersStayInTheMapBesideThePanelThatExplains()
{
    m_window->resize(1280, 780);
    act(Qt::CTRL | Qt::Key_I);
    sweepToTheEnd();
    QCoreApplication::processEvents();
    const auto* map = m_window->findChild<HeatmapView*>();
    const auto& chart = static_cast<const HeatmapChart&>(*map->chart());
    const HeatmapGeometry g = chart.geometry(map->rect(), textMetrics(Theme::fromPalette(map->palette())));
    const bool numbers = std::any_of(g.cells.begin(), g.cells.end(), [](const HeatmapGeometry::Cell& cell) {
        return cell.label.text.endsWith(QStringLiteral("%"));
    });
    QVERIFY(numbers);
    const auto* memory = m_window->findChild<ChartDock*>(QStringLiteral("memory"));
    const QString title = memory->titleBarWidget()->findChild<ElidedLabel*>()->shownText();
    QVERIFY2(!title.contains(u'…'), qPrintable(title)); // the short one where the long one has no room
}

void MainWindowTest::everyControlHasAName()
{
    const QStringList nameless = namelessControls(*m_window);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QStringLiteral(", "))));
}

void MainWindowTest::bothAppearancesPaint()
{
    // The corner of the window, and the inside of a card, whose chart must follow too.
    const auto lightness = [this] {
        const QImage image = m_window->grab().toImage();
        const QWidget* chart = m_window->board().docks().front()->view();
        const QPoint inside = chart->mapTo(m_window.get(), QPoint(2, chart->height() - 2));
        return std::pair{image.pixelColor(image.width() - 2, image.height() - 2).lightness(),
                         image.pixelColor(inside).lightness()};
    };
    setAppearance(Appearance::Dark);
    QTRY_VERIFY(lightness().first < 128 && lightness().second < 128);
    setAppearance(Appearance::Light);
    QTRY_VERIFY(lightness().first > 128 && lightness().second > 128);
}

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
