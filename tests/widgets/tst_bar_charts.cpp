// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "tests/widgets/fixed_metrics.h"
#include "tests/widgets/sample_report.h"
#include "widgets/figures.h"
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
        report.memoryLimit = 50 * gibibyte;
        const MemoryGeometry g = MemoryChart(report).geometry({0, 0, 600, 300}, fixedMetrics());
        std::vector<double> over(4);
        for (const auto& segment : g.segments) {
            over[static_cast<std::size_t>(segment.stage)] += segment.over.height() / g.plot.height() * g.top;
            QVERIFY(segment.over.isEmpty() || segment.over.bottom() <= g.limit.y1() + 1e-6);
        }
        for (std::size_t i = 0; i < over.size(); ++i) {
            const double expected = std::max(0.0, report.stages[i].memory.total() - report.memoryLimit);
            QVERIFY(std::abs(over[i] - expected) < 1e-6 * gibibyte);
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

    void noCardLosesAnEntryOrARow_data()
    {
        QTest::addColumn<int>("stages");
        for (const int stages : {1, 4, 16}) {
            QTest::addRow("%d stages", stages) << stages;
        }
    }
    /// Whatever the size of the card: all categories and all rows are there, inside, none over another.
    void noCardLosesAnEntryOrARow()
    {
        QFETCH(int, stages);
        Report report = sampleReport(stages);
        for (const Name<MemoryKind>& name : Names<MemoryKind>::table) {
            report.stages.front().memory[name.value] += 0.1 * gibibyte;
        }
        for (const Name<TimeKind>& name : Names<TimeKind>::table) {
            report.time[name.value] += 0.01;
        }
        const MemoryChart memory(report);
        const StepTimeChart stepTime(report);
        for (int height = 120; height <= 400; height += 7) {
            for (int width = 300; width <= 900; width += 25) {
                const QRectF area(3, 5, width, height);
                const QByteArray size = QByteArray::number(width) + " x " + QByteArray::number(height);
                const MemoryGeometry m = memory.geometry(area, fixedMetrics());
                QVERIFY2(m.legend.size() == Names<MemoryKind>::table.size(), size);
                std::vector<QRectF> rects{m.plot};
                for (const LegendEntry& entry : m.legend) {
                    QVERIFY2(!entry.label.empty(), size);
                    rects.insert(rects.end(), {entry.swatch, entry.label.rect});
                }
                for (const auto* labels : {&m.limitText, &m.stageNames}) {
                    for (const Label& label : *labels) {
                        rects.push_back(label.rect);
                    }
                }
                QVERIFY2(apart(rects, area), size);

                const StepTimeGeometry s = stepTime.geometry(area, fixedMetrics());
                QVERIFY2(s.parts.size() == Names<TimeKind>::table.size() && s.total.size() >= 2, size);
                rects = {s.bar};
                for (const auto& part : s.parts) {
                    QVERIFY2(!part.name.empty() && !part.time.empty(), size);
                    rects.insert(rects.end(), {part.swatch, part.name.rect, part.time.rect, part.share.rect});
                }
                for (const Label& label : s.total) {
                    QVERIFY2(!label.empty(), size);
                    rects.push_back(label.rect);
                }
                QVERIFY2(apart(rects, area), size);
            }
        }
    }

    void timesAndSharesAreWrittenAsEverywhere()
    {
        const StepTimeGeometry g = StepTimeChart(sampleReport(1)).geometry({0, 0, 600, 320}, fixedMetrics());
        double total = 0;
        for (const auto& part : g.parts) {
            total += part.seconds;
        }
        for (const auto& part : g.parts) {
            QCOMPARE(part.time.text, timeText(part.seconds));
            QCOMPARE(part.share.text, percentText(part.seconds / total));
        }
        QCOMPARE(g.total[1].text, timeText(total));
    }

private:
    /// All inside the area and none over another; rectangles of nothing do not count.
    static bool apart(std::vector<QRectF> rects, const QRectF& area)
    {
        std::erase_if(rects, [](const QRectF& rect) { return rect.isEmpty(); });
        for (std::size_t i = 0; i < rects.size(); ++i) {
            if (!inside(rects[i], area)) {
                qWarning() << "outside:" << rects[i];
                return false;
            }
            for (std::size_t j = 0; j < i; ++j) {
                const QRectF common = rects[i] & rects[j];
                if (common.width() > 1e-6 && common.height() > 1e-6) {
                    qWarning() << rects[i] << "overlaps" << rects[j];
                    return false;
                }
            }
        }
        return true;
    }

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
