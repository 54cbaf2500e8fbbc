// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_scenario.h"
#include "core/training/evaluate.h"
#include "tests/core/runs/sample_runs.h"

#include <QTest>

using namespace partita;

namespace {

/// A row of arXiv:2504.14960 (MoE Parallel Folding) table 3: layout in the words of run files.
std::string foldingRow(const char* model, int gpus, const std::string& layout)
{
    return R"({"id": "folding-t3", "source": "arXiv:2504.14960", "url": "", "table": "Table 3", "notes": "",
        "model": {"name": ")"
        + std::string(model) + R"("}, "hardware": {"gpu": "H100 SXM", "num_gpus": )" + std::to_string(gpus)
        + R"(, "gpus_per_node": 8, "inter_link": "400 Gb/s IB per GPU"}, "layout": {"global_batch": 256, "seq": 4096,
        "precision": "BF16", )"
        + layout + R"(}, "measured": {"tokens_per_s_per_gpu": 1}})";
}

double throughput(const char* model, int gpus, const std::string& layout)
{
    const auto scenario = scenarioOf(readOrFail(foldingRow(model, gpus, layout)).runs[0], presetCatalogue());
    if (!scenario) {
        qFatal("%s", describe(scenario.problems.front()).c_str());
    }
    const Report report = evaluate(scenario->scenario);
    if (!report.legal()) {
        qFatal("%s", describe(report.problems.front()).c_str());
    }
    return report.tokensPerSecondPerDevice;
}

} // namespace

/// Where a publication finds one way to split faster than another, so does the model.
class PublishedComparisonsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fasterIsFaster_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("slower");
        QTest::addColumn<QString>("faster");
        const QString mixtral = QStringLiteral("Mixtral 8x22B");
        const QString fsdp = QStringLiteral(R"("tp": 8, "pp": 1, "dp": 16, "ep": 1, "zero_stage": 3)");
        const QString fsdpExperts = QStringLiteral(R"("tp": 2, "pp": 1, "dp": 64, "ep": 8, "zero_stage": 3)");
        const QString noPipeline = QStringLiteral(R"("tp": 4, "pp": 1, "dp": 32, "ep": 8, "zero_stage": 1)");
        const QString pipeline = QStringLiteral(R"("tp": 2, "pp": 8, "dp": 8, "ep": 4, "zero_stage": 1)");
        const QString folded = QStringLiteral(R"("tp": 2, "pp": 8, "dp": 8, "ep": 8, "etp": 1, "zero_stage": 1)");
        QTest::newRow("Mixtral: experts spread, 4.3 and 23.4 % MFU") << mixtral << 128 << fsdp << fsdpExperts;
        QTest::newRow("Mixtral: weights kept, 23.4 and 36.6 %") << mixtral << 128 << fsdpExperts << noPipeline;
        QTest::newRow("Mixtral: a pipeline, 36.6 and 46.3 %") << mixtral << 128 << noPipeline << pipeline;
        QTest::newRow("Mixtral: folded experts, 46.3 and 49.3 %") << mixtral << 128 << pipeline << folded;
        const QString qwen = QStringLiteral("Qwen2-57B-A14B");
        const QString shardedQwen = QStringLiteral(R"("tp": 2, "pp": 1, "dp": 32, "ep": 1, "zero_stage": 3)");
        const QString spreadQwen = QStringLiteral(R"("tp": 1, "pp": 1, "dp": 64, "ep": 8, "zero_stage": 3)");
        const QString plainQwen = QStringLiteral(R"("tp": 4, "pp": 1, "dp": 16, "ep": 4, "zero_stage": 1)");
        const QString pipedQwen = QStringLiteral(R"("tp": 2, "pp": 4, "dp": 8, "ep": 4, "zero_stage": 1)");
        QTest::newRow("Qwen2: experts spread, 9.9 and 25.4 %") << qwen << 64 << shardedQwen << spreadQwen;
        QTest::newRow("Qwen2: a pipeline, 23.1 and 35.3 %") << qwen << 64 << plainQwen << pipedQwen;
        QTest::newRow("Qwen2: a pipeline instead of shards, 25.4 and 35.3 %") << qwen << 64 << spreadQwen << pipedQwen;
    }
    void fasterIsFaster()
    {
        QFETCH(QString, model);
        QFETCH(int, gpus);
        QFETCH(QString, slower);
        QFETCH(QString, faster);
        const QByteArray name = model.toUtf8();
        QVERIFY(throughput(name.constData(), gpus, slower.toStdString())
                < throughput(name.constData(), gpus, faster.toStdString()));
    }
};

QTEST_GUILESS_MAIN(PublishedComparisonsTest)
#include "tst_published_comparisons.moc"
