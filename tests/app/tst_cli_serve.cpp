// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace program_test;

namespace {

double at(QJsonObject object, const char* path)
{
    const QStringList keys = QString::fromLatin1(path).split(QLatin1Char('.'));
    for (const QString& key : keys.mid(0, keys.size() - 1)) {
        object = object.value(key).toObject();
    }
    return object.value(keys.back()).toDouble(-1);
}

QJsonArray list(const QJsonObject& object, const char* key)
{
    return object.value(QLatin1String(key)).toArray();
}

constexpr const char* node = "serve --model llama-3.1-70b --accelerator h100-sxm-80gb --nodes 1 ";

Run serve(const char* options)
{
    return partita(words(node) + words(options));
}

} // namespace

class CliServeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theReportHasItsKeys()
    {
        const Run run = serve("--tp 8 --batch 32 --json");
        QCOMPARE(run.code, 0);
        const QJsonObject json = run.json();
        for (const char* key : {"tpot_s", "ttft_s", "tokens_per_s", "tokens_per_s_per_device", "max_concurrency",
                                "kv.tokens", "kv.bytes_per_token", "weights.bytes_per_device"}) {
            QVERIFY2(at(json, key) > 0, key);
        }
        QVERIFY(json.value(QLatin1String("problems")).isArray());
        QCOMPARE(at(json, "kv.bytes_per_token"), 327680.0);
        double sum = 0;
        for (const QJsonValue& part :
             json.value(QLatin1String("time")).toObject().value(QLatin1String("parts")).toObject()) {
            sum += part.toDouble();
        }
        QVERIFY(std::abs(sum - at(json, "tpot_s")) < 1e-9);
        QCOMPARE(at(json, "tokens_per_s"), 8 * at(json, "tokens_per_s_per_device"));
    }

    void oneReplicaIsNotSeveral()
    {
        QVERIFY(serve("--tp 8").out.contains(": 1 replica\n"));
        QVERIFY(serve("--tp 4").out.contains(": 2 replicas\n"));
    }

    void aSweepGoesUpToAFullCache()
    {
        const QJsonArray sweep = list(serve("--tp 8 --batch sweep --json").json(), "sweep");
        QVERIFY(sweep.size() > 5);
        for (qsizetype i = 1; i < sweep.size(); ++i) {
            QVERIFY(at(sweep[i].toObject(), "tpot_s") >= at(sweep[i - 1].toObject(), "tpot_s"));
        }
    }

    void whatDoesNotFitIsNotAnError()
    {
        const Run run = serve("--tp 1 --json");
        QCOMPARE(run.code, 0);
        QCOMPARE(run.json().value(QLatin1String("fits")).toBool(true), false);
        QCOMPARE(at(run.json(), "max_concurrency"), 0.0);
    }

    void limitsDecideWhatIsGood()
    {
        QVERIFY(at(serve("--tp 8 --json").json(), "goodput_per_s") > 0);
        QCOMPARE(at(serve("--tp 8 --tpot 0.001 --json").json(), "goodput_per_s"), 0.0);
        QCOMPARE(at(serve("--tp 8 --ttft 0.001 --json").json(), "goodput_per_s"), 0.0);
    }

    void layoutsWidthsAndARecipeComeOnDemand()
    {
        const QJsonObject json = serve("--tp 8 --weights fp8 --layouts --compare --advise --json").json();
        QVERIFY(at(json, "layouts.legal") >= at(json, "layouts.fitting"));
        QVERIFY(list(json.value(QLatin1String("layouts")).toObject(), "front").size() > 2);
        QCOMPARE(list(json, "comparison").size(), 4); // TP 8, 4, 2, 1
        const QJsonObject recipe = json.value(QLatin1String("recipe")).toObject();
        QVERIFY(!list(recipe, "steps").isEmpty());
        QVERIFY(at(recipe, "optimum.tokens_per_s_per_device") >= at(recipe, "pick.tokens_per_s_per_device"));
    }

    void aFileServesWhatItSays()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("s.partita"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"$schema": "partita-scenario", "version": 1, "model": "llama-3.1-8b", "cluster": "hgx-h100",
            "layout": {"tp": 1}, "stack": "sglang", "serving": {"prompt": 100, "output": 10, "batch": 2, "weights": "fp8"}})");
        file.close();
        const QJsonObject fromFile = partita({QStringLiteral("serve"), path, QStringLiteral("--json")}).json();
        QCOMPARE(at(fromFile, "batch"), 2.0);
        QVERIFY(at(fromFile, "weights.bytes_per_device") < 10e9); // 8 B parameters, embedding and head in 16 bit
    }
};

QTEST_APPLESS_MAIN(CliServeTest)
#include "tst_cli_serve.moc"
