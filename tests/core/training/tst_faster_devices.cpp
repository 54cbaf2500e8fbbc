// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/training/evaluate.h"

#include <QtTest>

using namespace partita;

namespace {

/// Short sequences with sharded weights: gathers and scatters are longer than the layers that hide them.
Scenario sharded(ScheduleKind schedule, int vpp)
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    Scenario scenario;
    scenario.model = *catalogue.model("llama-3.1-8b");
    scenario.cluster = makeCluster(*catalogue.accelerator("h100-sxm-80gb"), 4, 8, catalogue);
    scenario.workload.sequenceLength = 1024;
    scenario.layout.pp = 4;
    scenario.layout.vpp = vpp;
    scenario.layout.dp = 8;
    scenario.layout.zeroStage = 3;
    scenario.layout.globalBatch = 128;
    scenario.layout.schedule = schedule;
    return scenario;
}

} // namespace

class TestFasterDevices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neverTakeLonger_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("vpp");
        QTest::newRow("1f1b") << ScheduleKind::OneFOneB << 1;
        QTest::newRow("interleaved") << ScheduleKind::Interleaved << 2;
        QTest::newRow("zb-h1") << ScheduleKind::ZbH1 << 1;
        QTest::newRow("zb-h2") << ScheduleKind::ZbH2 << 1;
        QTest::newRow("zb-v") << ScheduleKind::ZbV << 2;
        QTest::newRow("v-half") << ScheduleKind::VHalf << 2;
        QTest::newRow("v-min") << ScheduleKind::VMin << 2;
    }
    void neverTakeLonger()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, vpp);
        const auto stepWith = [&](double memory, double peak) {
            Scenario scenario = sharded(kind, vpp);
            scenario.cluster.accelerator.memoryBandwidth *= memory;
            scenario.cluster.accelerator.peak.bf16 *= peak;
            const Report report = evaluate(scenario);
            return report.legal() && report.time[TimeKind::DpExposed] > 0 ? report.stepTime : -1;
        };
        double before = stepWith(1, 1);
        QVERIFY(before > 0);
        for (const double factor : {1.05, 1.2, 2.0, 10.0}) {
            const double step = stepWith(factor, 1);
            QVERIFY2(step > 0 && step <= before * (1 + 1e-12), qPrintable(QString::number(step / before)));
            before = step;
        }
        before = stepWith(1, 1);
        for (const double factor : {1.05, 1.2, 2.0, 10.0}) {
            const double step = stepWith(1, factor);
            QVERIFY2(step > 0 && step <= before * (1 + 1e-12), qPrintable(QString::number(step / before)));
            before = step;
        }
    }
};

QTEST_GUILESS_MAIN(TestFasterDevices)
#include "tst_faster_devices.moc"
