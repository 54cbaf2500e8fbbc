// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/samples.h"

#include <QtTest>

#include <limits>
#include <random>

using namespace partita;
using namespace partita::samples;

namespace {

constexpr std::array fields{LayoutField::Tp,  LayoutField::Cp,         LayoutField::Pp,
                            LayoutField::Vpp, LayoutField::Dp,         LayoutField::Ep,
                            LayoutField::Etp, LayoutField::MicroBatch, LayoutField::GlobalBatch};

const char* pathOf(LayoutField field)
{
    switch (field) {
    case LayoutField::Tp:
        return "layout.tp";
    case LayoutField::Cp:
        return "layout.cp";
    case LayoutField::Pp:
        return "layout.pp";
    case LayoutField::Vpp:
        return "layout.vpp";
    case LayoutField::Dp:
        return "layout.dp";
    case LayoutField::Ep:
        return "layout.ep";
    case LayoutField::Etp:
        return "layout.etp";
    case LayoutField::MicroBatch:
        return "layout.micro_batch";
    case LayoutField::GlobalBatch:
        return "layout.global_batch";
    }
    return "";
}

std::int64_t valueOf(const Layout& layout, LayoutField field)
{
    switch (field) {
    case LayoutField::Tp:
        return layout.tp;
    case LayoutField::Cp:
        return layout.cp;
    case LayoutField::Pp:
        return layout.pp;
    case LayoutField::Vpp:
        return layout.vpp;
    case LayoutField::Dp:
        return layout.dp;
    case LayoutField::Ep:
        return layout.ep;
    case LayoutField::Etp:
        return layout.etp;
    case LayoutField::MicroBatch:
        return layout.microBatch;
    case LayoutField::GlobalBatch:
        return layout.globalBatch;
    }
    return 0;
}

/// A scenario somewhere in the middle of a drag: possibly with illegal degrees.
Scenario randomScenario(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
    };
    Scenario s;
    s.model = random() % 2 == 0 ? llama70b() : moe();
    s.model.layers.assign(static_cast<std::size_t>(pick({24, 61, 80, 126})), 0);
    s.cluster = nodesOfEight(pick({1, 3, 8, 16, 54, 128}));
    s.layout.tp = pick({1, 2, 3, 4, 8, 16});
    s.layout.cp = pick({1, 1, 2, 3, 4});
    s.layout.pp = pick({1, 2, 4, 5, 8, 16});
    s.layout.vpp = pick({1, 2, 4});
    s.layout.dp = pick({1, 2, 8, 27});
    s.layout.ep = pick({1, 2, 8, 64});
    s.layout.etp = pick({1, 2, 4});
    s.layout.microBatch = pick({1, 2, 3});
    s.layout.globalBatch = pick({1, 60, 512, 2048});
    s.layout.shardGroup = pick({0, 0, 8});
    s.layout.sequenceParallel = random() % 2 == 0;
    s.workload.sequenceLength = pick({4096, 6000, 131072});
    s.stack.contextExchange = pick({0, 1}) == 0 ? ContextExchange::Ring : ContextExchange::AllToAll;
    return s;
}

QString text(const Scenario& s, LayoutField field, std::int64_t value)
{
    QString all = QStringLiteral("%1 = %2 ->").arg(QString::fromUtf8(pathOf(field))).arg(value);
    for (const Problem& problem : checkLayout(s)) {
        all += QString::fromStdString(describe(problem)) + QStringLiteral("; ");
    }
    return all;
}

} // namespace

class TestLayoutMoves : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStopGivesALegalBalancedLayout()
    {
        std::mt19937 random(7);
        for (int trial = 0; trial < 400; ++trial) {
            const Scenario scenario = randomScenario(random);
            for (const LayoutField field : fields) {
                const std::vector<std::int64_t> stops = legalStops(scenario, field);
                QVERIFY(!stops.empty());
                QVERIFY(std::is_sorted(stops.begin(), stops.end()));
                QVERIFY(std::adjacent_find(stops.begin(), stops.end()) == stops.end());
                for (const std::int64_t stop : stops) {
                    Scenario moved = scenario;
                    moved.layout = withField(scenario, field, stop);
                    QCOMPARE(valueOf(moved.layout, field), stop);
                    const Problems problems = checkLayout(moved);
                    QVERIFY2(find(problems, pathOf(field)) == nullptr, qPrintable(text(moved, field, stop)));
                    QCOMPARE(moved.layout.devices(), scenario.cluster.devices());
                    QVERIFY2(find(problems, "layout.global_batch") == nullptr, qPrintable(text(moved, field, stop)));
                }
            }
        }
    }

    void fromALegalLayoutEveryStopIsLegalInEveryField()
    {
        std::mt19937 random(11);
        int seen = 0;
        for (int trial = 0; trial < 400; ++trial) {
            Scenario scenario = randomScenario(random);
            scenario.layout = withField(scenario, LayoutField::Tp, 2);
            if (!checkLayout(scenario).empty()) {
                continue;
            }
            ++seen;
            for (const LayoutField field : fields) {
                for (const std::int64_t stop : legalStops(scenario, field)) {
                    Scenario moved = scenario;
                    moved.layout = withField(scenario, field, stop);
                    QVERIFY2(checkLayout(moved).empty(), qPrintable(text(moved, field, stop)));
                }
            }
        }
        QVERIFY(seen > 50);
    }

    void aLegalValueIsAmongItsOwnStops()
    {
        const Scenario scenario = legal();
        for (const LayoutField field : fields) {
            const std::vector<std::int64_t> stops = legalStops(scenario, field);
            QVERIFY2(std::count(stops.begin(), stops.end(), valueOf(scenario.layout, field)) == 1, pathOf(field));
            QVERIFY(withField(scenario, field, valueOf(scenario.layout, field)) == scenario.layout);
        }
    }

    void movesOnlyWhatItMust()
    {
        const Layout layout = withField(legal(), LayoutField::Tp, 4);
        Layout expected = legal().layout;
        expected.tp = 4;
        expected.dp = 2;
        QVERIFY(layout == expected);
    }

    void replicasTakeStagesFirst()
    {
        const Layout layout = withField(legal(), LayoutField::Dp, 4);
        QCOMPARE(layout.tp, 8);
        QCOMPARE(layout.pp, 2);
    }

    void findsABalanceWhenTheOtherDegreesLeaveNone()
    {
        // TP 8 x PP 8 fill 64 devices: CP 2 must take from somewhere, and stages are cheapest.
        const Layout layout = withField(legal(), LayoutField::Cp, 2);
        QCOMPARE(layout.devices(), 64);
        QCOMPARE(layout.tp, 8);
        QCOMPARE(layout.pp, 4);
    }

    void theStopsOfLlama70bOn64Devices()
    {
        QCOMPARE(legalStops(legal(), LayoutField::Tp), (std::vector<std::int64_t>{1, 2, 4, 8}));
        QCOMPARE(legalStops(legal(), LayoutField::Pp), (std::vector<std::int64_t>{1, 2, 4, 8}));
        QCOMPARE(legalStops(legal(), LayoutField::Ep), (std::vector<std::int64_t>{1}));
        QCOMPARE(legalStops(legal(), LayoutField::Vpp), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        QCOMPARE(legalStops(legal(), LayoutField::MicroBatch), (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64}));
        QCOMPARE(legalStops(legal(), LayoutField::Dp), (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64}));
    }

    void anEditedVppNamesTheScheduleRight()
    {
        Scenario scenario = legal();
        scenario.layout = withField(scenario, LayoutField::Vpp, 2);
        QCOMPARE(scenario.layout.schedule, ScheduleKind::Interleaved);
        scenario.layout = withField(scenario, LayoutField::Pp, 1);
        QCOMPARE(scenario.layout.vpp, 1);
        QCOMPARE(scenario.layout.schedule, ScheduleKind::OneFOneB);
        scenario = legal();
        scenario.layout.vpp = 2;
        scenario.layout.schedule = ScheduleKind::ZbV; // whose chunks a single stage cannot have, either
        scenario.layout = withField(scenario, LayoutField::Pp, 1);
        QCOMPARE(scenario.layout.vpp, 1);
        QCOMPARE(scenario.layout.schedule, ScheduleKind::OneFOneB);
    }

    void absurdNumbersComeBackAsLayouts()
    {
        Scenario scenario = legal();
        scenario.layout.tp = scenario.layout.pp = scenario.layout.dp = std::numeric_limits<int>::max();
        scenario.layout.cp = -5;
        scenario.layout.globalBatch = std::numeric_limits<std::int64_t>::max();
        scenario.layout.microBatch = std::numeric_limits<std::int64_t>::max() - 1;
        for (const LayoutField field : fields) {
            for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0},
                                             std::numeric_limits<std::int64_t>::max()}) {
                const Layout layout = withField(scenario, field, value);
                QVERIFY(valueOf(layout, field) >= 1);
            }
            QVERIFY(!legalStops(scenario, field).empty());
        }
        scenario.model = Model{};
        scenario.cluster = Cluster{};
        scenario.cluster.nodes = 0;
        for (const LayoutField field : fields) {
            QVERIFY(!legalStops(scenario, field).empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestLayoutMoves)
#include "tst_layout_moves.moc"
