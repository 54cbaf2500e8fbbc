// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_scenario.h"

#include <QtTest>

using namespace partita;

namespace {

using Texts = std::vector<std::string>;

const std::string scenario = "{\"name\": \"a <b> & 'c' ]]> é\"}\n";

std::string smallPng()
{
    return std::string("\x89PNG\r\n\x1a\n", 8) + std::string("\0\0\0\rIHDR", 8) + std::string(17, '\1')
        + std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12);
}

} // namespace

class TestEmbeddedScenario : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comesBackFromEveryCarrier()
    {
        for (std::size_t count = 0; count <= mostEmbedded; ++count) {
            Texts scenarios;
            for (std::size_t i = 0; i < count; ++i) {
                scenarios.push_back(scenario + static_cast<char>('0' + i));
            }
            QCOMPARE(embeddedScenarios("<svg>" + scenarioElements(scenarios) + "</svg>"), scenarios);
            QCOMPARE(embeddedScenarios("%PDF-1.4\n" + scenarioXmp("A & B", scenarios)), scenarios);
            QCOMPARE(embeddedScenarios(pngWithScenarios(smallPng(), scenarios)), scenarios);
        }
    }

    void aTableEndsInItsScenarios()
    {
        const std::string json = "{\n  \"name\": \"a, b; 'c' \\\" d % é\",\n  \"n\": [1, 2]\n}\n";
        const std::string compact = "{\"name\":\"a, b; 'c' \\\" d % é\",\"n\":[1,2]}";
        const std::string table = "\"a, b\",c,d\r\n1,2,3\r\n";
        const std::string csv = csvWithScenarios(table, {json, json});
        QVERIFY(isCarrier(csv));
        QCOMPARE(embeddedScenarios(csv), (Texts{compact, compact}));
        QCOMPARE(csv.substr(0, table.size()), table);
        const QByteArrayList lines = QByteArray::fromStdString(csv).split('\n');
        QCOMPARE(lines.size(), qsizetype{5});
        for (const QByteArray& line : lines.mid(2, 2)) {
            QVERIFY(line.startsWith("# partita-scenario"));
            QVERIFY(line.endsWith(",,\r"));
            QCOMPARE(line.count(','), qsizetype{2}); // as many cells as the header has
            QVERIFY(!line.contains('"') && !line.contains(';'));
        }
        std::string quoted = csv; // as a spreadsheet may write it again
        quoted.replace(quoted.find("# partita-scenario:"), 1, "\"#");
        QCOMPARE(embeddedScenarios(quoted), (Texts{compact, compact}));
        QVERIFY(!isCarrier(table));
        QVERIFY(!isCarrier("{\"name\": \"# partita-scenario: {}\"}"));
    }

    void aScenarioIsNoCarrierAndACarrierNeedNotHoldOne()
    {
        QVERIFY(!isCarrier(scenario));
        QVERIFY(!isCarrier("{\"name\": \"<partita:scenario>x</partita:scenario>\"}"));
        QVERIFY(!isCarrier(""));
        QVERIFY(isCarrier("\xef\xbb\xbf  <svg/>"));
        QVERIFY(embeddedScenarios("<svg/>").empty());
        QVERIFY(embeddedScenarios(smallPng()).empty());
        QCOMPARE(pngWithScenarios("no picture", {scenario}), std::string("no picture"));
    }

    void filesThatOtherProgramsWroteAgainOpen_data()
    {
        QTest::addColumn<QByteArray>("file");
        const auto row = [](const char* name, const char* file) { QTest::newRow(name) << QByteArray(file); };
        row("as written",
            "<svg><partita:scenario xmlns:partita=\"urn:partita:scenario\">{&quot;a&quot;: 1}"
            "</partita:scenario></svg>");
        row("another prefix",
            "<svg><ns0:scenario xmlns:ns0='urn:partita:scenario'>{&quot;a&quot;: 1}</ns0:scenario></svg>");
        row("declared at the root",
            "<svg xmlns:p = \"urn:partita:scenario\"><p:scenario>{&quot;a&quot;: 1}</p:scenario >"
            "</svg>");
        row("the default namespace",
            "<svg><scenario xmlns=\"urn:partita:scenario\">{&quot;a&quot;: 1}</scenario></svg>");
        row("numbers for characters", "<svg><partita:scenario>&#123;&#x22;a&#34;: 1&#x7D;</partita:scenario></svg>");
        row("CDATA", "<svg><partita:scenario><![CDATA[{\"a\": 1}]]></partita:scenario></svg>");
        row("a table with old line ends", "x,y\r1,2\r# partita-scenario: {%22a%22:%201},\r");
        row("a table with a mark", "\xef\xbb\xbfx,y\n1,2\n# partita-scenario: {%22a%22:%201},\n");
    }

    void filesThatOtherProgramsWroteAgainOpen()
    {
        QFETCH(QByteArray, file);
        QCOMPARE(embeddedScenarios(file.toStdString()), Texts{"{\"a\": 1}"});
        QVERIFY(!missesScenario(file.toStdString()));
    }

    void referencesThatNameNoCharacterStay_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"&#0;", "&#x110000;", "&#;", "&#x;", "&#99999999999;", "&#12", "&", "&#-1;"}) {
            QTest::newRow(text) << QByteArray(text);
        }
    }

    void referencesThatNameNoCharacterStay()
    {
        QFETCH(QByteArray, text);
        QCOMPARE(embeddedScenarios(("<svg><partita:scenario>" + text + "</partita:scenario></svg>").toStdString()),
                 Texts{text.toStdString()});
    }

    void timeGrowsNoFasterThanTheFile_data()
    {
        QTest::addColumn<QByteArray>("repeated");
        for (const char* text : {"plain ", "<![CDATA[", "<![CDATA[]]>", "&#", "xmlns:p=\"urn:partita:scenario\""}) {
            QTest::newRow(text) << QByteArray(text);
        }
        QTest::newRow("many prefixes") << QByteArray();
    }

    void timeGrowsNoFasterThanTheFile()
    {
        QFETCH(QByteArray, repeated);
        constexpr qsizetype size = 4 << 20;
        QByteArray text = repeated.repeated(repeated.isEmpty() ? 0 : size / repeated.size());
        for (int i = 0; text.size() < size; ++i) {
            text += " xmlns:p" + QByteArray::number(i) + "=\"urn:partita:scenario\"";
        }
        const std::string file = ("<svg><partita:scenario>" + text + "</partita:scenario></svg>").toStdString();
        QElapsedTimer taken;
        taken.start();
        QCOMPARE(embeddedScenarios(file).size(), std::size_t{1});
        QVERIFY(!missesScenario(file));
        QVERIFY2(taken.elapsed() < 20000, QByteArray::number(taken.elapsed())); // minutes, were it squared
    }

    void oneThatIsGoneIsMissed_data()
    {
        QTest::addColumn<std::size_t>("gone");
        QTest::addColumn<bool>("misses");
        QTest::newRow("the one shown") << std::size_t{0} << true;
        QTest::newRow("the second") << std::size_t{1} << true;
        QTest::newRow("the last: the file cannot know") << std::size_t{3} << false;
        QTest::newRow("none") << std::size_t{9} << false;
    }

    void oneThatIsGoneIsMissed()
    {
        QFETCH(std::size_t, gone);
        QFETCH(bool, misses);
        const std::string table = csvWithScenarios("x,y\r\n1,2\r\n", {"{}", "{}", "{}", "{}"});
        QByteArrayList lines = QByteArray::fromStdString(table).split('\n');
        if (gone < 4) {
            lines.removeAt(static_cast<qsizetype>(gone) + 2);
        }
        QCOMPARE(missesScenario(lines.join('\n').toStdString()), misses);
    }

    void tornFilesHoldNothing()
    {
        const std::string png = pngWithScenarios(smallPng(), {scenario});
        for (std::size_t i = 0; i < png.size(); ++i) {
            const Texts inside = embeddedScenarios(png.substr(0, i));
            QVERIFY(inside.empty() || inside == Texts{scenario});
        }
        std::string hostile = png;
        hostile[33] = '\xff'; // a chunk that claims to be longer than the file
        QVERIFY(embeddedScenarios(hostile).empty());
        QVERIFY(embeddedScenarios("<svg><partita:scenario").empty());
        QVERIFY(embeddedScenarios("<svg><partita:scenario</partita:scenario>").empty());
    }
};

QTEST_GUILESS_MAIN(TestEmbeddedScenario)
#include "tst_embedded_scenario.moc"
