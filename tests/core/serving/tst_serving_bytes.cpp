// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/parameters.h"
#include "core/serving/experts.h"
#include "core/serving/key_values.h"
#include "core/serving/serving_memory.h"
#include "core/serving/weight_bytes.h"
#include "tests/core/serving/served.h"

#include <QtTest>

using namespace partita;

namespace {

CacheRoom roomOf(const Scenario& scenario)
{
    const ServingLayout layout = servingLayout(scenario);
    return cacheRoom(scenario, layout, servingStages(scenario, layout));
}

} // namespace

/// Bytes of weights and of keys and values, against published numbers and closed forms.
class TestServingBytes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTokenTakesWhatIsPublished_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("bytes");
        QTest::newRow("Llama 2 7B") << "llama-2-7b" << 524288.0;
        QTest::newRow("Llama 2 13B") << "llama-2-13b" << 819200.0;
        QTest::newRow("Llama 2 70B") << "llama-2-70b" << 327680.0;
        QTest::newRow("Llama 3 70B") << "llama-3-70b" << 327680.0;
        QTest::newRow("Llama 3.1 8B") << "llama-3.1-8b" << 131072.0;
        QTest::newRow("Mistral 7B") << "mistral-7b" << 131072.0;
        QTest::newRow("Mixtral 8x7B") << "mixtral-8x7b" << 131072.0;
        QTest::newRow("Llama 3.1 405B") << "llama-3.1-405b" << 516096.0;
        QTest::newRow("Qwen 2.5 7B") << "qwen2.5-7b" << 57344.0;
        QTest::newRow("Qwen 3 235B") << "qwen3-235b-a22b" << 192512.0;
        QTest::newRow("gpt-oss 120B") << "gpt-oss-120b" << 73728.0;
        QTest::newRow("DeepSeek-V3") << "deepseek-v3" << 70272.0;
        QTest::newRow("Kimi K2") << "kimi-k2" << 70272.0;
        QTest::newRow("DeepSeek-V2-Lite") << "deepseek-v2-lite" << 31104.0;
        QTest::newRow("GPT-3 175B") << "gpt3-175b" << 4718592.0;
    }

    void aTokenTakesWhatIsPublished()
    {
        QFETCH(QString, model);
        QFETCH(double, bytes);
        const Model& preset = *shippedPresets().model(model.toStdString());
        QCOMPARE(keyValueBytesPerToken(preset, KeyValueFormat::Bf16), bytes);
    }

    void oneHeadForAllQueriesIsTheLeast()
    {
        Model falcon; // Falcon 7B: 71 query heads of 64, one KV head
        falcon.hidden = 4544;
        falcon.kinds = {{Attention{71, 1, 64}, DenseFfn{18176, false, false}, 1}};
        falcon.layers.assign(32, 0);
        QCOMPARE(keyValueBytesPerToken(falcon, KeyValueFormat::Bf16), 8192.0);
        QCOMPARE(keyValueBytesPerToken(falcon, KeyValueFormat::Fp8), 4096.0);
    }

    void aLatentInMixedFormatTakes656Bytes()
    {
        const Model& model = *shippedPresets().model("deepseek-v3");
        QCOMPARE(keyValueBytesPerToken(model, KeyValueFormat::Fp8Latent), 61 * 656.0);
    }

    void windowsCapWhatASequenceKeeps()
    {
        const Model& model = *shippedPresets().model("gpt-oss-120b"); // every other layer sees 128 tokens
        const double perLayer = 2.0 * 8 * 64 * 2;
        QCOMPARE(sequenceBytes(model, KeyValueFormat::Bf16, 100), 36 * perLayer * 100);
        QCOMPARE(sequenceBytes(model, KeyValueFormat::Bf16, 10000), 18 * perLayer * (10000 + 128));
    }

    void statesOfARecurrenceDoNotGrow()
    {
        const Model& model = *shippedPresets().model("mamba2-1.3b");
        QCOMPARE(sequenceBytes(model, KeyValueFormat::Bf16, 10), sequenceBytes(model, KeyValueFormat::Bf16, 1e6));
        QCOMPARE(keyValueBytesPerToken(model, KeyValueFormat::Bf16), 0.0);
    }

    void headsAreCopiedBeyondTheirNumber_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("tp");
        QTest::addColumn<double>("copies");
        QTest::newRow("8 heads on 8") << "llama-3.1-70b" << 8 << 1.0;
        QTest::newRow("8 heads on 16") << "llama-3.1-70b" << 16 << 2.0;
        QTest::newRow("4 heads on 8") << "qwen3-235b-a22b" << 8 << 2.0;
        QTest::newRow("a latent on 8") << "deepseek-v3" << 8 << 8.0;
        QTest::newRow("a latent on 16") << "kimi-k2" << 16 << 16.0;
    }

    void headsAreCopiedBeyondTheirNumber()
    {
        QFETCH(QString, model);
        QFETCH(int, tp);
        QFETCH(double, copies);
        ServingLayout layout;
        layout.tp = tp;
        const Model& preset = *shippedPresets().model(model.toStdString());
        QCOMPARE(keyValueCopies(preset, layout), copies);
        layout.decodeContext = static_cast<int>(copies);
        QCOMPARE(keyValueCopies(preset, layout), 1.0); // decode context parallelism spreads them again
    }

    void formatsCountTheirScales()
    {
        Serving serving;
        QCOMPARE(storedBytes(DataType::Bf16, serving), 2.0);
        QCOMPARE(storedBytes(DataType::Fp8, serving), 1 + 4.0 / 16384);
        QCOMPARE(storedBytes(DataType::NvFp4, serving), 0.5625);
        QCOMPARE(storedBytes(DataType::MxFp4, serving), 0.53125);
        serving.weightGroup = 128;
        QCOMPARE(storedBytes(DataType::Int4, serving), 0.5 + 2.0 / 128 + 0.5 / 128);
        serving.weightGroup = 32;
        serving.groupBytes = 4;
        QCOMPARE(storedBytes(DataType::Int4, serving), 0.5 + 4.0 / 32);
    }

    void aCheckpointIsTwoBytesAParameter()
    {
        const Model& model = *shippedPresets().model("llama-3.1-70b");
        QCOMPARE(checkpointBytes(model, Serving{}), 2.0 * static_cast<double>(parameters(model).total()));
        const Model& tied = *shippedPresets().model("llama-3.2-1b");
        QCOMPARE(checkpointBytes(tied, Serving{}), 2.0 * static_cast<double>(parameters(tied).total()));
    }

    void aQuantisedCheckpointKeepsEmbeddingHeadAndRoutersWide()
    {
        const Model& model = *shippedPresets().model("gpt-oss-120b");
        Serving serving;
        serving.weights = DataType::MxFp4;
        serving.quantised = QuantisedPart::Experts;
        const ModelParameters count = parameters(model);
        const double wide = 2.0 * static_cast<double>(count.total());
        // 36 layers of 128 experts of 2880 x 5760 and 2880 x 2880 in 4.25 bits.
        const double matrices = 36.0 * 128 * (2880.0 * 5760 + 2880.0 * 2880);
        QVERIFY(std::abs(checkpointBytes(model, serving) - (wide - matrices * (2 - 0.53125))) < 1);
        QVERIFY(checkpointBytes(model, serving) < 66e9); // 60.8 GiB on the hub
    }

    void stagesHoldTheCheckpointBetweenThem()
    {
        Scenario scenario = served("llama-3.1-70b", "h100-sxm-80gb", 4, 4);
        double bytes = 0;
        for (const WeightBytes& stage : servingStages(scenario, servingLayout(scenario)).weights) {
            bytes += 4 * stage.total();
        }
        const double whole = checkpointBytes(scenario.model, scenario.serving);
        QVERIFY(bytes >= whole);
        QVERIFY(bytes < 1.001 * whole); // norms are copied
    }

    void expertsTouchedFollowTheTable_data()
    {
        QTest::addColumn<int>("experts");
        QTest::addColumn<int>("topK");
        QTest::addColumn<QList<double>>("touched"); // batches 1, 2, 4, ... 512
        QTest::newRow("Mixtral 8x7B") << 8 << 2 << QList<double>{2.0, 3.5, 5.5, 7.2, 7.9, 8.0, 8.0, 8.0, 8.0, 8.0};
        QTest::newRow("gpt-oss 20B") << 32 << 4
                                     << QList<double>{4.0, 7.5, 13.2, 21.0, 28.2, 31.6, 32.0, 32.0, 32.0, 32.0};
        QTest::newRow("gpt-oss 120B") << 128 << 4
                                      << QList<double>{4.0, 7.9, 15.3, 28.7, 51.0, 81.7, 111.2, 125.8, 128.0, 128.0};
        QTest::newRow("Qwen 3 235B") << 128 << 8
                                     << QList<double>{8.0, 15.5, 29.1, 51.6, 82.4, 111.8, 125.9, 128.0, 128.0, 128.0};
        QTest::newRow("DeepSeek-V3") << 256 << 8
                                     << QList<double>{8.0, 15.8, 30.5, 57.4, 102.0, 163.3, 222.4, 251.6, 255.9, 256.0};
        QTest::newRow("Kimi K2") << 384 << 8
                                 << QList<double>{8.0, 15.8, 31.0, 59.5, 109.8, 188.2, 284.2, 358.1, 382.2, 384.0};
        QTest::newRow("Qwen 3 Next") << 512 << 10
                                     << QList<double>{10.0, 19.8, 38.8, 74.7, 138.6, 239.6, 367.1, 471.0, 508.7, 512.0};
    }

    void expertsTouchedFollowTheTable()
    {
        QFETCH(int, experts);
        QFETCH(int, topK);
        QFETCH(QList<double>, touched);
        double batch = 1;
        for (const double expected : touched) {
            QCOMPARE(std::round(10 * expertsTouched(experts, topK, batch)) / 10, expected);
            batch *= 2;
        }
    }

    void theBusiestRankOfATokenIsCounted()
    {
        // Two experts of eight on four ranks share one with chance p = (8/4 - 1) / (8 - 1).
        const double p = 1.0 / 7;
        QVERIFY(std::abs(ExpertPlacement(8, 4).busiest(2) - (2 * p + 1 * (1 - p))) < 1e-12);
        QCOMPARE(ExpertPlacement(8, 1).busiest(2), 2.0);
    }

    void theBusiestRankGrowsWithWhatIsTouched()
    {
        for (const auto& [experts, ranks] : {std::pair(8, 4), {128, 8}, {256, 64}, {384, 16}, {16, 16}}) {
            const ExpertPlacement placement(experts, ranks);
            double before = 0;
            for (double touched = 0; touched <= experts; touched += 0.25) {
                const double busiest = placement.busiest(touched);
                QVERIFY(busiest >= before - 1e-9);
                QVERIFY(busiest >= touched / ranks - 1e-9);
                QVERIFY(busiest <= static_cast<double>(experts) / ranks + 1e-9);
                before = busiest;
            }
        }
    }

    void theRoomOfADeviceAddsUp()
    {
        for (const char* stack : {"vllm", "sglang", "tensorrt-llm", "gpt-fast", "fastertransformer"}) {
            Scenario scenario = served("llama-3.1-70b", "h100-sxm-80gb", 8);
            scenario.stack = *shippedPresets().stack(stack);
            const CacheRoom cache = roomOf(scenario);
            QVERIFY(std::abs(cache.room.total() - scenario.cluster.accelerator.memoryBytes) < 1);
            QVERIFY(cache.requests > 0);
        }
    }

    void moreTensorRanksGiveMoreThanTheirShareOfRoom()
    {
        const auto tokens = [](int tp) {
            const Scenario scenario = served("llama-3.1-70b", "h100-sxm-80gb", tp);
            return roomOf(scenario).tokens;
        };
        QCOMPARE(tokens(1), 0.0); // 141 GB do not fit
        QVERIFY(tokens(8) > 2 * tokens(4));
    }
};

QTEST_APPLESS_MAIN(TestServingBytes)
#include "tst_serving_bytes.moc"
