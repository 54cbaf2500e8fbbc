// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts.h"
#include "app/main_window.h"
#include "app/preset_folders.h"
#include "app/serving_cards.h"
#include "core/base/units.h"
#include "tests/app/open_window.h"
#include "tests/widgets/fixed_metrics.h"
#include "widgets/serving_front_chart.h"

#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

class ServingCardsTest : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }
    void nothingIsWorkedOutForClosedCards();
    void aLayoutOfTheFrontCanBeAdopted();
    void aWideEngineStandsBesideReplicas();
    void widthsThatServeNothingSayWhy_data();
    void widthsThatServeNothingSayWhy();
    void theFrontLiesInItsArea();

private:
    ServingCards& cards() { return m_window->charts().servingCards(); }
    Workspace& workspace() { return m_window->workspace(); }
};

void ServingCardsTest::initTestCase()
{
    load();
    m_scenario.cluster.nodes = 1;
    m_scenario.layout.pp = m_scenario.layout.dp = 1;
    m_scenario.layout.tp = static_cast<int>(m_scenario.cluster.devicesPerNode);
    m_scenario.serving.tpotLimit = 0.05;
}

void ServingCardsTest::init()
{
    showNewWindow();
}

void ServingCardsTest::nothingIsWorkedOutForClosedCards()
{
    Scenario next = m_scenario;
    next.serving.prompt = 2048;
    workspace().edit(next, QStringLiteral("Longer prompts"));
    QCOMPARE(cards().layouts().model()->rowCount(), 0);
    QVERIFY(cards().search() == nullptr && !cards().adoptButton().isEnabled());
}

void ServingCardsTest::aLayoutOfTheFrontCanBeAdopted()
{
    cards().layoutsDock()->show();
    cards().layoutsDock()->raise();
    QTRY_VERIFY_WITH_TIMEOUT(cards().search() != nullptr, 60000);
    const ServingSearch search = searchServing(m_scenario);
    QVERIFY(!search.front.empty() && cards().search()->front == search.front);
    QCOMPARE(static_cast<std::size_t>(cards().layouts().model()->rowCount()), search.front.size());
    QCOMPARE(cards().layoutsDock()->chart()->table().rows.size(), search.front.size());
    const std::size_t last = search.front.size() - 1;
    cards().layouts().selectRow(static_cast<int>(last));
    cards().adoptButton().click();
    QVERIFY(workspace().scenario().layout == search.points[search.front[last]].layout);
    QCOMPARE(workspace().scenario().serving.batch, search.points[search.front[last]].batch);
    workspace().history().undo();
    QVERIFY(workspace().scenario() == m_scenario);
}

void ServingCardsTest::aWideEngineStandsBesideReplicas()
{
    cards().widthsDock()->show();
    cards().widthsDock()->raise();
    const QAbstractItemModel& table = *cards().widths().model();
    QTRY_VERIFY_WITH_TIMEOUT(table.rowCount() > 0, 60000);
    const std::vector<ServingPoint> points = replicasOrWider(m_scenario);
    QVERIFY(points.size() >= 2);
    QCOMPARE(static_cast<std::size_t>(table.columnCount()), points.size() + 1);
    QCOMPARE(table.headerData(1, Qt::Horizontal).toString(), QStringLiteral("1 × TP\u00A08"));
    QCOMPARE(table.headerData(2, Qt::Horizontal).toString(), QStringLiteral("2 × TP\u00A04"));
    QCOMPARE(table.data(table.index(0, 1)).toString(), QString::number(points[0].batch));
    QVERIFY(points[0].requestsPerSecond > 0);
    for (int row = 0; row < table.rowCount(); ++row) {
        QVERIFY(!table.data(table.index(row, 0)).toString().isEmpty());
    }
}

void ServingCardsTest::widthsThatServeNothingSayWhy_data()
{
    QTest::addColumn<double>("memory"); // GiB
    QTest::addColumn<double>("limit"); // s between tokens
    QTest::addColumn<QString>("why");
    QTest::newRow("no room") << 8.0 << 0.0 << QStringLiteral("none: out of memory");
    QTest::newRow("too slow") << 800.0 << 1e-6 << QStringLiteral("none: over a limit");
}

void ServingCardsTest::widthsThatServeNothingSayWhy()
{
    QFETCH(double, memory);
    QFETCH(double, limit);
    QFETCH(QString, why);
    Scenario scenario = m_scenario;
    scenario.cluster.accelerator.memoryBytes = memory * gibibyte;
    scenario.serving.tpotLimit = limit;
    const std::vector<ServingPoint> points = replicasOrWider(scenario);
    const ChartTable table = widthsTable(points);
    for (qsizetype i = 1; i < table.header.size(); ++i) {
        QCOMPARE(table.rows.front()[i], why);
    }
    QVERIFY(widthsChart(points).description().startsWith(QStringLiteral("None of ")));
    QVERIFY(!widthsChart(replicasOrWider(m_scenario)).description().startsWith(QStringLiteral("None of ")));
}

void ServingCardsTest::theFrontLiesInItsArea()
{
    const auto search = std::make_shared<const ServingSearch>(searchServing(m_scenario));
    const QRectF area(10, 20, 480, 260);
    const ServingFrontGeometry g = ServingFrontChart(search).geometry(area, fixedMetrics());
    QCOMPARE(g.points.size(), search->front.size());
    for (std::size_t i = 0; i < g.points.size(); ++i) {
        QVERIFY(g.plot.contains(g.points[i]));
        QVERIFY(g.pointAt(g.points[i]).has_value());
        if (i > 0) { // later tokens only for more of them
            QVERIFY(g.points[i].x() >= g.points[i - 1].x() && g.points[i].y() < g.points[i - 1].y());
        }
    }
    for (const auto& [index, at] : g.others) {
        QVERIFY(g.plot.contains(at));
    }
    for (const Label& label : g.labels) {
        QVERIFY2(inside(label.rect, area), qPrintable(label.text));
    }
}

QTEST_MAIN(ServingCardsTest)
#include "tst_serving_cards.moc"
