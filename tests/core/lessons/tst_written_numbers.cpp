// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/written_numbers.h"

#include <QtTest>

using namespace partita;

class TestWrittenNumbers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersAreFound_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("numbers");
        const auto row = [](const char* text, const QStringList& numbers) {
            QTest::newRow(text) << QString::fromUtf8(text) << numbers;
        };
        row("It takes 46.7 % of 8,192 tokens.", {"46.7", "8,192"});
        row("80GB, 8-way, 3x", {"80GB", "8-way", "3x"});
        row("m=32 and -5 and 40-50", {"32", "5", "40-50"});
        row("nine thousand", {"nine", "thousand"});
        row("Twelve stages, eight-way, twenty-four", {"Twelve", "eight-way", "twenty-four"});
        row("a hundredfold, eightfold", {"hundredfold", "eightfold"});
        row("a fifth of it, two thirds, an eighth; a quarter", {"fifth", "thirds", "eighth", "quarter"});
        row("{m} is {46.7} or {0.467|percent}", {"{46.7}", "{0.467|percent}"});
        row("{2*8} or {max(3, 8)|count}", {"{2*8}", "{max(3, 8)|count}"});
        row("{m|count 8 stage/nine stages}", {"8", "nine"});
        row("`46.7 %`", {"46.7 %"});
    }
    void numbersAreFound()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, numbers);
        QCOMPARE(found(text), numbers);
    }

    void namesFormulasAndOrderAreNot_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"1F1B, ZeRO-1, H100, Mixtral 8x7B, Llama-3.1-70B", "`(p - 1) / (2 m + 16)`", "{2*layout.pp} of {m|count}",
              "{m|count stage/stages}", "{all_reduce(2, 8)|seconds}", "the third stage, then the fourth",
              "one or two, half of it, twice", "tenant, often, weight, freight", ""}) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
    }
    void namesFormulasAndOrderAreNot()
    {
        QFETCH(QString, text);
        QCOMPARE(found(text), QStringList());
    }

    void whatIsNotClosedEndsWithTheText()
    {
        QCOMPARE(found(QStringLiteral("12 {m")), QStringList{"12"});
        QCOMPARE(found(QStringLiteral("`a 12")), QStringList());
        QCOMPARE(found(QStringLiteral("-- - 7")), QStringList{"7"});
    }

private:
    static QStringList found(const QString& text)
    {
        QStringList numbers;
        for (const std::string& number : writtenNumbers(text.toStdString())) {
            numbers << QString::fromStdString(number);
        }
        return numbers;
    }
};

QTEST_GUILESS_MAIN(TestWrittenNumbers)
#include "tst_written_numbers.moc"
