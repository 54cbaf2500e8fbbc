// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace program_test;

class CliAdviseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theStepsLeadToThePick();
    void thePickIsWhatEvaluatePrints();
    void whatDoesNotFitIsSaidWithTheArithmetic();
    void workloadsThatNoLayoutRunsAreRefused_data();
    void workloadsThatNoLayoutRunsAreRefused();
    void whyNotAddsUp();
    void limitsHold();
    void limitsWithoutALegalLayoutAreRefusedAsSearchRefusesThem_data();
    void limitsWithoutALegalLayoutAreRefusedAsSearchRefusesThem();
    void whyNotNamesTheLimitThatIsBroken_data();
    void whyNotNamesTheLimitThatIsBroken();
    void whyNotSaysHowItWasRead();
};

void CliAdviseTest::theStepsLeadToThePick()
{
    const QJsonObject json = partita({"advise", "--json"}).json();
    QCOMPARE(json["voice"].toString(), QString("constraint-first"));
    QVERIFY(json["fits"].toBool());
    const QJsonArray steps = json["steps"].toArray();
    QVERIFY(steps.size() >= 2);
    for (qsizetype i = 0; i + 1 < steps.size(); ++i) {
        const QJsonObject step = steps[i].toObject();
        const QJsonObject chosen = step["reliefs"].toArray()[step["chosen"].toInt()].toObject();
        QCOMPARE(chosen["layout"], steps[i + 1].toObject()["before"].toObject()["layout"]);
    }
    QVERIFY(steps.last().toObject()["chosen"].isNull());
    const QJsonObject optimum = json["optimum"].toObject();
    QVERIFY(optimum["complete"].toBool());
    QVERIFY(optimum["gap"].toDouble() < 0.02);
    QVERIFY(optimum["best"].toObject()["fits"].toBool());
    QVERIFY(!partita({"advise", "--no-search", "--json"}).json().contains("optimum"));
    QCOMPARE(steps.first().toObject()["constraint"].toString(), QString("model_states"));
}

void CliAdviseTest::thePickIsWhatEvaluatePrints()
{
    const QJsonObject pick = partita({"advise", "--voice", "topology-first", "--json"}).json()["pick"].toObject();
    const QJsonObject layout = pick["layout"].toObject();
    const auto number = [&](const char* key) { return QString::number(layout[key].toInt()); };
    const QJsonObject report =
        partita({"evaluate", "--tp", number("tp"), "--pp", number("pp"), "--vpp", number("vpp"), "--cp", number("cp"),
                 "--zero", number("zero_stage"), "--micro-batch", number("micro_batch"), "--recompute",
                 layout["recompute"].toString(), "--schedule", layout["schedule"].toString(), "--json"})
            .json();
    QCOMPARE(report["step_time_s"].toDouble(), pick["step_time_s"].toDouble());
    QVERIFY(report["fits"].toBool());
}

void CliAdviseTest::whatDoesNotFitIsSaidWithTheArithmetic()
{
    const Run run = partita({"advise", "--nodes", "1", "--voice", "topology-first"});
    QVERIFY(run.out.contains("nothing fits"));
    QVERIFY(run.out.contains("18 bytes × 70,553,706,496 parameters / 8 devices = 148 GiB"));
}

void CliAdviseTest::workloadsThatNoLayoutRunsAreRefused_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("field");
    QTest::newRow("adapters of rank 0") << "--training lora --adapter-rank 0"
                                        << "workload.adapter_rank";
    QTest::newRow("no tokens") << "--seq-len 0"
                               << "workload.sequence_length";
    QTest::newRow("no sequences") << "--global-batch 0"
                                  << "layout.global_batch";
}

void CliAdviseTest::workloadsThatNoLayoutRunsAreRefused()
{
    QFETCH(QString, options);
    QFETCH(QString, field);
    for (const char* verb : {"advise", "search", "evaluate"}) {
        const QStringList line = QStringList{QString::fromLatin1(verb)} + options.split(QLatin1Char(' '));
        const Run run = partita(line + QStringList{QStringLiteral("--json")});
        QCOMPARE(run.code, 2);
        QVERIFY(run.out.contains(field.toUtf8()) || run.err.contains(field.toUtf8()));
    }
}

void CliAdviseTest::whyNotAddsUp()
{
    const QJsonObject json =
        partita({"advise", "--voice", "topology-first", "--why-not", "recompute=full", "--json"}).json();
    const QJsonObject answer = json["why_not"].toObject();
    QCOMPARE(answer["verdict"].toString(), QString("slower"));
    const QJsonObject difference = answer["difference"].toObject();
    const QJsonArray terms = difference["terms"].toArray();
    QCOMPARE(terms.first().toObject()["from_s"], json["pick"].toObject()["step_time_s"]);
    QCOMPARE(terms.last().toObject()["to_s"], answer["wanted"].toObject()["step_time_s"]);
    for (qsizetype i = 0; i + 1 < terms.size(); ++i) {
        QCOMPARE(terms[i].toObject()["to_s"], terms[i + 1].toObject()["from_s"]);
    }
}

void CliAdviseTest::limitsHold()
{
    const QStringList line =
        words("advise --fix tp=4,schedule=1f1b --max micro-batch=1 --head-room 20 --no-search --json");
    const QJsonObject json = partita(line).json();
    QVERIFY(json[QStringLiteral("fits")].toBool());
    const QJsonObject layout = json[QStringLiteral("pick")][QStringLiteral("layout")].toObject();
    QCOMPARE(layout[QStringLiteral("tp")].toInt(), 4);
    QCOMPARE(layout[QStringLiteral("schedule")].toString(), QStringLiteral("1f1b"));
    QCOMPARE(layout[QStringLiteral("micro_batch")].toInt(), 1);
    QVERIFY(partita(words("advise --fix tp=4")).out.contains("legal layouts within the limits"));
}

void CliAdviseTest::limitsWithoutALegalLayoutAreRefusedAsSearchRefusesThem_data()
{
    QTest::addColumn<QString>("limits");
    QTest::addColumn<QByteArray>("why");
    const auto row = [](const char* limits, const char* why) {
        QTest::newRow(limits) << QString::fromLatin1(limits) << QByteArray(why);
    };
    row("--fix tp=8,pp=8,dp=8", "leave no legal layout, each beside the others");
    row("--fix tp=7", "tp = 7: does not divide 64 heads (try 4 or 8)");
    row("--fix tp=8,pp=4,dp=3", "dp = 3: does not divide 64 devices (a divisor of 64)");
    row("--min tp=8,pp=16", "leave no legal layout, each beside the others");
    row("--min dp=128", "dp ≥ 128: there are 64 devices (at most 64)");
    row("--min micro-batches=65", "micro_batches ≥ 65: a step has 64 sequences (at most 64)");
    row("--fix pp=1,micro-batches=3", "micro_batches = 3: leaves no legal layout");
    row("--fix dp=64 --global-batch 32", "dp = 64: leaves no legal layout");
}

void CliAdviseTest::limitsWithoutALegalLayoutAreRefusedAsSearchRefusesThem()
{
    QFETCH(QString, limits);
    const QStringList options = words(limits.toUtf8());
    const Run searched = partita(words("search --json") + options);
    QCOMPARE(searched.code, 2);
    QFETCH(QByteArray, why);
    QVERIFY2(searched.err.contains(why), searched.err);
    for (const char* voice : {"constraint-first", "topology-first"}) {
        const Run advised = partita(words("advise --json --voice") + QStringList{QString::fromLatin1(voice)} + options);
        QCOMPARE(advised.code, 2);
        QCOMPARE(advised.err, searched.err);
        QCOMPARE(advised.out, searched.out);
    }
}

void CliAdviseTest::whyNotNamesTheLimitThatIsBroken_data()
{
    QTest::addColumn<QString>("limits");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<QString>("named");
    QTest::newRow("head-room") << "--head-room 30"
                               << "tp=2,cp=2,pp=1,vpp=1,dp=16,zero=3,schedule=1f1b"
                               << "outside_limits"
                               << "head-room 30.0 %";
    QTest::newRow("degree") << "--max tp=4"
                            << "tp=8,cp=1,dp=8"
                            << "outside_limits"
                            << "tp ≤ 4";
    QTest::newRow("node") << "--tp-in-node"
                          << "tp=16"
                          << "outside_limits"
                          << "tp inside a node";
    QTest::newRow("stack") << ""
                           << "tp=8,pp=4,zero=1,schedule=zb-v"
                           << "not_offered"
                           << "does not offer ZB-V";
}

void CliAdviseTest::whyNotNamesTheLimitThatIsBroken()
{
    QFETCH(QString, limits);
    QFETCH(QString, wanted);
    QFETCH(QString, verdict);
    QFETCH(QString, named);
    const QStringList line = words("advise --no-search --json") + words(qPrintable(limits))
        + QStringList{QStringLiteral("--why-not"), wanted};
    const QJsonObject answer = partita(line).json()[QStringLiteral("why_not")].toObject();
    QCOMPARE(answer[QStringLiteral("verdict")].toString(), verdict);
    QVERIFY2(answer[QStringLiteral("broken")][0].toString().contains(named),
             qPrintable(answer[QStringLiteral("text")].toString()));
    QVERIFY(answer[QStringLiteral("wanted")][QStringLiteral("step_time_s")].toDouble() > 0);
    QVERIFY(answer[QStringLiteral("nearest_within")][QStringLiteral("fits")].toBool());
}

void CliAdviseTest::whyNotSaysHowItWasRead()
{
    const Run run = partita(words("advise --no-search --why-not tp=8,pp=4,dp=2,zero=1,micro_batch=1"));
    QVERIFY2(run.out.contains("Read as tp 8 · pp 4 · dp 2 · ZeRO-1 · 1F1B: degrees"), run.out);
    QVERIFY(!run.out.contains("Illegal"));
    const QStringList printed{QStringLiteral("advise"), QStringLiteral("--no-search"), QStringLiteral("--why-not"),
                              QStringLiteral("tp 8 · pp 4 · sp off")};
    QVERIFY(partita(printed).out.contains("no sequence parallelism"));
}

QTEST_GUILESS_MAIN(CliAdviseTest)
#include "tst_cli_advise.moc"
