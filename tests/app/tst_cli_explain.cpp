// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/run_program.h"

#include <QJsonArray>
#include <QtTest>

#include <map>

using program_test::partita;
using program_test::Run;
using program_test::words;

namespace {

const QByteArray servedScenario =
    R"({"$schema": "partita-scenario", "version": 1, "model": "llama-3.1-70b", "cluster": "hgx-h100",
        "layout": {"tp": 8, "dp": 8, "global_batch": 64}, "stack": "vllm", "serving": {"batch": 4}})";

/// Leaves by the path that `explain` gives them; without what a line of text says.
void flatten(std::map<QString, QJsonValue>& keys, const QString& path, const QJsonValue& value)
{
    if (value.isObject()) {
        const QJsonObject object = value.toObject();
        for (auto at = object.begin(); at != object.end(); ++at) {
            flatten(keys, path.isEmpty() ? at.key() : path + u'.' + at.key(), at.value());
        }
    } else if (value.isArray()) {
        for (int i = 0; i < value.toArray().size(); ++i) {
            flatten(keys, QStringLiteral("%1[%2]").arg(path).arg(i), value.toArray()[i]);
        }
    } else {
        keys[path] = value;
    }
}

} // namespace

class TestCliExplain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aValueIsDerivedWithFormulaNumbersAndSources()
    {
        const Run run = partita(words("explain --value memory.stages[0].activations"));
        QCOMPARE(run.code, 0);
        QVERIFY(run.out.contains("= a·n"));
        QVERIFY(run.out.contains("stages[0].in_flight"));
        QVERIFY(run.out.contains("arXiv:2205.05198"));
        QVERIFY(run.out.contains("nearest published runs"));
    }

    void asJsonTheValueIsThatOfTheReport()
    {
        const QJsonObject report = partita(words("evaluate --json")).json();
        const QJsonObject derived = partita(words("explain --value step_time_s --json --depth 1")).json();
        QCOMPARE(derived[QStringLiteral("value")].toDouble(), report[QStringLiteral("step_time_s")].toDouble());
        double sum = 0;
        QSet<QString> unfolded;
        for (const QJsonValue& inner : derived[QStringLiteral("derivations")].toArray()) {
            unfolded += inner[QStringLiteral("path")].toString();
        }
        const QJsonObject term = derived[QStringLiteral("terms")].toArray()[0].toObject();
        for (const QJsonValue& value : term[QStringLiteral("values")].toArray()) {
            sum += value[QStringLiteral("value")].toDouble();
            QVERIFY(unfolded.contains(value[QStringLiteral("path")].toString()));
        }
        QVERIFY(qAbs(sum - derived[QStringLiteral("value")].toDouble()) < 1e-9);
    }

    void withoutAValueAllThatCanBeExplainedIsListed()
    {
        const Run run = partita(words("explain"));
        QCOMPARE(run.code, 0);
        for (const char* path : {"fits ", "step_time_s ", "memory.stages[3].total ", "parameters.active "}) {
            QVERIFY2(run.out.contains(path), path);
        }
        QVERIFY(partita(words("explain --all")).out.contains("pipeline.makespan_s "));
    }

    void whatIsNotComputedNamesTheNearest()
    {
        const Run run = partita(words("explain --value step_time"));
        QCOMPARE(run.code, 1);
        QVERIFY(run.err.contains("step_time_s"));
    }

    void servingIsExplainedAsItIsReported()
    {
        const QJsonObject report = partita(words("serve --batch 64 --prompt 2000 --json")).json();
        const QJsonObject derived =
            partita(words("explain --value serving.tpot_s --batch 64 --prompt 2000 --json --depth 3")).json();
        QCOMPARE(derived[QStringLiteral("value")].toDouble(), report[QStringLiteral("tpot_s")].toDouble());
        const Run list = partita(words("explain --serve"));
        QCOMPARE(list.code, 0);
        for (const char* path : {"serving.ttft_s ", "serving.kv.tokens ", "serving.memory.key_values "}) {
            QVERIFY2(list.out.contains(path), path);
        }
        QVERIFY(!list.out.contains("\nstep_time_s "));
        QVERIFY(partita(words("explain --value serving.tpot_s --depth 9")).out.contains("down projection"));
    }

    void everyKeyOfServeIsExplainedUnderItsNameThere()
    {
        const QString options = QStringLiteral("--batch 16 --prompt 2000 ");
        std::map<QString, QJsonValue> keys;
        flatten(keys, QString(), partita(words(qPrintable(QStringLiteral("serve --json ") + options))).json());
        QVERIFY(keys.size() > 40);
        for (const auto& [key, reported] : keys) {
            const Run run = partita(
                words(qPrintable(QStringLiteral("explain --serve --json --depth 0 %1 --value %2").arg(options, key))));
            QVERIFY2(run.code == 0, qPrintable(key + QString::fromUtf8(run.err)));
            const QJsonObject derived = run.json();
            QCOMPARE(derived[QStringLiteral("path")].toString(), QStringLiteral("serving.") + key);
            if (reported.isString()) {
                QCOMPARE(derived[QStringLiteral("value")].toString(), reported.toString());
            } else if (!reported.isNull()) {
                QCOMPARE(derived[QStringLiteral("value")].toVariant().toDouble(), reported.toVariant().toDouble());
            }
        }
    }

    void aFileThatSaysHowItIsServedHasValuesOfBoth()
    {
        const QJsonObject report = partita(words("serve - --json"), servedScenario).json();
        const Run served = partita(words("explain - --value kv.tokens --json"), servedScenario);
        QCOMPARE(served.json()[QStringLiteral("value")].toDouble(),
                 report[QStringLiteral("kv")].toObject()[QStringLiteral("tokens")].toDouble());
        const Run trained = partita(words("explain - --value tokens_per_s --json"), servedScenario);
        QCOMPARE(trained.json()[QStringLiteral("path")].toString(), QStringLiteral("tokens_per_s"));
    }

    void namesAndValuesOfTheListStandApart()
    {
        const QList<QByteArray> lines = partita(words("explain --all")).out.split('\n');
        for (const QByteArray& line : lines) {
            QVERIFY2(line.isEmpty() || line.indexOf("  ") == line.indexOf(' '), line.constData());
        }
    }

    void aPartTheScenarioLacksIsExplainedAsZero()
    {
        const Run run = partita(words("explain --value stages[0].backward_weight.attention"));
        QVERIFY2(run.code == 0, run.err.constData());
        QVERIFY2(run.out.startsWith("attention in the weight gradient of a micro-batch, stage 0: 0 s"), run.out);
        QVERIFY(run.out.contains("nothing of this kind in the scenario"));
        QVERIFY(!partita(words("explain --all")).out.contains("stages[0].backward_weight.attention"));
    }

    void aRowOfASearchIsDerived()
    {
        const QString search = QStringLiteral("search --model llama-3.1-8b --nodes 1 --top 2 --threads 1 ");
        const QJsonObject found = partita(words(qPrintable(search + QStringLiteral("--json")))).json();
        const QJsonObject derived =
            partita(words(qPrintable(search + QStringLiteral("--explain best[1].mfu --json --depth 3")))).json();
        QCOMPARE(derived[QStringLiteral("value")].toDouble(),
                 found[QStringLiteral("best")].toArray()[1].toObject()[QStringLiteral("mfu")].toDouble());
        QVERIFY(derived[QStringLiteral("derivations")].toArray().size() > 5);
        const Run text = partita(words(qPrintable(search + QStringLiteral("--explain best[0].step_time_s"))));
        QVERIFY(text.out.contains("The same as best[0].report.step_time_s."));
        QVERIFY(text.out.contains("nearest published runs"));
        const Run wrong = partita(words(qPrintable(search + QStringLiteral("--explain best[0].step_time"))));
        QCOMPARE(wrong.code, 1);
        QVERIFY(wrong.err.contains("--explain") && wrong.err.contains("best[0].step_time_s"));
    }

    void aComparisonIsDerived()
    {
        const Run list = partita({QStringLiteral("explain"), QStringLiteral("--compare"),
                                  QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita"),
                                  QStringLiteral("--micro-batch"), QStringLiteral("2")});
        QVERIFY2(list.code == 0, list.err.constData());
        QVERIFY(list.out.contains("ab.waterfall.step_time.steps[0].change "));
        const Run cell = partita({QStringLiteral("explain"), QStringLiteral("--compare"),
                                  QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita"),
                                  QStringLiteral("--micro-batch"), QStringLiteral("2"), QStringLiteral("--value"),
                                  QStringLiteral("ab.step_time_s")});
        QVERIFY(cell.out.contains("<a.step_time_s>") && cell.out.contains("<b.step_time_s>"));
    }

    void anAdviceIsDerived()
    {
        const Run gap = partita(words("advise --nodes 1 --model llama-3.1-8b --explain optimum.gap"));
        QVERIFY2(gap.code == 0, gap.err.constData());
        QVERIFY(gap.out.contains("<pick.step_time_s>") && gap.out.contains("<optimum.best.step_time_s>"));
        QCOMPARE(partita(words("advise --nodes 1 --no-search --explain optimum.gap")).code, 1);
    }

    void whatServingAsksForNeedsServing()
    {
        const Run run = partita(words("explain --batch 8"));
        QCOMPARE(run.code, 1);
        QVERIFY(run.err.contains("--serve"));
        QCOMPARE(partita(words("explain --serve --batch sweep")).code, 1);
        QCOMPARE(partita(words("explain --serve --tp 7 --value serving.tpot_s")).code, 2);
        QCOMPARE(partita(words("explain --value serving.tpot")).code, 1);
    }

    void anIllegalLayoutSaysWhy()
    {
        const Run run = partita(words("explain --tp 7 --value step_time_s"));
        QCOMPARE(run.code, 2);
        QVERIFY(run.err.contains("layout.tp"));
    }
};

QTEST_GUILESS_MAIN(TestCliExplain)
#include "tst_cli_explain.moc"
