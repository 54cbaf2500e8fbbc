// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/timeline_json.h"

#include "core/formats/json_text.h"
#include "core/pipeline/schedule.h"

#include <QtTest>

using namespace partita;

namespace {

Timeline timelineOf(ScheduleKind kind, int chunks)
{
    const Result<Schedule> schedule = makeSchedule(kind, 4, 8, chunks);
    return *simulate(*schedule, equalStageTimes(schedule->placement, 1, 2, 0.5));
}

nlohmann::json written(const Timeline& timeline, ScheduleKind kind, bool ops)
{
    return *parseJson(writeTimeline(timeline, kind, "s", ops));
}

} // namespace

class TestTimelineJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysWhatTheTimelineSays()
    {
        const Timeline timeline = timelineOf(ScheduleKind::DualPipe, 1);
        const nlohmann::json json = written(timeline, ScheduleKind::DualPipe, false);
        QCOMPARE(json.at("schedule").get<std::string>(), std::string("dualpipe"));
        QCOMPARE(json.at("makespan").get<double>(), timeline.makespan);
        QCOMPARE(json.at("ideal").get<double>(), timeline.ideal);
        QCOMPARE(json.at("bubble_fraction").get<double>(), timeline.bubbleFraction());
        QCOMPARE(json.at("bubble_definition").get<std::string>(), std::string(bubbleDefinition));
        QCOMPARE(json.at("chunks").get<int>(), 1);
        QVERIFY(json.at("problems").empty());
        QVERIFY(!json.contains("ops"));
        QCOMPARE(json.at("stages").size(), std::size_t{4});
        for (std::size_t i = 0; i < 4; ++i) {
            const nlohmann::json& stage = json.at("stages").at(i);
            QCOMPARE(stage.at("stage").get<std::size_t>(), i);
            QCOMPARE(stage.at("busy").get<double>(), timeline.stages[i].busy);
            QCOMPARE(stage.at("idle").get<double>(), timeline.stages[i].idle);
            QCOMPARE(stage.at("peak_activations").get<double>(), timeline.stages[i].peakActivations);
            QCOMPARE(stage.at("weight_copies").get<int>(), 2);
        }
    }

    void listsEveryOp_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("chunks");
        QTest::newRow("interleaved") << ScheduleKind::Interleaved << 3;
        QTest::newRow("zb-v") << ScheduleKind::ZbV << 2;
        QTest::newRow("dualpipe") << ScheduleKind::DualPipe << 1;
    }
    void listsEveryOp()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, chunks);
        const Timeline timeline = timelineOf(kind, chunks);
        const nlohmann::json ops = written(timeline, kind, true).at("ops");
        std::size_t i = 0;
        for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
            for (const TimelineOp& op : timeline.stages[stage].ops) {
                const nlohmann::json& entry = ops.at(i++);
                QCOMPARE(entry.at("stage").get<std::size_t>(), stage);
                QCOMPARE(fromKey<OpKind>(entry.at("kind").get<std::string>()).value(), op.kind);
                QCOMPARE(entry.at("micro_batch").get<int>(), op.microBatch);
                QCOMPARE(entry.at("chunk").get<int>(), int(op.chunk));
                QCOMPARE(entry.value("backward_micro_batch", -1), op.partner);
                QCOMPARE(entry.at("start").get<double>(), op.start);
                QCOMPARE(entry.at("end").get<double>(), op.end);
            }
        }
        QCOMPARE(ops.size(), i);
    }

    void anEmptyTimelineIsStillJson()
    {
        const nlohmann::json json = written(Timeline(), ScheduleKind::GPipe, true);
        QVERIFY(json.at("ops").empty() && json.at("stages").empty());
    }
};

QTEST_GUILESS_MAIN(TestTimelineJson)
#include "tst_timeline_json.moc"
