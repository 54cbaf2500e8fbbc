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
    void whyNotAddsUp();
    void limitsHold();
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
    const QStringList line = words("advise --fix tp=4,schedule=1f1b --max micro-batch=1 --head-room 20 --no-search --json");
    const QJsonObject json = partita(line).json();
    QVERIFY(json[QStringLiteral("fits")].toBool());
    const QJsonObject layout = json[QStringLiteral("pick")][QStringLiteral("layout")].toObject();
    QCOMPARE(layout[QStringLiteral("tp")].toInt(), 4);
    QCOMPARE(layout[QStringLiteral("schedule")].toString(), QStringLiteral("1f1b"));
    QCOMPARE(layout[QStringLiteral("micro_batch")].toInt(), 1);
    QVERIFY(partita(words("advise --fix tp=4")).out.contains("legal layouts within the limits"));
}

QTEST_GUILESS_MAIN(CliAdviseTest)
#include "tst_cli_advise.moc"
