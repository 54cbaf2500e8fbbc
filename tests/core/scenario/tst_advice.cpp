// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/samples.h"
#include "core/scenario/stack_offer.h"

#include <QtTest>

#include <algorithm>
#include <functional>

using namespace partita;
using namespace partita::samples;

using Change = std::function<void(Scenario&)>;
Q_DECLARE_METATYPE(Change)

class TestAdvice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// What a stack cannot run is still costed: it is said, not refused.
    void whatTheStackDoesNotOfferIsSaid()
    {
        Scenario scenario = legal();
        scenario.layout.tp = 4;
        scenario.layout.dp = 2;
        scenario.stack.name = "Some stack";
        QVERIFY(beyondOffer(scenario).empty());
        scenario.stack.offer.dimensions = {Axis::Dp, Axis::Pp};
        scenario.stack.offer.schedules = {ScheduleKind::GPipe};
        scenario.stack.offer.zeroStages = {0, 3};
        scenario.stack.offer.recompute = {Recompute::Full};
        scenario.stack.offer.sequenceParallel = false;
        const std::vector<std::string> all = beyondOffer(scenario);
        QCOMPARE(all.size(), std::size_t{5});
        QCOMPARE(all[0], std::string("Some stack does not offer tensor parallelism: it splits by data, pipeline."));
        QCOMPARE(all[1], std::string("Some stack does not offer 1F1B: it has GPipe."));
        QCOMPARE(all[2], std::string("Some stack does not offer ZeRO 1: it has ZeRO 0, 3."));
        QVERIFY(checkLayout(scenario).empty());
        const std::vector<std::string> said = adviseLayout(scenario);
        QVERIFY(std::search(said.begin(), said.end(), all.begin(), all.end()) != said.end());
        scenario.layout.zeroStage = 3;
        scenario.stack.offer.pipelineZeroStage = 0;
        QCOMPARE(beyondOffer(scenario)[2],
                 std::string("Some stack does not offer ZeRO 3 in a pipeline: there it has ZeRO 0."));
    }
    void softwareThatOnlyServesIsSaidToTrainAsOthersDo()
    {
        Scenario scenario = legal();
        scenario.stack.name = "Some server";
        QVERIFY(!servesOnly(scenario.stack)); // nothing is known of it
        scenario.stack.engine.hostPerStep = 0.9e-3;
        scenario.stack.frameworkBytes = 1e9;
        QVERIFY(servesOnly(scenario.stack));
        QVERIFY(beyondOffer(scenario).empty());
        QCOMPARE(adviseLayout(scenario).front(), servesOnlyText(scenario.stack));
        QVERIFY(servesOnlyText(scenario.stack).rfind("Some server serves and does not train", 0) == 0);
        scenario.stack.efficiency = 0.9; // of training
        QVERIFY(!servesOnly(scenario.stack));
        QVERIFY(servesOnlyText(scenario.stack).empty());
    }

    void saysNothingAboutASoundLayout() { QCOMPARE(adviseLayout(legal()).size(), std::size_t{0}); }

    void saysNothingAboutAnIllegalLayout()
    {
        Scenario scenario = legal();
        scenario.layout.tp = 3;
        QVERIFY(adviseLayout(scenario).empty());
    }

    void warnsInOneSentenceWithNumbers_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("advice");
        const auto row = [](const char* name, const char* advice, Change change) {
            QTest::newRow(name) << change << QString::fromUtf8(advice);
        };
        row("TP beyond the node", "TP 16 leaves the domain of 8 devices (NVLink 4): its all-reduce is ",
            [](Scenario& s) {
                s.layout.tp = 16;
                s.layout.pp = 4;
            });
        row("rank order", "Rank order dp-tp-cp-ep-pp moves TP groups across a node boundary, though TP 8 fits",
            [](Scenario& s) {
                s.layout.pp = 1;
                s.layout.dp = 8;
                s.layout.rankOrder = {Axis::Dp, Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp};
            });
        row("few micro-batches", "8 micro-batches for 8 pipeline stages: a small bubble needs m ≥ 4p = 32.",
            [](Scenario& s) { s.layout.globalBatch = 8; });
        row("copied KV heads", "TP 16 is more than 8 KV heads: keys and values are stored 2 times.", [](Scenario& s) {
            s.layout.tp = 16;
            s.layout.pp = 4;
        });
        row("uneven layers", "80 layers over 24 model chunks are uneven: some hold 3, some 4",
            [](Scenario& s) { s.layout.vpp = 3; });
        row("EP across nodes", "EP 16 leaves the domain of 8 devices (NVLink 4): its all-to-all is ", [](Scenario& s) {
            s.model = moe();
            s.layout.tp = 1;
            s.layout.pp = 1;
            s.layout.dp = 64;
            s.layout.ep = 16;
        });
        row("one expert a device", "EP 64 leaves one expert a device", [](Scenario& s) {
            s.model = moe();
            s.layout.tp = 1;
            s.layout.pp = 1;
            s.layout.dp = 64;
            s.layout.ep = 64;
        });
        row("long sequences", "Sequences of 16384 tokens are longer than the 8192 positions",
            [](Scenario& s) { s.workload.sequenceLength = 16384; });
        row("no sequence parallelism", "Without sequence parallelism",
            [](Scenario& s) { s.layout.sequenceParallel = false; });
        row("ZeRO 3 in a pipeline", "ZeRO 3 in a pipeline gathers the weights again for each of 64 micro-batches.",
            [](Scenario& s) { s.layout.zeroStage = 3; });
    }
    void warnsInOneSentenceWithNumbers()
    {
        QFETCH(Change, change);
        QFETCH(QString, advice);
        Scenario scenario = legal();
        change(scenario);
        QVERIFY(checkLayout(scenario).empty());
        QStringList all;
        for (const std::string& sentence : adviseLayout(scenario)) {
            all.append(QString::fromStdString(sentence));
        }
        QVERIFY2(std::any_of(all.begin(), all.end(), [&](const QString& s) { return s.startsWith(advice); }),
                 qPrintable(all.join(u'\n')));
    }

    void theTensorSlowdownIsTheBandwidthRatioOnIdealWires()
    {
        // One rank a node against one node: 450 / 50 GB/s.
        Scenario scenario = legal();
        scenario.layout.pp = 1;
        scenario.layout.dp = 8;
        scenario.layout.rankOrder = {Axis::Dp, Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp};
        QVERIFY(QString::fromStdString(adviseLayout(scenario).front()).contains(QStringLiteral("9.0×")));
    }
};

QTEST_GUILESS_MAIN(TestAdvice)
#include "tst_advice.moc"
