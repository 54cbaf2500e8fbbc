// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/training/evaluate.h"

#include <QtTest>

#include <algorithm>

using namespace partita;

namespace {

struct Tuple {
    int dp = 1;
    int pp = 1;
    int tp = 1;
    int cp = 1;

    bool operator==(const Tuple&) const = default;
};

struct Outcome {
    Tuple split;
    double stepTime = 0; ///< with the least recomputation that fits; 0 = none does
    double mfu = 0;
    Recompute recompute = Recompute::None;
    double gemm = 0; ///< s of products on a device
};

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

Outcome outcomeOf(const char* model, const Tuple& split)
{
    Scenario scenario;
    scenario.model = *catalogue().model(model);
    scenario.cluster = *catalogue().cluster("ascend-910b-8");
    scenario.cluster.accelerator.memoryBytes = 60e9; // usable, as the study says
    scenario.stack = *catalogue().stack("mindspeed");
    scenario.workload.sequenceLength = 4096;
    scenario.layout.dp = split.dp;
    scenario.layout.pp = split.pp;
    scenario.layout.tp = split.tp;
    scenario.layout.cp = split.cp;
    scenario.layout.globalBatch = 1024; // about 4 M tokens
    for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
        scenario.layout.recompute = recompute;
        const Report report = evaluate(scenario);
        if (report.legal() && report.fits) {
            return {split, report.stepTime, report.mfu.causal, recompute, report.time[TimeKind::Gemm]};
        }
    }
    return {split};
}

/// Every split of the eight devices that fits, fastest first.
std::vector<Outcome> ranking(const char* model)
{
    std::vector<Outcome> all;
    for (int dp = 1; dp <= 8; dp *= 2) {
        for (int pp = 1; dp * pp <= 8; pp *= 2) {
            for (int tp = 1; dp * pp * tp <= 8; tp *= 2) {
                const Outcome outcome = outcomeOf(model, {dp, pp, tp, 8 / (dp * pp * tp)});
                if (outcome.stepTime > 0) {
                    all.push_back(outcome);
                }
            }
        }
    }
    std::sort(all.begin(), all.end(), [](const Outcome& a, const Outcome& b) { return a.stepTime < b.stepTime; });
    return all;
}

} // namespace

/// arXiv:2602.09109: eight Ascend 910B on one host, sequence 4096, micro-batch 1; tuples are (DP, PP, TP, CP).
class TestAscendStudy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallModelsWantDataParallelismAlone_data()
    {
        QTest::addColumn<QString>("model");
        QTest::newRow("LLaMA 1B") << QStringLiteral("llama-1b-study");
        QTest::newRow("Mamba 1B") << QStringLiteral("mamba-1b");
    }

    void smallModelsWantDataParallelismAlone()
    {
        QFETCH(QString, model);
        const std::vector<Outcome> ranks = ranking(qPrintable(model));
        QVERIFY(ranks.front().split == (Tuple{8, 1, 1, 1}));
        QCOMPARE(ranks.front().recompute, Recompute::None);
    }

    /// The worst splits pair tensor with context parallelism; the same work takes longer in smaller products, and the
    /// exchange comes on top.
    void heavySplitsLose()
    {
        const std::vector<Outcome> ranks = ranking("llama-1b-study");
        const Outcome& worst = ranks.back();
        QVERIFY(worst.split.tp > 1 && worst.split.cp > 1);
        QVERIFY(worst.stepTime > 2 * ranks.front().stepTime);
        QVERIFY(worst.gemm > ranks.front().gemm);
    }

    void onePipelineCutBuysBackRecomputation()
    {
        const std::vector<Outcome> ranks = ranking("llama-7b");
        QVERIFY(ranks.front().split == (Tuple{4, 2, 1, 1}));
        QCOMPARE(ranks.front().recompute, Recompute::None);
        QVERIFY(std::abs(ranks.front().mfu - 0.637) < 0.05); // published: 63.7 %, 101.8 s
        QVERIFY(std::abs(ranks.front().stepTime - 101.8) < 8);
        const Outcome pure = outcomeOf("llama-7b", {8, 1, 1, 1});
        QCOMPARE(pure.recompute, Recompute::Full);
    }

    /// A vector-bound scan keeps Mamba's ceiling at about a third of LLaMA's.
    void mambaIsBoundByItsScan()
    {
        const double mamba = ranking("mamba-1b").front().mfu;
        QVERIFY(std::abs(mamba - 0.204) < 0.03);
        QVERIFY(mamba < 0.5 * ranking("llama-1b-study").front().mfu);
    }

    /// Pure data parallelism does not fit; of the splits that keep the most of it, two tensor ranks lose least: a
    /// pipeline's first stage holds as many activations as no pipeline. That they lose least of all splits, as the
    /// study has it, does not come out: README's limits.
    void mambaSevenBillionNeedsTensorParallelism()
    {
        QCOMPARE(outcomeOf("mamba-7b", {8, 1, 1, 1}).stepTime, 0.0);
        const Outcome tensor = outcomeOf("mamba-7b", {4, 1, 2, 1});
        QCOMPARE(tensor.recompute, Recompute::None);
        for (const Tuple& other : {Tuple{4, 2, 1, 1}, Tuple{4, 1, 1, 2}}) {
            const Outcome outcome = outcomeOf("mamba-7b", other);
            QVERIFY(outcome.stepTime == 0 || outcome.stepTime > tensor.stepTime);
        }
    }
};

QTEST_APPLESS_MAIN(TestAscendStudy)
#include "tst_ascend_study.moc"
