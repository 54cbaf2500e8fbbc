// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/collective.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace partita;

namespace {

/// Ideal wires: efficiency 1, no latency.
Level ideal(std::int64_t domain, double gigabytesPerSecond)
{
    Level level;
    level.name = "ideal";
    level.domain = domain;
    level.bandwidth = gigabytesPerSecond * 1e9;
    level.efficiency = 1;
    return level;
}

Cluster clusterOf(std::vector<Level> levels, std::int64_t devicesPerNode = 8, std::int64_t nodes = 128)
{
    Cluster cluster;
    cluster.devicesPerNode = devicesPerNode;
    cluster.nodes = nodes;
    cluster.levels = std::move(levels);
    return cluster;
}

/// Constants of the size that real levels have.
Cluster realistic(Fabric fabric = Fabric::Switched)
{
    Level inside = ideal(8, 450);
    inside.efficiency = 0.8;
    inside.latency = 1e-6;
    inside.baseLatency = 5e-6;
    inside.halfSize = 8e6;
    inside.inSwitchReduction = fabric == Fabric::Switched ? 1.1 : 0;
    inside.directLatency = 7e-6;
    inside.fabric = fabric;
    Level leaf = ideal(256, 50);
    leaf.efficiency = 0.9;
    leaf.latency = 5e-6;
    leaf.baseLatency = 15e-6;
    leaf.halfSize = 1e6;
    Level spine = leaf;
    spine.domain = 0;
    spine.bandwidth = 25e9;
    return clusterOf({inside, leaf, spine});
}

bool near(double actual, double expected, double tolerance = 1e-9)
{
    return std::abs(actual - expected) <= tolerance * std::abs(expected);
}

using Collective = double (*)(const Cluster&, const GroupSpan&, double);

} // namespace

Q_DECLARE_METATYPE(Collective)

class TestCollective : public QObject {
    Q_OBJECT

private:
    static void everyCollective()
    {
        QTest::addColumn<Collective>("collective");
        QTest::newRow("all-reduce") << Collective{allReduceTime};
        QTest::newRow("direct all-reduce") << Collective{directAllReduceTime};
        QTest::newRow("all-gather") << Collective{allGatherTime};
        QTest::newRow("reduce-scatter") << Collective{reduceScatterTime};
        QTest::newRow("all-to-all") << Collective{[](const Cluster& cluster, const GroupSpan& group, double bytes) {
            return allToAllTime(cluster, group, bytes);
        }};
    }

private Q_SLOTS:
    void reproducesTheTrainingGuidesTensorAllReduce_data()
    {
        QTest::addColumn<double>("bandwidth");
        QTest::addColumn<double>("milliseconds");
        QTest::newRow("NVLink 450 GB/s") << 450.0 << 0.26;
        QTest::newRow("InfiniBand 50 GB/s") << 50.0 << 2.3;
    }
    void reproducesTheTrainingGuidesTensorAllReduce()
    {
        QFETCH(double, bandwidth);
        QFETCH(double, milliseconds);
        const double bytes = 4096.0 * 8192 * 2;
        const double seconds = allReduceTime(clusterOf({ideal(8, bandwidth)}), {{8}}, bytes);
        QVERIFY(near(seconds, 2.0 * 7 / 8 * bytes / (bandwidth * 1e9)));
        QVERIFY(std::abs(seconds * 1e3 - milliseconds) < 0.05 * milliseconds);
    }

    void oneLevelFollowsTheRingsClosedForm()
    {
        Level level = ideal(8, 100);
        level.latency = 2e-6;
        level.baseLatency = 7e-6;
        const Cluster cluster = clusterOf({level});
        const double bytes = 1e9;
        const double pass = 7.0 / 8 * bytes / 100e9 + 7 * 2e-6;
        QVERIFY(near(allGatherTime(cluster, {{8}}, bytes), 7e-6 + pass));
        QVERIFY(near(reduceScatterTime(cluster, {{8}}, bytes), 7e-6 + pass));
        QVERIFY(near(allReduceTime(cluster, {{8}}, bytes), 7e-6 + 2 * pass));
        QVERIFY(near(allToAllTime(cluster, {{8}}, bytes), 7e-6 + pass));
        QVERIFY(near(pointToPointTime(cluster, 0, bytes), 7e-6 + 2e-6 + bytes / 100e9));
    }

    void aTreeTakesLogarithmicStepsWhenLatencyRules()
    {
        Level level = ideal(0, 100);
        level.latency = 1e-6;
        const Cluster cluster = clusterOf({level}, 1024, 1);
        QVERIFY(near(allReduceTime(cluster, {{1024}}, 8), 2 * 10 * 1e-6, 1e-3));
    }

    void everyRailCarriesItsPartBetweenNodes()
    {
        // Inside a node nothing is in the way: only the outer all-reduce of a 1/8 part is left.
        const Cluster cluster = clusterOf({ideal(8, 1e6), ideal(0, 50)});
        QVERIFY(near(allReduceTime(cluster, {{8, 64}}, 1e9), 2.0 * 7 / 8 * 1e9 / 8 / 50e9, 1e-3));
        // One member a node has one rail.
        QVERIFY(near(allReduceTime(cluster, {{1, 8}}, 1e9), 2.0 * 7 / 8 * 1e9 / 50e9));
    }

    void threeLevelsAreAsFastAsTheSlowest()
    {
        const Cluster cluster = clusterOf({ideal(8, 450), ideal(256, 50), ideal(0, 1)});
        const double spine = 2.0 * 3 / 4 * 1e9 / 256 / 1e9;
        const double leaf = 2.0 * 31 / 32 * 1e9 / 8 / 50e9;
        const double inside = 2.0 * 7 / 8 * 1e9 / 450e9;
        QVERIFY(near(allReduceTime(cluster, {{8, 256, 1024}}, 1e9), std::max({spine, leaf, inside})));
    }

    void unevenMembershipIsHeldUpByTheEmptiestDomain()
    {
        // 12 devices over nodes of 8: the second node has 4 rails.
        const Cluster cluster = clusterOf({ideal(8, 1e6), ideal(0, 50)});
        QVERIFY(near(allGatherTime(cluster, {{8, 12}}, 1e9), 11.0 / 12 * 1e9 / 4 / 50e9));
        QVERIFY(allReduceTime(cluster, {{8, 12}}, 1e9) > allReduceTime(cluster, {{8, 16}}, 1e9));
        // tp 3 over nodes of 8: two here, one there.
        QVERIFY(near(allGatherTime(cluster, {{2, 3}}, 1e9), 2.0 / 3 * 1e9 / 50e9));
    }

    void inSwitchReductionMayExceedTheLinkRate()
    {
        Level level = ideal(8, 450);
        level.efficiency = 0.75;
        level.inSwitchReduction = 1.2;
        const Cluster cluster = clusterOf({level});
        const double bus = 2.0 * 7 / 8 * 1e9 / allReduceTime(cluster, {{8}}, 1e9);
        QVERIFY(bus > 450e9);
        QVERIFY(1e9 * 7 / 8 / allGatherTime(cluster, {{8}}, 1e9) < 450e9);
    }

    void directReadsBeatTheLibraryForSmallMessagesOnly()
    {
        const Cluster cluster = realistic();
        const GroupSpan node{{8, 8, 8}};
        QVERIFY(near(directAllReduceTime(cluster, node, 16e3), 7e-6 + 7 * 16e3 / (0.8 * 450e9)));
        QVERIFY(near(directAllReduceTime(cluster, node, 4e6), 2 * 7e-6 + 2 * 7.0 / 8 * 4e6 / (0.8 * 450e9)));
        QCOMPARE(directAllReduceTime(cluster, {{8, 16, 16}}, 16e3), allReduceTime(cluster, {{8, 16, 16}}, 16e3));
        QCOMPARE(directAllReduceTime(cluster, node, 1e11), allReduceTime(cluster, node, 1e11));
    }

    void allToAllIsTheSlowerOfLocalAndRemoteBytes()
    {
        const double bytes = 64e6;
        const Cluster slowNetwork = clusterOf({ideal(8, 450), ideal(0, 50)});
        QVERIFY(near(allToAllTime(slowNetwork, {{8, 64}}, bytes), 56.0 / 64 * bytes / 50e9));
        QVERIFY(near(allToAllTime(slowNetwork, {{8, 64}}, bytes, 0.5), 28.0 / 64 * bytes / 50e9));
        const Cluster fastNetwork = clusterOf({ideal(8, 1), ideal(0, 1000)});
        QVERIFY(near(allToAllTime(fastNetwork, {{8, 64}}, bytes), 7.0 / 64 * bytes / 1e9));
    }

    void aMeshGivesAPairOneLink()
    {
        Level mesh = ideal(8, 448);
        mesh.fabric = Fabric::Mesh;
        const Cluster cluster = clusterOf({mesh});
        QVERIFY(near(pointToPointTime(cluster, 0, 1e9), 1e9 / 64e9));
        QVERIFY(near(allGatherTime(cluster, {{2}}, 1e9), 0.5 * 1e9 / 64e9));
        QVERIFY(near(allGatherTime(cluster, {{8}}, 1e9), 7.0 / 8 * 1e9 / 448e9));
    }

    void aRingsPartIsAChain()
    {
        Level ring = ideal(16, 90);
        ring.fabric = Fabric::Ring;
        const Cluster cluster = clusterOf({ring}, 16, 1);
        QVERIFY(near(allGatherTime(cluster, {{16}}, 1e9), 15.0 / 16 * 1e9 / 90e9));
        QVERIFY(near(allGatherTime(cluster, {{4}}, 1e9), 3.0 / 4 * 1e9 / 45e9));
        // The middle of a chain of 4 carries 2 * 2 blocks over one link.
        QVERIFY(near(allToAllTime(cluster, {{4}}, 1e9), 4 * (1e9 / 4) / 45e9));
    }

    void aSharedBusGetsSlowerWithEveryPeer()
    {
        Level bus = ideal(8, 32);
        bus.fabric = Fabric::SharedBus;
        const Cluster cluster = clusterOf({bus});
        QVERIFY(allGatherTime(cluster, {{8}}, 1e9) > 4 * allGatherTime(cluster, {{2}}, 1e9));
    }

    void timesGrowWithBytes_data() { everyCollective(); }
    void timesGrowWithBytes()
    {
        QFETCH(Collective, collective);
        for (const Fabric fabric : {Fabric::Switched, Fabric::Mesh, Fabric::Ring, Fabric::SharedBus}) {
            const Cluster cluster = realistic(fabric);
            for (const GroupSpan& span :
                 {GroupSpan{{8, 8, 8}}, GroupSpan{{8, 64, 64}}, GroupSpan{{1, 32, 128}}, GroupSpan{{8, 12, 12}}}) {
                double last = 0;
                for (double bytes = 1; bytes < 1e11; bytes *= 1.5) {
                    const double time = collective(cluster, span, bytes);
                    QVERIFY(time > last);
                    last = time;
                }
            }
        }
    }

    void timesShrinkWithBandwidth_data() { everyCollective(); }
    void timesShrinkWithBandwidth()
    {
        QFETCH(Collective, collective);
        for (std::size_t level = 0; level < 3; ++level) {
            double last = std::numeric_limits<double>::infinity();
            for (double bandwidth = 1e9; bandwidth < 1e13; bandwidth *= 1.3) {
                Cluster cluster = realistic();
                cluster.levels[level].bandwidth = bandwidth;
                const double time = collective(cluster, {{8, 256, 1024}}, 1e8);
                QVERIFY(time <= last);
                last = time;
            }
        }
    }

    void nothingToDoTakesNoTime_data() { everyCollective(); }
    void nothingToDoTakesNoTime()
    {
        QFETCH(Collective, collective);
        QCOMPARE(collective(realistic(), {{1, 1, 1}}, 1e9), 0.0);
        QCOMPARE(collective(realistic(), GroupSpan{}, 1e9), 0.0);
        QCOMPARE(collective(realistic(), {{8, 8, 8}}, 0), 0.0);
        QCOMPARE(collective(clusterOf({}), {{8}}, 1e9), 0.0);
    }

    void aLevelWithoutBandwidthTakesForEver()
    {
        QVERIFY(std::isinf(allReduceTime(clusterOf({ideal(8, 0)}), {{8}}, 1e9)));
        QVERIFY(std::isinf(pointToPointTime(clusterOf({ideal(8, 0)}), 0, 1e9)));
    }

    void aLargeAllReduceTakesAtLeastTwiceItsHalfsWire()
    {
        for (double bytes = 1e6; bytes < 1e10; bytes *= 4) {
            Cluster cluster = realistic();
            cluster.levels[0].inSwitchReduction = 0;
            QVERIFY(allReduceTime(cluster, {{8, 8, 8}}, bytes) >= 2 * 7.0 / 8 * bytes / (0.8 * 450e9));
            QVERIFY(allReduceTime(cluster, {{8, 8, 8}}, bytes) >= allGatherTime(cluster, {{8, 8, 8}}, bytes));
        }
    }

    void smallMessagesRunAtHalfTheRateAndLargeOnesAtFull()
    {
        QVERIFY(near(wireTime(1, 1e9, 1e9), 2e-9, 1e-6));
        QVERIFY(near(wireTime(1e12, 1e6, 1e9), 1e3, 1e-5));
        QVERIFY(near(wireTime(1e6, 1e6, 1e9), 1.5e-3));
    }

    void theOutermostLevelIsTheFirstThatHoldsAll()
    {
        QCOMPARE(GroupSpan({{8, 8, 8}}).outermostLevel(), 0);
        QCOMPARE(GroupSpan({{1, 8, 8}}).outermostLevel(), 1);
        QCOMPARE(GroupSpan({{8, 64, 128}}).outermostLevel(), 2);
        QCOMPARE(GroupSpan{}.outermostLevel(), 0);
        QCOMPARE(packedSpan(realistic(), 12).members, (std::vector<std::int64_t>{8, 12, 12}));
    }
};

QTEST_GUILESS_MAIN(TestCollective)
#include "tst_collective.moc"
