// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_text.h"

#include <QtTest>

using namespace partita;

class TestJsonText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhatIsWritten()
    {
        const auto tree = parseJson("{\"a\": [1, 2.5, \"x\", null, true], \"b\": {\"c\": -3}}");
        QVERIFY(tree);
        QCOMPARE((*tree).dump(), std::string(R"({"a":[1,2.5,"x",null,true],"b":{"c":-3}})"));
    }

    void skipsAByteOrderMark() { QVERIFY(parseJson("\xEF\xBB\xBF{}")); }

    void refusesAndSaysWhere_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("message");
        QTest::newRow("empty") << QByteArray(" \n") << "is empty";
        QTest::newRow("syntax") << QByteArray("{\n  \"a\": 1,\n  \"b\": ?\n}") << "line 3, column 8";
        QTest::newRow("trailing comma") << QByteArray("{\"a\": 1,}") << "line 1, column 9";
        QTest::newRow("unfinished") << QByteArray("{\"a\": [1, 2") << "line 1, column 11";
        QTest::newRow("two documents") << QByteArray("{} {}") << "line 1, column 4";
        QTest::newRow("overflow") << QByteArray("[1e400]") << "number overflow";
        QTest::newRow("bare NaN") << QByteArray("{\"a\": NaN}") << "line 1";
        QTest::newRow("not UTF-8") << QByteArray("{\"a\": \"\xff\xfe\"}") << "UTF-8";
        QTest::newRow("zero byte") << QByteArray("{\"a\0\": 1}", 9) << "line 1";
        QTest::newRow("zero byte behind the end") << QByteArray("{}\n\0]", 5) << "line 2";
        QTest::newRow("UTF-16") << QByteArray("\xff\xfe{\0}\0", 6) << "UTF-16";
        QTest::newRow("binary") << QByteArray("\x7f"
                                              "ELF\x02\x01")
                                << "line 1, column 1";
        QTest::newRow("deep lists") << QByteArray(10000, '[') << "deeper than 64";
        QTest::newRow("deep objects") << QByteArray("{\"a\":").repeated(10000) << "deeper than 64";
        QTest::newRow("many values") << "[" + QByteArray("0,").repeated(1'000'001) + "0]"
                                     << "more than 1000000 values";
        QTest::newRow("large") << QByteArray((8 << 20) + 1, ' ') << "larger than the 8388608 bytes";
    }

    void refusesAndSaysWhere()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, message);
        const auto tree = parseJson(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        QVERIFY(!tree);
        QCOMPARE(tree.problems.size(), std::size_t{1});
        const QString described = QString::fromStdString(describe(tree.problems.front()));
        QVERIFY2(described.contains(message), qPrintable(described));
        QVERIFY(described.size() < 300);
        QVERIFY(!described.contains("exception"));
    }

    void namesEveryKeyThatIsGivenTwice()
    {
        const auto tree =
            parseJson(R"({"layout": {"tp": 1, "tp": 2}, "levels": [{}, {"a": {"x": 1}, "a": {"x": 2, "x": 3}}]})");
        QVERIFY(!tree);
        QCOMPARE(tree.problems.size(), std::size_t{3});
        QCOMPARE(tree.problems[0].field, std::string("layout.tp"));
        QCOMPARE(tree.problems[1].field, std::string("levels[1].a"));
        QCOMPARE(tree.problems[2].field, std::string("levels[1].a.x"));
    }

    void takesPythonsNonFiniteNumbersForNullWhenAsked()
    {
        JsonOptions options;
        options.nonFiniteAsNull = true;
        const auto tree =
            parseJson("{\"a\": NaN, \"b\": [0.0, Infinity, -Infinity], \"c\": \"NaN \\\" Infinity\"}", options);
        QVERIFY(tree);
        QCOMPARE((*tree).dump(), std::string("{\"a\":null,\"b\":[0.0,null,null],\"c\":\"NaN \\\" Infinity\"}"));

        const auto broken = parseJson("{\"a\": NaN, \"b\": ?}", options);
        QVERIFY(QString::fromStdString(broken.problems.at(0).message).contains("line 1, column 17"));
    }

    void takesAPrintedConfigurationWhenAsked()
    {
        JsonOptions options;
        options.skipClassName = true;
        QVERIFY(parseJson("LlamaConfig {\n \"a\": 1\n}\n", options));
        QVERIFY(!parseJson("LlamaConfig {\n \"a\": 1\n}\n"));
        QVERIFY(!parseJson("\"text\" {\n \"a\": 1\n}\n", options));
        const auto broken = parseJson("LlamaConfig {\n \"a\": ?\n}\n", options);
        QVERIFY(QString::fromStdString(broken.problems.at(0).message).contains("line 2, column 7"));
    }
};

QTEST_GUILESS_MAIN(TestJsonText)
#include "tst_json_text.moc"
