// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/training/evaluate.h"
#include "core/training/timeline_with.h"

#include <QtTest>

using namespace partita;

namespace {

Scenario sample()
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    Scenario scenario;
    scenario.model = *catalogue.model("llama-3.1-8b");
    scenario.cluster = makeCluster(*catalogue.accelerator("h100-sxm-80gb"), 4, 8, catalogue);
    scenario.workload.sequenceLength = 4096;
    scenario.layout.tp = 8;
    scenario.layout.pp = 4;
    scenario.layout.globalBatch = 16;
    return scenario;
}

double busy(const Timeline& timeline)
{
    double sum = 0;
    for (const StageTimeline& stage : timeline.stages) {
        sum += stage.busy;
    }
    return sum;
}

} // namespace

class TestTimelineWith : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theOwnScheduleGivesTheReportsTimeline()
    {
        const Scenario scenario = sample();
        const Result<Timeline> timeline = timelineWith(scenario, scenario.layout.schedule);
        QVERIFY(timeline);
        QVERIFY(*timeline == evaluate(scenario).timeline);
    }

    void everyScheduleDoesTheSameWork_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        for (const auto& name : Names<ScheduleKind>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
    void everyScheduleDoesTheSameWork()
    {
        QFETCH(ScheduleKind, kind);
        const Scenario scenario = sample();
        const Result<Timeline> timeline = timelineWith(scenario, kind);
        QVERIFY(timeline);
        const double expected = busy(evaluate(scenario).timeline);
        QVERIFY(std::abs(busy(*timeline) / expected - 1) < 1e-9);
        QVERIFY(timeline->makespan >= expected / 4);
    }

    void whatCannotRunSaysWhy()
    {
        Scenario scenario = sample();
        scenario.layout.pp = 32;
        scenario.layout.tp = 1; // 32 layers do not fill 64 chunks
        const Problems problems = checkTimelineWith(scenario, ScheduleKind::ZbV);
        QVERIFY(!problems.empty());
        QCOMPARE(timelineWith(scenario, ScheduleKind::ZbV).problems, problems);
        QVERIFY(checkTimelineWith(scenario, ScheduleKind::OneFOneB).empty());
    }

    void statedLayersStayWhereTheyFit()
    {
        Scenario scenario = sample();
        scenario.layout.layersPerStage = {9, 8, 8, 7};
        QCOMPARE(withSchedule(scenario, ScheduleKind::ZbH1).layout.layersPerStage, scenario.layout.layersPerStage);
        QVERIFY(withSchedule(scenario, ScheduleKind::ZbV).layout.layersPerStage.empty());
        QCOMPARE(withSchedule(scenario, ScheduleKind::ZbV).layout.vpp, 2);
    }
};

QTEST_GUILESS_MAIN(TestTimelineWith)
#include "tst_timeline_with.moc"
