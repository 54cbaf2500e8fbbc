// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/training/chunk_planner.h"
#include "core/training/memory.h"

#include <QtTest>

using namespace partita;

namespace {

Scenario sharded(const std::string& model, bool overlaps, int devices = 8)
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    Scenario scenario;
    scenario.model = *catalogue.model(model);
    scenario.cluster = makeCluster(*catalogue.accelerator("h100-sxm-80gb"), 1, devices, catalogue);
    scenario.stack = *catalogue.stack("torchtitan");
    scenario.stack.dpOverlap = overlaps;
    scenario.workload.sequenceLength = 4096;
    scenario.layout.dp = devices;
    scenario.layout.zeroStage = 3;
    scenario.layout.globalBatch = devices;
    return scenario;
}

/// Exposed by one micro-batch of the whole model: [forward, backward].
std::array<double, 2> exposed(const Scenario& scenario)
{
    const RankGrid grid(scenario.layout, scenario.cluster);
    const StagePlan plan = planStages(scenario, placementOf(ScheduleKind::OneFOneB, 1, 1), grid).front();
    return {plan.forward()[TimeKind::DpExposed],
            plan.backwardInput()[TimeKind::DpExposed] + plan.backwardWeight()[TimeKind::DpExposed]};
}

} // namespace

class TestShardedWeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Nothing hides: layers gather twice and scatter once, embedding and head gather once and scatter once.
    void everyWeightIsExchanged_data()
    {
        QTest::addColumn<QString>("model");
        QTest::newRow("head of its own") << "llama-3.1-8b";
        QTest::newRow("tied head") << "gemma-2b";
    }
    void everyWeightIsExchanged()
    {
        QFETCH(QString, model);
        const Scenario scenario = sharded(model.toStdString(), false);
        const Model& shape = scenario.model;
        const GroupSpan span = RankGrid(scenario.layout, scenario.cluster).span(GroupKind::Gradient);
        const auto time = [&](CollectiveKind kind, const ShardedParameters& weights, double bytes) {
            return exchangeTime(scenario.cluster, span, kind, bytes * weights.perDevice(1, 1, 1));
        };
        const double gradient = bytesPerElement(gradientType(scenario.workload, scenario.stack));
        double forward = 0;
        double backward = 0;
        const auto add = [&](const ShardedParameters& weights, bool again) {
            const double gather = time(CollectiveKind::AllGather, weights, 2);
            forward += gather;
            backward += (again ? gather : 0) + time(CollectiveKind::ReduceScatter, weights, gradient);
        };
        for (const int kind : shape.layers) {
            add(shardedParameters(shape.kinds[static_cast<std::size_t>(kind)], shape), true);
        }
        add(shardedEmbedding(shape), false);
        add(shardedHead(shape), false);
        const auto [measuredForward, measuredBackward] = exposed(scenario);
        QVERIFY(forward > 0);
        QVERIFY(std::abs(measuredForward / forward - 1) < 1e-9);
        QVERIFY(std::abs(measuredBackward / backward - 1) < 1e-9);
    }

    // The embedding computes next to nothing: its exchanges stay visible where those of layers hide.
    void onlyTheEndsOfTheModelCannotHide()
    {
        const Scenario scenario = sharded("llama-3.1-8b", true);
        const auto [forward, backward] = exposed(scenario);
        const auto [forwardBare, backwardBare] = exposed(sharded("llama-3.1-8b", false));
        QVERIFY(forward > 0 && forward < 0.1 * forwardBare);
        QVERIFY(backward > 0 && backward < 0.1 * backwardBare);
    }

    void oneDeviceExchangesNothing()
    {
        const auto [forward, backward] = exposed(sharded("llama-3.1-8b", false, 1));
        QCOMPARE(forward, 0.0);
        QCOMPARE(backward, 0.0);
    }
};

QTEST_APPLESS_MAIN(TestShardedWeights)
#include "tst_sharded_weights.moc"
