// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace program_test;

namespace {

double number(const QJsonObject& object, const char* key)
{
    return object.value(QLatin1String(key)).toDouble(std::nan(""));
}

QJsonArray list(const QJsonObject& object, const char* key)
{
    return object.value(QLatin1String(key)).toArray();
}

double highest(const QJsonArray& stages, const char* key)
{
    double most = 0;
    for (const QJsonValue& stage : stages) {
        most = std::max(most, number(stage.toObject(), key));
    }
    return most;
}

} // namespace

class CliScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void printsPublishedMakespansAndPeaks_data();
    void printsPublishedMakespansAndPeaks();
    void printsTheTimesOfUnequalOps_data();
    void printsTheTimesOfUnequalOps();
    void accountsForEveryStagesTime();
    void everyOpIsListedWithItsTimes();
    void pairsTakeTheirSumUnlessTold();
    void anythingNotGivenIsOne();
    void namesEveryIllegalNumberByItsOption();
    void printsTheTimesOfAScenario();
    void drawsSmallPipelines();
    void writesATrace();
    void listsWhatFollowsThePipeline();
    void comparesWithAMeasuredTrace();
};

// Independent simulations of the published orders, F = B = W = 10 of a stage.
void CliScheduleTest::printsPublishedMakespansAndPeaks_data()
{
    QTest::addColumn<double>("overhead");
    QTest::addColumn<double>("peak");
    QTest::addColumn<int>("copies");
    QTest::newRow("gpipe") << 210. << 16. << 1;
    QTest::newRow("1f1b") << 210. << 8. << 1;
    QTest::newRow("interleaved") << 105. << 11.5 << 1;
    QTest::newRow("1f1b-a2a-overlap") << 210. << 16. << 1;
    QTest::newRow("breadth-first") << 210. << 16. << 1;
    QTest::newRow("zb-h1") << 70. << 8. << 1;
    QTest::newRow("zb-h2") << 70. << 15. << 1;
    QTest::newRow("zb-v") << 35. << 8. << 1;
    QTest::newRow("v-half") << 85. << 5. << 1;
    QTest::newRow("v-min") << 135. << 4. << 1;
    QTest::newRow("dualpipe") << 60. << 9. << 2;
    QTest::newRow("dualpipe-v") << 70. << 8.5 << 1;
}

void CliScheduleTest::printsPublishedMakespansAndPeaks()
{
    QFETCH(double, overhead);
    QFETCH(double, peak);
    QFETCH(int, copies);
    const Run run = partita(
        QStringList{QStringLiteral("schedule"), QStringLiteral("--name"), QString::fromUtf8(QTest::currentDataTag())}
        + words("--stages 8 --micro-batches 16 --forward 10 --backward 10 --weight 10 --json"));
    QVERIFY2(run.code == 0 && run.err.isEmpty(), run.err);
    const QJsonObject json = run.json();
    QCOMPARE(number(json, "ideal"), 16 * 30.);
    QCOMPARE(number(json, "makespan"), 16 * 30. + overhead);
    QCOMPARE(highest(list(json, "stages"), "peak_activations"), peak);
    QCOMPARE(int(highest(list(json, "stages"), "weight_copies")), copies);
}

void CliScheduleTest::printsTheTimesOfUnequalOps_data()
{
    QTest::addColumn<double>("makespan");
    QTest::newRow("1f1b") << 2254.;
    QTest::newRow("interleaved") << 2055.;
    QTest::newRow("zb-h1") << 2046.;
    QTest::newRow("zb-h2") << 1997.;
    QTest::newRow("zb-v") << 1995.;
    QTest::newRow("v-half") << 2079.;
    QTest::newRow("v-min") << 2787.;
}

void CliScheduleTest::printsTheTimesOfUnequalOps()
{
    QFETCH(double, makespan);
    const Run run = partita(
        QStringList{QStringLiteral("schedule"), QStringLiteral("--name"), QString::fromUtf8(QTest::currentDataTag())}
        + words("--stages 8 --micro-batches 64 --forward 10 --backward 12 --weight 8 --p2p 1 --json"));
    QCOMPARE(number(run.json(), "makespan"), makespan);
}

void CliScheduleTest::accountsForEveryStagesTime()
{
    const QJsonObject json =
        partita(words("schedule --name interleaved --chunks 3 --stages 4 --micro-batches 10 --p2p 0.25 --json")).json();
    const QJsonArray stages = list(json, "stages");
    QCOMPARE(stages.size(), 4);
    double idle = 0;
    for (const QJsonValue& value : stages) {
        const QJsonObject stage = value.toObject();
        QVERIFY(std::abs(number(stage, "busy") + number(stage, "idle") - number(json, "makespan")) < 1e-9);
        idle += number(stage, "idle");
    }
    QVERIFY(std::abs(number(json, "bubble_fraction") - idle / (4 * number(json, "makespan"))) < 1e-12);
    QVERIFY(json.value(QLatin1String("bubble_definition")).toString().contains(QLatin1String("makespan")));
}

void CliScheduleTest::everyOpIsListedWithItsTimes()
{
    const QJsonArray ops =
        list(partita(words("schedule --name 1f1b --stages 2 --micro-batches 2 --json --ops")).json(), "ops");
    QCOMPARE(ops.size(), 8);
    QStringList lines;
    for (const QJsonValue& value : ops) {
        const QJsonObject op = value.toObject();
        lines << QStringLiteral("%1 %2 %3.%4 %5-%6")
                     .arg(number(op, "stage"))
                     .arg(op.value(QLatin1String("kind")).toString())
                     .arg(number(op, "micro_batch"))
                     .arg(number(op, "chunk"))
                     .arg(number(op, "start"))
                     .arg(number(op, "end"));
    }
    QCOMPARE(lines.join(QLatin1String(", ")),
             QStringLiteral("0 forward 0.0 0-1, 0 forward 1.0 1-2, 0 backward 0.0 4-6, 0 backward 1.0 7-9, "
                            "1 forward 0.0 1-2, 1 backward 0.0 2-4, 1 forward 1.0 4-5, 1 backward 1.0 5-7"));
}

void CliScheduleTest::pairsTakeTheirSumUnlessTold()
{
    const auto makespan = [](const char* more) {
        const Run run = partita(words("schedule --name dualpipe --stages 4 --micro-batches 8 --json") + words(more));
        return number(run.json(), "makespan");
    };
    QCOMPARE(makespan("--overlapped 3"), makespan(""));
    QVERIFY(makespan("--overlapped 2.5") < makespan(""));
}

void CliScheduleTest::anythingNotGivenIsOne()
{
    QCOMPARE(partita(words("schedule --name zb-v --stages 4 --micro-batches 8 --json")).out,
             partita(words("schedule --name zb-v --stages 4 --micro-batches 8 --chunks 2 --forward 1 --backward 1 "
                           "--weight 1 --p2p 0 --json"))
                 .out);
}

void CliScheduleTest::namesEveryIllegalNumberByItsOption()
{
    const Run run = partita(words("schedule --name dualpipe --stages 3 --micro-batches 5 --chunks 2 --json"));
    QCOMPARE(run.code, 2);
    QCOMPARE(run.problems().size(), 3);
    QStringList fields;
    for (const QJsonValue& problem : list(run.json(), "problems")) {
        fields << problem.toObject().value(QLatin1String("field")).toString();
    }
    QCOMPARE(fields, words("--stages --chunks --micro-batches"));
}

void CliScheduleTest::printsTheTimesOfAScenario()
{
    const QString path = QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");
    const QJsonObject report = partita({QStringLiteral("evaluate"), path, QStringLiteral("--json")}).json();
    const Run run = partita({QStringLiteral("schedule"), path, QStringLiteral("--json")});
    QCOMPARE(run.code, 0);
    const QJsonObject json = run.json();
    QCOMPARE(number(json, "bubble_fraction"), number(report, "bubble_fraction"));
    QVERIFY(number(json, "makespan") > 0 && number(json, "makespan") <= number(report, "step_time_s"));
    const QJsonArray stages = list(json, "stages");
    const QJsonArray expected = list(report, "stages");
    QCOMPARE(stages.size(), expected.size());
    for (qsizetype i = 0; i < stages.size(); ++i) {
        QCOMPARE(number(stages[i].toObject(), "peak_activations"), number(expected[i].toObject(), "in_flight"));
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(partita(words("schedule - --json"), file.readAll()).out, run.out);
}

void CliScheduleTest::drawsSmallPipelines()
{
    const Run run =
        partita(words("schedule --name 1f1b --stages 2 --micro-batches 2 --forward 1 --backward 1 --weight 1"));
    QCOMPARE(run.code, 0);
    QVERIFY2(run.out.contains("\n0   F0----F1----............B0----------......B1----------\n"
                              "1   ......F0----B0----------F1----B1----------............\n"),
             run.out);
    QVERIFY2(run.out.contains("idle time of all stages / (stages * makespan)"), run.out);
    for (const char* line : {"schedule --name dualpipe --stages 8 --micro-batches 20",
                             "schedule --name zb-v --stages 4 --micro-batches 8 --weight 0.3",
                             "schedule --name 1f1b --stages 64 --micro-batches 4096"}) {
        const Run each = partita(words(line));
        QCOMPARE(each.code, 0);
        for (const QByteArray& row : each.out.split('\n')) {
            QVERIFY2(QString::fromUtf8(row).size() <= 120, row);
        }
    }
}

void CliScheduleTest::writesATrace()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("step.json"));
    const Run run = partita(words("schedule --name zb-h1 --stages 2 --micro-batches 4 --json --trace") << path);
    QVERIFY2(run.code == 0, run.err);
    QVERIFY(run.json().contains(QLatin1String("makespan")));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    qsizetype complete = 0;
    for (const QJsonValue& event : list(QJsonDocument::fromJson(file.readAll()).object(), "traceEvents")) {
        complete += event.toObject().value(QLatin1String("ph")) == QLatin1String("X") ? 1 : 0;
    }
    QCOMPARE(complete, qsizetype{2 * 4 * 3});
}

void CliScheduleTest::listsWhatFollowsThePipeline()
{
    const QString path = QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");
    const QJsonObject report = partita({QStringLiteral("evaluate"), path, QStringLiteral("--json")}).json();
    const QJsonObject json =
        partita({QStringLiteral("schedule"), path, QStringLiteral("--json"), QStringLiteral("--ops")}).json();
    QVERIFY(std::abs(number(json, "step_end") - number(report, "step_time_s")) < 1e-9);
    QStringList kinds;
    for (const QJsonValue& value : list(json, "step_ops")) {
        const QJsonObject op = value.toObject();
        if (number(op, "stage") == 0) {
            kinds << op.value(QLatin1String("kind")).toString();
        }
        QVERIFY(number(op, "end") <= number(json, "step_end") && number(op, "end") > number(op, "start"));
    }
    QCOMPARE(kinds.join(u' '), QStringLiteral("reduce-scatter optimizer all-gather host"));
    double exposed = 0; // of tensor parallelism, on the stage that ends the pipeline
    for (const QJsonValue& value : list(json, "ops")) {
        const QJsonObject op = value.toObject();
        QVERIFY(number(op, "end") <= number(json, "makespan"));
        exposed += number(op, "stage") == 0 ? number(op.value(QLatin1String("exposed")).toObject(), "tp") : 0;
    }
    const QJsonObject parts = report.value(QLatin1String("time")).toObject().value(QLatin1String("parts")).toObject();
    QVERIFY(exposed > 0 && std::abs(exposed - number(parts, "tp_exposed")) < 1e-9);
}

void CliScheduleTest::comparesWithAMeasuredTrace()
{
    const QTemporaryDir folder;
    const QString trace = folder.filePath(QStringLiteral("step.json"));
    const QStringList slow = words("schedule --name 1f1b --stages 4 --micro-batches 8 --forward 2 --trace") << trace;
    QCOMPARE(partita(slow).code, 0);
    const QStringList compare = words("schedule --name 1f1b --stages 4 --micro-batches 8 --measured") << trace;
    const Run run = partita(compare + words("--json"));
    QVERIFY2(run.code == 0, run.err);
    const QJsonObject makespan = run.json().value(QLatin1String("makespan")).toObject();
    QCOMPARE(number(makespan, "predicted"), (8 + 3) * 3.);
    QCOMPARE(number(makespan, "measured"), (8 + 3) * 4.);
    for (const QJsonValue& kind : list(run.json(), "kinds")) {
        const QJsonObject mean = kind.toObject().value(QLatin1String("mean")).toObject();
        const bool isForward = kind.toObject().value(QLatin1String("kind")) == QLatin1String("forward");
        QCOMPARE(number(mean, "measured") / number(mean, "predicted"), isForward ? 2. : 1.);
    }
    QVERIFY2(partita(compare).out.contains("+33.3 %"), partita(compare).out);
    QCOMPARE(partita(words("schedule --name 1f1b --stages 4 --micro-batches 8 --measured /no/such.json")).code, 3);
    QCOMPARE(partita(words("schedule --name 1f1b --stages 4 --micro-batches 8 --measured -"), "[]").code, 2);
    QVERIFY(partita(words("import") << trace).out.contains("4 lanes"));
}

QTEST_GUILESS_MAIN(CliScheduleTest)
#include "tst_cli_schedule.moc"
