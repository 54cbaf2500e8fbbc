// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/error_band.h"
#include "core/training/evaluate.h"
#include "tests/core/runs/sample_runs.h"

#include <QTest>

#include <set>

using namespace partita;

namespace {

Scenario scenario(int tp = 2)
{
    std::vector<ComparableRun> runs = comparableRuns({{"s", readOrFail(denseRow("a")).runs}}, presetCatalogue());
    runs[0].scenario.layout.tp = tp;
    runs[0].scenario.layout.dp = 8 / tp;
    return runs[0].scenario;
}

ComparableRun run(const std::string& source, const Scenario& of, double predicted, double measured)
{
    return {source + std::to_string(predicted), source, "", of, RunKind(of), measured, predicted};
}

} // namespace

class TestErrorBand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBandIsWhatMeasuredStepsWereOfPredictedOnes()
    {
        std::vector<ComparableRun> runs;
        for (int i = 0; i <= 10; ++i) { // predicted 0.9 to 1.1 of measured
            runs.push_back(run(i % 2 == 0 ? "a" : "b", scenario(), 90 + 2 * i, 100));
        }
        const auto band = errorBand(scenario(), runs);
        QVERIFY(band.has_value());
        QCOMPARE(band->runs.size(), runs.size());
        QVERIFY(qAbs(band->low - 0.92) < 1e-12 && qAbs(band->high - 1.08) < 1e-12);
        const auto times = stepTimeBand(scenario(), 10, runs);
        QVERIFY(qAbs(times->low - 9.2) < 1e-12 && qAbs(times->high - 10.8) < 1e-12);
    }

    void nearerRunsComeFirst()
    {
        Scenario other = scenario();
        other.stack.id = "another";
        std::vector<ComparableRun> runs;
        for (int i = 0; i < 6; ++i) {
            runs.push_back(run("far", other, 200 + i, 100));
            runs.push_back(run("near", scenario(), 100 + i, 100));
        }
        const auto band = errorBand(scenario(), runs, 12);
        QVERIFY(band.has_value());
        for (std::size_t i = 0; i < 6; ++i) {
            QCOMPARE(runs[band->runs[i]].source, std::string("near"));
        }
    }

    void oneSweepNeverFillsTheBand()
    {
        std::vector<ComparableRun> runs(30, run("sweep", scenario(), 100, 100));
        Scenario other = scenario();
        other.stack.id = "another";
        runs.insert(runs.end(), 30, run("other", other, 150, 100));
        const auto band = errorBand(scenario(), runs, 20);
        std::map<std::string, int> count;
        for (const std::size_t i : band->runs) {
            ++count[runs[i].source];
        }
        QCOMPARE(count["sweep"], 10);
        QCOMPARE(count["other"], 10);
    }

    void fewRunsGiveNoBand()
    {
        const std::vector<ComparableRun> runs(4, run("a", scenario(), 100, 100));
        QVERIFY(!errorBand(scenario(), runs));
        QVERIFY(!errorBand(scenario(), {}));
    }

    void illegalRunsAreLeftOut()
    {
        Scenario illegal = scenario();
        illegal.layout.tp = 3;
        std::vector<ComparableRun> runs(6, run("a", scenario(), 100, 100));
        runs.push_back(run("bad", illegal, 0, 100));
        runs.back().predicted.reset(); // to be evaluated
        const auto band = errorBand(scenario(), runs);
        QCOMPARE(band->runs.size(), std::size_t{6});
    }

    void distancesAreZeroForAlikeAndSymmetric()
    {
        const RunKind a(scenario(2));
        const RunKind b(scenario(1));
        QCOMPARE(distanceInKind(a, a), 0.0);
        QVERIFY(distanceInKind(a, b) > 0);
        QCOMPARE(distanceInKind(a, b), distanceInKind(b, a));
    }

    /// The runs of the program, each judged by the others: bands are made to hold four in five.
    void bandsHoldMostOfThePublishedRuns()
    {
        const LoadedRuns loaded = loadRuns(publishedRunFolders({PARTITA_SOURCE_DIR "/presets"}));
        std::vector<ComparableRun> runs = comparableRuns(loaded.files, presetCatalogue());
        predictAll(runs, [] { return false; });
        int held = 0;
        int asked = 0;
        for (std::size_t i = 0; i < runs.size(); i += 3) {
            if (!(runs[i].predicted.value_or(0) > 0)) {
                continue;
            }
            std::vector<ComparableRun> others = runs;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            const auto band = errorBand(runs[i].scenario, others);
            QVERIFY(band.has_value());
            const double ratio = *runs[i].predicted / runs[i].measured;
            held += ratio >= band->low && ratio <= band->high ? 1 : 0;
            ++asked;
        }
        QVERIFY(asked > 100);
        const double share = static_cast<double>(held) / asked;
        QVERIFY2(share > 0.65, qPrintable(QString::number(share)));
        qInfo("%.0f %% of %d runs lie in the band of their neighbours", 100 * share, asked);
    }
};

QTEST_GUILESS_MAIN(TestErrorBand)
#include "tst_error_band.moc"
