// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/timeline_trace.h"
#include "core/pipeline/schedule.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

using namespace partita;

namespace {

Timeline dualPipe()
{
    const Result<Schedule> schedule = makeSchedule(ScheduleKind::DualPipe, 4, 8, 1);
    StageTimes times = equalStageTimes(schedule->placement, 1e-3, 1.5e-3, 0.7e-3);
    times.transfer = 1e-5;
    return *simulate(*schedule, times);
}

QJsonArray events(const Timeline& timeline)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(timelineTrace(timeline)), &error);
    if (error.error != QJsonParseError::NoError) {
        QTest::qFail(qPrintable(error.errorString()), __FILE__, __LINE__);
    }
    return document.object().value("traceEvents").toArray();
}

QJsonArray ofPhase(const QJsonArray& all, const QString& phase)
{
    QJsonArray found;
    for (const QJsonValue& event : all) {
        if (event.toObject().value("ph").toString() == phase) {
            found.append(event);
        }
    }
    return found;
}

} // namespace

class TestTimelineTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hasOneCompleteEventPerOp()
    {
        const Timeline timeline = dualPipe();
        const QJsonArray complete = ofPhase(events(timeline), "X");
        qsizetype i = 0;
        for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
            for (const TimelineOp& op : timeline.stages[stage].ops) {
                const QJsonObject event = complete.at(i++).toObject();
                QCOMPARE(event.value("name").toString().toStdString(), opText(op));
                QCOMPARE(event.value("tid").toInt(-1), static_cast<int>(stage));
                QCOMPARE(event.value("ts").toDouble(-1), op.start * 1e6);
                QCOMPARE(event.value("dur").toDouble(-1), (op.end - op.start) * 1e6);
                QCOMPARE(event.value("args").toObject().value("microBatch").toInt(-1), op.microBatch);
            }
        }
        QCOMPARE(complete.size(), i);
    }

    // Trace Event Format: every event has name, ph, pid; X and C have ts; X has tid and dur >= 0.
    void everyEventHasWhatTheFormatAsksFor()
    {
        for (const QJsonValue& value : events(dualPipe())) {
            const QJsonObject event = value.toObject();
            const QString phase = event.value("ph").toString();
            QVERIFY(event.value("name").isString() && event.value("pid").isDouble() && event.value("args").isObject());
            QVERIFY(phase == "M" || event.value("ts").toDouble(-1) >= 0);
            QVERIFY(phase != "X" || (event.value("dur").toDouble(-1) >= 0 && event.value("tid").isDouble()));
            QVERIFY(phase == "M" || phase == "X" || phase == "C");
        }
    }

    void countsTheActivationsEachStageHolds()
    {
        const Timeline timeline = dualPipe();
        double most = 0;
        for (const QJsonValue& value : ofPhase(events(timeline), "C")) {
            const QJsonObject event = value.toObject();
            if (event.value("name").toString() == "held by stage 1") {
                most = std::max(most, event.value("args").toObject().value("micro-batches").toDouble());
            }
        }
        QCOMPARE(most, timeline.stages[1].peakActivations);
    }

    void namesTheStages()
    {
        QStringList stages;
        for (const QJsonValue& value : ofPhase(events(dualPipe()), "M")) {
            const QJsonObject event = value.toObject();
            if (event.value("name").toString() == "thread_name") {
                stages << event.value("args").toObject().value("name").toString();
            }
        }
        QCOMPARE(stages, (QStringList{"stage 0", "stage 1", "stage 2", "stage 3"}));
    }

    void anEmptyTimelineIsStillATrace() { QCOMPARE(ofPhase(events(Timeline()), "X").size(), qsizetype{0}); }
};

QTEST_GUILESS_MAIN(TestTimelineTrace)
#include "tst_timeline_trace.moc"
