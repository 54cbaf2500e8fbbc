// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/expression.h"

#include <QtTest>

using namespace partita;

namespace {

ExpressionNames names()
{
    ExpressionNames known;
    known.value = [](std::string_view name) -> std::optional<ExpressionValue> {
        if (name == "memory.stages[0].total") {
            return 7.0;
        }
        return name == "schedule" ? std::optional<ExpressionValue>("zb-v") : std::nullopt;
    };
    known.call = [](std::string_view name, const std::vector<double>& numbers) {
        return name == "double" && numbers.size() == 1 ? std::optional(2 * numbers.front()) : std::nullopt;
    };
    return known;
}

} // namespace

class TestExpression : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isWorthWhatArithmeticSays_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("value");
        QTest::newRow("precedence") << QByteArray("1 + 2 * 3 - 8 / 4") << 5.0;
        QTest::newRow("left to right") << QByteArray("10 - 3 - 2") << 5.0;
        QTest::newRow("brackets") << QByteArray("(1 + 2) * -3") << -9.0;
        QTest::newRow("exponent") << QByteArray("2e3/1e-3") << 2e6;
        QTest::newRow("name") << QByteArray("memory.stages[0].total * 2") << 14.0;
        QTest::newRow("call") << QByteArray("double(max(1, 2, min(3, 9)))") << 6.0;
        QTest::newRow("rounding") << QByteArray("ceil(7/2) + floor(7/2)") << 7.0;
        QTest::newRow("comparison") << QByteArray("1 + 1 <= 2 and not 3 < 2") << 1.0;
        QTest::newRow("or binds weaker") << QByteArray("1 or 0 and 0") << 1.0;
        QTest::newRow("text") << QByteArray("schedule == \"zb-v\"") << 1.0;
        QTest::newRow("other text") << QByteArray("schedule != \"zb-v\"") << 0.0;
        QTest::newRow("true") << QByteArray("true + true") << 2.0;
    }
    void isWorthWhatArithmeticSays()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, value);
        const Result<double> result = evaluateNumber(text.toStdString(), names());
        QVERIFY2(result, result ? "" : describe(result.problems.front()).c_str());
        QCOMPARE(*result, value);
    }

    void refusesWhatIsNoExpression_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"",       "1 +",          "(1",       "1 2",           "unknown", "1 or unknown", "double(1, 2)",
              "\"open", "schedule + 1", "schedule", "schedule == 1", "1 / 0",   "max()",        "$",
              "1 ==",   "not",          "min(1,)",  "1..2",          "a[",      "1e999"}) {
            QTest::newRow(text) << QByteArray(text);
        }
        QTest::newRow("deep") << QByteArray(1000, '(');
        QTest::newRow("many minuses") << QByteArray(1000, '-');
        QTest::newRow("many nots") << QByteArray("not ").repeated(400);
        QTest::newRow("long") << QByteArray("1+").repeated(5000);
    }
    void refusesWhatIsNoExpression()
    {
        QFETCH(QByteArray, text);
        const Result<double> result = evaluateNumber(text.toStdString(), names());
        QVERIFY(!result);
        QVERIFY(!result.problems.empty() && !result.problems.front().message.empty());
    }
};

QTEST_GUILESS_MAIN(TestExpression)
#include "tst_expression.moc"
