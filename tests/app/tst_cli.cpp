// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include <sys/resource.h>
#include <sys/stat.h>

using namespace program_test;

namespace {

/// Processor time of the programs that have been run so far: how long an answer takes on an idle machine.
double childSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void writeTo(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

double sumOf(const QJsonObject& parts)
{
    double sum = 0;
    for (const QJsonValue& value : parts) {
        sum += value.toDouble();
    }
    return sum;
}

} // namespace

class CliTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void suggestsWhatWasMeant_data();
    void suggestsWhatWasMeant();
    void evaluatesTheDefaultScenario();
    void jsonAddsUp();
    void optionsOverrideTheFile();
    void dataParallelIsSolvedUnlessStated();
    void illegalScenariosArePureJsonWithEveryProblem();
    void schedulesObjectToIllegalLayoutsToo();
    void hugePipelinesAreRefusedBeforeTheyAreDrawnUp();
    void outputThatCannotBeWrittenIsFileTrouble_data();
    void outputThatCannotBeWrittenIsFileTrouble();
    void exportDoesNotReplaceWhatIsNotAFile();
    void legalButTooLargeIsNoError();
    void readsAScenarioFromStandardInput();
    void hostileInputIsRefusedInUnderASecond_data();
    void hostileInputIsRefusedInUnderASecond();
    void lessonsAreListedAndChecked();
    void importSaysWhatItUnderstood();
    void presetsAreListed();
    void runsAreScoredWhateverElseIsInTheFile();
    void withoutAUsableRunScoreAndCalibrateSaySo_data();
    void withoutAUsableRunScoreAndCalibrateSaySo();
    void theBandOfAnEvaluationHoldsItsRuns();
    void numbersDoNotDependOnTheLocale();
    void exportWritesEveryChartInEveryFormat();
    void exportWritesHowAScenarioIsServed();
    void exportDrawsTheHeatmapThatIsAskedFor();
    void evaluateSavesTheScenarioItRead();
    void exportWritesStudiesByName();
    void withoutADisplayTheWindowSaysWhatToDo();
};

void CliTest::suggestsWhatWasMeant_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("meant");
    QTest::newRow("option") << QByteArray("evaluate --micro-bach 2") << QByteArray("--micro-batch");
    QTest::newRow("verb") << QByteArray("evalaute") << QByteArray("evaluate");
    QTest::newRow("model") << QByteArray("evaluate --model llama-3.1-70") << QByteArray("llama-3.1-70b");
    QTest::newRow("accelerator") << QByteArray("evaluate --accelerator h100-sxm-80g") << QByteArray("h100-sxm-80gb");
    QTest::newRow("kind of preset") << QByteArray("presets model") << QByteArray("models");
}

void CliTest::suggestsWhatWasMeant()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, meant);
    const Run run = partita(words(line.constData()));
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("did you mean '" + meant + "'?"), run.err);
}

void CliTest::evaluatesTheDefaultScenario()
{
    const Run text = partita(words("evaluate"));
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.contains("70,553,706,496 parameters"), text.out);
    const QJsonObject json = partita(words("evaluate --json")).json();
    QVERIFY(json.value(QLatin1String("fits")).toBool());
    QCOMPARE(json.value(QLatin1String("parameters")).toObject().value(QLatin1String("total")).toDouble(),
             70553706496.0);
}

void CliTest::jsonAddsUp()
{
    const QJsonObject json = partita(words("evaluate --json")).json();
    const double step = json.value(QLatin1String("step_time_s")).toDouble();
    const double parts = sumOf(json.value(QLatin1String("time")).toObject().value(QLatin1String("parts")).toObject());
    QVERIFY(step > 0);
    QVERIFY(std::abs(parts - step) <= 1e-9 * step);
    const QJsonObject memory = json.value(QLatin1String("memory")).toObject();
    double peak = 0;
    const QJsonArray stages = memory.value(QLatin1String("stages")).toArray();
    QVERIFY(!stages.isEmpty());
    for (const QJsonValue& stage : stages) {
        QJsonObject bytes = stage.toObject();
        const double total = bytes.take(QLatin1String("total")).toDouble();
        QVERIFY(std::abs(sumOf(bytes) - total) <= 1e-9 * total);
        peak = std::max(peak, total);
    }
    const double stated = memory.value(QLatin1String("peak_bytes")).toDouble();
    QVERIFY(std::abs(peak - stated) <= 1e-9 * stated);
    for (const char* key :
         {"tokens_per_s", "tokens_per_s_per_device", "mfu", "hfu", "bubble_fraction", "problems", "warnings"}) {
        QVERIFY2(json.contains(QLatin1String(key)), key);
    }
}

void CliTest::optionsOverrideTheFile()
{
    const Run shorter = partita(words("evaluate --seq-len 4096 --json"));
    const Run longer = partita(words("evaluate --seq-len 8192 --json"));
    QVERIFY(shorter.json().value(QLatin1String("step_time_s")).toDouble()
            < longer.json().value(QLatin1String("step_time_s")).toDouble());
}

void CliTest::dataParallelIsSolvedUnlessStated()
{
    const Run solved = partita(words("evaluate --tp 8 --pp 2 --nodes 8"));
    QVERIFY2(solved.out.contains("tp 8 × cp 1 × pp 2 × dp 4 = 64"), solved.out + solved.err);
    const Run stated = partita(words("evaluate --tp 8 --pp 2 --nodes 8 --dp 3"));
    QCOMPARE(stated.code, 2);
}

void CliTest::illegalScenariosArePureJsonWithEveryProblem()
{
    const Run run = partita(words("evaluate --tp 7 --pp 81 --json"));
    QCOMPARE(run.code, 2);
    const QJsonArray problems = run.json().value(QLatin1String("problems")).toArray();
    QVERIFY2(problems.size() >= 2, run.out);
    QCOMPARE(run.problems().size(), problems.size());
    for (const QJsonValue& problem : problems) {
        QVERIFY(!problem.toObject().value(QLatin1String("field")).toString().isEmpty());
        QVERIFY(!problem.toObject().value(QLatin1String("message")).toString().isEmpty());
    }
}

void CliTest::schedulesObjectToIllegalLayoutsToo()
{
    const Run run = partita(words("evaluate --tp 3 --pp 7 --vpp 9 --schedule dualpipe"));
    QCOMPARE(run.code, 2);
    for (const char* problem : {"layout.tp: 3", "layout.pp: 7: DualPipe", "layout.vpp: 9: DualPipe"}) {
        QVERIFY2(run.err.contains(problem), run.err);
    }
    QVERIFY2(!run.err.contains("micro-batches per stage"), run.err);
}

void CliTest::hugePipelinesAreRefusedBeforeTheyAreDrawnUp()
{
    const Run run = partita(words("evaluate --pp 64 --tp 1 --nodes 8 --global-batch 1000000"));
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("(try 16384 micro-batches)"), run.err);
    QCOMPARE(
        partita(words("evaluate --nodes 100000 --devices-per-node 100000")).problems(),
        QList<QByteArray>{"partita: cluster.nodes: 100000: give 10000000000 devices, more than the 16777216 that can "
                          "be costed (try 167)"});
}

void CliTest::outputThatCannotBeWrittenIsFileTrouble_data()
{
    QTest::addColumn<QByteArray>("line");
    for (const char* line : {"evaluate --json", "evaluate", "presets", "presets --json", "evaluate --tp 3 --json"}) {
        QTest::newRow(line) << QByteArray(line);
    }
}

void CliTest::outputThatCannotBeWrittenIsFileTrouble()
{
    QFETCH(QByteArray, line);
    if (!QFile::exists(QStringLiteral("/dev/full"))) {
        QSKIP("no /dev/full");
    }
    QProcess process;
    process.setStandardOutputFile(QStringLiteral("/dev/full"));
    process.start(QStringLiteral(PARTITA_PROGRAM), words(line.constData()));
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 3);
    QVERIFY(process.readAllStandardError().contains("partita: standard output: "));
}

void CliTest::exportDoesNotReplaceWhatIsNotAFile()
{
    const QTemporaryDir folder;
    const QByteArray pipe = QFile::encodeName(folder.filePath(QStringLiteral("pipe")));
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    QVERIFY(QFile::link(QStringLiteral("pipe"), folder.filePath(QStringLiteral("memory.csv"))));
    const Run run =
        partita({QStringLiteral("export"), QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita"),
                 QStringLiteral("--out"), folder.path(), QStringLiteral("--chart"), QStringLiteral("memory"),
                 QStringLiteral("--format"), QStringLiteral("csv")});
    QCOMPARE(run.code, 3);
    struct stat status { };
    QCOMPARE(::stat(pipe.constData(), &status), 0);
    QVERIFY(S_ISFIFO(status.st_mode));
}

void CliTest::legalButTooLargeIsNoError()
{
    const Run run = partita(words("evaluate --tp 1 --pp 1 --zero 0 --json"));
    QCOMPARE(run.code, 0);
    QVERIFY(!run.json().value(QLatin1String("fits")).toBool(true));
}

void CliTest::readsAScenarioFromStandardInput()
{
    QFile file(QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Run run = partita(words("evaluate - --json"), file.readAll());
    QCOMPARE(run.code, 0);
    QCOMPARE(run.out, partita(words("evaluate --json")).out);
}

void CliTest::hostileInputIsRefusedInUnderASecond_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("not JSON") << QByteArray("\x7f"
                                            "ELF\0\1\2",
                                            7);
    QTest::newRow("nested 10,000 deep") << QByteArray(10000, '[');
    QTest::newRow("nested objects") << QByteArray(R"({"a":)").repeated(100000);
    QTest::newRow("50 MB") << QByteArray(50 << 20, ' ');
    QTest::newRow("an array") << QByteArray("[1, 2]");
    QTest::newRow("missing keys") << QByteArray(R"({"hidden_size": 4096})");
    QTest::newRow("strings for numbers") << QByteArray(
        R"({"model_type": "llama", "hidden_size": "4096", "num_hidden_layers": "32"})");
    QTest::newRow("negative") << QByteArray(
        R"({"model_type": "llama", "hidden_size": -4096, "intermediate_size": 1, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 9})");
    QTest::newRow("huge") << QByteArray(
        R"({"model_type": "llama", "hidden_size": 1e300, "intermediate_size": 1, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 9})");
    QTest::newRow("unknown architecture") << QByteArray(R"({"model_type": "no-such-model"})");
    QTest::newRow("bad UTF-8") << QByteArray("{\"model_type\": \"\xff\xfe\"}");
    QTest::newRow("scenario of the future") << QByteArray(R"({"$schema": "partita-scenario", "version": 99})");
    QTest::newRow("scenario without parts") << QByteArray(R"({"$schema": "partita-scenario", "version": 1})");
    QTest::newRow("line breaks in a key") << QByteArray(R"({"$schema": "partita-scenario", "version": 1, "a\nb": 1})");
}

void CliTest::hostileInputIsRefusedInUnderASecond()
{
    QFETCH(QByteArray, bytes);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("input.json"));
    writeTo(path, bytes);
    const QList<QStringList> uses{{QStringLiteral("import"), path},
                                  {QStringLiteral("import"), path, QStringLiteral("--json")},
                                  {QStringLiteral("evaluate"), path, QStringLiteral("--json")},
                                  {QStringLiteral("evaluate"), QStringLiteral("--model"), path}};
    for (const QStringList& use : uses) {
        const double before = childSeconds();
        const Run run = partita(use);
        const double spent = childSeconds() - before;
        QVERIFY2(run.code == 2, use.join(QLatin1Char(' ')).toUtf8() + ": " + run.err);
        QVERIFY(!run.problems().isEmpty());
        for (const QByteArray& line : run.problems()) {
            QVERIFY2(line.startsWith("partita: ") && line.size() < 400, line);
        }
        QVERIFY(!use.contains(QStringLiteral("--json"))
                || !run.json().value(QLatin1String("problems")).toArray().isEmpty());
        QVERIFY2(spent < 1, QByteArray::number(spent));
    }
}

void CliTest::lessonsAreListedAndChecked()
{
    const Run list = partita(words("lessons"));
    QVERIFY2(list.code == 0 && list.err.isEmpty(), list.err);
    QVERIFY(list.out.contains("Check the arithmetic"));
    QVERIFY(partita(words("lessons --json")).json().value(QLatin1String("lessons")).toArray().size() >= 12);

    const QString path = QStringLiteral(PARTITA_SOURCE_DIR "/presets/lessons/03-the-bubble.json");
    QCOMPARE(partita(words("lessons --check") << path).code, 0);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray wrong = file.readAll().replace("0.4666666666666667", "0.3");
    const Run checked = partita(words("lessons --check - --json"), wrong);
    QCOMPARE(checked.code, 2);
    QVERIFY2(checked.err.contains("is not what the core finds"), checked.err);
    QCOMPARE(checked.json().value(QLatin1String("problems")).toArray().size(), 1);
    QCOMPARE(partita(words("lessons --check /no/such.json")).code, 3);
}

void CliTest::importSaysWhatItUnderstood()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("my-model.json"));
    // 2 layers: attention 4 h², gated FFN 3 h f, norms 2 h each; embedding and head V h; final norm h.
    writeTo(
        path,
        R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 96,
                      "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 100,
                      "tie_word_embeddings": false, "max_position_embeddings": 128})");
    constexpr int total = 2 * (4 * 64 * 64 + 3 * 64 * 96 + 2 * 64) + 2 * 100 * 64 + 64;
    const Run run = partita({QStringLiteral("import"), path, QStringLiteral("--json")});
    QVERIFY2(run.code == 0, run.err);
    const QJsonObject json = run.json();
    QCOMPARE(json.value(QLatin1String("kind")).toString(), QStringLiteral("model"));
    QCOMPARE(json.value(QLatin1String("parameters")).toObject().value(QLatin1String("total")).toInt(), total);
    for (const char* key : {"model", "assumed", "ignored", "problems"}) {
        QVERIFY2(json.contains(QLatin1String(key)), key);
    }
    const Run text = partita({QStringLiteral("import"), path});
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.contains(QByteArray::number(total / 1000)), text.out);
}

void CliTest::runsAreScoredWhateverElseIsInTheFile()
{
    QTemporaryDir folder;
    const QByteArray row = R"({"id": "ID", "stack": "STACK", "model": {"name": "GPT", "layers": 24, "hidden": 2048,
        "heads": 16, "vocab": 51200, "seq_len": 2048}, "cluster": {"accelerator": "a100-sxm-80gb", "devices": 8},
        "layout": {"tp": 2, "pp": 1, "dp": DP, "micro_batch": 1, "global_batch": 32, "recompute": "none"},
        "measured": {"tokens_per_s_per_device": 20000}})";
    const auto rowOf = [&](const char* id, const char* stack, const char* dp) {
        return QByteArray(row).replace("ID", id).replace("STACK", stack).replace("DP", dp);
    };
    writeTo(folder.filePath(QStringLiteral("runs.json")),
            "[" + rowOf("good", "megatron-core", "4") + "," + rowOf("good", "megatron-core", "4") + ","
                + rowOf("typed", "megatron-core", "\"four\"") + "," + rowOf("product", "megatron-core", "3") + ","
                + rowOf("stack", "abacus", "4") + "]");
    writeTo(folder.filePath(QStringLiteral("other.json")), "{}");
    const Run run = partita({QStringLiteral("score"), folder.path(), QStringLiteral("--json")});
    QVERIFY2(run.code == 0, run.err);
    const QJsonArray rows = run.json().value(QLatin1String("rows")).toArray();
    QCOMPARE(rows.size(), 5);
    int scored = 0;
    for (const QJsonValue& each : rows) {
        scored += each.toObject().value(QLatin1String("skipped")).isNull() ? 1 : 0;
    }
    QCOMPARE(scored, 1);
    QVERIFY(rows[0].toObject().value(QLatin1String("predicted_tokens_per_s_per_device")).toDouble() > 0);
    QCOMPARE(run.problems().size(), 3); // twice there, wrong type, another file
    const Run nothing = partita({QStringLiteral("score"), folder.filePath(QStringLiteral("other.json"))});
    QCOMPARE(nothing.code, 2);
    const Run fitted = partita({QStringLiteral("calibrate"), QStringLiteral("--runs"), folder.path()});
    QVERIFY2(fitted.code == 0 && fitted.out.contains("1 rows"), fitted.err + fitted.out);
    QCOMPARE(fitted.problems(), run.problems());
    const Run text = partita({QStringLiteral("score"), folder.filePath(QStringLiteral("runs.json"))});
    QVERIFY2(text.out.contains("abacus is not a known stack") && text.out.contains("overall"), text.out);
}

void CliTest::withoutAUsableRunScoreAndCalibrateSaySo_data()
{
    QTest::addColumn<QByteArray>("contents");
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("no rows") << QByteArray("[]") << QByteArray("holds no runs");
    QTest::newRow("no list") << QByteArray("{}") << QByteArray("is not a list of runs");
    QTest::newRow("no bytes") << QByteArray() << QByteArray("is empty");
    QTest::newRow("no JSON") << QByteArray("[{") << QByteArray("not JSON");
    QTest::newRow("rows of another kind") << QByteArray("[1, {}]") << QByteArray("[1].id: is missing");
}

void CliTest::withoutAUsableRunScoreAndCalibrateSaySo()
{
    QFETCH(QByteArray, contents);
    QFETCH(QByteArray, said);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("runs.json"));
    writeTo(path, contents);
    for (const QStringList& verb : {words("score"), words("calibrate --runs")}) {
        for (const QString& named : {path, folder.path()}) {
            const Run run = partita(verb + QStringList{named});
            QVERIFY2(run.code == 2, run.err);
            QVERIFY2(run.err.contains(said), run.err);
            QVERIFY2(run.err.startsWith("partita: " + path.toUtf8() + ": "), run.err);
        }
        // One that is missing beside it is told, and is not the reason.
        const Run both = partita(verb + QStringList{path, QStringLiteral("no/such/file")});
        QVERIFY2(both.code == 2 && both.err.contains("no/such/file: does not exist"), both.err);
    }
}

void CliTest::theBandOfAnEvaluationHoldsItsRuns()
{
    const QJsonObject json = partita(words("evaluate --json")).json();
    const QJsonArray band = json.value(QLatin1String("step_time_band_s")).toArray();
    QCOMPARE(band.size(), 2);
    QVERIFY(band[0].toDouble() > 0 && band[0].toDouble() < band[1].toDouble());
    QVERIFY(json.value(QLatin1String("nearest_runs")).toArray().size() >= 5);
}

void CliTest::presetsAreListed()
{
    for (const char* kind : {"models", "accelerators", "clusters", "stacks"}) {
        const Run text = partita({QStringLiteral("presets"), QString::fromLatin1(kind)});
        QCOMPARE(text.code, 0);
        const Run json = partita({QStringLiteral("presets"), QString::fromLatin1(kind), QStringLiteral("--json")});
        const QJsonArray listed = json.json().value(QLatin1String(kind)).toArray();
        QVERIFY2(!listed.isEmpty(), json.out.left(200));
        for (const QJsonValue& preset : listed) {
            const QString id = preset.toObject().value(QLatin1String("id")).toString();
            QVERIFY(!id.isEmpty());
            QVERIFY2(text.out.contains(id.toUtf8()), qPrintable(id));
        }
    }
}

void CliTest::numbersDoNotDependOnTheLocale()
{
    const QByteArray plain = partita(words("evaluate --json"), {}, {QStringLiteral("LC_ALL=C")}).out;
    for (const char* locale : {"de_DE.UTF-8", "tr_TR.UTF-8"}) {
        QCOMPARE(partita(words("evaluate --json"), {}, {QStringLiteral("LC_ALL=") + QLatin1String(locale)}).out, plain);
    }
}

void CliTest::exportWritesHowAScenarioIsServed()
{
    const QTemporaryDir folder;
    QFile preset(QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita"));
    QVERIFY(preset.open(QIODevice::ReadOnly));
    const QByteArray plain = preset.readAll();
    QJsonObject scenario = QJsonDocument::fromJson(plain).object();
    scenario[QLatin1String("serving")] = QJsonObject{{QLatin1String("batch"), 8}};
    const auto written = [&folder](const char* name, const QByteArray& input, const QStringList& more) {
        const QString out = folder.filePath(QString::fromLatin1(name));
        const Run run = partita(QStringList{QStringLiteral("export"), QStringLiteral("-"), QStringLiteral("--out"), out,
                                            QStringLiteral("--format"), QStringLiteral("csv")}
                                    + more,
                                input);
        return run.code == 0 ? QDir(out).entryList({QStringLiteral("serving-*")}, QDir::Files)
                             : QStringList(QString::fromUtf8(run.err));
    };
    const QStringList all{QStringLiteral("serving-curve.csv"), QStringLiteral("serving-layouts.csv"),
                          QStringLiteral("serving-room.csv"), QStringLiteral("serving-token.csv"),
                          QStringLiteral("serving-widths.csv")};
    QCOMPARE(written("served", QJsonDocument(scenario).toJson(), {}), all);
    QCOMPARE(written("step", plain, {}), QStringList());
    QCOMPARE(written("named", plain, {QStringLiteral("--chart"), QStringLiteral("serving-room")}),
             QStringList(QStringLiteral("serving-room.csv")));
    scenario[QLatin1String("serving")] = QJsonObject{{QLatin1String("prefill_replicas"), 1000}};
    QVERIFY(written("none", QJsonDocument(scenario).toJson(), {}).join(QString()).contains(QStringLiteral("serving.")));
}

void CliTest::exportDrawsTheHeatmapThatIsAskedFor()
{
    const QTemporaryDir folder;
    const QString out = folder.path();
    const QString scenario = QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");
    const QStringList line{QStringLiteral("export"), scenario, QStringLiteral("--out"), out};
    const Run run = partita(line + words("--chart heatmap --format csv --rows dp --columns vpp --quantity cost"));
    QVERIFY2(run.code == 0, run.err);
    QFile file(out + QStringLiteral("/heatmap.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray header = file.readLine();
    QVERIFY2(header.startsWith("DP,VPP,") && header.contains("tokens"), header);
    const Run searched =
        partita(line + words("--chart heatmap --format svg --rest searched --max tp=2,pp=2,cp=1 --fix micro_batch=1"));
    QVERIFY2(searched.code == 0, searched.err);
    QFile drawn(out + QStringLiteral("/heatmap.svg"));
    QVERIFY(drawn.open(QIODevice::ReadOnly));
    QVERIFY(drawn.readAll().contains("best of the rest within"));
    QCOMPARE(partita(line + words("--chart heatmap --rows tp --columns tp")).code, 1);
    QCOMPARE(partita(line + words("--chart memory --rows tp")).code, 1);
    QCOMPARE(partita(line + words("--chart heatmap --max tp=2")).code, 1);
}

void CliTest::evaluateSavesTheScenarioItRead()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("mine.partita"));
    const QStringList asked{QStringLiteral("evaluate"), QStringLiteral("--model"), QStringLiteral("llama-3-8b"),
                            QStringLiteral("--tp"),     QStringLiteral("2"),       QStringLiteral("--json")};
    const Run first = partita(asked + QStringList{QStringLiteral("--save"), path});
    QVERIFY2(first.code == 0, first.err);
    const Run again = partita({QStringLiteral("evaluate"), path, QStringLiteral("--json")});
    QCOMPARE(again.out, first.out);
    QCOMPARE(partita(asked + QStringList{QStringLiteral("--save"), folder.filePath(QStringLiteral("no/such"))}).code,
             3);
}

void CliTest::exportWritesStudiesByName()
{
    const QTemporaryDir folder;
    const QString scenario = QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");
    const auto exported = [&](const QStringList& more) {
        return partita(QStringList{QStringLiteral("export"), scenario, QStringLiteral("--out"), folder.path(),
                                   QStringLiteral("--format"), QStringLiteral("csv,svg")}
                       + more);
    };
    const Run run = exported({QStringLiteral("--chart"),
                              QStringLiteral("search,scaling,sensitivity,published-runs,placement,serving-layouts,"
                                             "serving-widths,heatmap"),
                              QStringLiteral("--axis"), QStringLiteral("network"), QStringLiteral("--quantity"),
                              QStringLiteral("step-time"), QStringLiteral("--rows"), QStringLiteral("cp")});
    QVERIFY2(run.code == 0, run.err);
    for (const char* id : {"search", "scaling", "sensitivity", "published-runs", "placement", "serving-layouts",
                           "serving-widths", "heatmap"}) {
        QFile table(folder.filePath(QStringLiteral("%1.csv").arg(QLatin1String(id))));
        QVERIFY2(table.open(QIODevice::ReadOnly) && table.readAll().count('\n') > 1, id);
        QVERIFY2(QFile::exists(folder.filePath(QStringLiteral("%1.svg").arg(QLatin1String(id)))), id);
    }
    QFile heatmap(folder.filePath(QStringLiteral("heatmap.csv")));
    QVERIFY(heatmap.open(QIODevice::ReadOnly) && heatmap.readLine().startsWith("CP,PP,state,"));
    QCOMPARE(exported({QStringLiteral("--chart"), QStringLiteral("memory"), QStringLiteral("--axis"),
                       QStringLiteral("network")})
                 .code,
             1);
    QCOMPARE(exported({QStringLiteral("--rows"), QStringLiteral("pp")}).code, 1);

    // Runs are filtered by the words of their card.
    const auto rows = [&folder] {
        QFile table(folder.filePath(QStringLiteral("published-runs.csv")));
        return table.open(QIODevice::ReadOnly) ? table.readAll().count('\n') - 1 : -1;
    };
    const auto all = rows();
    const QStringList published{QStringLiteral("--chart"), QStringLiteral("published-runs")};
    const Run one = exported(published + QStringList{QStringLiteral("--source"), QStringLiteral("llm-foundry")});
    QVERIFY2(one.code == 0, one.err);
    QVERIFY(rows() > 0 && rows() < all);
    const Run unknown = exported(published + QStringList{QStringLiteral("--stack"), QStringLiteral("no-such")});
    QVERIFY(unknown.code == 2 && unknown.err.contains("megatron-core"));
    QCOMPARE(exported({QStringLiteral("--chart"), QStringLiteral("memory"), QStringLiteral("--model"),
                       QStringLiteral("any")})
                 .code,
             1);
}

void CliTest::exportWritesEveryChartInEveryFormat()
{
    const QTemporaryDir folder;
    const QString out = folder.filePath(QStringLiteral("made/on/demand"));
    const QString scenario = QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");
    const Run run = partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), out});
    QVERIFY2(run.code == 0, run.err);
    for (const char* chart : {"memory", "step-time", "gantt", "heatmap"}) {
        for (const char* format : {"svg", "pdf", "png", "csv"}) {
            QFile file(out + QStringLiteral("/%1.%2").arg(QLatin1String(chart), QLatin1String(format)));
            QVERIFY2(file.open(QIODevice::ReadOnly) && file.size() > 100, qPrintable(file.fileName()));
        }
    }
    const Run one = partita({QStringLiteral("export"), scenario, QStringLiteral("--out"),
                             folder.filePath(QStringLiteral("one")), QStringLiteral("--chart"),
                             QStringLiteral("memory"), QStringLiteral("--format"), QStringLiteral("csv")});
    QCOMPARE(one.code, 0);
    QCOMPARE(QDir(folder.filePath(QStringLiteral("one"))).entryList(QDir::Files),
             QStringList{QStringLiteral("memory.csv")});
    const Run unknown = partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), out,
                                 QStringLiteral("--chart"), QStringLiteral("memroy")});
    QCOMPARE(unknown.code, 1);
    QVERIFY(unknown.err.contains("did you mean 'memory'?"));
    const Run unwritable =
        partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), QStringLiteral("/proc/no/such")});
    QCOMPARE(unwritable.code, 3);
}

void CliTest::withoutADisplayTheWindowSaysWhatToDo()
{
    const Run run = partita({});
    QCOMPARE(run.code, 3);
    for (const char* way : {"ssh -X", "xvfb-run", "partita evaluate"}) {
        QVERIFY2(run.err.contains(way), run.err);
    }
}

QTEST_GUILESS_MAIN(CliTest)
#include "tst_cli.moc"
