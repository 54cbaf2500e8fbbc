// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/load_runs.h"
#include "tests/core/runs/sample_runs.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace partita;

class TestReadRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void absentAndNullFieldsStayAbsent()
    {
        const PublishedRuns runs = readOrFail(denseRow("a", R"(, "vpp": null)"));
        QVERIFY(runs.problems.empty());
        QVERIFY(!runs.runs[0].layout.vpp && !runs.runs[0].layout.cp && !runs.runs[0].model.kvHeads);
        QCOMPARE(*runs.runs[0].layout.tp, std::int64_t{2});
    }

    void aBadRowIsListedAndHidesNoOther_data()
    {
        QTest::addColumn<std::string>("bad");
        QTest::addColumn<std::string>("field");
        QTest::newRow("degree as text") << denseRow("b", R"(, "cp": "two")") << std::string("[1].layout.cp");
        QTest::newRow("same id again") << denseRow("a") << std::string("[1].id");
        QTest::newRow("no id") << denseRow("") << std::string("[1].id");
        QTest::newRow("not an object") << std::string("17") << std::string("[1]");
        QTest::newRow("layout is a list")
            << std::string(R"({"id": "b", "layout": [8, 1]})") << std::string("[1].layout");
        QTest::newRow("rate of nothing") << namedRow("b-1", R"({"name": "x"})", "H100 SXM",
                                                     R"({"tokens_per_s_per_gpu": 0})")
                                         << std::string("[1].measured.tokens_per_s_per_gpu");
    }
    void aBadRowIsListedAndHidesNoOther()
    {
        QFETCH(std::string, bad);
        QFETCH(std::string, field);
        const PublishedRuns runs = readOrFail(denseRow("a") + "," + bad + "," + denseRow("c"));
        QCOMPARE(runs.problems.size(), std::size_t{1});
        QCOMPARE(runs.problems[0].field, field);
        QCOMPARE(runs.runs.size(), std::size_t{3});
        QVERIFY(runs.runs[0].unscorable.empty() && runs.runs[2].unscorable.empty());
        QVERIFY(!runs.runs[1].unscorable.empty() && !runs.runs[1].id.empty());
    }

    void anotherKindOfFileIsOneProblem_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::newRow("object") << std::string("{}");
        QTest::newRow("number") << std::string("3");
        QTest::newRow("text") << std::string("tokens per second");
        QTest::newRow("nothing") << std::string();
        QTest::newRow("no rows") << std::string("[]");
    }
    void anotherKindOfFileIsOneProblem()
    {
        QFETCH(std::string, text);
        const Result<PublishedRuns> runs = readPublishedRuns(text);
        QVERIFY(!runs);
        QCOMPARE(runs.problems.size(), std::size_t{1});
    }

    void servingPointsAreRead()
    {
        const PublishedRuns runs = readOrFail(
            R"({"id": "s", "source": "bench", "model": "Llama", "hardware": "H100", "n_gpus": 1, "workload": {"batch": 1}, "layout": {"tp": 1}, "measured": {"tpot_ms": 20, "tokens_per_s": 50}})");
        QVERIFY(runs.problems.empty());
        const PublishedRun& run = runs.runs[0];
        QVERIFY(run.unscorable.empty());
        QVERIFY(run.serving.has_value());
        QCOMPARE(run.serving->batch, std::optional<std::int64_t>(1));
        QCOMPARE(run.serving->tpot, std::optional<double>(0.02));
        QVERIFY(!run.serving->ttft);
    }

    void aFolderIsItsFilesInTheOrderOfTheirNamesEachOnce()
    {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        std::ofstream(path / "b.json") << "[" + denseRow("b") + "]";
        std::ofstream(path / "a.json") << "[" + denseRow("a") + "]";
        std::ofstream(path / "c.json") << "not runs";
        std::ofstream(path / "d.txt") << "not read";
        const LoadedRuns loaded = loadRuns({path, path / "a.json"});
        QCOMPARE(loaded.files.size(), std::size_t{2});
        QCOMPARE(loaded.files[0].source, std::string("a"));
        QCOMPARE(loaded.files[1].source, std::string("b"));
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QVERIFY(loaded.problems[0].field.find("c.json") != std::string::npos);
    }

    void whatIsMissingIsNamed()
    {
        const LoadedRuns loaded = loadRuns({"/no/such/folder"});
        QVERIFY(loaded.files.empty());
        QCOMPARE(loaded.problems.size(), std::size_t{1});
    }

    void thePublishedRunsOfTheProgramAreAllGood()
    {
        const LoadedRuns loaded = loadRuns(publishedRunFolders({PARTITA_SOURCE_DIR "/presets"}));
        QVERIFY(loaded.problems.empty());
        std::size_t rows = 0;
        for (const RunFile& file : loaded.files) {
            for (const PublishedRun& run : file.runs) {
                QVERIFY2(!run.sourceTitle.empty() && !run.sourceUrl.empty() && !run.where.empty(), run.id.c_str());
            }
            rows += file.runs.size();
        }
        QVERIFY(rows >= 300);
    }
};

QTEST_GUILESS_MAIN(TestReadRuns)
#include "tst_read_runs.moc"
