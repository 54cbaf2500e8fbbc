// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/formula.h"

#include <QtTest>

using namespace partita;

namespace {

const FormulaValues values{{"a", {2}}, {"b", {3}}, {"n", {1, 2, 3}}, {"t", {10, 20, 5}}, {"eta_pp", {0.5}}};
const std::set<std::string> lists{"n", "t"};

Expression parsed(const char* text)
{
    const Result<Expression> formula = parseFormula(text);
    return formula ? *formula : Expression{};
}

} // namespace

class TestFormula : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void evaluatesByTheRulesOfArithmetic_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("expected");
        QTest::newRow("product before sum") << "a + b*a" << 8.0;
        QTest::newRow("left to right") << "a - b - 1" << -2.0;
        QTest::newRow("division left to right") << "12/a/b" << 2.0;
        QTest::newRow("power before sign") << "-a^2" << -4.0;
        QTest::newRow("power right to left") << "a^b^0" << 2.0;
        QTest::newRow("sum over elements") << "sum(n*t)" << 65.0;
        QTest::newRow("scalars go with every element") << "sum(a*n + 1)" << 15.0;
        QTest::newRow("largest of a list") << "max(t)" << 20.0;
        QTest::newRow("largest of arguments") << "max(0, a - b)" << 0.0;
        QTest::newRow("element by element") << "sum(max(0, t - 10))" << 10.0;
        QTest::newRow("where the largest is") << "argmax(t)" << 1.0;
        QTest::newRow("percentile") << "percentile(t, 0.25)" << 7.5;
        QTest::newRow("comparison") << "a <= b" << 1.0;
        QTest::newRow("exponents") << "1e3*a" << 2000.0;
        QTest::newRow("names with parts") << "eta_pp*a" << 1.0;
    }
    void evaluatesByTheRulesOfArithmetic()
    {
        QFETCH(QString, text);
        QFETCH(double, expected);
        const Result<Expression> formula = parseFormula(text.toStdString());
        QVERIFY(formula);
        const Result<double> answer = evaluateFormula(*formula, values);
        QVERIFY(answer);
        QCOMPARE(*answer, expected);
    }

    void whatIsNoFormulaIsAProblem_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", "a +", "(a", "a b", "f(a)", "max()", "percentile(a)", "a ** b", "1..2", "é"}) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
        QTest::newRow("deep") << QString(10000, u'(');
        QTest::newRow("signs") << QString(10000, u'-');
    }
    void whatIsNoFormulaIsAProblem()
    {
        QFETCH(QString, text);
        QVERIFY(!parseFormula(text.toStdString()));
    }

    void missingValuesAndListsOfOtherLengthsAreProblems()
    {
        QVERIFY(!evaluateFormula(parsed("c + a"), values));
        QVERIFY(!evaluateFormula(parsed("n + t"), values)); // a list
        FormulaValues uneven = values;
        uneven["t"].pop_back();
        QVERIFY(!evaluateFormula(parsed("sum(n*t)"), uneven));
    }

    void theTextOfAFormulaHasTheSameValue_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"a - (b - 1)", "a/(b*2)", "a/b*2", "(a + b)^2", "-(a + b)", "a*(b/2)", "2^(a*b)"}) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
    }
    void theTextOfAFormulaHasTheSameValue()
    {
        QFETCH(QString, text);
        const Expression formula = parsed(text.toUtf8().constData());
        QString plain = QString::fromStdString(plainFormula(formula, lists));
        plain.replace(QStringLiteral("·"), QStringLiteral("*")).replace(QStringLiteral("−"), QStringLiteral("-"));
        const Result<Expression> again = parseFormula(plain.toStdString());
        QVERIFY2(again, qPrintable(plain));
        QCOMPARE(*evaluateFormula(*again, values), *evaluateFormula(formula, values));
    }

    void isTypesetWithSumsFractionsAndIndices()
    {
        const Expression formula = parsed("max(0, sum(n*t) - a)/(b*eta_pp)");
        QCOMPARE(plainFormula(formula, lists), std::string("max(0, Σ nᵢ·tᵢ − a) / (b·η_pp)"));
        QCOMPARE(latexFormula(formula, lists),
                 std::string("\\frac{\\operatorname{max}\\left(0, \\sum_i n_{i} \\cdot t_{i} - a\\right)}"
                             "{b \\cdot \\eta_{\\mathrm{pp}}}"));
        const std::string math = mathFormula(formula, lists);
        QVERIFY(math.find("<mfrac>") != std::string::npos);
        QVERIFY(math.find("<mi>η</mi>") != std::string::npos);
        QVERIFY(math.find("<mo>,</mo>") != std::string::npos);
        for (std::size_t end = math.find("</"); end != std::string::npos; end = math.find("</", end + 1)) {
            const std::size_t next = math.find('>', end) + 1;
            QVERIFY(next >= math.size() || math[next] == '<'); // browsers do not show bare text between elements
        }
    }

    void numbersTakeThePlaceOfSymbols()
    {
        const auto text = [](std::string_view symbol, std::size_t element) {
            return std::to_string(static_cast<int>(values.find(symbol)->second[element]));
        };
        QCOMPARE(substitutedFormula(parsed("a*sum(n*t) + b"), values, lists, text),
                 std::string("2·(1·10 + 2·20 + 3·5) + 3"));
        QCOMPARE(substitutedFormula(parsed("sum(n*max(0, t - 10))"), values, lists, text),
                 std::string("(2·max(0, 20 − 10))"));
        QCOMPARE(substitutedFormula(parsed("max(t)"), values, lists, text), std::string("max(10, 20, 5)"));
    }
};

QTEST_GUILESS_MAIN(TestFormula)
#include "tst_formula.moc"
