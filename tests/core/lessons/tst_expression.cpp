// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/expression.h"
#include "core/lessons/expression_names.h"

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
    void whatItAsksForIsListed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArrayList>("parts");
        const auto row = [](const char* text, const QByteArrayList& parts) {
            QTest::newRow(text) << QByteArray(text) << parts;
        };
        row("2*(node-1)/node", {"node", "node"});
        row("1e9 + 2.5e-3", {});
        row("memory.stages[0].total*1e9", {"memory.stages[0].total"});
        row("max(m, ceil(2*layout.pp))", {"m", "layout.pp"});
        row("all_reduce (2*node, max(a, b)) + x", {"all_reduce (2*node, max(a, b)) [2*node] [ max(a, b)]", "x"});
        row("schedule == \"zb v\" and not fits or true", {"schedule", "fits"});
        row("all_reduce(a, (b", {"all_reduce(a, (b [a]"}); // not closed
        row("\"open", {});
    }
    void whatItAsksForIsListed()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArrayList, parts);
        QByteArrayList found;
        const std::string expression = text.toStdString();
        for (const NamedPart& part : namedParts(expression)) {
            found << QByteArray::fromStdString(std::string(part.text));
            for (const std::string_view argument : part.arguments) {
                found.back() += " [" + QByteArray::fromStdString(std::string(argument)) + ']';
            }
        }
        QCOMPARE(found, parts);
    }

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
