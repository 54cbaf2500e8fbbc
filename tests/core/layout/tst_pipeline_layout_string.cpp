// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/pipeline_layout_string.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace partita;

class TestPipelineLayoutString : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhatMegatronDocuments_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<std::vector<int>>("layers");
        QTest::addColumn<int>("chunkOfPredictor");
        std::vector<int> deepSeek(32, 2);
        deepSeek[0] = 3;
        deepSeek[30] = deepSeek[31] = 0;
        QTest::newRow("DeepSeek-V3 on 32 chunks") << QByteArray("Et*3|(tt|)*29,m|L") << deepSeek << 30;
        QTest::newRow("written out") << QByteArray("Ett|tt|ttL") << std::vector<int>{2, 2, 2} << -1;
        QTest::newRow("ends apart") << QByteArray("E|t|t|L") << std::vector<int>{0, 1, 1, 0} << -1;
        QTest::newRow("empty chunks") << QByteArray("E|(t|)*3,m|m||L") << std::vector<int>{0, 1, 1, 1, 0, 0, 0, 0} << 4;
        QTest::newRow("groups in groups")
            << QByteArray("E((t|)*2t|)*2L") << std::vector<int>{1, 1, 1, 1, 1, 1, 0} << -1;
        QTest::newRow("one chunk") << QByteArray("Et*4 m L") << std::vector<int>{4} << 0;
    }
    void readsWhatMegatronDocuments()
    {
        QFETCH(QByteArray, text);
        QFETCH(std::vector<int>, layers);
        QFETCH(int, chunkOfPredictor);
        const auto parsed = parsePipelineLayout(text.toStdString());
        QVERIFY2(parsed, parsed ? "" : describe(parsed.problems.front()).c_str());
        QCOMPARE(layersOf(*parsed), layers);
        QCOMPARE(parsed->front().embeddings, 1);
        QCOMPARE(parsed->back().losses, 1);
        int found = -1;
        for (std::size_t i = 0; i < parsed->size() && found < 0; ++i) {
            found = (*parsed)[i].predictors > 0 ? static_cast<int>(i) : -1;
        }
        QCOMPARE(found, chunkOfPredictor);
    }

    void refusesWithAReason_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("foreign letter") << QByteArray("Ex|L") << QByteArray("is no unit");
        QTest::newRow("open group") << QByteArray("E(t|*3L") << QByteArray("not closed");
        QTest::newRow("stray closing") << QByteArray("Et)|L") << QByteArray("not opened");
        QTest::newRow("star alone") << QByteArray("Et*|L") << QByteArray("must follow *");
        QTest::newRow("no embedding") << QByteArray("t|L") << QByteArray("0 embeddings");
        QTest::newRow("embedding late") << QByteArray("t|EL") << QByteArray("not in the first");
        QTest::newRow("loss early") << QByteArray("EtL|t") << QByteArray("not in the last");
        QTest::newRow("no loss") << QByteArray("Et|t") << QByteArray("0 losses");
        QTest::newRow("prediction early") << QByteArray("Em|tL") << QByteArray("before a layer");
        QTest::newRow("bomb") << QByteArray("E((((t*99999)*99999)*99999)*99999)*99999|L") << QByteArray("more than");
        QTest::newRow("deep") << QByteArray(5000, '(') << QByteArray("too many groups");
        QTest::newRow("nothing") << QByteArray() << QByteArray("0 embeddings");
    }
    void refusesWithAReason()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, reason);
        const auto parsed = parsePipelineLayout(text.toStdString());
        QVERIFY(!parsed);
        bool told = false;
        for (const Problem& problem : parsed.problems) {
            QCOMPARE(problem.field, std::string("layout.layers_per_stage"));
            told = told || problem.message.find(reason.toStdString()) != std::string::npos;
        }
        QVERIFY2(told, parsed.problems.front().message.c_str());
    }

    void tellsEveryProblemAtOnce() { QCOMPARE(parsePipelineLayout("mt").problems.size(), 3U); }

    void whatIsWrittenReadsBackTheSame()
    {
        std::mt19937 random(5);
        for (int trial = 0; trial < 500; ++trial) {
            std::vector<int> layers;
            const std::size_t chunks = 1 + random() % 12;
            while (layers.size() < chunks) {
                const int count = static_cast<int>(random() % 5);
                layers.insert(layers.end(), std::min<std::size_t>(1 + random() % 4, chunks - layers.size()), count);
            }
            const auto units = unitsOf(layers, trial % 3);
            const std::string text = writePipelineLayout(units);
            const auto parsed = parsePipelineLayout(text);
            QVERIFY2(parsed, text.c_str());
            QCOMPARE(*parsed, units);
        }
    }

    void writesRunsShort()
    {
        std::vector<int> layers(32, 2);
        layers[0] = 3;
        layers[30] = layers[31] = 0;
        std::vector<ChunkUnits> units = unitsOf(layers, 0);
        units[30].predictors = 1;
        QCOMPARE(QByteArray::fromStdString(writePipelineLayout(units)), QByteArray("Et*3|(tt|)*29m|L"));
        QCOMPARE(QByteArray::fromStdString(writePipelineLayout(unitsOf({2, 2}, 0))), QByteArray("Ett|ttL"));
    }

    void statedEndsLeaveTheRestEven()
    {
        QCOMPARE(*unevenEnds(80, 8, 1, -1, -1), std::vector<int>(8, 10));
        QCOMPARE(*unevenEnds(126, 16, 1, 7, 7), (std::vector<int>{7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7}));
        QCOMPARE(*unevenEnds(32, 4, 2, 4, 8), (std::vector<int>{2, 5, 5, 4, 2, 5, 5, 4}));
        QCOMPARE(*unevenEnds(12, 2, 1, 7, -1), (std::vector<int>{7, 5}));
        QCOMPARE(*unevenEnds(12, 1, 3, -1, -1), (std::vector<int>{4, 4, 4}));
    }

    void statedEndsThatLeaveAnOddRestAreRefused_data()
    {
        QTest::addColumn<std::vector<int>>("numbers"); // layers, stages, chunks, first, last
        QTest::newRow("rest does not divide") << std::vector<int>{80, 8, 1, 9, 10};
        QTest::newRow("too many at the ends") << std::vector<int>{10, 4, 1, 8, 8};
        QTest::newRow("end does not spread") << std::vector<int>{31, 4, 2, 3, 4};
        QTest::newRow("no stage between") << std::vector<int>{12, 2, 1, 4, 4};
        QTest::newRow("one stage with two ends") << std::vector<int>{12, 1, 1, 6, 6};
    }
    void statedEndsThatLeaveAnOddRestAreRefused()
    {
        QFETCH(std::vector<int>, numbers);
        QVERIFY(!unevenEnds(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]).problems.empty());
    }
};

QTEST_GUILESS_MAIN(TestPipelineLayoutString)
#include "tst_pipeline_layout_string.moc"
