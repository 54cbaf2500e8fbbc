// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/parameters.h"
#include "core/model/weights.h"

#include <QtTest>

using namespace partita;

namespace {

Model uniform(std::int64_t hidden, std::int64_t vocabulary, int layers, const LayerKind& kind)
{
    Model model;
    model.hidden = hidden;
    model.vocabulary = vocabulary;
    model.kinds = {kind};
    model.layers.assign(static_cast<std::size_t>(layers), 0);
    return model;
}

Attention grouped(int heads, int kvHeads, int headDim)
{
    Attention attention;
    attention.heads = heads;
    attention.kvHeads = kvHeads;
    attention.headDim = headDim;
    return attention;
}

Model llama(std::int64_t hidden, int layers, int heads, int kvHeads, std::int64_t width, std::int64_t vocabulary)
{
    return uniform(hidden, vocabulary, layers,
                   {grouped(heads, kvHeads, static_cast<int>(hidden / heads)), DenseFfn{width, true, false}, 2});
}

Model gpt2()
{
    Attention attention = grouped(12, 12, 64);
    attention.qkvBias = attention.outputBias = true;
    Model model = uniform(768, 50257, 12, {attention, DenseFfn{3072, false, true}, 2});
    model.norm = NormKind::Layer;
    model.learnedPositions = 1024;
    model.tiedEmbeddings = true;
    return model;
}

Model mixtral()
{
    MoeFfn experts;
    experts.experts = 8;
    experts.topK = 2;
    experts.expertWidth = 14336;
    return uniform(4096, 32000, 32, {grouped(32, 8, 128), experts, 2});
}

Model deepSeekV3()
{
    LatentAttention attention;
    attention.heads = 128;
    attention.queryRank = 1536;
    attention.kvRank = 512;
    attention.nopeHeadDim = 128;
    attention.ropeHeadDim = 64;
    attention.valueHeadDim = 128;
    MoeFfn experts;
    experts.experts = 256;
    experts.topK = 8;
    experts.expertWidth = 2048;
    experts.sharedWidth = 2048;
    experts.routerBias = true;
    Model model = uniform(7168, 129280, 61, {attention, experts, 2});
    model.kinds.push_back({attention, DenseFfn{18432, true, false}, 2});
    model.layers[0] = model.layers[1] = model.layers[2] = 1;
    model.multiTokenPrediction = 1;
    return model;
}

/// Codestral Mamba 7B.
Model mamba2()
{
    Mamba2 mamba;
    mamba.heads = 128;
    mamba.headDim = 64;
    mamba.groups = 8;
    mamba.stateSize = 128;
    return uniform(4096, 32768, 64, {mamba, std::monostate{}, 1});
}

/// Mamba 2.8B: 5120 inner, 16 states, step rank 160, tied, vocabulary padded to 50280.
Model mamba1()
{
    Mamba1 mamba;
    mamba.innerWidth = 5120;
    mamba.stateSize = 16;
    mamba.stepRank = 160;
    Model model = uniform(2560, 50280, 64, {mamba, std::monostate{}, 1});
    model.tiedEmbeddings = true;
    return model;
}

/// Every kind of mixer and feed-forward there is, flags on.
std::vector<LayerKind> everyKind()
{
    Attention flagged = grouped(8, 2, 16);
    flagged.queryKeyNorm = flagged.fullWidthQueryKeyNorm = flagged.qkvBias = flagged.outputBias = true;
    flagged.outputGate = flagged.sinks = true;
    LatentAttention indexed = std::get<LatentAttention>(deepSeekV3().kinds[0].mixer);
    indexed.indexHeads = 64;
    indexed.indexHeadDim = 128;
    indexed.indexTopK = 2048;
    indexed.bias = true;
    GatedDelta delta;
    delta.keyHeads = 16;
    delta.valueHeads = 32;
    delta.keyHeadDim = delta.valueHeadDim = 128;
    MoeFfn latent;
    latent.experts = 16;
    latent.topK = 3;
    latent.expertWidth = 64;
    latent.sharedWidth = 128;
    latent.sharedGate = latent.routerBias = latent.expertBias = true;
    latent.latentWidth = 32;
    return {{flagged, DenseFfn{256, true, true}, 2},
            {indexed, latent, 4},
            {delta, latent, 2},
            {mamba1().kinds[0].mixer, DenseFfn{256, false, true}, 2},
            {mamba2().kinds[0].mixer, std::monostate{}, 1},
            {std::monostate{}, latent, 1}};
}

} // namespace

Q_DECLARE_METATYPE(partita::Model)

class TestParameters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matchesPublishedTotals_data()
    {
        QTest::addColumn<Model>("model");
        QTest::addColumn<qint64>("total");
        QTest::newRow("Llama-3 8B") << llama(4096, 32, 32, 8, 14336, 128256) << qint64{8'030'261'248};
        QTest::newRow("Llama-3 70B") << llama(8192, 80, 64, 8, 28672, 128256) << qint64{70'553'706'496};
        QTest::newRow("Llama-3.1 405B") << llama(16384, 126, 128, 8, 53248, 128256) << qint64{405'853'388'800};
        QTest::newRow("Llama-2 7B") << llama(4096, 32, 32, 32, 11008, 32000) << qint64{6'738'415'616};
        QTest::newRow("Mixtral 8x7B") << mixtral() << qint64{46'702'792'704};
        QTest::newRow("GPT-2") << gpt2() << qint64{124'439'808};
        QTest::newRow("DeepSeek-V3") << deepSeekV3() << qint64{671'026'419'200};
        QTest::newRow("Codestral Mamba 7B") << mamba2() << qint64{7'285'403'648};
        QTest::newRow("Mamba 2.8B") << mamba1() << qint64{2'768'345'600};
    }
    void matchesPublishedTotals()
    {
        QFETCH(Model, model);
        QFETCH(qint64, total);
        QCOMPARE(qint64{parameters(model).total()}, total);
    }

    void countsOnlyTheChosenExpertsAsActive()
    {
        const ModelParameters mix = parameters(mixtral());
        // 2 of 8 experts of 32 layers, three matrices each; the input table is a look-up.
        const std::int64_t idle = std::int64_t{32} * 6 * 3 * 4096 * 14336;
        QCOMPARE(mix.active, mix.total() - idle - std::int64_t{32000} * 4096);
        QCOMPARE(mix.active, std::int64_t{12'748'853'248});
        QCOMPARE(mix.layers.activeRoutedExperts * 4, mix.layers.routedExperts);
    }

    void countsATiedTableAsActive() { QCOMPARE(parameters(gpt2()).active, parameters(gpt2()).total()); }

    void keepsPredictionModulesOutOfTheTotal()
    {
        Model model = deepSeekV3();
        const ModelParameters with = parameters(model);
        QCOMPARE(with.multiTokenPrediction, std::int64_t{11'610'068'224});
        model.multiTokenPrediction = 0;
        QCOMPARE(parameters(model).total(), with.total());
    }

    void followsTheClosedFormOfADenseTransformer()
    {
        // GPT with biases and learned positions: 12 L h^2 (1 + 13/(12h) + (V+s)/(12Lh)), arXiv:2104.04473 section 2.
        for (const std::int64_t h : {512, 1024, 12288}) {
            for (const int layers : {2, 24, 96}) {
                Model model = gpt2();
                model.hidden = h;
                model.layers.assign(static_cast<std::size_t>(layers), 0);
                Attention attention = grouped(8, 8, static_cast<int>(h / 8));
                attention.qkvBias = attention.outputBias = true;
                model.kinds[0] = {attention, DenseFfn{4 * h, false, true}, 2};
                model.finalNorm = false;
                const std::int64_t expected =
                    12 * layers * h * h + 13 * layers * h + (model.vocabulary + model.learnedPositions) * h;
                QCOMPARE(parameters(model).total(), expected);
            }
        }
    }

    void addsWhatEachFlagOfAttentionBrings()
    {
        const Model model = uniform(64, 100, 1, {grouped(8, 2, 16), std::monostate{}, 0});
        const auto extra = [&](auto change) {
            Attention attention = grouped(8, 2, 16);
            const std::int64_t plain = parameters(LayerKind{attention, {}, 0}, model).total();
            change(attention);
            return parameters(LayerKind{attention, {}, 0}, model).total() - plain;
        };
        QCOMPARE(extra([](Attention& a) { a.queryKeyNorm = true; }), std::int64_t{2 * 16});
        QCOMPARE(extra([](Attention& a) { a.fullWidthQueryKeyNorm = true; }), std::int64_t{(8 + 2) * 16});
        QCOMPARE(extra([](Attention& a) { a.qkvBias = true; }), std::int64_t{(8 + 2 + 2) * 16});
        QCOMPARE(extra([](Attention& a) { a.outputBias = true; }), std::int64_t{64});
        QCOMPARE(extra([](Attention& a) { a.outputGate = true; }), std::int64_t{64 * 8 * 16});
        QCOMPARE(extra([](Attention& a) { a.sinks = true; }), std::int64_t{8});
        QCOMPARE(extra([](Attention& a) { a.window = 128; }), std::int64_t{0});
        QCOMPARE(extra([](Attention& a) { a.valueHeadDim = 8; }), -std::int64_t{64 * 8 * (2 + 8)});
    }

    void dividesEveryWeightInExactlyOneWay()
    {
        Model model = llama(4096, 32, 32, 8, 14336, 128256);
        model.norm = NormKind::Layer;
        for (const LayerKind& kind : everyKind()) {
            const LayerParameters counted = parameters(kind, model);
            const ShardedParameters sharded = shardedParameters(kind, model);
            QCOMPARE(sharded.total(), counted.total());
            QCOMPARE(sharded.experts, counted.routedExperts);
            QCOMPARE(sharded.perDevice(1, 1, 1), static_cast<double>(counted.total()));
        }
        const ModelParameters whole = parameters(model);
        QCOMPARE(shardedEmbedding(model).total(), whole.embedding);
        QCOMPARE(shardedHead(model).total(), whole.head + whole.finalNorm);
    }

    void neverGrowsWhenDividedFurther()
    {
        const Model model = llama(4096, 32, 32, 8, 14336, 128256);
        for (const LayerKind& kind : everyKind()) {
            const ShardedParameters sharded = shardedParameters(kind, model);
            for (int ways = 1; ways <= 64; ways *= 2) {
                QVERIFY(sharded.perDevice(2 * ways, 1, 1) <= sharded.perDevice(ways, 1, 1));
                QVERIFY(sharded.perDevice(1, 2 * ways, 1) <= sharded.perDevice(1, ways, 1));
                QCOMPARE(sharded.perDevice(1, ways, 2), sharded.perDevice(1, 2 * ways, 1));
            }
        }
    }

    void replicatesKeysAndValuesBeyondTheirHeads()
    {
        const Model model = llama(8192, 80, 64, 8, 28672, 128256);
        const ShardedParameters sharded = shardedParameters(model.kinds[0], model);
        QCOMPARE(sharded.keyValue, std::int64_t{2 * 8192 * 1024});
        QCOMPARE(sharded.replicated, std::int64_t{2 * 8192});
        const double norms = 2 * 8192;
        const double divided = static_cast<double>(sharded.total()) - norms - 2.0 * 8192 * 1024;
        QCOMPARE(sharded.perDevice(16, 1, 1), divided / 16 + 2.0 * 8192 * 128 + norms);
    }

    void replicatesTheDownProjectionsOfLatentAttention()
    {
        const Model model = deepSeekV3();
        LayerKind kind = model.kinds[1];
        kind.norms = 0;
        const std::int64_t down = 7168 * 1536 + 7168 * (512 + 64);
        QCOMPARE(shardedParameters(kind, model).replicated, down + 1536 + 512);
    }

    void projectsANarrowEmbedding()
    {
        // OPT-350M: 512-wide tables, two projections; positions are as wide as the layers.
        Model model = gpt2();
        model.hidden = 1024;
        model.embeddingWidth = 512;
        model.vocabulary = 50272;
        model.learnedPositions = 2050;
        const ModelParameters counted = parameters(model);
        QCOMPARE(counted.embedding, std::int64_t{50272} * 512 + 2050 * 1024 + 512 * 1024);
        QCOMPARE(counted.head, std::int64_t{512 * 1024});
    }
};

QTEST_GUILESS_MAIN(TestParameters)
#include "tst_parameters.moc"
