// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fixed_metrics.h"
#include "widgets/markers.h"
#include "widgets/runs_view.h"

#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include <set>

using namespace partita::ui;

namespace {

std::vector<RunPoint> sampleRuns(int sources = 3)
{
    std::vector<RunPoint> runs;
    for (int i = 0; i < 12; ++i) {
        RunPoint run;
        run.id = QStringLiteral("run-%1").arg(i);
        run.source = QStringLiteral("source-%1").arg(i % sources);
        run.accelerator = i < 6 ? QStringLiteral("a100") : QStringLiteral("h100");
        run.stack = QStringLiteral("megatron-core");
        run.layout = QStringLiteral("tp 8");
        run.measured = 100 * (i + 1);
        run.predicted = run.measured * (i % 2 == 0 ? 1.1 : 0.9);
        runs.push_back(run);
    }
    return runs;
}

} // namespace

class TestRunsChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void everythingLiesInTheArea_data()
    {
        QTest::addColumn<QRectF>("area");
        QTest::addColumn<int>("sources");
        QTest::newRow("card") << QRectF(0, 0, 640, 420) << 3;
        QTest::newRow("small") << QRectF(10, 20, 360, 240) << 2;
        QTest::newRow("many sources") << QRectF(0, 0, 900, 500) << 12;
    }
    void everythingLiesInTheArea()
    {
        QFETCH(QRectF, area);
        QFETCH(int, sources);
        const RunsGeometry g = RunsChart(sampleRuns(sources)).geometry(area, fixedMetrics());
        QVERIFY(inside(g.plot, area));
        QCOMPARE(g.points.size(), std::size_t{12});
        for (const QPointF& point : g.points) {
            QVERIFY(inside(point, g.plot));
        }
        for (const RunsGeometry::Tick& tick : g.ticks) {
            QVERIFY(tick.label.empty() || inside(tick.label.rect, area));
        }
        for (const Label& label : g.labels) {
            QVERIFY2(inside(label.rect, area), qPrintable(label.text));
        }
        for (const LegendEntry& entry : g.legend) {
            QVERIFY(inside(entry.label.rect, area));
        }
        QVERIFY(inside(g.band.boundingRect(), g.plot));
    }

    /// In a low card the plot keeps its height; the legend gives way, then the numbers beside it.
    void aLowChartIsAPlotBeforeItIsALegend_data()
    {
        QTest::addColumn<QSizeF>("size");
        QTest::newRow("low card") << QSizeF(575, 150);
        QTest::newRow("lower") << QSizeF(575, 110);
        QTest::newRow("narrow") << QSizeF(330, 150);
        QTest::newRow("card") << QSizeF(640, 260);
    }
    void aLowChartIsAPlotBeforeItIsALegend()
    {
        QFETCH(QSizeF, size);
        const QRectF area(QPointF(), size);
        std::vector<RunPoint> runs = sampleRuns(12);
        runs.back().measured = runs.back().predicted = 2e5; // decades, as published runs span them
        runs.front().measured = runs.front().predicted = 10;
        const RunsChart chart(runs);
        const RunsGeometry g = chart.geometry(area, fixedMetrics());
        QVERIFY2(g.plot.height() >= area.height() * 0.3, qPrintable(QString::number(g.plot.height())));
        double legend = 0;
        for (const LegendEntry& entry : g.legend) {
            QVERIFY(inside(entry.label.rect, area));
            legend = entry.label.rect.left() >= g.plot.right() ? legend : std::max(legend, entry.label.rect.bottom());
        }
        QVERIFY(legend == 0 || legend - g.plot.bottom() < area.height() / 2);
        std::vector<QRectF> taken;
        std::size_t numbers = 0;
        for (const RunsGeometry::Tick& tick : g.ticks) {
            if (!tick.label.empty()) {
                const QRectF ink = tick.label.rect.adjusted(0, 1, 0, -1); // less than its line
                for (const QRectF& other : taken) {
                    QVERIFY2(!other.intersects(ink), qPrintable(tick.label.text));
                }
                taken.push_back(ink);
                ++numbers;
            }
        }
        QVERIFY(numbers >= 4); // two of either axis
    }

    void aPerfectPredictionLiesOnTheDiagonal()
    {
        std::vector<RunPoint> runs = sampleRuns();
        for (RunPoint& run : runs) {
            run.predicted = run.measured;
        }
        const RunsGeometry g = RunsChart(runs).geometry({0, 0, 640, 420}, fixedMetrics());
        for (const QPointF& point : g.points) {
            const double share = (point.x() - g.plot.left()) / g.plot.width();
            QVERIFY(qAbs(g.plot.bottom() - share * g.plot.height() - point.y()) < 1e-6);
        }
    }

    void runsWithinTwentyPercentLieInTheBand()
    {
        std::vector<RunPoint> runs = sampleRuns();
        runs.front().predicted = runs.front().measured * 1.4;
        const RunsChart chart(runs);
        const RunsGeometry g = chart.geometry({0, 0, 640, 420}, fixedMetrics());
        for (std::size_t i = 0; i < g.points.size(); ++i) {
            const double error = chart.points()[i].predicted / chart.points()[i].measured - 1;
            QCOMPARE(g.band.containsPoint(g.points[i], Qt::OddEvenFill), qAbs(error) < 0.2);
        }
    }

    void neighbouringSourcesLookDifferent()
    {
        const Theme theme = Theme::light();
        std::set<std::pair<QRgb, int>> seen;
        for (int i = 0; i < 24; ++i) {
            const MarkerStyle style = markerStyle(i, theme);
            QVERIFY(seen.insert({style.color.rgb(), static_cast<int>(style.marker)}).second);
        }
    }

    void pointsAreFoundAgainAndTellEverything()
    {
        const RunsChart chart(sampleRuns());
        const RunsGeometry g = chart.geometry({0, 0, 640, 420}, fixedMetrics());
        const auto at = g.pointAt(g.points[5] + QPointF(1, 1));
        QVERIFY(at == std::optional<std::size_t>(5));
        QVERIFY(!g.pointAt({0, 0}));
        const QString text = chart.pointText(5);
        for (const char* word : {"run-5", "a100", "megatron-core", "tp 8", "600", "540", "10.0"}) {
            QVERIFY2(text.contains(QLatin1String(word)), qPrintable(text));
        }
    }

    void statisticsAndTableAreThoseOfTheRuns()
    {
        const RunsChart chart(sampleRuns());
        QVERIFY(qAbs(chart.statistics().mape - 0.1) < 1e-12);
        QVERIFY(chart.statisticsText().contains(QStringLiteral("12 runs")));
        const ChartTable table = chart.table();
        QCOMPARE(table.rows.size(), std::size_t{12});
        for (const QStringList& row : table.rows) {
            QCOMPARE(row.size(), table.header.size());
        }
    }

    void anEmptyChartSaysSo()
    {
        QImage image(300, 200, QImage::Format_ARGB32);
        QPainter painter(&image);
        const RunsChart chart;
        chart.paint(painter, QRectF(0, 0, 300, 200), Theme::light());
        QVERIFY(chart.description().contains(QStringLiteral("No run")));
    }

    void filtersNarrowWhatIsShown()
    {
        RunsView view;
        view.setRuns(sampleRuns());
        view.setFilter({{}, QStringLiteral("a100"), {}});
        QCOMPARE(view.scatter().points().size(), std::size_t{6});
        view.setFilter({QStringLiteral("source-1"), QStringLiteral("a100"), {}});
        QCOMPARE(view.scatter().points().size(), std::size_t{2});
        view.setFilter({});
        QCOMPARE(view.scatter().points().size(), std::size_t{12});
    }

    void clickAndKeyboardAskForARun()
    {
        RunsView view;
        view.resize(700, 450);
        view.setRuns(sampleRuns());
        view.show();
        QSignalSpy asked(&view, &RunsView::runActivated);
        const QPointF at = view.scatter().geometry(view.chartArea(), textMetrics(view.theme())).points[3];
        QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.takeFirst().first().toString(), QStringLiteral("run-3"));
        QTest::keyClick(&view, Qt::Key_Right);
        const auto cursor = view.scatter().cursor;
        QVERIFY(cursor.has_value());
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.takeFirst().first().toString(), view.scatter().points()[*cursor].id);
        QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(2, 2));
        QVERIFY(asked.isEmpty());
    }
};

QTEST_MAIN(TestRunsChart)
#include "tst_runs_chart.moc"
