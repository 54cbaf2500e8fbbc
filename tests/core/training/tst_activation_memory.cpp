// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/layer_ops.h"

#include <QtTest>

using namespace partita;

namespace {

constexpr double hidden = 6144;
constexpr double heads = 64;
constexpr double sequence = 2048;
constexpr double batch = 4;

/// A GPT layer: learned positions, biases, two-matrix feed-forward of 4h.
Model gpt()
{
    Model model;
    model.hidden = static_cast<std::int64_t>(hidden);
    model.vocabulary = 51200;
    model.learnedPositions = 2048;
    model.norm = NormKind::Layer;
    Attention attention;
    attention.heads = attention.kvHeads = static_cast<int>(heads);
    attention.headDim = static_cast<int>(hidden / heads);
    DenseFfn ffn;
    ffn.width = 4 * model.hidden;
    ffn.gated = false;
    model.kinds = {{attention, ffn, 2}};
    model.layers = {0};
    return model;
}

/// As in the paper: 16 bit, dropout, a softmax that is a kernel of its own.
OpStyle paperStyle()
{
    OpStyle style;
    style.attention = AttentionKernel::FusedSoftmax;
    style.dropout = true;
    return style;
}

struct Saved {
    double total = 0;
    double core = 0;
};

/// In units of s b h.
Saved savedPerLayer(int tp, bool sequenceParallel, const OpStyle& style)
{
    const Model model = gpt();
    Shard shard;
    shard.tp = tp;
    shard.sequenceParallel = sequenceParallel;
    shard.microBatch = static_cast<std::int64_t>(batch);
    shard.sequence = static_cast<std::int64_t>(sequence);
    Saved saved;
    for (const Op& op : layerOps(model, model.kinds[0], shard, style)) {
        saved.total += op.saved / (sequence * batch * hidden);
        saved.core += (op.part == OpPart::AttentionCore ? op.saved : 0) / (sequence * batch * hidden);
    }
    return saved;
}

} // namespace

/// arXiv:2205.05198 Table 2, bytes per layer over s b h.
class TestActivationMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsThePaper_data()
    {
        QTest::addColumn<int>("tp");
        for (int tp : {1, 2, 4, 8, 16}) {
            QTest::addRow("t = %d", tp) << tp;
        }
    }
    void followsThePaper()
    {
        QFETCH(int, tp);
        const double scores = 5 * heads * sequence / hidden;
        const Saved tensor = savedPerLayer(tp, false, paperStyle());
        QCOMPARE(tensor.total, 10 + 24.0 / tp + scores / tp);
        const Saved both = savedPerLayer(tp, true, paperStyle());
        QCOMPARE(both.total, (34 + scores) / tp);
        QCOMPARE(both.total - both.core, 34.0 / tp); // selective recomputation
    }

    void flashAttentionKeepsNoScores()
    {
        OpStyle style = paperStyle();
        style.attention = AttentionKernel::Flash;
        const Saved saved = savedPerLayer(1, false, style);
        const double logSumExp = 4 * heads / hidden;
        QCOMPARE(saved.total, 34 + logSumExp);
    }

    void masksGoWithDropout()
    {
        OpStyle style = paperStyle();
        style.dropout = false;
        const double scores = 2 * heads * sequence / hidden; // the softmax output alone
        QCOMPARE(savedPerLayer(1, false, style).total, 32 + scores);
    }
};

QTEST_GUILESS_MAIN(TestActivationMemory)
#include "tst_activation_memory.moc"
