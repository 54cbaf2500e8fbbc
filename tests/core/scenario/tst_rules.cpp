// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/samples.h"

#include <QtTest>

#include <functional>
#include <limits>

using namespace partita;
using namespace partita::samples;

using Change = std::function<void(Scenario&)>;
Q_DECLARE_METATYPE(Change)

class TestRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void acceptsLegalLayouts_data()
    {
        QTest::addColumn<Change>("change");
        QTest::newRow("the sample") << Change([](Scenario&) {});
        QTest::newRow("KV heads copied") << Change([](Scenario& s) {
            s.layout.tp = 16;
            s.layout.pp = 4;
        });
        QTest::newRow("uneven stages") << Change([](Scenario& s) {
            s.cluster.nodes = 7;
            s.layout.pp = 7;
        });
        QTest::newRow("given stages") << Change(
            [](Scenario& s) { s.layout.layersPerStage = {9, 10, 10, 10, 10, 10, 11, 10}; });
        QTest::newRow("experts folded over tensor ranks") << Change([](Scenario& s) {
            s.model = moe();
            s.layout.ep = 4;
            s.layout.etp = 2;
        });
        QTest::newRow("a sequence beyond the trained positions")
            << Change([](Scenario& s) { s.workload.sequenceLength = 131072; });
    }
    void acceptsLegalLayouts()
    {
        QFETCH(Change, change);
        Scenario scenario = legal();
        change(scenario);
        const Problems problems = checkLayout(scenario);
        QVERIFY2(problems.empty(), problems.empty() ? "" : describe(problems.front()).c_str());
    }

    void namesFieldAndNearestLegalValue_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("suggestion");
        const auto row = [](const char* name, const char* field, const char* suggestion, Change change) {
            QTest::newRow(name) << change << QString::fromUtf8(field) << QString::fromUtf8(suggestion);
        };
        row("tp 3", "layout.tp", "try 2 or 4", [](Scenario& s) { s.layout.tp = 3; });
        row("tp 128 on 64 heads", "layout.tp", "try 64", [](Scenario& s) { s.layout.tp = 128; });
        row("12 KV heads can be neither split nor copied over 8", "layout.tp", "try 6 or 12", [](Scenario& s) {
            std::get<Attention>(s.model.kinds[0].mixer).heads = 96;
            std::get<Attention>(s.model.kinds[0].mixer).kvHeads = 12;
            std::get<DenseFfn>(s.model.kinds[0].feedForward).width = 96 * 256;
        });
        row("dp", "layout.dp", "try 1", [](Scenario& s) { s.layout.dp = 2; });
        row("more devices than can be counted", "cluster.nodes", "try 2097152", [](Scenario& s) {
            s.cluster.devicesPerNode = 8;
            s.cluster.nodes = mostDevices;
        });
        row("pp does not divide", "layout.dp", "try 4 or 8 for pp", [](Scenario& s) { s.layout.pp = 5; });
        row("zero", "layout.cp", "try 1", [](Scenario& s) { s.layout.cp = 0; });
        row("more stages than layers", "layout.pp", "try 80", [](Scenario& s) { s.layout.pp = 81; });
        row("more chunks than layers", "layout.vpp", "try 10", [](Scenario& s) { s.layout.vpp = 11; });
        row("chunks of a single stage", "layout.vpp", "try 1, or pp 2", [](Scenario& s) {
            s.layout.pp = 1;
            s.layout.vpp = 2;
        });
        row("wrong sum", "layout.layers_per_stage", "change the numbers, or give none for an even split",
            [](Scenario& s) { s.layout.layersPerStage.assign(8, 9); });
        row("wrong count", "layout.layers_per_stage", "give 8 numbers, or none for an even split", [](Scenario& s) {
            s.layout.layersPerStage = {40, 40};
        });
        row("ep of a dense model", "layout.ep", "try 1", [](Scenario& s) { s.layout.ep = 2; });
        row("ep 3 of 64 experts", "layout.ep", "try 2 or 4", [](Scenario& s) {
            s.model = moe();
            s.layout.ep = 3;
        });
        row("ep beyond the ranks of a stage", "layout.ep", "try 8", [](Scenario& s) {
            s.model = moe();
            s.layout.ep = 16;
        });
        row("cp without room for zig-zag", "layout.cp", "try 2", [](Scenario& s) {
            s.workload.sequenceLength = 4;
            s.layout.cp = 4;
        });
        row("Ulysses beyond the heads", "layout.cp", "try 8", [](Scenario& s) {
            s.stack.contextExchange = ContextExchange::AllToAll;
            s.layout.cp = 16;
        });
        row("sequence parallel", "layout.sequence_parallel", "try false",
            [](Scenario& s) { s.workload.sequenceLength = 4100; });
        row("global batch", "layout.global_batch", "try 63 or 66", [](Scenario& s) { s.layout.microBatch = 3; });
        row("ZeRO 4", "layout.zero_stage", "try 3", [](Scenario& s) { s.layout.zeroStage = 4; });
        row("shard group", "layout.shard_group", "try 1", [](Scenario& s) { s.layout.shardGroup = 3; });
        row("state space groups", "layout.tp", "try 6 or 12", [](Scenario& s) {
            Mamba2 mamba;
            mamba.heads = 96;
            mamba.headDim = 64;
            mamba.groups = 6;
            s.model.kinds = {{mamba, std::monostate{}, 1}};
        });
        row("latent attention", "layout.tp", "try 5 or 10", [](Scenario& s) {
            LatentAttention mla;
            mla.heads = 20;
            s.model.kinds = {{mla, std::monostate{}, 1}};
        });
    }
    void namesFieldAndNearestLegalValue()
    {
        QFETCH(Change, change);
        QFETCH(QString, field);
        QFETCH(QString, suggestion);
        Scenario scenario = legal();
        change(scenario);
        const Problems problems = checkLayout(scenario);
        const Problem* problem = find(problems, field.toStdString());
        QVERIFY(problem != nullptr);
        QCOMPARE(QString::fromStdString(problem->suggestion), suggestion);
        QVERIFY(!problem->message.empty());
    }

    void reportsEveryProblemAtOnce()
    {
        Scenario scenario = legal();
        scenario.layout.tp = 3;
        scenario.layout.vpp = 99;
        scenario.layout.ep = 2;
        scenario.layout.zeroStage = 7;
        scenario.layout.microBatch = 5;
        const Problems problems = checkLayout(scenario);
        for (const char* field :
             {"layout.tp", "layout.dp", "layout.vpp", "layout.ep", "layout.zero_stage", "layout.global_batch"}) {
            QVERIFY2(find(problems, field) != nullptr, field);
        }
    }

    void absurdNumbersAreProblemsNotCrashes()
    {
        Scenario scenario = legal();
        constexpr int most = std::numeric_limits<int>::max();
        constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
        scenario.layout.tp = scenario.layout.cp = scenario.layout.pp = scenario.layout.vpp = most;
        scenario.layout.dp = scenario.layout.ep = scenario.layout.etp = most;
        scenario.layout.microBatch = huge;
        scenario.layout.globalBatch = huge - 1;
        scenario.cluster.nodes = huge;
        scenario.layout.shardGroup = most - 1;
        QVERIFY(checkLayout(scenario).size() >= 5);
        scenario.layout.tp = std::numeric_limits<int>::min();
        QVERIFY(find(checkLayout(scenario), "layout.tp") != nullptr);
        scenario.model = Model{};
        scenario.layout.tp = 1;
        QVERIFY(!checkLayout(scenario).empty());
    }
};

QTEST_GUILESS_MAIN(TestRules)
#include "tst_rules.moc"
