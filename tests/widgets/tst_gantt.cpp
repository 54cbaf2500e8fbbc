// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fixed_metrics.h"
#include "tests/widgets/sample_report.h"
#include "widgets/figures.h"
#include "widgets/gantt_pair.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace partita;
using namespace partita::ui;

namespace {

const QRectF Area(0, 0, 900, 400);

/// A lane of ops and gaps of random lengths.
std::vector<TimelineOp> randomLane(unsigned seed, int count)
{
    std::mt19937 random(seed);
    std::vector<TimelineOp> ops;
    double now = 0;
    for (int i = 0; i < count; ++i) {
        now += random() % 3 == 0 ? static_cast<double>(random() % 1000) * 1e-3 : 0;
        TimelineOp op;
        op.kind = static_cast<OpKind>(random() % OpKinds);
        op.microBatch = i;
        op.start = now;
        now += 0.001 + static_cast<double>(random() % 1000) * (random() % 5 == 0 ? 1e-2 : 1e-4);
        op.end = now;
        ops.push_back(op);
    }
    return ops;
}

GanttChart chartOf(ScheduleKind kind, int stages, int microBatches, int chunks)
{
    return GanttChart(std::make_shared<const Timeline>(sampleTimeline(kind, stages, microBatches, chunks)));
}

} // namespace

class TestGantt : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void foldingLosesNoOp()
    {
        for (unsigned seed = 0; seed < 20; ++seed) {
            const auto ops = randomLane(seed, 500);
            const double end = ops.back().end;
            for (const double pixels : {10.0, 100.0, 1000.0, 100000.0}) {
                const double t0 = seed % 2 == 0 ? 0 : end * 0.3;
                const double t1 = seed % 3 == 0 ? end : end * 0.7;
                const double perPixel = (t1 - t0) / pixels;
                std::size_t next = firstOpAfter(ops, t0);
                for (const LaneRun& run : LaneSums(ops).visibleRuns(ops, t0, t1, 3 * perPixel, 56 * perPixel)) {
                    QCOMPARE(run.first, next); // neither gap nor overlap
                    QVERIFY(run.count >= 1);
                    QCOMPARE(run.start, ops[run.first].start);
                    QCOMPARE(run.end, ops[run.first + run.count - 1].end);
                    next = run.first + run.count;
                }
                QVERIFY(next == ops.size() || ops[next].start >= t1);
            }
        }
    }

    void onlyNarrowOpsFold()
    {
        const auto ops = randomLane(7, 800);
        const double narrow = 0.01;
        for (const LaneRun& run : LaneSums(ops).visibleRuns(ops, 0, ops.back().end, narrow, 20 * narrow)) {
            for (std::size_t i = run.first; run.count > 1 && i < run.first + run.count; ++i) {
                QVERIFY(ops[i].end - ops[i].start < narrow);
                QVERIFY(i == run.first || ops[i].start - ops[i - 1].end < narrow);
            }
        }
    }

    void sumsAgreeWithAddingUp()
    {
        const auto ops = randomLane(3, 1000);
        const LaneSums sums(ops);
        std::mt19937 random(1);
        for (int trial = 0; trial < 300; ++trial) {
            const std::size_t first = random() % ops.size();
            const std::size_t count = random() % (ops.size() - first + 1);
            std::array<double, OpKinds> expected{};
            for (std::size_t i = first; i < first + count; ++i) {
                expected[static_cast<std::size_t>(ops[i].kind)] += ops[i].end - ops[i].start;
            }
            const auto got = sums.busy(ops, first, count);
            for (std::size_t kind = 0; kind < OpKinds; ++kind) {
                QVERIFY(std::abs(got[kind] - expected[kind]) < 1e-9);
            }
        }
    }

    void busyAndIdleShareTheWholeStretch()
    {
        const auto ops = randomLane(5, 200);
        const LaneSums sums(ops);
        const double end = ops.back().end;
        for (const auto& [a, b] : {std::pair{0.0, 1.0}, {0.1, 0.2}, {0.333, 0.3331}, {0.9, 1.2}}) {
            const LaneShare share = sums.share(ops, a * end, b * end);
            QVERIFY(std::abs(share.busyTotal() + share.idle - (b - a) * end) < 1e-9);
            QVERIFY(share.busyTotal() >= -1e-12);
        }
        double busy = 0;
        for (const TimelineOp& op : ops) {
            busy += op.end - op.start;
        }
        QVERIFY(std::abs(sums.share(ops, 0, end).busyTotal() - busy) < 1e-9);
        QCOMPARE(sums.share(ops, 0, end).ops, ops.size());
    }

    void zoomingKeepsTheTimeUnderThePointer()
    {
        const GanttExtent extent{10, 8};
        for (const double factor : {1.25, 2.0, 50.0}) {
            for (const double about : {0.5, 4.0, 9.9}) {
                const GanttView before{0, 10, 0, 8};
                const GanttView after = zoomed(before, factor, about, extent);
                QVERIFY(std::abs((about - before.t0) / before.span() - (about - after.t0) / after.span()) < 1e-9);
                QVERIFY(std::abs(after.span() - 10 / factor) < 1e-9);
            }
        }
    }

    void zoomingInAndOutComesBack()
    {
        const GanttExtent extent{10, 8};
        const GanttView start{2, 6, 0, 8};
        const GanttView back = zoomed(zoomed(start, 3, 3.3, extent), 1.0 / 3, 3.3, extent);
        QVERIFY(std::abs(back.t0 - start.t0) < 1e-9 && std::abs(back.t1 - start.t1) < 1e-9);
    }

    void viewsStayInsideTheData()
    {
        const GanttExtent extent{10, 8};
        const GanttView view{4, 6, 2, 4};
        for (const GanttView& v :
             {panned(view, 100, extent), panned(view, -100, extent), zoomed(view, 1e-9, 5, extent),
              zoomed(view, 1e12, 9.99, extent), scrolled(view, 100, extent), scrolled(view, -100, extent)}) {
            QVERIFY(v.t0 >= 0 && v.t1 <= 10 + 1e-12 && v.span() > 0);
            QVERIFY(v.firstLane >= 0 && v.firstLane + v.lanes <= 8);
        }
        QCOMPARE(panned(view, 100, extent).span(), 2.0);
        QCOMPARE(zoomed(view, 1e-9, 5, extent), (GanttView{0, 10, 2, 4}));
        QCOMPARE(clamped({0, 0, 0, 0}, {0, 0}).lanes, 1); // nothing to show
    }

    void everythingLiesInTheArea_data() { schedules(); }
    void everythingLiesInTheArea()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        QFETCH(int, chunks);
        GanttChart chart = chartOf(kind, stages, 4 * stages, chunks);
        chart.curves = {heldActivations(chart.timeline(), 0)};
        const double makespan = chart.extent().makespan;
        for (const QRectF& area : {Area, QRectF(30, 20, 297, 260), QRectF(0, 0, 1600, 900)}) {
            for (const GanttView& view : {chart.view, GanttView{makespan * 0.4, makespan * 0.41, 0, stages},
                                          GanttView{makespan * 0.9, makespan, stages / 2, 1}}) {
                chart.view = view;
                const GanttGeometry g = chart.geometry(area, fixedMetrics());
                QVERIFY(inside(g.lanes, area) && inside(g.strip, area));
                for (const auto& block : g.blocks) {
                    QVERIFY(inside(block.rect, g.lanes));
                    QVERIFY(block.rect.width() >= 1 - 1e-6);
                    QVERIFY(block.label.empty()
                            || fixedMetrics().width(block.label.text, TextRole::Small) <= block.rect.width());
                }
                for (const QRectF& wait : g.waits) {
                    QVERIFY(inside(wait, g.lanes));
                }
                for (const QPointF& point : g.curves.front()) {
                    QVERIFY(inside(point, g.strip));
                }
                for (const auto* labels : {&g.laneNames, &g.tickLabels}) {
                    for (const Label& label : *labels) {
                        QVERIFY2(inside(label.rect, area), qPrintable(label.text));
                    }
                }
                for (const LegendEntry& entry : g.legend) {
                    QVERIFY2(inside(entry.label.rect, area), qPrintable(entry.label.text));
                }
            }
        }
    }

    void theLegendGivesWayToLanesThatCarryText()
    {
        const GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 16, 1);
        const double text = fixedMetrics().height(TextRole::Small);
        const auto named = [](const GanttGeometry& g) {
            return std::count_if(g.legend.begin(), g.legend.end(),
                                 [](const LegendEntry& entry) { return entry.category != LegendRest; });
        };
        auto entries = named(chart.geometry({0, 0, 200, 320}, fixedMetrics()));
        for (double height = 320; height > 80; height -= 5) {
            const GanttGeometry g = chart.geometry({0, 0, 200, height}, fixedMetrics());
            QVERIFY(!g.legend.empty() && named(g) <= entries);
            QVERIFY2(g.pitch >= std::min(text, height / 12) - 1e-6, qPrintable(QString::number(height)));
            entries = named(g);
        }
        QVERIFY(entries < named(chart.geometry({0, 0, 200, 320}, fixedMetrics())));
    }

    void timeAndPixelsRoundTrip()
    {
        GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 16, 1);
        chart.view = {0.1, 0.3, 0, 4};
        const GanttGeometry g = chart.geometry(Area, fixedMetrics());
        for (const double t : {0.1, 0.123, 0.3}) {
            QVERIFY(std::abs(g.timeAt(g.xOf(t)) - t) < 1e-12);
        }
    }

    void aPointInABlockFindsIt_data() { schedules(); }
    void aPointInABlockFindsIt()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        QFETCH(int, chunks);
        const GanttChart chart = chartOf(kind, stages, 4 * stages, chunks);
        const GanttGeometry g = chart.geometry(Area, fixedMetrics());
        std::size_t ops = 0;
        for (const auto& block : g.blocks) {
            const auto* hit = g.blockAt(block.rect.center());
            QVERIFY(hit != nullptr);
            QCOMPARE(hit->lane, block.lane);
            QVERIFY(hit->run.first <= block.run.first + block.run.count);
            ops += block.run.count;
        }
        std::size_t expected = 0;
        for (const StageTimeline& stage : chart.timeline().stages) {
            expected += stage.ops.size();
        }
        QCOMPARE(ops, expected); // folded or not, every op is in the picture
        QVERIFY(g.blockAt({0, 0}) == nullptr);
    }

    void thePictureDoesNotGrowWithTheOps()
    {
        const auto blocks = [](int microBatches) {
            return chartOf(ScheduleKind::OneFOneB, 8, microBatches, 1).geometry(Area, fixedMetrics()).blocks.size();
        };
        const auto most = static_cast<std::size_t>(8 * (Area.width() / 3 + 1));
        QVERIFY(blocks(1000) < most);
        QVERIFY(blocks(20000) < most);
    }

    void heldActivationsReachTheSimulatedPeak()
    {
        const Timeline timeline = sampleTimeline(ScheduleKind::OneFOneB, 4, 16, 1);
        for (int stage = 0; stage < 4; ++stage) {
            double peak = 0;
            for (const QPointF& point : heldActivations(timeline, stage).points) {
                peak = std::max(peak, point.y());
            }
            QCOMPARE(peak, timeline.stages[static_cast<std::size_t>(stage)].peakActivations);
            QCOMPARE(peak, 4.0 - stage); // 1F1B: p - i micro-batches in flight
        }
        QVERIFY(heldActivations(timeline, 9).points.empty());
    }

    void theCurveKeepsItsPeakHoweverNarrow()
    {
        GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 2000, 1);
        chart.curves = {heldActivations(chart.timeline(), 0)};
        const GanttGeometry g = chart.geometry({0, 0, 250, 300}, fixedMetrics());
        QVERIFY(!g.curves.front().empty() && g.curves.front().size() < 6 * 250);
        const auto top = std::min_element(g.curves.front().begin(), g.curves.front().end(),
                                          [](auto a, auto b) { return a.y() < b.y(); });
        QVERIFY(std::abs(top->y() - g.strip.top() - 1) < 1e-6);
    }

    void whatIsTooNarrowToReadIsCut_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<double>("width");
        QTest::newRow("many micro-batches, page") << 8 << 512 << 618.0;
        QTest::newRow("many micro-batches, column") << 8 << 512 << 297.0;
        QTest::newRow("many stages, page") << 48 << 192 << 618.0;
        QTest::newRow("many stages, column") << 48 << 192 << 297.0;
    }

    /// On paper: how it fills, some of the steady phase, how it drains; each op told from its neighbours.
    void whatIsTooNarrowToReadIsCut()
    {
        QFETCH(int, stages);
        QFETCH(int, microBatches);
        QFETCH(double, width);
        const GanttChart chart = chartOf(ScheduleKind::OneFOneB, stages, microBatches, 1);
        QVERIFY(!chart.geometry({0, 0, width, 600}, fixedMetrics()).isCut()); // where one can zoom nothing is cut
        const std::shared_ptr<const Chart> still = chart.still();
        QVERIFY(still != nullptr && still->still() == nullptr);
        const auto& cut = static_cast<const GanttChart&>(*still);
        const GanttGeometry g = cut.geometry({0, 0, width, 600}, fixedMetrics());
        QCOMPARE(g.stretches.size(), std::size_t{3});
        QCOMPARE(g.stretches.front().t0, 0.0);
        QCOMPARE(g.stretches.back().t1, chart.extent().makespan);
        QCOMPARE(g.stretches.back().right, g.lanes.right());
        for (const GanttGeometry::Block& block : g.blocks) {
            QVERIFY(inside(block.rect, g.lanes));
            QCOMPARE(block.run.count, std::size_t{1}); // nothing is folded
            const bool torn = std::any_of(g.stretches.begin(), g.stretches.end(), [&](const GanttStretch& stretch) {
                return block.rect.left() <= stretch.left || std::abs(block.rect.right() - stretch.right) < 1e-6;
            });
            QVERIFY(torn || block.rect.width() >= 2.9);
        }
        for (std::size_t i = 1; i < g.stretches.size(); ++i) { // one scale, breaks between
            const GanttStretch& one = g.stretches[i];
            QVERIFY(one.left > g.stretches[i - 1].right && one.t0 > g.stretches[i - 1].t1);
            QVERIFY(std::abs(one.span() / (one.right - one.left) - g.secondsPerPixel()) < 1e-9 * g.secondsPerPixel());
        }
        for (const GanttStretch& stretch : g.stretches) { // there and back
            const double time = (stretch.t0 + stretch.t1) / 2;
            QVERIFY(std::abs(g.timeAt(g.xOf(time)) - time) < 1e-9);
        }
        QVERIFY(!g.tickLabels.empty());
        QVERIFY2(g.heading.text.contains(QStringLiteral("cut at the breaks")), qPrintable(g.heading.text));
    }

    void whatCanBeReadIsNotCut()
    {
        const GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 16, 1);
        const std::shared_ptr<const Chart> still = chart.still();
        QVERIFY(!static_cast<const GanttChart&>(*still).geometry({0, 0, 618, 300}, fixedMetrics()).isCut());
        GanttChart zoomed = chartOf(ScheduleKind::OneFOneB, 8, 512, 1);
        zoomed.view.t1 /= 10;
        QVERIFY(zoomed.still() == nullptr); // somebody chose what to show
    }

    void curvesOfSeveralStagesShareOneScale()
    {
        GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 16, 1);
        for (int stage = 0; stage < 4; ++stage) {
            chart.curves.push_back(heldActivations(chart.timeline(), stage));
        }
        const GanttGeometry g = chart.geometry(Area, fixedMetrics());
        QCOMPARE(g.curves.size(), std::size_t{4});
        QVERIFY(!g.stripKey.empty());
        const double height = g.strip.height() - 2;
        for (int stage = 0; stage < 4; ++stage) {
            double top = g.strip.bottom();
            for (const QPointF& point : g.curves[static_cast<std::size_t>(stage)]) {
                top = std::min(top, point.y());
            }
            QVERIFY(std::abs((g.strip.bottom() - 1 - top) / height - (4 - stage) / 4.0) < 1e-9); // p - i of p
        }
    }

    void opsOfTheWholeStepFollowThePipeline()
    {
        Timeline timeline = sampleTimeline(ScheduleKind::OneFOneB, 4, 8, 1);
        addStepOps(timeline);
        GanttChart chart(std::make_shared<const Timeline>(timeline));
        QCOMPARE(chart.extent().makespan, timeline.end());
        const GanttGeometry g = chart.geometry(Area, fixedMetrics());
        std::array<std::size_t, 4> seen{};
        for (const GanttGeometry::Block& block : g.blocks) {
            seen[static_cast<std::size_t>(block.lane)] += block.run.count;
            QVERIFY(g.lanes.contains(block.rect));
        }
        for (const std::size_t count : seen) {
            QCOMPARE(count, std::size_t{8 + 8 + 3});
        }
        const OpRef update{1, 17};
        QVERIFY(chart.opText(update).contains(QStringLiteral("optimizer step on stage 1")));
        QVERIFY(chart.opText(update).contains(QStringLiteral("waits for gradient reduce-scatter on stage 0")));
        QCOMPARE(chart.bubbleUntil(timeline.end()), timeline.bubbleFraction()); // of the pipeline alone
        QCOMPARE(chart.table().rows.size(), std::size_t{4 * 19});
    }

    void exposedExchangeIsAsLongAsItLasts()
    {
        Timeline timeline = sampleTimeline(ScheduleKind::OneFOneB, 4, 8, 1);
        addStepOps(timeline);
        const GanttChart chart(std::make_shared<const Timeline>(timeline));
        const GanttGeometry g = chart.geometry(Area, fixedMetrics());
        const double perSecond = g.lanes.width() / g.view.span();
        std::size_t tensor = 0;
        for (const GanttGeometry::Exchange& exchange : g.exchanges) {
            const double seconds = exchange.group == ExchangeGroup::Tensor ? 0.002 : 0.003;
            QVERIFY(std::abs(exchange.rect.width() - seconds * perSecond) < 1e-6);
            tensor += exchange.group == ExchangeGroup::Tensor ? 1 : 0;
        }
        QCOMPARE(tensor, std::size_t{4 * 8}); // forwards
        QCOMPARE(g.exchanges.size(), std::size_t{2 * 4 * 8});
        QVERIFY(chart.opText({0, 0}).contains(QStringLiteral("of which exposed exchange: TP 2")));
    }

    void aBubbleSaysWhatItWaitsFor()
    {
        const GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 8, 1);
        const QString text = chart.opText({2, 0});
        QVERIFY2(text.contains(QStringLiteral("waits for F0 on stage 1")), qPrintable(text));
        QVERIFY(!chart.opText({0, 0}).contains(QStringLiteral("bubble")));
    }

    void everyBubbleExplainsItself_data() { schedules(); }
    void everyBubbleExplainsItself()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        QFETCH(int, chunks);
        const GanttChart chart = chartOf(kind, stages, 4 * stages, chunks);
        for (int lane = 0; lane < stages; ++lane) {
            double before = 0;
            for (const TimelineOp& op : chart.timeline().stages[static_cast<std::size_t>(lane)].ops) {
                if (op.start - before > 1e-9) {
                    const QString text = chart.bubbleText(lane, (before + op.start) / 2);
                    QVERIFY2(text.contains(QStringLiteral("idle ")) && text.contains(QStringLiteral("waits")),
                             qPrintable(text));
                }
                before = op.end;
            }
            if (chart.timeline().makespan - before > 1e-9) {
                QVERIFY(chart.bubbleText(lane, before).contains(QStringLiteral("its work is done")));
            }
        }
    }

    void aBubbleNamesItsLengthItsCauseAndTheWire()
    {
        const GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 8, 1); // F 10 ms, B 20 ms, 0.8 ms on the wire
        QCOMPARE(chart.bubbleText(2, 0.001),
                 QStringLiteral("stage 2: idle %1: waits for F0 on stage 1, of which %2 on the wire")
                     .arg(timeText(0.0216), timeText(0.0008)));
    }

    void rangesCountOpsByKind()
    {
        const GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 8, 1);
        const QString text = chart.rangeText(0, chart.extent().makespan);
        QVERIFY2(text.contains(QStringLiteral("64 operations: F 32, B 32")), qPrintable(text));
        const double idle = chart.timeline().bubbleFraction();
        QVERIFY2(text.contains(QStringLiteral("idle %1").arg(percentText(idle))), qPrintable(text));
        const auto ops = randomLane(9, 700);
        const LaneSums sums(ops);
        for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 700}, {31, 2}, {5, 90}, {64, 32}}) {
            const auto counts = sums.counts(ops, first, count);
            QCOMPARE(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), count);
        }
    }

    void theCriticalPathIsAsLongAsTheStep()
    {
        GanttChart chart = chartOf(ScheduleKind::ZbH1, 4, 12, 1);
        QVERIFY(chart.criticalPath().empty());
        chart.showCriticalPath(true);
        const auto& stages = chart.timeline().stages;
        const OpRef last = chart.criticalPath().back();
        QCOMPARE(stages[static_cast<std::size_t>(last.stage)].ops[static_cast<std::size_t>(last.index)].end,
                 chart.timeline().makespan);
        chart.showCriticalPath(false);
        QVERIFY(chart.criticalPath().empty());
    }

    void countersEndWhereTheReportBegins_data() { schedules(); }
    void countersEndWhereTheReportBegins()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        QFETCH(int, chunks);
        GanttChart chart = chartOf(kind, stages, 4 * stages, chunks);
        const Timeline& timeline = chart.timeline();
        chart.setPlayhead(1e9); // clamped
        QCOMPARE(*chart.playhead(), timeline.makespan);
        QVERIFY(std::abs(chart.bubbleUntil(timeline.makespan) - timeline.bubbleFraction()) < 1e-9);
        for (int lane = 0; lane < stages; ++lane) {
            QVERIFY(std::abs(chart.heldAt(lane, timeline.makespan)) < 1e-9); // every activation is free again
        }
    }

    void stepsVisitEveryEndOnce()
    {
        const GanttChart chart = chartOf(ScheduleKind::OneFOneB, 4, 8, 1);
        std::vector<double> ends;
        for (const StageTimeline& stage : chart.timeline().stages) {
            for (const TimelineOp& op : stage.ops) {
                ends.push_back(op.end);
            }
        }
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end(), [](double a, double b) { return b - a < 1e-9; }), ends.end());
        double now = 0;
        std::size_t steps = 0;
        std::vector<double> visited;
        while (now < chart.timeline().makespan && steps < 1000) {
            now = chart.nextEnd(now);
            visited.push_back(now);
            ++steps;
        }
        QCOMPARE(steps, ends.size());
        for (std::size_t i = visited.size(); i-- > 1;) {
            QVERIFY(std::abs(chart.previousEnd(visited[i]) - visited[i - 1]) < 1e-9);
        }
        QCOMPARE(chart.previousEnd(visited.front()), 0.0);
    }

    void aPairSharesOneAxis()
    {
        const auto upper = std::make_shared<GanttChart>(chartOf(ScheduleKind::OneFOneB, 4, 8, 1));
        const auto lower = std::make_shared<GanttChart>(chartOf(ScheduleKind::OneFOneB, 4, 8, 1));
        const auto split = std::make_shared<GanttChart>(chartOf(ScheduleKind::ZbH1, 4, 8, 1));
        const GanttPair pair(upper, split, QStringLiteral("1F1B"), QStringLiteral("ZB-H1"));
        QVERIFY(split->timeline().makespan < upper->timeline().makespan);
        for (const QRectF& area : {Area, QRectF(10, 20, 420, 300)}) {
            const auto [above, below] = pair.areas(area, fixedMetrics());
            const GanttGeometry a = upper->geometry(above, fixedMetrics());
            const GanttGeometry b = split->geometry(below, fixedMetrics());
            QVERIFY(inside(above, area) && inside(below, area) && above.bottom() <= below.top());
            QVERIFY(inside(a.lanes, above) && inside(b.lanes, below));
            QCOMPARE(a.xOf(0.05), b.xOf(0.05));
            QVERIFY(std::abs(a.pitch - b.pitch) < 1); // lanes of one height
        }
        QVERIFY(split->parts.heading.contains(QStringLiteral("shorter")));
        QVERIFY(pair.description().contains(timeText(upper->timeline().makespan)));
        QVERIFY(pair.description().contains(percentText(split->timeline().bubbleFraction())));
        QCOMPARE(pair.table().rows.size(), std::size_t{2 * 4 * 8 + 3 * 4 * 8});
        QCOMPARE(pair.table().header.size(), pair.table().rows.back().size());
        const GanttPair same(upper, lower, QStringLiteral("1F1B"), QStringLiteral("1F1B"));
        QVERIFY(lower->parts.heading.contains(QStringLiteral("equally long")));
    }

    void headingCountersAndKeyOfAPairKeepApart()
    {
        const auto upper = std::make_shared<GanttChart>(chartOf(ScheduleKind::OneFOneB, 4, 8, 1));
        const auto lower = std::make_shared<GanttChart>(chartOf(ScheduleKind::GPipe, 4, 8, 1));
        const GanttPair pair(upper, lower, QStringLiteral("1F1B"), QStringLiteral("GPipe"));
        for (const auto& chart : {upper, lower}) {
            chart->showCriticalPath(true);
            chart->setPlayhead(0.01);
        }
        bool keyed = false;
        for (double width = 1400; width > 300; width -= 10) {
            const auto [above, below] = pair.areas({0, 0, width, 300}, fixedMetrics());
            const GanttGeometry g = lower->geometry(below, fixedMetrics());
            const double said = fixedMetrics().width(g.heading.text, g.heading.role);
            for (const LegendEntry& entry : g.key) {
                keyed = true;
                QVERIFY(!entry.label.rect.intersects(g.counters.rect));
                QVERIFY(entry.swatch.left() >= g.heading.rect.left() + said);
            }
        }
        QVERIFY(keyed);
    }

    /// On paper: both at the same places, so that what is above something is at its time.
    void aPairIsCutAlike()
    {
        const auto upper = std::make_shared<GanttChart>(chartOf(ScheduleKind::OneFOneB, 8, 512, 1));
        const auto lower = std::make_shared<GanttChart>(chartOf(ScheduleKind::OneFOneB, 16, 512, 1));
        const GanttPair pair(upper, lower, QStringLiteral("A"), QStringLiteral("B"));
        const std::shared_ptr<const Chart> still = pair.still();
        QVERIFY(still != nullptr && still->still() == nullptr);
        const auto& cut = static_cast<const GanttPair&>(*still);
        for (const QRectF& area : {QRectF(0, 0, 618, 600), QRectF(10, 20, 420, 500)}) {
            const auto [above, below] = cut.areas(area, fixedMetrics());
            const GanttGeometry a = cut.upper().geometry(above, fixedMetrics());
            const GanttGeometry b = cut.lower().geometry(below, fixedMetrics());
            QVERIFY(a.isCut() && b.isCut());
            QCOMPARE(a.stretches.size(), b.stretches.size());
            for (std::size_t i = 0; i < a.stretches.size(); ++i) {
                QCOMPARE(a.stretches[i].t0, b.stretches[i].t0);
                QCOMPARE(a.stretches[i].t1, b.stretches[i].t1);
                QCOMPARE(a.stretches[i].left, b.stretches[i].left);
                QCOMPARE(a.stretches[i].right, b.stretches[i].right);
            }
            QCOMPARE(a.stretches.back().t1, std::max(upper->extent().makespan, lower->extent().makespan));
        }
        QVERIFY(!upper->geometry(pair.areas({0, 0, 618, 600}, fixedMetrics()).first, fixedMetrics()).isCut());
        upper->view.t1 /= 10;
        QVERIFY(pair.still() == nullptr); // somebody chose what to show
    }

    void theTableHoldsWhatIsInView()
    {
        GanttChart chart = chartOf(ScheduleKind::OneFOneB, 2, 4, 1);
        QCOMPARE(chart.table().rows.size(), 16U);
        chart.view = {0, 0.005, 0, 1};
        QCOMPARE(chart.table().rows.size(), 1U);
    }

    void noTimelineIsNoTrouble()
    {
        const GanttChart chart;
        QVERIFY(chart.geometry(Area, fixedMetrics()).blocks.empty());
        QVERIFY(!chart.description().isEmpty());
        QVERIFY(chart.table().rows.empty());
    }

private:
    static void schedules()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("chunks");
        QTest::newRow("one stage") << ScheduleKind::OneFOneB << 1 << 1;
        QTest::newRow("1F1B") << ScheduleKind::OneFOneB << 4 << 1;
        QTest::newRow("interleaved") << ScheduleKind::Interleaved << 8 << 2;
        QTest::newRow("split backward") << ScheduleKind::ZbH1 << 4 << 1;
        QTest::newRow("pairs") << ScheduleKind::DualPipe << 8 << 1;
        QTest::newRow("deep") << ScheduleKind::OneFOneB << 64 << 1;
    }
};

QTEST_GUILESS_MAIN(TestGantt)
#include "tst_gantt.moc"
