// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/words.h"

#include <QtTest>

using namespace partita;

class TestWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void partsAreTrimmedAndNoneIsLost_data()
    {
        QTest::addColumn<QByteArray>("separator");
        QTest::addColumn<QByteArrayList>("parts");
        QTest::newRow("") << QByteArray(",") << QByteArrayList{""};
        QTest::newRow(" a ") << QByteArray(",") << QByteArrayList{"a"};
        QTest::newRow("a,b") << QByteArray(",") << QByteArrayList{"a", "b"};
        QTest::newRow(" a\t,, b \r\n") << QByteArray(",") << QByteArrayList{"a", "", "b"};
        QTest::newRow("a,") << QByteArray(",") << QByteArrayList{"a", ""};
        QTest::newRow("tp 4 · pp 2") << QByteArray("·") << QByteArrayList{"tp 4", "pp 2"};
    }

    void partsAreTrimmedAndNoneIsLost()
    {
        QFETCH(QByteArray, separator);
        QFETCH(QByteArrayList, parts);
        QByteArrayList found;
        for (const std::string_view part : splitAt(QTest::currentDataTag(), separator.toStdString())) {
            found << QByteArray(part.data(), static_cast<qsizetype>(part.size()));
        }
        QCOMPARE(found, parts);
    }

    void blanksAloneTrimToNothing()
    {
        QVERIFY(trimmed(" \t\r\n").empty());
        QCOMPARE(trimmed("x"), std::string_view("x"));
    }
};

QTEST_GUILESS_MAIN(TestWords)
#include "tst_words.moc"
