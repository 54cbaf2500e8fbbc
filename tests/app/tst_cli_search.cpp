// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace program_test;

/// `partita search` as the shell sees it.
class CliSearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void jsonCountsAddUp();
    void theFirstFindIsWhatEvaluateSays();
    void theFrontIsAskedFor();
    void fewerDevicesAreWeighedAgainstThroughput();
    void everyNumberOfNodesIsWeighedAndTold();
    void theFastestIsSavedForEvaluate_data();
    void theFastestIsSavedForEvaluate();
    void whatDoesNotFitIsToldAndNotSaved();
    void limitsHold();
    void whatTheStackDoesNotOfferIsLeftOutAndCounted();
    void threadsDoNotChangeTheAnswer();
    void nothingFitsIsAnAnswer();
    void aTimeLimitPrintsWhatIsFound();
    void costsSayWhichPriceTheyHave();
    void whatHoldsOfTheSearchIsSaidOnce_data();
    void whatHoldsOfTheSearchIsSaidOnce();
    void wordsThatMeanNothingAreRefused_data();
    void wordsThatMeanNothingAreRefused();
};

namespace {

const QStringList quick = words("search --max cp=1,vpp=2,micro-batch=2 --json");

} // namespace

void CliSearchTest::jsonCountsAddUp()
{
    const Run run = partita(quick);
    QCOMPARE(run.code, 0);
    const QJsonObject counts = run.json()[QStringLiteral("counts")].toObject();
    const auto number = [&](const char* key) { return counts[QLatin1String(key)].toDouble(-1); };
    QCOMPARE(number("enumerated"), number("legal"));
    QCOMPARE(number("legal"), number("evaluated") + number("pruned"));
    QVERIFY(number("fit") >= number("evaluated"));
    QVERIFY(number("evaluated") > 0);
    QVERIFY(number("seconds") > 0);
    const QJsonArray best = run.json()[QStringLiteral("best")].toArray();
    QCOMPARE(best.size(), 10);
    double before = 0;
    for (const QJsonValue& layout : best) {
        QVERIFY(layout[QStringLiteral("fits")].toBool());
        QVERIFY(layout[QStringLiteral("step_time_s")].toDouble() >= before);
        before = layout[QStringLiteral("step_time_s")].toDouble();
    }
    QVERIFY(!run.json().contains(QStringLiteral("front")));
}

void CliSearchTest::theFirstFindIsWhatEvaluateSays()
{
    const QJsonObject best = partita(quick).json()[QStringLiteral("best")][0].toObject();
    const QJsonObject layout = best[QStringLiteral("layout")].toObject();
    QStringList line = words("evaluate --json");
    for (const char* key : {"tp", "cp", "pp", "vpp", "dp", "ep", "etp"}) {
        line << QStringLiteral("--%1").arg(QLatin1String(key)) << QString::number(layout[QLatin1String(key)].toInt());
    }
    line << QStringLiteral("--micro-batch") << QString::number(layout[QStringLiteral("micro_batch")].toInt());
    line << QStringLiteral("--global-batch") << QString::number(layout[QStringLiteral("global_batch")].toInt());
    line << QStringLiteral("--zero") << QString::number(layout[QStringLiteral("zero_stage")].toInt());
    line << QStringLiteral("--recompute") << layout[QStringLiteral("recompute")].toString();
    line << QStringLiteral("--schedule") << layout[QStringLiteral("schedule")].toString();
    line << QStringLiteral("--sequence-parallel")
         << (layout[QStringLiteral("sequence_parallel")].toBool() ? QStringLiteral("on") : QStringLiteral("off"));
    const QJsonObject report = partita(line).json();
    QCOMPARE(report[QStringLiteral("step_time_s")], best[QStringLiteral("step_time_s")]);
    QCOMPARE(report[QStringLiteral("memory")][QStringLiteral("peak_bytes")], best[QStringLiteral("peak_memory_bytes")]);
}

void CliSearchTest::theFrontIsAskedFor()
{
    const QJsonArray front = partita(quick + words("--pareto")).json()[QStringLiteral("front")].toArray();
    QVERIFY(front.size() > 1);
    for (qsizetype i = 1; i < front.size(); ++i) {
        const auto rises = [&](const char* key) {
            return front[i][QLatin1String(key)].toDouble() > front[i - 1][QLatin1String(key)].toDouble();
        };
        QVERIFY(rises("peak_memory_bytes") && rises("tokens_per_s"));
    }
}

void CliSearchTest::fewerDevicesAreWeighedAgainstThroughput()
{
    const QJsonObject all = partita(quick + words("--pareto devices")).json();
    const QJsonArray front = all[QStringLiteral("front")].toArray();
    QVERIFY(front.size() > 1);
    for (qsizetype i = 1; i < front.size(); ++i) {
        for (const char* key : {"devices", "tokens_per_s"}) {
            QVERIFY(front[i][QLatin1String(key)].toDouble() > front[i - 1][QLatin1String(key)].toDouble());
        }
        QVERIFY(front[i][QStringLiteral("fits")].toBool());
    }
    // The whole cluster's best is the last corner, unless fewer devices are as fast.
    const double fastest = all[QStringLiteral("best")][0][QStringLiteral("tokens_per_s")].toDouble();
    QVERIFY(front.last()[QStringLiteral("tokens_per_s")].toDouble() >= fastest);
    const Run priced = partita(quick + words("--pareto cost"));
    QCOMPARE(priced.code, 0);
    const QJsonArray costs = priced.json()[QStringLiteral("front")].toArray();
    for (qsizetype i = 1; i < costs.size(); ++i) {
        for (const char* key : {"device_hours_per_billion_tokens", "tokens_per_s"}) {
            QVERIFY(costs[i][QLatin1String(key)].toDouble() > costs[i - 1][QLatin1String(key)].toDouble());
        }
    }
    QCOMPARE(partita(words("search --pareto=time")).code, 1);
}

void CliSearchTest::everyNumberOfNodesIsWeighedAndTold()
{
    const QStringList line = words("search --max cp=1,vpp=2,micro-batch=2 --pareto devices --global-batch 64");
    const QJsonObject all = partita(line + words("--json")).json();
    const QJsonArray tried = all[QStringLiteral("front_devices")].toArray();
    QVERIFY(tried.contains(QJsonValue(24)) && tried.contains(QJsonValue(40)) && tried.contains(QJsonValue(64)));
    // No number of nodes, searched by itself, beats the front.
    for (int nodes = 3; nodes < 8; ++nodes) {
        const QJsonObject alone =
            partita(quick + words("--global-batch 64 --top 1 --nodes") + QStringList{QString::number(nodes)}).json();
        const double tokens = alone[QStringLiteral("best")][0][QStringLiteral("tokens_per_s")].toDouble();
        QVERIFY(tokens > 0);
        bool reached = false;
        for (const QJsonValue& corner : all[QStringLiteral("front")].toArray()) {
            const QJsonValue layout = corner[QStringLiteral("layout")];
            const int devices = layout[QStringLiteral("tp")].toInt() * layout[QStringLiteral("pp")].toInt()
                * layout[QStringLiteral("cp")].toInt() * layout[QStringLiteral("dp")].toInt();
            reached = reached || (devices <= 8 * nodes && corner[QStringLiteral("tokens_per_s")].toDouble() >= tokens);
        }
        QVERIFY2(reached, qPrintable(QString::number(nodes)));
    }
    QVERIFY(partita(line).out.contains("throughput against devices, of 8, 16, 24, 32, 40, 48, 56 and 64 devices"));
}

void CliSearchTest::theFastestIsSavedForEvaluate_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("found");
    QTest::newRow("search") << "search --max vpp=4"
                            << "best";
    QTest::newRow("another batch than evaluate's") << "search --model qwen3-235b-a22b --cluster gb200-nvl72 --max vpp=4"
                                                   << "best";
    QTest::newRow("rank orders") << "search --rank-orders --fix tp=8,cp=1 --max vpp=2"
                                 << "best";
    QTest::newRow("advise") << "advise --no-search"
                            << "pick";
    QTest::newRow("advise, topology first") << "advise --no-search --voice topology-first"
                                            << "pick";
}

void CliSearchTest::theFastestIsSavedForEvaluate()
{
    QFETCH(QString, line);
    QFETCH(QString, found);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("best.partita"));
    const Run run =
        partita(words(line.toUtf8()) + QStringList{QStringLiteral("--json"), QStringLiteral("--save"), path});
    QVERIFY2(run.code == 0, run.err);
    const QJsonValue answer = run.json()[found];
    const double step = (answer.isArray() ? answer[0] : answer)[QStringLiteral("step_time_s")].toDouble();
    QVERIFY(step > 0);
    QCOMPARE(partita({QStringLiteral("evaluate"), path, QStringLiteral("--json")})
                 .json()[QStringLiteral("step_time_s")]
                 .toDouble(),
             step);
    const QString nowhere = folder.filePath(QStringLiteral("no/such"));
    QCOMPARE(partita(words(line.toUtf8()) + QStringList{QStringLiteral("--save"), nowhere}).code, 3);
}

void CliSearchTest::whatDoesNotFitIsToldAndNotSaved()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("best.partita"));
    for (const char* verb : {"search", "advise --no-search"}) {
        const Run run = partita(words(verb) + words("--fix tp=8,pp=1,cp=1,zero_stage=0 --save") + QStringList{path});
        QCOMPARE(run.code, 2);
        QVERIFY2(run.out.contains("fits"), run.out);
        QVERIFY2(run.err.contains("no layout fits: nothing is saved"), run.err);
        QVERIFY(!QFile::exists(path));
    }
}

void CliSearchTest::limitsHold()
{
    const Run run =
        partita(words("search --fix pp=4,zero=1,schedule=1f1b|zb-h1 --min tp=2 --max tp=8,cp=1 --tp-in-node "
                      "--head-room 20 --top 5 --json"));
    QCOMPARE(run.code, 0);
    const double limit = run.json()[QStringLiteral("memory_limit_bytes")].toDouble();
    const QJsonArray best = run.json()[QStringLiteral("best")].toArray();
    QVERIFY(!best.isEmpty());
    for (const QJsonValue& found : best) {
        const QJsonValue layout = found[QStringLiteral("layout")];
        QCOMPARE(layout[QStringLiteral("pp")].toInt(), 4);
        QCOMPARE(layout[QStringLiteral("zero_stage")].toInt(), 1);
        QVERIFY(layout[QStringLiteral("tp")].toInt() >= 2 && layout[QStringLiteral("tp")].toInt() <= 8);
        QVERIFY(found[QStringLiteral("peak_memory_bytes")].toDouble() <= limit);
    }
}

void CliSearchTest::whatTheStackDoesNotOfferIsLeftOutAndCounted()
{
    const auto counted = [](const QJsonObject& json, const char* key) {
        return json[QStringLiteral("counts")][QLatin1String(key)].toInteger();
    };
    const auto best = [](const QJsonObject& json) {
        return json[QStringLiteral("best")][0][QStringLiteral("step_time_s")].toDouble();
    };
    const QJsonObject within = partita(quick).json();
    const QJsonObject schedules = partita(quick + words("--any-schedule")).json();
    const QJsonObject all = partita(quick + words("--beyond-stack")).json();
    QVERIFY(counted(within, "beyond_stack") > 0);
    QCOMPARE(counted(all, "beyond_stack"), qint64{0});
    QCOMPARE(counted(within, "enumerated") + counted(within, "beyond_stack"), counted(all, "enumerated"));
    QVERIFY(counted(within, "enumerated") < counted(schedules, "enumerated"));
    QVERIFY(counted(schedules, "enumerated") < counted(all, "enumerated"));
    // More to choose from is never slower.
    QVERIFY(best(within) >= best(schedules) && best(schedules) >= best(all));
    const QByteArray text = partita(words("search --max cp=1,vpp=1,micro-batch=1")).out;
    QVERIFY(text.contains("does not offer them") && text.contains("--beyond-stack"));
}

void CliSearchTest::threadsDoNotChangeTheAnswer()
{
    const QJsonObject one = partita(quick + words("--pareto --threads 1")).json();
    const QJsonObject four = partita(quick + words("--pareto --threads 4")).json();
    QCOMPARE(one[QStringLiteral("best")], four[QStringLiteral("best")]);
    QCOMPARE(one[QStringLiteral("front")], four[QStringLiteral("front")]);
}

void CliSearchTest::nothingFitsIsAnAnswer()
{
    const QByteArray line = "search --model llama-3.1-405b --nodes 1 --global-batch 8 --max micro-batch=1";
    const Run run = partita(words(line) + words("--json"));
    QCOMPARE(run.code, 0);
    QVERIFY(run.json()[QStringLiteral("best")].toArray().isEmpty());
    QVERIFY(run.json()[QStringLiteral("leanest")][QStringLiteral("peak_memory_bytes")].toDouble()
            > run.json()[QStringLiteral("memory_limit_bytes")].toDouble());
    QVERIFY(partita(words(line)).out.contains("no layout fits"));
}

void CliSearchTest::aTimeLimitPrintsWhatIsFound()
{
    // The limit counts from the start of the command, and loading the presets alone takes longer.
    const QStringList line = words("search --model deepseek-v3 --nodes 256 --global-batch 4096 --time-limit 0.001");
    const Run run = partita(line);
    QCOMPARE(run.code, 0);
    QVERIFY(run.out.contains("stopped before the end"));
    const QJsonObject json = partita(line + QStringList{QStringLiteral("--json")}).json();
    QVERIFY(!json[QStringLiteral("complete")].toBool(true));
    const QJsonObject counts = json[QStringLiteral("counts")].toObject();
    QVERIFY(counts[QStringLiteral("legal")].toDouble() < counts[QStringLiteral("enumerated")].toDouble());
    QVERIFY(partita(quick).json()[QStringLiteral("complete")].toBool());
    expectExit(words("search --time-limit soon"), 1);
    expectExit(words("search --time-limit 0"), 2);
}

void CliSearchTest::costsSayWhichPriceTheyHave()
{
    const QString scale = QStringLiteral("device_hours_per_billion_tokens");
    const QString dollars = QStringLiteral("usd_per_billion_tokens");
    const QJsonObject listed = partita(quick).json();
    const QJsonObject price = listed[QStringLiteral("price")].toObject();
    QVERIFY(price[QStringLiteral("origin")].toString().contains(QStringLiteral("2026")));
    const QJsonValue first = listed[QStringLiteral("best")][0];
    QVERIFY(qFuzzyCompare(first[dollars].toDouble(),
                          first[scale].toDouble() * price[QStringLiteral("usd_per_device_hour")].toDouble()));
    const QJsonObject own = partita(quick + words("--price 2.5")).json();
    QCOMPARE(own[QStringLiteral("price")][QStringLiteral("origin")].toString(), QStringLiteral("given by --price"));
    QVERIFY(qFuzzyCompare(own[QStringLiteral("best")][0][dollars].toDouble(), 2.5 * first[scale].toDouble()));

    QStringList text = quick;
    text.removeAll(QStringLiteral("--json"));
    QVERIFY(partita(text).out.contains("USD/10⁹ tokens"));
    const QByteArray unpriced = partita(text + words("--price 0")).out;
    QVERIFY(unpriced.contains("device-hours/10⁹ tokens") && unpriced.contains("no price"));
    QVERIFY(!unpriced.contains("USD"));
}

void CliSearchTest::whatHoldsOfTheSearchIsSaidOnce_data()
{
    QTest::addColumn<QByteArray>("warning");
    const auto row = [](const char* line, const char* warning) { QTest::newRow(line) << QByteArray(warning); };
    row("search --top 2", "");
    row("search --top 2 --fix zero_stage=1", "");
    row("search --top 2 --fix zero_stage=3",
        "Megatron-Core does not offer ZeRO 3 in a pipeline: there it has ZeRO 0, 1.");
    row("search --top 2 --fix schedule=zb-h1 --min pp=2",
        "Megatron-Core does not offer ZB-H1: it has 1F1B, Interleaved "
        "1F1B, 1F1B with all-to-all overlap.");
    row("search --top 2 --fix schedule=interleaved",
        "Layouts of one stage have no schedule: the limit on schedules lets them pass.");
    row("search --top 2 --stack vllm",
        "vLLM serves and does not train: a training step is priced as if by software with the usual constants.");
    row("search --top 2 --stack nanotron --fix recompute=selective",
        "nanotron does not offer selective recomputation: it has none, full.");
    row("search --top 2 --stack pytorch-fsdp --min tp=2",
        "PyTorch FSDP does not offer tensor parallelism: it splits by data.");
}

void CliSearchTest::whatHoldsOfTheSearchIsSaidOnce()
{
    QFETCH(QByteArray, warning);
    const QStringList line = words(QTest::currentDataTag());
    const Run run = partita(line);
    QCOMPARE(run.code, 0);
    const QJsonArray listed = partita(line + words("--json")).json()[QStringLiteral("warnings")].toArray();
    QCOMPARE(listed, warning.isEmpty() ? QJsonArray() : QJsonArray{QString::fromUtf8(warning)});
    QCOMPARE(run.out.count("note: "), warning.isEmpty() ? 0 : 1);
    if (!warning.isEmpty()) {
        const qsizetype note = run.out.indexOf("note: " + warning + '\n');
        QVERIFY2(note >= 0 && note < run.out.indexOf("   1 "), run.out);
        QCOMPARE(run.out.count(warning), 1);
    }
}

void CliSearchTest::wordsThatMeanNothingAreRefused_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("says");
    QTest::newRow("front") << "search --pareto bogus"
                           << "--pareto";
    QTest::newRow("rank order") << "search --fix rank_order=tp-cp"
                                << "tp-cp-ep-dp-pp";
    QTest::newRow("split") << "search --fix split=some"
                           << "even, needed, any";
}

void CliSearchTest::wordsThatMeanNothingAreRefused()
{
    QFETCH(QString, line);
    QFETCH(QString, says);
    const Run run = partita(words(qPrintable(line)));
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains(says.toUtf8()), run.err);
}

QTEST_GUILESS_MAIN(CliSearchTest)
#include "tst_cli_search.moc"
