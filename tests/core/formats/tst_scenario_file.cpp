// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_scenario.h"
#include "core/formats/scenario_file.h"

#include "core/formats/cluster_json.h"
#include "core/formats/layout_json.h"
#include "core/formats/model_json.h"
#include "tests/core/formats/random_fields.h"

#include <QtTest>

#include <algorithm>
#include <clocale>
#include <locale>

using namespace partita;

namespace {

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({std::filesystem::path(PARTITA_SOURCE_DIR) / "presets"});
    return loaded;
}

Scenario example()
{
    Scenario scenario;
    scenario.name = "Llama 3.1 70B on 64 H100";
    scenario.model = *catalogue().model("llama-3.1-70b");
    scenario.cluster = *catalogue().cluster("hgx-h100");
    scenario.stack = *catalogue().stack("megatron-core");
    scenario.layout.tp = 8;
    scenario.layout.pp = 4;
    scenario.layout.dp = 2;
    scenario.layout.globalBatch = 256;
    scenario.workload.sequenceLength = 8192;
    return scenario;
}

template <class T> const T& pick(const std::vector<T>& values, std::mt19937_64& random)
{
    return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
}

/// Presets, presets with a changed value, and values that no preset has.
Scenario randomScenario(std::mt19937_64& random)
{
    RandomFields fields(random);
    Scenario scenario;
    fields.text("name", scenario.name);
    scenario.model = pick(catalogue().models, random);
    scenario.cluster = pick(catalogue().clusters, random);
    scenario.stack = pick(catalogue().stacks, random);
    describe(fields, scenario.layout);
    std::shuffle(scenario.layout.rankOrder.begin(), scenario.layout.rankOrder.end(), random);
    describe(fields, scenario.workload);
    if (fields.below(2) == 0) {
        describe(fields, scenario.serving);
    }
    if (fields.below(2) == 0) {
        describe(fields, scenario.stack);
    }
    if (fields.below(2) == 0) {
        std::shuffle(scenario.model.layers.begin(), scenario.model.layers.end(), random);
        fields.text("id", scenario.model.id);
        fields.choice("norm", scenario.model.norm);
        fields.flag("tied_embeddings", scenario.model.tiedEmbeddings);
    }
    if (fields.below(2) == 0) {
        fields.integer("nodes", scenario.cluster.nodes, {1, 1000});
        for (Level& level : scenario.cluster.levels) {
            const std::int64_t domain = level.domain;
            describe(fields, level);
            level.domain = domain;
        }
    }
    if (fields.below(2) == 0) {
        describe(fields, scenario.cluster.accelerator);
    }
    return scenario;
}

QString described(const Problems& problems)
{
    QStringList lines;
    for (const Problem& problem : problems) {
        lines += QString::fromStdString(partita::describe(problem));
    }
    return lines.join("\n");
}

std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    const std::size_t at = text.find(what);
    return at == std::string::npos ? std::string() : text.replace(at, what.size(), with);
}

} // namespace

class TestScenarioFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDamagedComparisonIsRefusedAsAWhole_data()
    {
        QTest::addColumn<bool>("reads");
        QTest::addColumn<QByteArray>("second");
        QTest::addColumn<QByteArray>("third");
        const QByteArray good = QByteArray::fromStdString(writeScenario(example(), catalogue()));
        QTest::newRow("whole") << true << good << good;
        QTest::newRow("damaged behind the first") << false << good.left(good.size() / 2) << good;
        QTest::newRow("another file behind the first") << false << QByteArray("<svg/>") << good;
        QTest::newRow("no JSON behind the first") << false << QByteArray("x") << good;
    }

    void aDamagedComparisonIsRefusedAsAWhole()
    {
        QFETCH(bool, reads);
        QFETCH(QByteArray, second);
        QFETCH(QByteArray, third);
        const std::string table = csvWithScenarios(
            "x\r\n1\r\n", {writeScenario(example(), catalogue()), second.toStdString(), third.toStdString()});
        QCOMPARE(bool(readScenario(table, catalogue())), reads);
        QCOMPARE(bool(readCarried(table, catalogue())), reads);
    }

    void writesPresetsByTheirId()
    {
        QCOMPARE(QString::fromStdString(writeScenario(example(), catalogue())), QString(R"({
  "$schema": "partita-scenario",
  "version": 1,
  "name": "Llama 3.1 70B on 64 H100",
  "model": "llama-3.1-70b",
  "cluster": "hgx-h100",
  "layout": {
    "tp": 8,
    "cp": 1,
    "pp": 4,
    "vpp": 1,
    "dp": 2,
    "ep": 1,
    "etp": 1,
    "sequence_parallel": true,
    "zero_stage": 1,
    "shard_group": 0,
    "micro_batch": 1,
    "global_batch": 256,
    "recompute": "none",
    "schedule": "1f1b",
    "rank_order": "tp-cp-ep-dp-pp"
  },
  "workload": {
    "sequence_length": 8192,
    "precision": "bf16",
    "optimizer": "adam",
    "offloaded_states": 0,
    "training_tokens": 0
  },
  "stack": "megatron-core"
}
)"));
    }

    void writesWhatDiffersFromItsPresetInFull()
    {
        Scenario scenario = example();
        scenario.cluster.nodes = 16;
        const QString text = QString::fromStdString(writeScenario(scenario, catalogue()));
        QVERIFY(text.contains("\"model\": \"llama-3.1-70b\""));
        QVERIFY(text.contains("\"nodes\": 16"));
        QVERIFY(text.contains("\"accelerator\": \"h100-sxm-80gb\""));
        QVERIFY(text.contains("\"bandwidth_gbytes_per_s\": 450"));
        scenario.cluster.accelerator.memoryBytes /= 2;
        QVERIFY(writeScenario(scenario, catalogue()).find("\"memory_gib\": 40") != std::string::npos);
    }

    void levelsAreWrittenWholeAndNeverByALink()
    {
        Scenario scenario = example();
        scenario.cluster.nodes = 16;
        const std::string text = writeScenario(scenario, catalogue());
        QVERIFY(text.find("\"link\"") == std::string::npos);
        QVERIFY(text.find("\"half_size_mib\"") != std::string::npos);
        const std::string linked = replaced(text, "\"name\": \"NVLink 4\"", "\"link\": \"nvlink-4\"");
        const Result<Scenario> read = readScenario(linked, catalogue());
        QVERIFY(!read);
        QCOMPARE(read.problems.size(), std::size_t{1});
        QCOMPARE(read.problems[0].field, std::string("cluster.levels[0].link"));
    }

    void anyScenarioReadsBackEqual()
    {
        std::mt19937_64 random(7);
        for (int i = 0; i < 300; ++i) {
            const Scenario scenario = randomScenario(random);
            const std::string text = writeScenario(scenario, catalogue());
            const Result<Scenario> read = readScenario(text, catalogue());
            QVERIFY2(read, qPrintable(described(read.problems)));
            QVERIFY2(*read == scenario, text.c_str());
            QVERIFY(writeScenario(*read, catalogue()) == text);
        }
    }

    void filesWithoutServingStayAsTheyWere()
    {
        Scenario scenario = example();
        QVERIFY(writeScenario(scenario, catalogue()).find("\"serving\": {") == std::string::npos);
        scenario.serving.prompt = 4000;
        scenario.serving.weights = DataType::NvFp4;
        scenario.serving.ttftLimit = 0.5;
        const std::string text = writeScenario(scenario, catalogue());
        QVERIFY(text.find("\"ttft_limit_ms\": 500") != std::string::npos);
        const Result<Scenario> read = readScenario(text, catalogue());
        QVERIFY2(read, qPrintable(described(read.problems)));
        QVERIFY(*read == scenario);
    }

    void readsBackWithoutAnyPreset()
    {
        const std::string text = writeScenario(example(), Catalogue());
        const Result<Scenario> read = readScenario(text, Catalogue());
        QVERIFY2(read, qPrintable(described(read.problems)));
        QVERIFY(*read == example());
    }

    /// A random value of every struct, one at a time: nothing is lost, whatever the combination of its members.
    void anyPartReadsBackEqual()
    {
        checkPart<Attention>();
        checkPart<LatentAttention>();
        checkPart<Mamba1>();
        checkPart<Mamba2>();
        checkPart<GatedDelta>();
        checkPart<DenseFfn>();
        checkPart<MoeFfn>();
        checkPart<LayerKind>();
        checkPart<Peaks>();
        checkPart<KernelConstants>();
        checkPart<Accelerator>();
        checkPart<Level>();
        checkPart<Workload>();
        checkPart<Stack>();
    }

    /// A member that a struct gains and its description does not would be lost when a scenario is saved.
    void descriptionsNameEveryMember()
    {
        QCOMPARE(describedFields<Attention>(), memberCount<Attention>());
        QCOMPARE(describedFields<LatentAttention>(), memberCount<LatentAttention>());
        QCOMPARE(describedFields<Mamba1>(), memberCount<Mamba1>());
        QCOMPARE(describedFields<Mamba2>(), memberCount<Mamba2>());
        QCOMPARE(describedFields<GatedDelta>(), memberCount<GatedDelta>());
        QCOMPARE(describedFields<DenseFfn>(), memberCount<DenseFfn>());
        QCOMPARE(describedFields<MoeFfn>(), memberCount<MoeFfn>());
        QCOMPARE(describedFields<LayerKind>(), memberCount<LayerKind>());
        QCOMPARE(describedFields<Model>(), memberCount<Model>());
        QCOMPARE(describedFields<Peaks>(), memberCount<Peaks>());
        QCOMPARE(describedFields<KernelConstants>(), memberCount<KernelConstants>());
        QCOMPARE(describedFields<Accelerator>(), memberCount<Accelerator>());
        QCOMPARE(describedFields<Level>(), memberCount<Level>());
        QCOMPARE(describedFields<Layout>(), memberCount<Layout>());
        QCOMPARE(describedFields<Workload>(), memberCount<Workload>());
        QCOMPARE(describedFields<Stack>(), memberCount<Stack>());
        CountingFields cluster;
        Cluster value;
        partita::describe(
            cluster, value, [](CountingFields& fields, Accelerator&) { ++fields.count; },
            [](CountingFields& fields, std::vector<Level>&) { ++fields.count; });
        QCOMPARE(cluster.count, memberCount<Cluster>());
    }

    void layerOrdersAreShort_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("layers");
        QTest::newRow("uniform") << "80x0" << 80;
        QTest::newRow("single") << "0" << 1;
        QTest::newRow("dense first") << "3x0 58x1" << 61;
        QTest::newRow("hybrid") << "12x(3x0 1)" << 48;
        QTest::newRow("jamba") << "4x(0 1 0 1 2 1 0 1)" << 32;
        QTest::newRow("irregular") << "0 1 2 2x0 1" << 6;
        QTest::newRow("none") << "" << 0;
    }

    void layerOrdersAreShort()
    {
        QFETCH(QString, text);
        QFETCH(int, layers);
        const auto order = readLayerOrder(text.toStdString());
        QCOMPARE(static_cast<bool>(order), layers > 0);
        if (order) {
            QCOMPARE(static_cast<int>(order->size()), layers);
            QCOMPARE(QString::fromStdString(writeLayerOrder(*order)), text);
        }
    }

    void layerOrdersNest()
    {
        const auto order = readLayerOrder("2x( 0 2x(1 2) ) (3)");
        QVERIFY(order);
        QCOMPARE(*order, (std::vector<int>{0, 1, 2, 1, 2, 0, 1, 2, 1, 2, 3}));
    }

    void refusesLayerOrders_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"x", "3x", "(", "(0", "0)", "-1", "2x-1", "0,1", "3 x 0", "99999999999x0",
                                 "10000x(10000x0)", "9999x(9999x(9999x(9999x0)))", "()", "2x()", "1.5x0", "0x0"}) {
            QTest::newRow(text) << QByteArray(text);
        }
        QTest::newRow("deep") << QByteArray(100000, '(');
        QTest::newRow("empty groups") << QByteArray("9999x(9999x(9999x(9999x())))");
    }

    void refusesLayerOrders()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!readLayerOrder(text.toStdString()));
    }

    void refusesAndNamesTheField_data()
    {
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<QByteArray>("with");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* name, const char* what, const char* with, const char* problem) {
            QTest::newRow(name) << QByteArray(what) << QByteArray(with) << QString(problem);
        };
        row("newer", "\"version\": 1", "\"version\": 2",
            "version: 2: is newer than the version 1 this program reads (update the program)");
        row("no version", "\"version\": 1,", "", "version: is missing");
        row("other file", "partita-scenario", "partita-model", "$schema: partita-model: is another kind of file");
        row("misspelt preset", "llama-3.1-70b", "llama-3.1-70",
            "model: \"llama-3.1-70\": is not a known preset (did you mean 'llama-3.1-70b'?)");
        row("misspelt key", "\"tp\"", "\"ttp\"", "layout.ttp: is not a known key (did you mean 'tp'?)");
        row("zero", "\"tp\": 8", "\"tp\": 0", "layout.tp: 0: must be from 1 to 16777216");
        row("negative", "\"global_batch\": 256", "\"global_batch\": -256", "layout.global_batch: -256: must be from 1");
        row("huge", "\"pp\": 4", "\"pp\": 4e99", "layout.pp: 4e+99: must be a whole number");
        row("text", "\"dp\": 2", "\"dp\": \"2\"", "layout.dp: \"2\": must be a whole number");
        row("schedule", "1f1b", "1f2b", "layout.schedule: \"1f2b\": is not known (did you mean '1f1b'?)");
        row("rank order", "tp-cp-ep-dp-pp", "tp-tp-ep-dp-pp",
            "layout.rank_order: \"tp-tp-ep-dp-pp\": must name each axis once");
        row("short rank order", "tp-cp-ep-dp-pp", "tp", "layout.rank_order: \"tp\": must name each axis once");
        row("share", "\"offloaded_states\": 0", "\"offloaded_states\": 1.5",
            "workload.offloaded_states: 1.5: must be from 0 to 1");
        row("model", "\"llama-3.1-70b\"", "{\"hidden\": 8192}", "model.vocabulary: is missing");
        row("model that contradicts itself", "\"llama-3.1-70b\"",
            R"({"hidden": 64, "vocabulary": 10, "layers": "2x0", "kinds": [{"mixer": {"kind": "attention", "heads": 8, "kv_heads": 3, "head_dim": 8}}]})",
            "model.kinds[0].mixer.kv_heads: 3: does not divide 8 query heads");
        row("model without its kind", "\"llama-3.1-70b\"",
            R"({"hidden": 64, "vocabulary": 10, "layers": "2x1", "kinds": [{"norms": 1}]})",
            "model.layers[0]: 1: names a layer kind that does not exist");
        row("model that is too large", "\"llama-3.1-70b\"",
            R"({"hidden": 10000000, "vocabulary": 10, "layers": "9999x0", "kinds": [{"feed_forward": {"kind": "moe", "experts": 100000, "top_k": 1, "expert_width": 10000000}}]})",
            "model.: ");
        row("cluster", "\"hgx-h100\"",
            R"({"accelerator": "h100-sxm-80gb", "nodes": 1, "devices_per_node": 8, "levels": []})",
            "cluster.levels: 0: must be 1 to 16 levels");
        row("levels", "\"hgx-h100\"",
            R"({"accelerator": "h100-sxm-80gb", "nodes": 1, "devices_per_node": 8, "levels": [{"domain": 8, "bandwidth_gbytes_per_s": 1}, {"domain": 12, "bandwidth_gbytes_per_s": 1}]})",
            "cluster.levels[1].domain: 12: must be a multiple of the 8 devices of the level inside");
        row("devices", "\"hgx-h100\"",
            R"({"accelerator": "h100-sxm-80gb", "nodes": 16777216, "devices_per_node": 65536, "levels": [{"domain": 0, "bandwidth_gbytes_per_s": 1}]})",
            "cluster.nodes: 16777216: give 1099511627776 devices");
        row("accelerator", "\"hgx-h100\"",
            R"({"accelerator": {"peak": {}, "memory_gib": 1, "memory_bandwidth_gbytes_per_s": 1}, "nodes": 1, "devices_per_node": 8, "levels": [{"domain": 0, "bandwidth_gbytes_per_s": 1}]})",
            "cluster.accelerator.peak: has neither a bf16 nor an fp16 peak");
        row("not an object", "{", "[", "not JSON");
    }

    void refusesAndNamesTheField()
    {
        QFETCH(QByteArray, what);
        QFETCH(QByteArray, with);
        QFETCH(QString, problem);
        const std::string text =
            replaced(writeScenario(example(), catalogue()), what.toStdString(), with.toStdString());
        QVERIFY(!text.empty());
        const Result<Scenario> read = readScenario(text, catalogue());
        QVERIFY(!read);
        QVERIFY2(described(read.problems).startsWith(problem), qPrintable(described(read.problems)));
    }

    void refusesHostileTexts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("list") << QByteArray("[]");
        QTest::newRow("null") << QByteArray("null");
        QTest::newRow("empty object") << QByteArray("{}");
        QTest::newRow("nested") << QByteArray("{\"model\":").repeated(10000);
        QTest::newRow("large") << QByteArray(50 << 20, ' ');
        QTest::newRow("binary") << QByteArray("\0\1\2\3", 4);
        QTest::newRow("member twice") << QByteArray("{\"version\": 1, \"version\": 2}");
    }

    void refusesHostileTexts()
    {
        QFETCH(QByteArray, text);
        const Result<Scenario> read =
            readScenario({text.constData(), static_cast<std::size_t>(text.size())}, catalogue());
        QVERIFY(!read);
        QVERIFY(!read.problems.empty());
    }

    void layoutWorkloadAndStackMayBeLeftOut()
    {
        const auto read = readScenario(
            R"({"$schema": "partita-scenario", "version": 1, "model": "gpt2", "cluster": "hgx-a100"})", catalogue());
        QVERIFY2(read, qPrintable(described(read.problems)));
        Layout solved;
        solved.dp = static_cast<int>(read->cluster.devices());
        QVERIFY(read->layout == solved);
        QVERIFY(read->workload == Workload{});
    }

    void theLocaleDoesNotMatter()
    {
        struct Comma : std::numpunct<char> {
            char do_decimal_point() const override { return ','; }
            char do_thousands_sep() const override { return '.'; }
            std::string do_grouping() const override { return "\3"; }
        };
        const std::string expected = writeScenario(example(), Catalogue());
        const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
        // The C library's locale too, where one with a decimal comma is installed.
        for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8"}) {
            if (std::setlocale(LC_NUMERIC, name) != nullptr) {
                break;
            }
        }
        const bool same = writeScenario(example(), Catalogue()) == expected;
        const Result<Scenario> read = readScenario(expected, Catalogue());
        std::setlocale(LC_NUMERIC, "C");
        std::locale::global(before);
        QVERIFY(same);
        QVERIFY(read);
        QVERIFY(*read == example());
    }

private:
    template <class T> static void checkPart()
    {
        std::mt19937_64 random(11);
        for (int i = 0; i < 200; ++i) {
            T value;
            RandomFields fields(random);
            describe(fields, value);
            FieldWriter writer;
            describe(writer, value);
            const auto tree = parseJson(jsonText(writer.take()));
            QVERIFY(tree);
            Problems problems;
            T back;
            FieldReader reader(*tree, "", problems);
            describe(reader, back);
            reader.rejectUnknownKeys();
            QVERIFY2(problems.empty(), qPrintable(described(problems)));
            QVERIFY2(back == value, (*tree).dump().c_str());
        }
    }
    template <class T> static std::size_t describedFields()
    {
        CountingFields fields;
        T value;
        describe(fields, value);
        return fields.count;
    }
};

QTEST_GUILESS_MAIN(TestScenarioFile)
#include "tst_scenario_file.moc"
