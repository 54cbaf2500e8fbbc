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
    void answersWithTheRightExitCode_data();
    void answersWithTheRightExitCode();
    void everyQuestionHasItsPart();
};

void CliStudyTest::answersWithTheRightExitCode_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<int>("code");
    QTest::newRow("help") << QByteArray("study --help") << 0;
    QTest::newRow("nothing asked") << QByteArray("study") << 1;
    QTest::newRow("unknown option") << QByteArray("study --nonsense") << 1;
    QTest::newRow("unknown axis") << QByteArray("study --scaling moon") << 1;
    QTest::newRow("placement") << QByteArray("study --placement") << 0;
    QTest::newRow("two axes") << QByteArray("study --scaling batch --scaling network") << 0;
    QTest::newRow("illegal") << QByteArray("study --placement --tp 3") << 2;
    QTest::newRow("no such file") << QByteArray("study --placement no/such/file") << 3;
}

void CliStudyTest::answersWithTheRightExitCode()
{
    QFETCH(QByteArray, line);
    QFETCH(int, code);
    const Run run = partita(words(line.constData()));
    QCOMPARE(run.code, code);
    QCOMPARE(run.out.isEmpty(), code != 0);
    QCOMPARE(run.err.isEmpty(), code == 0);
}

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
    QVERIFY(json["sensitivity"]["bars"].toArray().size() > 8);
    QCOMPARE(partita({"study", "--placement", "--json"}).json().keys(), QStringList{"placements"});
}

QTEST_GUILESS_MAIN(CliStudyTest)
#include "tst_cli_study.moc"
