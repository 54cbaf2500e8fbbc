// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layer_split.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace partita;

class TestLayerSplit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layersAreNeitherLostNorMade()
    {
        std::mt19937 random(3);
        for (int trial = 0; trial < 500; ++trial) {
            std::vector<int> split(1 + random() % 9);
            for (int& count : split) {
                count = static_cast<int>(random() % 6);
            }
            const int sum = std::accumulate(split.begin(), split.end(), 0);
            for (int move = 0; move < 10; ++move) {
                const std::size_t chunk = random() % split.size();
                const int number = static_cast<int>(random() % 60) - 10;
                split = trial % 2 == 0 || split.size() < 2 ? withLayers(split, chunk, number)
                                                           : withCut(split, 1 + chunk % (split.size() - 1), number);
                QCOMPARE(std::accumulate(split.begin(), split.end(), 0), sum);
                QVERIFY(std::all_of(split.begin(), split.end(), [](int count) { return count >= 0; }));
            }
        }
    }

    void neighboursGiveAndTakeNearestFirst()
    {
        QCOMPARE(withLayers({4, 4, 4, 4}, 1, 6), (std::vector<int>{4, 6, 2, 4}));
        QCOMPARE(withLayers({4, 4, 4, 4}, 1, 10), (std::vector<int>{4, 10, 0, 2}));
        QCOMPARE(withLayers({4, 4, 4, 4}, 1, 99), (std::vector<int>{0, 16, 0, 0}));
        QCOMPARE(withLayers({4, 4, 4, 4}, 1, 1), (std::vector<int>{4, 1, 7, 4}));
        QCOMPARE(withLayers({4, 4, 4, 4}, 3, 2), (std::vector<int>{4, 4, 6, 2})); // nothing stands behind the last
        QCOMPARE(withLayers({4}, 0, 2), (std::vector<int>{4}));
    }

    void runsAreWrittenOnceAndReadBack()
    {
        const std::vector<int> balanced{7, 8, 8, 8, 5};
        QCOMPARE(layerSplitText(balanced), std::string("7 + 3×8 + 5"));
        std::vector<int> middle(64, 1);
        middle.front() = middle.back() = 0;
        QCOMPARE(layerSplitText(middle), std::string("0 + 62×1 + 0"));
        for (const std::vector<int>& split : {balanced, middle, std::vector<int>{3}, std::vector<int>(48, 2)}) {
            QCOMPARE(readLayerSplit(layerSplitText(split)), split);
        }
        for (const char* text : {"", "7 +", "7+8", "a×1", "3×", "-1 + 3", "9999999×1", "moved between stages"}) {
            QVERIFY2(readLayerSplit(text).empty(), text);
        }
    }

    void aCutMovesOnlyBetweenItsNeighbours()
    {
        QCOMPARE(withCut({4, 4, 4}, 1, 6), (std::vector<int>{6, 2, 4}));
        QCOMPARE(withCut({4, 4, 4}, 2, 5), (std::vector<int>{4, 1, 7}));
        QCOMPARE(withCut({4, 4, 4}, 2, 0), (std::vector<int>{4, 0, 8}));
        QCOMPARE(withCut({4, 4, 4}, 1, 50), (std::vector<int>{8, 0, 4}));
    }
};

QTEST_GUILESS_MAIN(TestLayerSplit)
#include "tst_layer_split.moc"
