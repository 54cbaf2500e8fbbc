// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_scenario.h"

#include <QtTest>

using namespace partita;

namespace {

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
        QCOMPARE(*embeddedScenario("<svg>" + scenarioElement(scenario) + "</svg>"), scenario);
        QCOMPARE(*embeddedScenario("%PDF-1.4\n" + scenarioXmp("A & B", scenario)), scenario);
        QCOMPARE(*embeddedScenario(pngWithScenario(smallPng(), scenario)), scenario);
    }

    void aScenarioIsNoCarrierAndACarrierNeedNotHoldOne()
    {
        QVERIFY(!isCarrier(scenario));
        QVERIFY(!isCarrier("{\"name\": \"<partita:scenario>x</partita:scenario>\"}"));
        QVERIFY(!isCarrier(""));
        QVERIFY(isCarrier("\xef\xbb\xbf  <svg/>"));
        QVERIFY(!embeddedScenario("<svg/>"));
        QVERIFY(!embeddedScenario(smallPng()));
        QCOMPARE(pngWithScenario("no picture", scenario), std::string("no picture"));
    }

    void tornFilesHoldNothing()
    {
        const std::string png = pngWithScenario(smallPng(), scenario);
        for (std::size_t i = 0; i < png.size(); ++i) {
            const auto inside = embeddedScenario(png.substr(0, i));
            QVERIFY(!inside || *inside == scenario);
        }
        std::string hostile = png;
        hostile[33] = '\xff'; // a chunk that claims to be longer than the file
        QVERIFY(!embeddedScenario(hostile));
        QVERIFY(!embeddedScenario("<svg><partita:scenario"));
        QVERIFY(!embeddedScenario("<svg><partita:scenario</partita:scenario>"));
    }
};

QTEST_GUILESS_MAIN(TestEmbeddedScenario)
#include "tst_embedded_scenario.moc"
