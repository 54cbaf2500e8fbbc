// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fixed_metrics.h"
#include "tests/widgets/sample_report.h"
#include "widgets/memory_chart.h"
#include "widgets/step_time_chart.h"

#include <QtTest>

#include <numeric>

using namespace partita;
using namespace partita::ui;

class TestBarCharts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void segmentsAddUpToTheTotal_data() { sizes(); }
    void segmentsAddUpToTheTotal()
    {
        QFETCH(int, stages);
        QFETCH(QRectF, area);
        const Report report = sampleReport(stages);
        const MemoryGeometry g = MemoryChart(report).geometry(area, fixedMetrics());
        QCOMPARE(g.bars.size(), static_cast<std::size_t>(stages));
        std::vector<double> heights(g.bars.size());
        for (const auto& segment : g.segments) {
            const auto stage = static_cast<std::size_t>(segment.stage);
            heights[stage] += segment.rect.height();
            QVERIFY(std::abs(segment.rect.height() - segment.bytes / g.top * g.plot.height()) < 1e-6);
        }
        for (std::size_t i = 0; i < heights.size(); ++i) {
            const double total = report.stages[i].memory.total();
            QVERIFY(std::abs(heights[i] - g.bars[i].height()) < 1e-6);
            QVERIFY(std::abs(g.yOf(total) - g.bars[i].top()) < 1e-6);
        }
    }

    void everythingLiesInTheArea_data() { sizes(); }
    void everythingLiesInTheArea()
    {
        QFETCH(int, stages);
        QFETCH(QRectF, area);
        const MemoryGeometry g = MemoryChart(sampleReport(stages)).geometry(area, fixedMetrics());
        QVERIFY(inside(g.plot, area));
        for (const auto& segment : g.segments) {
            QVERIFY(inside(segment.rect, g.plot));
        }
        for (const auto* labels : {&g.totals, &g.stageNames, &g.ticks, &g.limitText}) {
            for (const Label& label : *labels) {
                QVERIFY2(inside(label.rect, area), qPrintable(label.text));
            }
        }
        for (const LegendEntry& entry : g.legend) {
            QVERIFY(inside(entry.swatch, area) && inside(entry.label.rect, area));
        }
    }

    void labelsDoNotOverlap_data() { sizes(); }
    void labelsDoNotOverlap()
    {
        QFETCH(int, stages);
        QFETCH(QRectF, area);
        const MemoryGeometry g = MemoryChart(sampleReport(stages)).geometry(area, fixedMetrics());
        for (const auto* labels : {&g.totals, &g.stageNames, &g.ticks}) {
            for (std::size_t i = 1; i < labels->size(); ++i) {
                QVERIFY2(!(*labels)[i].rect.adjusted(0.1, 0.1, -0.1, -0.1).intersects((*labels)[i - 1].rect),
                         qPrintable((*labels)[i].text));
            }
        }
    }

    void whatIsOverTheLimitIsMarked()
    {
        Report report = sampleReport(4);
        report.memoryLimit = 50 * GiB;
        const MemoryGeometry g = MemoryChart(report).geometry({0, 0, 600, 300}, fixedMetrics());
        std::vector<double> over(4);
        for (const auto& segment : g.segments) {
            over[static_cast<std::size_t>(segment.stage)] += segment.over.height() / g.plot.height() * g.top;
            QVERIFY(segment.over.isEmpty() || segment.over.bottom() <= g.limit.y1() + 1e-6);
        }
        for (std::size_t i = 0; i < over.size(); ++i) {
            const double expected = std::max(0.0, report.stages[i].memory.total() - report.memoryLimit);
            QVERIFY(std::abs(over[i] - expected) < 1e-6 * GiB);
            QCOMPARE(g.totals[i].warns, expected > 0);
        }
        QVERIFY(MemoryChart(sampleReport(4)).geometry({0, 0, 600, 300}, fixedMetrics()).segments[0].over.isEmpty());
    }

    void aPointInABarIsItsSegment()
    {
        const MemoryGeometry g = MemoryChart(sampleReport(8)).geometry({20, 10, 700, 320}, fixedMetrics());
        for (const auto& segment : g.segments) {
            const auto* hit = g.segmentAt(segment.rect.center());
            QVERIFY(hit != nullptr);
            QCOMPARE(hit->stage, segment.stage);
            QCOMPARE(hit->kind, segment.kind);
            QCOMPARE(g.stageAt(segment.rect.center()), segment.stage);
        }
        QVERIFY(g.segmentAt({0, 0}) == nullptr);
        QCOMPARE(g.stageAt({0, 0}), -1);
    }

    void theLegendReadsAsTheBarsStack()
    {
        const MemoryGeometry g = MemoryChart(sampleReport(4)).geometry({0, 0, 700, 320}, fixedMetrics());
        for (std::size_t i = 1; i < g.legend.size(); ++i) {
            QVERIFY(g.legend[i].category < g.legend[i - 1].category);
            QVERIFY(g.legend[i].label.rect.top() >= g.legend[i - 1].label.rect.bottom() - 1e-6);
        }
    }

    void anEmptyReportDrawsNothing()
    {
        QVERIFY(MemoryChart(Report{}).geometry({0, 0, 300, 200}, fixedMetrics()).segments.empty());
        QVERIFY(StepTimeChart(Report{}).geometry({0, 0, 300, 200}, fixedMetrics()).parts.empty());
        QVERIFY(!MemoryChart(Report{}).description().isEmpty());
        QVERIFY(!StepTimeChart(Report{}).description().isEmpty());
    }

    void memoryTablesHoldEveryByte()
    {
        const Report report = sampleReport(3);
        const ChartTable table = MemoryChart(report).table();
        QCOMPARE(table.rows.size(), report.stages.size());
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            QCOMPARE(table.rows[i].size(), table.header.size());
            double sum = 0;
            for (std::size_t kind = 0; kind < Names<MemoryKind>::table.size(); ++kind) {
                sum += table.rows[i][static_cast<int>(kind) + 1].toDouble();
            }
            QCOMPARE(sum, report.stages[i].memory.total());
        }
    }

    void partsOfTheStepFillTheBar_data() { sizes(); }
    void partsOfTheStepFillTheBar()
    {
        QFETCH(QRectF, area);
        const Report report = sampleReport(1);
        const StepTimeGeometry g = StepTimeChart(report).geometry(area, fixedMetrics());
        QCOMPARE(g.parts.size(), 7U); // those that take time
        double right = g.bar.left();
        for (const auto& part : g.parts) {
            QVERIFY(std::abs(part.rect.left() - right) < 1e-6);
            QVERIFY(std::abs(part.rect.width() / g.bar.width() - part.seconds / report.stepTime) < 1e-9);
            right = part.rect.right();
            QVERIFY(inside(part.rect, area));
            QVERIFY(inside(part.name.rect, area) && inside(part.time.rect, area) && inside(part.share.rect, area));
            QCOMPARE(g.partAt(part.rect.center())->kind, part.kind);
            QCOMPARE(g.partAt(part.name.rect.center())->kind, part.kind);
        }
        QVERIFY(std::abs(right - g.bar.right()) < 1e-6);
    }

    void theFiguresShownAddUp()
    {
        const StepTimeGeometry g = StepTimeChart(sampleReport(1)).geometry({0, 0, 600, 320}, fixedMetrics());
        const auto number = [](const Label& label) {
            return std::llround(label.text.section(QChar(0x00A0), 0, 0).toDouble() * 100);
        };
        long long times = 0;
        long long shares = 0;
        for (const auto& part : g.parts) {
            times += number(part.time);
            shares += number(part.share);
        }
        QCOMPARE(times, number(g.total[1]));
        QCOMPARE(shares, 10000LL);
        QCOMPARE(number(g.total[2]), 10000LL);
    }

private:
    static void sizes()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<QRectF>("area");
        for (const int stages : {1, 2, 4, 8, 16, 64, 128}) {
            QTest::addRow("%d stages, card", stages) << stages << QRectF(0, 0, 620, 300);
            QTest::addRow("%d stages, column of a paper", stages) << stages << QRectF(12, 40, 297, 260);
            QTest::addRow("%d stages, slide", stages) << stages << QRectF(5, 5, 1600, 800);
        }
    }
};

QTEST_GUILESS_MAIN(TestBarCharts)
#include "tst_bar_charts.moc"
