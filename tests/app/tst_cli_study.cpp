// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace program_test;

class CliStudyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyQuestionHasItsPart();
};

void CliStudyTest::everyQuestionHasItsPart()
{
    const QJsonObject json =
        partita({"study", "--placement", "--scaling", "devices", "--advised", "--sensitivity", "--json"}).json();
    const double stepTime = partita({"evaluate", "--json"}).json()["step_time_s"].toDouble();
    int current = 0;
    for (const QJsonValue& placement : json["placements"].toArray()) {
        if (placement["current"].toBool()) {
            ++current;
            QCOMPARE(placement["step_time_s"].toDouble(), stepTime);
        }
    }
    QCOMPARE(current, 1);
    const QJsonArray curves = json["scaling"].toArray();
    QCOMPARE(curves.size(), 2);
    QCOMPARE(curves[0]["layout"].toString(), QString("held"));
    QCOMPARE(curves[1]["layout"].toString(), QString("advised"));
    QVERIFY(curves[0]["points"].toArray().size() >= 5);
    QCOMPARE(json["sensitivity"]["step_time_s"].toDouble(), stepTime);
    const QJsonArray bars = json["sensitivity"]["bars"].toArray();
    QVERIFY(bars.size() > 8);
    QVERIFY(bars[0]["changes_ranking"].toBool()); // they come first
    const QJsonValue best = json["sensitivity"]["unchanged"]["best"];
    QVERIFY(best.isObject() && (bars[0]["low"]["best"] != best || bars[0]["high"]["best"] != best));
    QVERIFY(bars[0]["low"]["best_step_time_s"].toDouble() > 0);
    QCOMPARE(partita({"study", "--placement", "--json"}).json().keys(), QStringList{"placements"});
}

QTEST_GUILESS_MAIN(CliStudyTest)
#include "tst_cli_study.moc"
