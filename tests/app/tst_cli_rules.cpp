// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace program_test;

namespace {

const QString scenarioFile = QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");

struct ListedOption {
    QString name;
    QString argument; ///< in brackets where it may be left out
};

/// What a verb's help lists: two blanks, the option, what follows it, and its text from a column on.
QList<ListedOption> optionsOf(const QByteArray& help)
{
    static const QRegularExpression line(QStringLiteral("^  (--[a-z0-9-]+)( \\S+)?\\s+\\S"),
                                         QRegularExpression::MultilineOption);
    QList<ListedOption> options;
    for (auto match = line.globalMatch(QString::fromUtf8(help)); match.hasNext();) {
        const QRegularExpressionMatch each = match.next();
        options.append({each.captured(1), each.captured(2).trimmed()});
    }
    return options;
}

/// The only problem of a command line, or all of them when there are more.
QByteArray problemOf(const QStringList& line)
{
    const Run run = partita(line);
    QList<QByteArray> problems = run.problems();
    if (!problems.isEmpty() && problems.last().startsWith("partita: see ")) {
        problems.removeLast();
    }
    return problems.join('\n');
}

} // namespace

/// What holds for the command lines of all verbs.
class CliRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyVerbListsAndKnowsItsOptions_data();
    void everyVerbListsAndKnowsItsOptions();
    void answersWithTheRightExitCode_data();
    void answersWithTheRightExitCode();
    void aValueGivenTwiceIsRefusedWithBoth();
    void whatIsWrongTwiceIsSaidOnce_data();
    void whatIsWrongTwiceIsSaidOnce();
    void axesAreKnownByTheWordsOfTheField_data();
    void axesAreKnownByTheWordsOfTheField();
    void optionsWithoutEffectAreRefused_data();
    void optionsWithoutEffectAreRefused();
    void everythingWrongIsSaidAtOnce();
    void whatCannotBeWrittenIsNoSuccess_data();
    void whatCannotBeWrittenIsNoSuccess();
    void problemsOfAFileNameIt_data();
    void problemsOfAFileNameIt();
    void nothingHugeIsEchoed();
    void refusalsAreJsonForWhoAsksForIt();
};

void CliRulesTest::everyVerbListsAndKnowsItsOptions_data()
{
    QTest::addColumn<QString>("verb");
    for (const char* verb : {"advise", "calibrate", "evaluate", "explain", "export", "import", "lessons", "presets",
                             "report", "schedule", "score", "search", "serve", "study"}) {
        QTest::newRow(verb) << QString::fromLatin1(verb);
    }
}

void CliRulesTest::everyVerbListsAndKnowsItsOptions()
{
    QFETCH(QString, verb);
    const Run help = partita({verb, QStringLiteral("--help")});
    QCOMPARE(help.code, 0);
    QVERIFY2(help.out.startsWith("usage: partita " + verb.toUtf8() + ' ') && help.err.isEmpty(), help.out);
    QCOMPARE(partita({verb, QStringLiteral("-h")}).out, help.out);
    QCOMPARE(partita({verb, QStringLiteral("--nonsense"), QStringLiteral("-h")}).out, help.out);
    QVERIFY(partita({QStringLiteral("--help")}).out.contains("partita " + verb.toUtf8() + ' '));

    const QList<ListedOption> options = optionsOf(help.out);
    QVERIFY2(options.size() >= 2, help.out);
    for (const ListedOption& option : options) {
        const QByteArray name = option.name.toUtf8();
        if (option.argument.startsWith(QLatin1Char('['))) {
            continue;
        }
        if (!option.argument.isEmpty()) {
            QVERIFY2(problemOf({verb, option.name}).contains("partita: " + name + ": needs an argument"), name);
        } else {
            QVERIFY2(problemOf({verb, option.name + QStringLiteral("=x")})
                         .contains("partita: " + name + ": x: takes no argument"),
                     name);
        }
    }
    const Run unknown = partita({verb, QStringLiteral("--nonsense")});
    QCOMPARE(unknown.code, 1);
    QVERIFY2(unknown.err.contains("partita: --nonsense: unknown option"), unknown.err);
}

void CliRulesTest::answersWithTheRightExitCode_data()
{
    QTest::addColumn<int>("code");
    const auto row = [](int code, const char* line) { QTest::newRow(line) << code; };
    row(0, "--version");
    row(0, "--help");
    row(0, "open --help");
    row(0, "advise --voice topology-first --no-search");
    row(0, "advise --voice serving-recipe --nodes 1 --stack vllm");
    row(0, "advise --voice topology-first --why-not tp=3 --no-search");
    row(0, "advise --nodes 1 --no-search");
    row(0, "search --max cp=1,vpp=1,micro-batch=1");
    row(0, "serve --tp 8");
    row(0, "serve --tp 4 --pp 2 --in-flight 1");
    row(0, "serve --tp 4 --pp 2 --in-flight 2");
    row(0, "serve --tp 8 --in-flight 4 --layouts");
    row(0, "study --placement");
    row(0, "study --scaling batch --scaling network");

    // Not understood: unknown, missing, of the wrong kind, or at odds with the other options.
    row(1, "--nonsense");
    row(1, "open");
    row(1, "evaluate --tp");
    row(1, "evaluate --tp eight");
    row(1, "evaluate --tp 8x");
    row(1, "evaluate --recompute some");
    row(1, "evaluate --sequence-parallel perhaps");
    row(1, "evaluate --model llama-9");
    row(1, "evaluate a b");
    row(1, "advise --voice loud --no-search");
    row(1, "advise --voice serving-recipe --why-not tp=2");
    row(1, "advise --voice topology-first --why-not tpp=3");
    row(1, "advise --fix tq=8");
    row(1, "advise --voice serving-recipe --fix tp=2");
    row(1, "search --pareto=time");
    row(1, "calibrate");
    row(1, "explain --value step_time");
    row(1, "explain --value step_time_s --depth deep");
    row(1, "export");
    row(1, "export - --out out --scale big");
    row(1, "import");
    row(1, "lessons a");
    row(1, "presets model");
    row(1, "report");
    row(1, "report --out r.txt");
    row(1, "report --out r.pdf --paper a3");
    row(1, "schedule");
    row(1, "schedule --name 1f1b --micro-batches 4");
    row(1, "schedule --name 1f2b --stages 4 --micro-batches 4");
    row(1, "schedule --name 1f1b --stages four --micro-batches 4");
    row(1, "schedule --name 1f1b --stages 4 --micro-batches 4 --weight inf");
    row(1, "schedule --name 1f1b --stages 4 --micro-batches 4 --p2p nan");
    row(1, "schedule x.partita --stages 4");
    row(1, "score");
    row(1, "search --fix tq=8");
    row(1, "search --fix=");
    row(1, "search --max tp=many");
    row(2, "search --max tp=0");
    row(2, "search --min dp=1000");
    row(1, "search --fix recompute=sometimes");
    row(1, "search --split odd");
    row(1, "search --top many");
    row(1, "serve --batch many");
    row(1, "serve --weights int3");
    row(1, "study");
    row(1, "study --scaling moon");

    // Understood, but a value out of its range, or a scenario that is not legal.
    row(2, "evaluate --tp 99999999999999999999");
    row(2, "evaluate --tp 0");
    row(2, "evaluate --pp -3");
    row(2, "evaluate --tp 7");
    row(2, "evaluate --nodes 0");
    row(2, "evaluate --nodes -5");
    row(2, "evaluate --micro-batch -1");
    row(2, "evaluate --tp 8 --micro-batch 0");
    row(2, "evaluate --seq-len 0");
    row(2, "evaluate --zero 4");
    row(2, "evaluate --tp 16777216 --pp 16777216 --cp 16777216");
    row(2, "evaluate --tp 2147483647 --pp 2147483647 --cp 2147483647");
    row(2, "evaluate --global-batch 9223372036854775807");
    row(2, "evaluate --training lora --adapter-rank -8");
    row(2, "advise --global-batch 0");
    row(2, "advise --nodes 0");
    row(2, "advise --fix tp=7");
    row(2, "explain --value step_time_s --depth 99");
    row(2, "explain --value step_time_s --depth -1");
    row(2, "explain --tp 7 --value step_time_s");
    row(2, "export " PARTITA_SOURCE_DIR "/presets/scenarios/default.partita --out never --scale 5");
    row(2, "report --tp 7 --out never.html");
    row(2, "schedule --name 1f1b --stages 4 --micro-batches 4 --forward -1");
    row(2, "schedule --name 1f1b --stages 4 --micro-batches 4 --p2p 1e999");
    row(2, "schedule --name 1f1b --stages 99999999999999999999 --micro-batches 4");
    row(2, "schedule --name 1f1b --stages 0 --micro-batches 4");
    row(2, "schedule --name dualpipe --stages 3 --micro-batches 8");
    row(2, "schedule --name interleaved --stages 2000000000 --micro-batches 2000000000");
    row(2, "schedule --name interleaved --stages 1 --micro-batches 1 --chunks 2000000000");
    row(2, "schedule --name v-min --stages 1000000 --micro-batches 1");
    row(2, "search --top 0");
    row(2, "search --threads 1001");
    row(2, "search --head-room 100");
    row(2, "search --fix tp=7");
    row(2, "serve --prompt 0");
    row(2, "serve --draft-tokens 4 --acceptance 1.5");
    row(2, "serve --tp 3");
    row(2, "serve --tp 8 --decode-context 2");
    row(2, "serve --tp 8 --kv fp8-ds-mla");
    row(2, "serve --tp 8 --weights fp8 --quantised experts");
    row(2, "study --placement --tp 3");

    row(3, "no/such/file.partita");
    row(3, "open /");
    row(3, "evaluate /");
    row(3, "evaluate --model no/such/config.json");
    for (const char* line :
         {"advise", "evaluate", "explain", "export --out out", "import", "lessons --check", "report --out r.html",
          "schedule", "search", "serve", "study --placement", "calibrate --kernels", "calibrate --runs", "score"}) {
        row(3, (QByteArray(line) + " no/such/file").constData());
    }
    row(3, "schedule --name 1f1b --stages 2 --micro-batches 2 --trace no/such/file");
    row(3, "schedule --name 1f1b --stages 2 --micro-batches 2 --measured no/such/file");
}

void CliRulesTest::answersWithTheRightExitCode()
{
    QFETCH(int, code);
    expectExit(words(QTest::currentDataTag()), code);
}

void CliRulesTest::aValueGivenTwiceIsRefusedWithBoth()
{
    QCOMPARE(problemOf(words("evaluate --tp 2 --tp=4")),
             QByteArray("partita: --tp: 2 and 4: is given more than once (leave one)"));
    QCOMPARE(partita(words("evaluate --json --json")).code, 0); // says the same twice
    QCOMPARE(problemOf(words("search --fix tp=7 --fix pp=x")),
             QByteArray("partita: --fix: pp: x: must be a whole number of at least 1"));
}

void CliRulesTest::whatIsWrongTwiceIsSaidOnce_data()
{
    QTest::addColumn<int>("problems");
    const QString file = scenarioFile;
    const auto row = [&](int problems, const char* line) {
        QTest::newRow(QByteArray(line).replace("FILE", file.toUtf8()).constData()) << problems;
    };
    row(1, "export FILE --out never --chart heatmap --rows foo --columns tp");
    row(2, "export FILE --out never --chart heatmap --rows foo --columns foo");
    row(1, "export FILE --out never --chart memory --format xx,xx");
    row(1, "export FILE --out never --chart heatmap --rows batch --columns global-batch");
    row(1, "evaluate --zzz --zzz");
    row(1, "search --fix foo=1,foo=1 --fix foo=1");
    row(1, "study --scaling foo --scaling foo");
}

void CliRulesTest::whatIsWrongTwiceIsSaidOnce()
{
    QFETCH(int, problems);
    const QByteArray said = problemOf(words(QTest::currentDataTag()));
    QVERIFY2(said.split('\n').size() == problems, said);
}

void CliRulesTest::axesAreKnownByTheWordsOfTheField_data()
{
    QTest::addColumn<QByteArray>("key");
    const auto row = [](const char* line, const char* key) { QTest::newRow(line) << QByteArray(key); };
    for (const char* word : {"batch", "global-batch", "global_batch", "gbs"}) {
        row((QByteArray("study --json --scaling ") + word).constData(), "batch");
    }
    row("study --json --scaling sequence-length", "sequence");
    row("study --json --scaling GPUs", "devices");
}

void CliRulesTest::axesAreKnownByTheWordsOfTheField()
{
    QFETCH(QByteArray, key);
    const QStringList line = words(QTest::currentDataTag());
    const Run asked = partita(line);
    QCOMPARE(asked.code, 0);
    QStringList plain = line;
    plain.back() = QString::fromLatin1(key);
    QCOMPARE(asked.out, partita(plain).out);
    const Run help = partita(words("export --help"));
    for (const char* known : {"global-batch (or batch, gbs)", "model (or model-size)", "sequence (or sequence-length)",
                              "micro-batches", "batch (or global-batch, gbs)"}) {
        QVERIFY2(help.out.contains(known), known);
    }
    const QByteArray problem = problemOf({QStringLiteral("export"), scenarioFile, QStringLiteral("--out"),
                                          QStringLiteral("never"), QStringLiteral("--chart"), QStringLiteral("heatmap"),
                                          QStringLiteral("--rows"), QStringLiteral("moon")});
    QVERIFY2(problem.contains("global-batch (or batch, gbs)"), problem);
}

void CliRulesTest::optionsWithoutEffectAreRefused_data()
{
    QTest::addColumn<QByteArray>("option");
    const auto row = [](const char* option, const char* line) { QTest::newRow(line) << QByteArray(option); };
    row("--tp", "search --tp 8");
    row("--recompute", "advise --recompute full");
    row("--seq-len", "serve --seq-len -5");
    row("--global-batch", "serve --global-batch 0");
    row("--seq-len", "advise --voice serving-recipe --nodes 1 --stack vllm --seq-len 4096");
    row("--no-search", "advise --voice serving-recipe --nodes 1 --stack vllm --no-search");
    row("--adapter-rank", "evaluate --adapter-rank 8");
    row("--depth", "explain --depth 3");
    row("--all", "explain --all --value step_time_s");
    row("--paper", "report --out never.html --paper letter");
    row("--scale",
        "export " PARTITA_SOURCE_DIR "/presets/scenarios/default.partita --out never --format csv,svg --scale 3");
    row("--stages", "schedule " PARTITA_SOURCE_DIR "/presets/scenarios/default.partita --stages 4");
    row("--ops", "schedule --name 1f1b --stages 2 --micro-batches 2 --ops --measured no/such/file");
    row("--markdown", "score --json --markdown x.json");
    row("--acceptance", "serve --acceptance 0.8");
    row("--draft-cost", "serve --draft-cost 0.1");
    row("--weight-group", "serve --weights fp8 --weight-group 64");
    row("--quantised", "serve --quantised layers");
    row("--in-flight", "serve --tp 8 --in-flight 4");
    row("--in-flight", "serve --tp 8 --in-flight 1 --compare");
    row("--in-flight", "serve --tp 4 --pp 2 --in-flight 3");
    row("--in-flight", "report --serve --tp 8 --pp 4 --in-flight 5 --out never.html");
    row("--in-flight", "export --serve --in-flight 9 --chart serving-token --out never");
    row("--in-flight", "explain --serve --tp 8 --pp 4 --in-flight 5");
    row("--advised", "study --placement --advised");
}

void CliRulesTest::optionsWithoutEffectAreRefused()
{
    QFETCH(QByteArray, option);
    const QStringList line = words(QTest::currentDataTag());
    QCOMPARE(partita(line).code, 1);
    const QByteArray problem = problemOf(line);
    QVERIFY2(problem.startsWith("partita: " + option + ": ") && !problem.contains('\n'), problem);
}

void CliRulesTest::everythingWrongIsSaidAtOnce()
{
    const Run run = partita(words("search no/such/file --tpp 8 --top 0 --fix tq=3 --model llama-9 --seq-len x --max"));
    QCOMPARE(run.code, 1);
    for (const char* field : {"--tpp: ", "--max: ", "--fix: tq: ", "--top: 0: ", "no/such/file: ", "--model: llama-9: ",
                              "--seq-len: x: "}) {
        QVERIFY2(run.err.contains(QByteArray("partita: ") + field), run.err);
    }
    QCOMPARE(run.problems().size(), 8); // and where help is
}

void CliRulesTest::whatCannotBeWrittenIsNoSuccess_data()
{
    QTest::addColumn<QString>("line");
    for (const char* line :
         {"--help", "--version", "open --help", "evaluate", "evaluate --help", "evaluate --json --tp x",
          "search --top 1", "presets", "schedule --name 1f1b --stages 2 --micro-batches 2", "serve"}) {
        QTest::newRow(line) << QString::fromLatin1(line);
    }
}

void CliRulesTest::whatCannotBeWrittenIsNoSuccess()
{
    QFETCH(QString, line);
    QProcess process;
    process.setStandardOutputFile(QStringLiteral("/dev/full"));
    process.start(QStringLiteral(PARTITA_PROGRAM), words(line.toUtf8()));
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 3);
    QVERIFY(process.readAllStandardError().contains("partita: standard output: "));
}

void CliRulesTest::problemsOfAFileNameIt_data()
{
    QTest::addColumn<QString>("line");
    for (const char* line :
         {"advise FILE", "evaluate FILE", "evaluate --model FILE", "explain FILE", "export FILE --out never",
          "import FILE", "lessons --check FILE", "report FILE --out never.html", "schedule FILE",
          "schedule --name 1f1b --stages 2 --micro-batches 2 --measured FILE", "search FILE", "serve FILE",
          "study --placement FILE", "score FILE", "calibrate --runs FILE"}) {
        QTest::newRow(line) << QString::fromLatin1(line);
    }
}

void CliRulesTest::problemsOfAFileNameIt()
{
    QFETCH(QString, line);
    const QTemporaryDir folder;
    for (const char* contents : {"{", "{}", ""}) {
        QFile file(folder.filePath(QStringLiteral("input.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(contents);
        file.close();
        const Run run = partita(words(QString(line).replace(QStringLiteral("FILE"), file.fileName()).toUtf8()));
        QCOMPARE(run.code, 2);
        QVERIFY(!run.problems().isEmpty());
        for (const QByteArray& problem : run.problems()) {
            QVERIFY2(problem.startsWith("partita: " + file.fileName().toUtf8() + ": "), problem);
        }
    }
    const Run piped = partita(words("evaluate -"), "{");
    QVERIFY2(piped.err.startsWith("partita: standard input: not JSON"), piped.err);
}

void CliRulesTest::nothingHugeIsEchoed()
{
    const QString huge(100000, QLatin1Char('x'));
    QFile lesson(QStringLiteral(PARTITA_SOURCE_DIR "/presets/lessons/03-the-bubble.json"));
    QVERIFY(lesson.open(QIODevice::ReadOnly));
    const QByteArray text = lesson.readAll();
    const QByteArray expression = "2*layout.pp";
    QVERIFY(text.contains(expression));
    const QList<QPair<QStringList, QByteArray>> uses{
        {{QStringLiteral("evaluate"), QStringLiteral("--tp"), huge}, {}},
        {{QStringLiteral("evaluate"), QStringLiteral("--") + huge}, {}},
        {{QStringLiteral("evaluate"), QStringLiteral("--model"), huge}, {}},
        {{QStringLiteral("explain"), QStringLiteral("--value"), huge}, {}},
        {{QStringLiteral("search"), QStringLiteral("--fix"), huge}, {}},
        {{QStringLiteral("advise"), QStringLiteral("--voice"), huge}, {}},
        {{QStringLiteral("presets"), huge}, {}},
        {{QStringLiteral("lessons"), QStringLiteral("--check"), QStringLiteral("-")},
         QByteArray(text).replace(expression, huge.toUtf8())},
    };
    for (const auto& [line, input] : uses) {
        const Run run = partita(line, input);
        QVERIFY(run.code == 1 || run.code == 2);
        QVERIFY2(run.err.contains("…") || run.err.contains("100000 bytes"), run.err.left(1000));
        for (const QByteArray& problem : run.problems()) {
            QVERIFY2(problem.size() < 1100, problem.left(2000));
        }
    }
}

void CliRulesTest::refusalsAreJsonForWhoAsksForIt()
{
    for (const char* line : {"evaluate --tp x --json", "evaluate --tp 7 --json", "evaluate no/such/file --json",
                             "search --top 0 --json", "presets foo --json", "schedule --json",
                             "lessons --check no/such/file --json", "score --json", "import --json"}) {
        const Run run = partita(words(line));
        QVERIFY(run.code != 0);
        const QJsonArray problems = run.json().value(QLatin1String("problems")).toArray();
        QVERIFY2(!problems.isEmpty(), line);
        QVERIFY(!problems[0].toObject().value(QLatin1String("field")).toString().isEmpty());
    }
}

QTEST_GUILESS_MAIN(CliRulesTest)
#include "tst_cli_rules.moc"
