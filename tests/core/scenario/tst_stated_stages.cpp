// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/stated_stages.h"
#include "core/training/stage_plan.h"
#include "samples.h"

#include <QtTest>

using namespace partita;

class TestStatedStages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void placesLayersAndVirtualStages()
    {
        const Scenario scenario = samples::legal(); // 80 layers, pp 8
        const Result<Scenario> plain = withPipelineLayout(scenario, "Et*9|(t*10|)*6t*11L");
        QVERIFY(plain);
        QCOMPARE(plain->layout.layersPerStage, (std::vector<int>{9, 10, 10, 10, 10, 10, 10, 11}));
        QCOMPARE(plain->layout.vpp, 1);
        QVERIFY(checkLayout(*plain).empty());
        const Result<Scenario> virtualStages = withPipelineLayout(scenario, "E|(t*6|)*13t*2|L");
        QVERIFY(virtualStages);
        QCOMPARE(virtualStages->layout.vpp, 2);
        QCOMPARE(virtualStages->layout.schedule, ScheduleKind::Interleaved);
        QVERIFY(checkLayout(*virtualStages).empty());
    }

    void theTextOfALayoutLeadsBackToIt()
    {
        Scenario scenario = samples::legal();
        scenario.model.multiTokenPrediction = 1;
        for (const int vpp : {1, 2, 5}) {
            scenario.layout.vpp = vpp;
            scenario.layout.schedule = vpp > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
            const std::vector<int> layers = layersPerChunk(scenario);
            const Result<Scenario> back = withPipelineLayout(scenario, pipelineLayoutText(scenario, layers));
            QVERIFY(back);
            QCOMPARE(back->layout.layersPerStage, layers);
            QCOMPARE(back->layout.vpp, vpp);
        }
    }

    void saysEverythingThatDoesNotFit()
    {
        const Scenario scenario = samples::legal();
        const Problems problems = withPipelineLayout(scenario, "Et|t|tmL").problems;
        QCOMPARE(problems.size(), 3U); // chunks, layers, prediction modules
        for (const Problem& problem : problems) {
            QCOMPARE(problem.field, std::string("layout.layers_per_stage"));
            QVERIFY(!problem.suggestion.empty());
        }
        QVERIFY(!withPipelineLayout(scenario, "E(t|L"));
    }
};

QTEST_GUILESS_MAIN(TestStatedStages)
#include "tst_stated_stages.moc"
