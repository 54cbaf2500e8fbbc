// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fixed_metrics.h"
#include "widgets/scaling_chart.h"
#include "widgets/tornado_chart.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace partita;
using namespace partita::ui;

namespace {

ScalingPoint point(double devices, double stepTime, bool fits)
{
    ScalingPoint result;
    result.value = devices;
    result.devices = static_cast<std::int64_t>(devices);
    result.tokensPerStep = 1e6;
    result.cost.fits = fits;
    result.cost.stepTime = stepTime;
    result.cost.mfu = 30 / (devices * stepTime);
    result.cost.memoryLimit = 80e9;
    result.cost.memory[MemoryKind::Weights] = fits ? 60e9 : 90e9;
    return result;
}

/// Halved times with every doubling would be ideal; these fall short. The first does not fit.
std::vector<ScalingCurve> curves(ScalingAxis axis = ScalingAxis::Devices)
{
    ScalingCurve held{axis, ScalingMode::Held, {}};
    ScalingCurve advised{axis, ScalingMode::Advised, {}};
    double time = 40;
    for (double devices = 8; devices <= 1024; devices *= 2) {
        held.points.push_back(point(devices, time, devices > 8));
        advised.points.push_back(point(devices, time * 0.8, true));
        time /= 1.7;
    }
    return {held, advised};
}

Tornado sampleTornado(int bars = 12)
{
    Tornado tornado;
    tornado.share = 0.2;
    tornado.stepTime = 10;
    tornado.unchanged.best.tp = 4;
    tornado.unchanged.bestStepTime = 9;
    for (int i = 0; i < bars; ++i) {
        Sensitivity bar;
        bar.label = "constant " + std::to_string(i);
        bar.value = 100;
        bar.low = {80, true, 10 + 3.0 / (i + 1), tornado.unchanged.best, 9, false};
        bar.high = {120, true, 10 - 2.0 / (i + 1), tornado.unchanged.best, 9, false};
        tornado.bars.push_back(bar);
    }
    tornado.bars[1].high.best.tp = 8; // the ranking turns
    tornado.bars[2].low.fits = false;
    return tornado;
}

bool inked(const Chart& chart, const QSize& size, const Theme& theme)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(theme.card);
    QPainter painter(&image);
    chart.paint(painter, QRectF(QPointF(), QSizeF(size)), theme);
    painter.end();
    for (int y = 0; y < size.height(); ++y) {
        for (int x = 0; x < size.width(); ++x) {
            if (image.pixelColor(x, y) != theme.card) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

class StudyChartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void scalingLiesInTheArea_data()
    {
        QTest::addColumn<QRectF>("area");
        QTest::addColumn<int>("quantity");
        for (const PlaneQuantity quantity : scalingQuantities) {
            QTest::addRow("card, %s", keyOf(quantity).data()) << QRectF(0, 0, 640, 360) << static_cast<int>(quantity);
            QTest::addRow("small, %s", keyOf(quantity).data())
                << QRectF(12, 30, 300, 160) << static_cast<int>(quantity);
        }
    }
    void scalingLiesInTheArea()
    {
        QFETCH(QRectF, area);
        QFETCH(int, quantity);
        const ScalingGeometry g =
            ScalingChart(curves(), static_cast<PlaneQuantity>(quantity), 64).geometry(area, fixedMetrics());
        QVERIFY(inside(g.plot, area));
        QCOMPARE(g.marks.size(), std::size_t{16});
        QCOMPARE(g.segments.size(), std::size_t{6 + 7});
        for (const ScalingGeometry::Mark& mark : g.marks) {
            QVERIFY(inside(mark.at, g.plot));
        }
        for (const ScalingGeometry::Tick& tick : g.ticks) {
            QVERIFY2(tick.label.empty() || inside(tick.label.rect, area), qPrintable(tick.label.text));
            QVERIFY(!tick.label.text.startsWith(QLatin1Char('-')));
        }
        for (const Label& label : g.labels) {
            QVERIFY(inside(label.rect, area));
        }
        QVERIFY(g.here.has_value());
    }

    void timesFallAndTheIdealFallsFaster()
    {
        const ScalingGeometry g =
            ScalingChart(curves(), PlaneQuantity::StepTime, 64).geometry({0, 0, 640, 360}, fixedMetrics());
        QVERIFY(g.ideal.has_value());
        for (const ScalingGeometry::Segment& segment : g.segments) {
            const double slope = segment.line.dy() / segment.line.dx(); // downwards is positive on screen
            QVERIFY(slope > 0 && slope < g.ideal->dy() / g.ideal->dx());
        }
        QVERIFY(!ScalingChart(curves(), PlaneQuantity::Mfu, 64).geometry({0, 0, 640, 360}, fixedMetrics()).ideal);
    }

    void whatDoesNotFitIsMarkedAndSaysWhy()
    {
        const ScalingChart chart(curves(), PlaneQuantity::Mfu, 64);
        const QRectF area(0, 0, 640, 360);
        const ScalingGeometry g = chart.geometry(area, textMetrics(Theme::light()));
        const ScalingGeometry::Mark& first = g.marks.front();
        QVERIFY(!first.fits);
        QVERIFY(chart.textAt(first.at, area, Theme::light()).contains(QStringLiteral("lacks")));
        QVERIFY(chart.textAt(g.marks.back().at, area, Theme::light()).contains(QStringLiteral("1,024")));
        QVERIFY(chart.textAt({1, 1}, area, Theme::light()).isEmpty());
    }

    void whatIsNotLegalIsNotSaidNotToFit()
    {
        std::vector<ScalingCurve> both = curves();
        const auto entries = [&] {
            QStringList texts;
            for (const LegendEntry& entry :
                 ScalingChart(both, PlaneQuantity::Mfu, 64).geometry({0, 0, 640, 360}, fixedMetrics()).legend) {
                texts << entry.label.text;
            }
            return texts;
        };
        QVERIFY(entries().contains(QStringLiteral("does not fit")));
        QVERIFY(!entries().contains(QStringLiteral("not legal")));
        both[0].points[0].cost.objection = "8 devices do not divide";
        QVERIFY(!entries().contains(QStringLiteral("does not fit")));
        QVERIFY(entries().contains(QStringLiteral("not legal")));
        QVERIFY(!ScalingChart(both, PlaneQuantity::Mfu, 64).geometry({0, 0, 640, 360}, fixedMetrics()).marks[0].legal);
    }

    void lowPlotsKeepTheirTicksApart()
    {
        const ScalingGeometry g =
            ScalingChart(curves(), PlaneQuantity::StepTime, 64).geometry({0, 0, 400, 90}, fixedMetrics());
        for (std::size_t i = 0; i < g.ticks.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                QVERIFY(g.ticks[i].label.empty() || g.ticks[j].label.empty()
                        || !g.ticks[i].label.rect.intersects(g.ticks[j].label.rect));
            }
        }
    }

    void tablesHoldEveryNumber()
    {
        const ChartTable scaling = ScalingChart(curves(), PlaneQuantity::Mfu, 64).table();
        QCOMPARE(scaling.rows.size(), std::size_t{16});
        for (const QStringList& row : scaling.rows) {
            QCOMPARE(row.size(), scaling.header.size());
        }
        QCOMPARE(scaling.rows[0][1], QStringLiteral("8"));
        QCOMPARE(scaling.rows[0][6], QStringLiteral("40"));
        const ChartTable constants = TornadoChart(sampleTornado()).table();
        QCOMPARE(constants.rows.size(), std::size_t{12});
        QCOMPARE(constants.rows[2].size(), constants.header.size());
        QCOMPARE(constants.rows[0][3], QStringLiteral("13"));
    }

    void tornadoLiesInTheArea_data()
    {
        QTest::addColumn<QRectF>("area");
        QTest::newRow("card") << QRectF(0, 0, 640, 420);
        QTest::newRow("small") << QRectF(5, 9, 320, 150);
    }
    void tornadoLiesInTheArea()
    {
        QFETCH(QRectF, area);
        const TornadoGeometry g = TornadoChart(sampleTornado()).geometry(area, fixedMetrics());
        QVERIFY(!g.rows.empty());
        for (const TornadoGeometry::Row& row : g.rows) {
            for (const QRectF& rect :
                 {row.row, row.low, row.high, row.name.back().rect, row.lowText.rect, row.highText.rect}) {
                QVERIFY(inside(rect, area));
            }
            QVERIFY(!row.lowText.rect.intersects(row.highText.rect));
        }
        for (const Label& label : g.labels) {
            QVERIFY(inside(label.rect, area));
        }
    }

    void barsGoTheirWayFromTheStepAsItIs()
    {
        const TornadoGeometry g = TornadoChart(sampleTornado()).geometry({0, 0, 640, 420}, fixedMetrics());
        for (const TornadoGeometry::Row& row : g.rows) {
            QCOMPARE(row.low.left(), g.base.x1()); // slower: to the right
            QCOMPARE(row.high.right(), g.base.x1());
        }
        QVERIFY(g.rows[0].low.width() > g.rows[1].low.width());
        QVERIFY(g.rows[1].changesRanking && !g.rows[0].changesRanking);
        QVERIFY(g.rows[2].lowText.warns);
        const QString text =
            TornadoChart(sampleTornado()).textAt(g.rows[1].row.center(), {0, 0, 640, 420}, Theme::light());
        QVERIFY(!text.isEmpty());
    }

    void whoBecomesTheFastestIsNamed()
    {
        const QRectF area(0, 0, 640, 420);
        const TornadoChart chart(sampleTornado(40));
        const TornadoGeometry g = chart.geometry(area, fixedMetrics());
        QVERIFY(g.rows.size() < 40);
        QVERIFY(g.rows[0].winners.empty());
        QCOMPARE(g.rows[1].winners.size(), std::size_t{1});
        QVERIFY(g.rows[1].winners[0].text.contains("then fastest: tp 8"));
        QVERIFY(g.rows[2].row.top() >= g.rows[1].winners[0].rect.bottom());
        QVERIFY(inside(g.rows[1].winners[0].rect, area));
        // The mark is explained whether or not all bars have room.
        QVERIFY(g.labels.back().text.startsWith(QStringLiteral("◆ another layout")));
        QVERIFY(chart.geometry({0, 0, 640, 2000}, fixedMetrics())
                    .labels.back()
                    .text.startsWith(QStringLiteral("◆ another layout")));
        QVERIFY(chart.description().contains("then fastest: tp 8"));
        const ChartTable table = chart.table();
        QVERIFY(table.rows[1].contains(QStringLiteral("yes")) && table.rows[1][9].startsWith("tp 8"));
        QVERIFY(chart.textAt(g.rows[1].winners[0].rect.center(), area, Theme::light()).contains("then fastest"));
    }

    void endsWithNothingLeftAndEndsThatStopSaySo()
    {
        Tornado tornado = sampleTornado();
        tornado.bars[0].low.fits = false;
        tornado.bars[0].low.bestStepTime = 0;
        tornado.bars[3].high.clamped = true;
        tornado.bars[3].high.value = 1;
        const TornadoChart chart(tornado);
        const TornadoGeometry g = chart.geometry({0, 0, 640, 420}, fixedMetrics());
        QVERIFY(g.rows[0].changesRanking && g.rows[0].winners[0].text.contains("nothing fits"));
        QCOMPARE(chart.table().rows[0][5], QStringLiteral("nothing fits"));
        QVERIFY(g.rows[3].highText.text.endsWith(" at 1"));
        QVERIFY(g.labels.back().text.contains("a bar at 1 ends at its limit"));
    }

    void emptyChartsSaySo()
    {
        QVERIFY(!ScalingChart().geometry({0, 0, 300, 200}, fixedMetrics()).labels.empty());
        QVERIFY(!TornadoChart().geometry({0, 0, 300, 200}, fixedMetrics()).labels.empty());
        QVERIFY(ScalingChart().table().rows.empty());
    }

    void bothPaintInEveryTheme()
    {
        for (const Theme& theme : {Theme::light(), Theme::darkMode(), Theme::paper()}) {
            QVERIFY(inked(ScalingChart(curves(), PlaneQuantity::Mfu, 64), {400, 260}, theme));
            QVERIFY(inked(TornadoChart(sampleTornado()), {400, 260}, theme));
        }
    }
};

QTEST_MAIN(StudyChartsTest)
#include "tst_study_charts.moc"
