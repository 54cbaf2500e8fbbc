// SPDX-License-Identifier: GPL-3.0-or-later
#include "equal_stages.h"

using namespace partita;
using namespace partita::test;

class TestLegality : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesAndNamesTheNearestLegalValue_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("suggestion");
        const auto row = [](const char* name, ScheduleKind kind, int stages, int microBatches, int chunks,
                            const char* field, const char* suggestion) {
            QTest::newRow(name) << kind << stages << microBatches << chunks << QByteArray(field)
                                << QByteArray(suggestion);
        };
        row("interleaved, one chunk", ScheduleKind::Interleaved, 4, 8, 1, "layout.vpp", "2");
        row("breadth-first, no chunk", ScheduleKind::BreadthFirst, 4, 8, 0, "layout.vpp", "1");
        row("1f1b, two chunks", ScheduleKind::OneFOneB, 4, 8, 2, "layout.vpp", "1");
        row("zb-v, one chunk", ScheduleKind::ZbV, 4, 8, 1, "layout.vpp", "2");
        row("v-min, three chunks", ScheduleKind::VMin, 4, 8, 3, "layout.vpp", "2");
        row("1f1b-a2a-overlap, no chunk", ScheduleKind::OneFOneBOverlap, 4, 8, 0, "layout.vpp", "1");
        row("interleaved, more chunks than have numbers", ScheduleKind::Interleaved, 1, 1, 40000, "layout.vpp",
            "32767");
        row("dualpipe, odd stages", ScheduleKind::DualPipe, 5, 20, 1, "layout.pp", "4 or 6");
        row("dualpipe, one stage", ScheduleKind::DualPipe, 1, 20, 1, "layout.pp", "2");
        row("dualpipe, few micro-batches", ScheduleKind::DualPipe, 4, 6, 1, "layout.global_batch", "8 micro-batches");
        row("dualpipe, odd micro-batches", ScheduleKind::DualPipe, 4, 11, 1, "layout.global_batch",
            "10 or 12 micro-batches");
        row("dualpipe-v, few micro-batches", ScheduleKind::DualPipeV, 4, 7, 2, "layout.global_batch",
            "8 micro-batches");
        row("no stage", ScheduleKind::GPipe, 0, 4, 1, "layout.pp", "1");
        row("no micro-batch", ScheduleKind::ZbH1, 4, 0, 1, "layout.global_batch", "1 micro-batch");
        row("far too much", ScheduleKind::OneFOneB, 1 << 16, 1 << 20, 1, "layout.global_batch", "16 micro-batches");
    }
    void refusesAndNamesTheNearestLegalValue()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        QFETCH(int, microBatches);
        QFETCH(int, chunks);
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, suggestion);
        const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, chunks);
        QVERIFY(!schedule);
        QCOMPARE(schedule.problems.size(), std::size_t{1});
        QCOMPARE(schedule.problems[0].field, field.toStdString());
        QCOMPARE(schedule.problems[0].suggestion, "try " + suggestion.toStdString());
        QVERIFY(!schedule.problems[0].message.empty());
    }

    void namesAllProblemsAtOnce() { QCOMPARE(checkSchedule(ScheduleKind::DualPipe, 3, 5, 2).size(), std::size_t{3}); }

    void runsWhateverItAccepts_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
    void runsWhateverItAccepts()
    {
        QFETCH(ScheduleKind, kind);
        int accepted = 0;
        for (int stages = 1; stages <= 7; ++stages) {
            for (int microBatches = 1; microBatches <= 17; ++microBatches) {
                for (int chunks = 1; chunks <= 3; ++chunks) {
                    const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, chunks);
                    QCOMPARE(bool(schedule), checkSchedule(kind, stages, microBatches, chunks).empty());
                    if (schedule) {
                        ++accepted;
                        const Result<Timeline> timeline =
                            simulate(*schedule, equalStageTimes(schedule->placement, 1, 1, 1));
                        QVERIFY2(timeline, problemsText(timeline.problems).c_str());
                    }
                }
            }
        }
        QVERIFY(accepted > 0);
    }

    void saysWhatItIs_data() { runsWhateverItAccepts_data(); }
    void saysWhatItIs()
    {
        QFETCH(ScheduleKind, kind);
        const ScheduleFacts facts = describe(kind);
        QVERIFY(!facts.memory.empty() && !facts.bubble.empty() && !facts.transfers.empty());
        const Result<Schedule> schedule = makeSchedule(kind, 4, 8, usualChunks(kind));
        QVERIFY(schedule);
        bool splits = false;
        bool pairs = false;
        for (const std::vector<ScheduleOp>& program : schedule->order) {
            for (const ScheduleOp& op : program) {
                splits = splits || op.kind == OpKind::BackwardWeight;
                pairs = pairs || op.kind == OpKind::ForwardBackward;
            }
        }
        QCOMPARE(facts.splitsBackward, splits);
        QCOMPARE(facts.pairsForwardBackward, pairs);
    }
};

QTEST_GUILESS_MAIN(TestLegality)
#include "tst_legality.moc"
