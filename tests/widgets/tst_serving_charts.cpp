// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "tests/widgets/fixed_metrics.h"
#include "widgets/serving_charts.h"

#include <QtTest>

#include <numeric>

using namespace partita;
using namespace partita::ui;

namespace {

ServingReport point(double batch)
{
    ServingReport report;
    report.fits = true;
    report.batch = batch;
    report.tpot = 0.008 + 0.0002 * batch;
    report.ttft = 0.05 + 0.001 * batch;
    report.tokensPerSecond = batch / report.tpot;
    report.tokensPerSecondPerDevice = report.tokensPerSecond / 8;
    report.meetsTpot = report.tpot <= 0.02;
    return report;
}

std::shared_ptr<ServingData> sample()
{
    auto data = std::make_shared<ServingData>();
    data->serving.tpotLimit = 0.02;
    data->deviceMemory = 80 * gibibyte;
    for (double batch = 1; batch <= 256; batch *= 2) {
        data->sweep.push_back(point(batch));
    }
    data->report = point(32);
    data->report.time[TimeKind::Gemm] = 0.006;
    data->report.time[TimeKind::Attention] = 0.003;
    data->report.time[TimeKind::TpExposed] = 0.0054;
    data->report.cache.room[RoomKind::Weights] = 17 * gibibyte;
    data->report.cache.room[RoomKind::KeyValues] = 55 * gibibyte;
    data->report.cache.room[RoomKind::Unused] = 8 * gibibyte;
    data->report.cache.tokens = 1.4e6;
    data->report.cache.requests = 1100;
    data->link = QStringLiteral("NVLink");
    data->network = QStringLiteral("Ethernet");
    data->overNetwork = data->report.time;
    (*data->overNetwork)[TimeKind::TpExposed] = 0.05;
    return data;
}

void areas()
{
    QTest::addColumn<QRectF>("area");
    QTest::newRow("usual") << QRectF(10, 20, 640, 300);
    QTest::newRow("small") << QRectF(0, 0, 240, 120);
    QTest::newRow("wide") << QRectF(0, 0, 1200, 180);
}

} // namespace

class TestServingCharts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void whatLiesThereNamesTheValueThatDerivesIt()
    {
        const auto data = sample();
        const QRectF area(0, 0, 640, 300);
        const Theme theme = Theme::light();
        const TextMetrics metrics = textMetrics(theme);
        const TokenTimeChart token(data);
        for (const StackedRowsGeometry::Segment& segment : token.geometry(area, metrics).segments) {
            const QString value = token.valueAt(segment.rect.center(), area, theme);
            QCOMPARE(value.isEmpty(), segment.row > 0); // the network is a supposition
            QVERIFY(value.isEmpty() || value.startsWith(QStringLiteral("serving.time.parts.")));
        }
        const RoomChart room(data);
        const StackedRowsGeometry rooms = room.geometry(area, metrics);
        QVERIFY(!rooms.segments.empty());
        QCOMPARE(room.valueAt(rooms.segments.front().rect.center(), area, theme),
                 QStringLiteral("serving.memory.weights"));
        const ServingCurveChart curve(data);
        const ServingCurveGeometry g = curve.geometry(area, metrics);
        QVERIFY(g.current);
        QCOMPARE(curve.valueAt(g.points[*g.current], area, theme), QStringLiteral("serving.tokens_per_s_per_device"));
        QVERIFY(curve.valueAt(g.points[0], area, theme).isEmpty());
    }

    void everythingLiesInTheArea_data() { areas(); }
    void everythingLiesInTheArea()
    {
        QFETCH(QRectF, area);
        const auto data = sample();
        const ServingCurveGeometry curve = ServingCurveChart(data).geometry(area, fixedMetrics());
        QVERIFY(inside(curve.plot, area));
        for (const QPointF& at : curve.points) {
            QVERIFY(curve.plot.adjusted(-1, -1, 1, 1).contains(at));
        }
        for (const StackedRowsGeometry& g :
             {TokenTimeChart(data).geometry(area, fixedMetrics()), RoomChart(data).geometry(area, fixedMetrics())}) {
            for (const auto& segment : g.segments) {
                QVERIFY(inside(segment.rect, area));
            }
            for (const LegendEntry& entry : g.legend) {
                QVERIFY(inside(entry.swatch, area) && inside(entry.label.rect, area));
            }
        }
    }

    void slowerPointsLieFurtherRight()
    {
        const ServingCurveGeometry g = ServingCurveChart(sample()).geometry(QRectF(0, 0, 640, 300), fixedMetrics());
        QCOMPARE(g.points.size(), std::size_t{9});
        for (std::size_t i = 1; i < g.points.size(); ++i) {
            QVERIFY(g.points[i].x() > g.points[i - 1].x());
            QVERIFY(g.points[i].y() < g.points[i - 1].y()); // and more tokens further up
        }
        QCOMPARE(g.current, std::optional<std::size_t>(5)); // batch 32
    }

    void theCurveGoesThroughNoBatch()
    {
        for (const QRectF& area : {QRectF(0, 0, 640, 300), QRectF(0, 0, 960, 500), QRectF(0, 0, 360, 200)}) {
            const ServingCurveGeometry g = ServingCurveChart(sample()).geometry(area, fixedMetrics());
            QVERIFY(!g.batches.empty());
            for (const Label& batch : g.batches) {
                QVERIFY(inside(batch.rect, g.plot));
                for (std::size_t i = 1; i < g.points.size(); ++i) {
                    QVERIFY2(!clipLine(QLineF(g.points[i - 1], g.points[i]), batch.rect), qPrintable(batch.text));
                }
            }
        }
    }

    void theRegionOfGoodPointsEndsAtTheLimit()
    {
        const ServingCurveChart chart(sample());
        const ServingCurveGeometry g = chart.geometry(QRectF(0, 0, 640, 300), fixedMetrics());
        for (std::size_t i = 0; i < g.points.size(); ++i) {
            QCOMPARE(chart.isGood(i), g.points[i].x() <= g.feasible.right() + 1e-9);
        }
        QVERIFY(chart.isGood(0) && !chart.isGood(8));
    }

    void barsAreAsLongAsWhatTheyShow()
    {
        const auto data = sample();
        const StackedRowsGeometry g = TokenTimeChart(data).geometry(QRectF(0, 0, 640, 300), fixedMetrics());
        std::array<double, 2> lengths{};
        for (const auto& segment : g.segments) {
            lengths[segment.row] += segment.rect.width();
        }
        const double ratio = data->overNetwork->total() / data->report.time.total();
        QVERIFY(std::abs(lengths[1] / lengths[0] - ratio) < 1e-9);
        QVERIFY(g.totals[1].text.contains(QStringLiteral("×")));
    }

    void theRoomIsWrittenBesideItsBar()
    {
        const StackedRowsGeometry g = RoomChart(sample()).geometry(QRectF(0, 0, 640, 200), fixedMetrics());
        QCOMPARE(g.names.front().text, QStringLiteral("1,400,000 tokens, 1,100 requests of 1,280 tokens a replica"));
        auto full = sample();
        full->report.fits = false;
        QVERIFY(RoomChart(full).geometry(QRectF(0, 0, 640, 200), fixedMetrics()).totals.front().warns);
    }

    void tablesHoldWhatIsDrawn()
    {
        const auto data = sample();
        const ChartTable curve = ServingCurveChart(data).table();
        QCOMPARE(curve.rows.size(), data->sweep.size());
        QCOMPARE(curve.rows[2][0], QStringLiteral("4"));
        double sum = 0;
        for (const QStringList& row : TokenTimeChart(data).table().rows) {
            QCOMPARE(row.size(), 3);
            sum += row[1].toDouble();
        }
        QVERIFY(std::abs(sum - data->report.time.total()) < 1e-12);
        QCOMPARE(RoomChart(data).table().rows.size(), Names<RoomKind>::table.size());
    }

    void nothingServedIsSaid()
    {
        const auto empty = std::make_shared<ServingData>();
        const QRectF area(0, 0, 640, 300);
        QVERIFY(ServingCurveChart(empty).geometry(area, fixedMetrics()).points.empty());
        QVERIFY(TokenTimeChart(empty).geometry(area, fixedMetrics()).segments.empty());
        QVERIFY(RoomChart(empty).geometry(area, fixedMetrics()).segments.empty());
        QVERIFY(!ServingCurveChart(empty).description().isEmpty());
    }
};

QTEST_MAIN(TestServingCharts)
#include "tst_serving_charts.moc"
