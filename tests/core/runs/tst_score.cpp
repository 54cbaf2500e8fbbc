// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/score.h"
#include "core/runs/score_json.h"
#include "core/runs/score_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace partita;

namespace {

ScoredRun row(const std::string& source, double predicted, double measured)
{
    ScoredRun run;
    run.id = source + std::to_string(measured);
    run.source = run.group = source;
    run.predictedTokens = predicted;
    run.measuredTokens = measured;
    return run;
}

ScoredRun skipped(const std::string& source, const std::string& reason)
{
    ScoredRun run;
    run.id = "s";
    run.source = source;
    run.skipped = reason;
    return run;
}

bool near(double a, double b)
{
    return qAbs(a - b) < 1e-12;
}

} // namespace

class TestScore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errorsByHand()
    {
        const ErrorStatistics e = errorStatistics({0.05, -0.15, 0.10, -0.40});
        QCOMPARE(e.count, 4);
        QVERIFY(near(e.mape, 0.175) && near(e.median, 0.125) && near(e.bias, -0.1));
        QVERIFY(near(e.within10, 0.5) && near(e.within20, 0.75));
        QCOMPARE(errorStatistics({}).count, 0);
    }

    void rankCorrelationByHand()
    {
        QCOMPARE(spearman({1, 2, 3, 4}, {10, 20, 30, 40}), 1.0);
        QCOMPARE(spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1.0);
        QVERIFY(near(spearman({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8)); // 1 - 6 * 4 / (5 * 24)
        QCOMPARE(spearman({1, 1, 1}, {1, 2, 3}), 0.0);
    }

    void onlySweepsOfSixRowsAreRanked()
    {
        std::vector<ScoredRun> rows;
        for (int i = 1; i <= 5; ++i) {
            rows.push_back(row("a", i, i));
        }
        QCOMPARE(scoreRuns(rows).overall.rankGroups, 0);
        rows.push_back(row("a", 6, 6));
        const Score score = scoreRuns(rows);
        QCOMPARE(score.overall.rankGroups, 1);
        QCOMPARE(score.overall.rankCorrelation, 1.0);
    }

    void everySourceCountsOnceInTheMean()
    {
        std::vector<ScoredRun> rows(9, row("many", 1.1, 1));
        rows.push_back(row("few", 1.5, 1));
        const Score score = scoreRuns(rows);
        QVERIFY(near(score.meanSourceMape, 0.3));
        QVERIFY(near(score.overall.time.mape, 0.14));
    }

    void rowsAreUsableOrHaveAReason()
    {
        const Score score = scoreRuns({row("a", 1, 1), skipped("a", "x"), skipped("a", "x"), skipped("b", "y")});
        QCOMPARE(score.overall.rows, 4);
        QCOMPARE(score.overall.usable(), 1);
        QCOMPARE(score.sources[0].skipped.at("x"), 2);
        QCOMPARE(score.sources[1].usable(), 0);
    }

    void fitsAreCountedInBothClasses()
    {
        std::vector<ScoredRun> rows(4, row("a", 1, 1));
        const std::array<std::pair<bool, bool>, 4> cells{{{true, true}, {true, true}, {false, true}, {false, false}}};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].predictedFits = cells[i].first;
            rows[i].measuredFits = cells[i].second;
        }
        const FitConfusion fit = scoreRuns(rows).overall.fit;
        QCOMPARE(fit.fitsRight, 2);
        QCOMPARE(fit.fitsWrong, 1);
        QCOMPARE(fit.failsRight, 1);
        QVERIFY(near(fit.right(), 0.75) && near(fit.balanced(), (2.0 / 3 + 1) / 2));
    }

    void jsonHasEveryRowWithNullForTheUnknown()
    {
        const std::vector<ScoredRun> rows{row("a", 110, 100), skipped("a", "because")};
        const std::string text = writeScore(rows, scoreRuns(rows), {{"f", "v", "m", ""}});
        const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
        const QJsonArray list = json.value(QLatin1String("rows")).toArray();
        QCOMPARE(list.size(), 2);
        for (const char* key :
             {"id", "source", "predicted_tokens_per_s_per_device", "measured_tokens_per_s_per_device",
              "predicted_peak_gib", "measured_peak_gib", "predicted_fits", "measured_fits", "assumptions", "skipped"}) {
            QVERIFY2(list[0].toObject().contains(QLatin1String(key)), key);
        }
        QVERIFY(list[0].toObject().value(QLatin1String("skipped")).isNull());
        QCOMPARE(list[1].toObject().value(QLatin1String("skipped")).toString(), QStringLiteral("because"));
        QCOMPARE(json.value(QLatin1String("sources")).toArray().size(), 1);
        QCOMPARE(json.value(QLatin1String("problems")).toArray().size(), 1);
        const QJsonObject time =
            json.value(QLatin1String("overall")).toObject().value(QLatin1String("tokens_per_s")).toObject();
        QVERIFY(qAbs(time.value(QLatin1String("mape")).toDouble() - 0.1) < 1e-9);
    }

    void tablesNameEverySourceAndReason()
    {
        const Score score = scoreRuns({row("first", 110, 100), skipped("second", "a | b")});
        for (const std::string& text : {scoreText(score), scoreMarkdown(score)}) {
            for (const char* word : {"first", "second", "overall", "10.0"}) {
                QVERIFY2(text.find(word) != std::string::npos, text.c_str());
            }
        }
        QVERIFY(scoreMarkdown(score).find("a \\| b") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestScore)
#include "tst_score.moc"
