// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/collective.h"
#include "core/formats/catalogue.h"
#include "core/model/parameters.h"
#include "core/scenario/stack_offer.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include <sys/stat.h>

using namespace partita;

namespace {

const std::filesystem::path presets = std::filesystem::path(PARTITA_SOURCE_DIR) / "presets";

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({presets});
    return loaded;
}

void write(const std::filesystem::path& path, const std::string& text)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

std::string stackFile(const std::string& id, const std::string& name)
{
    return R"({"$schema": "partita-stack", "version": 1, "id": ")" + id + R"(", "name": ")" + name + R"("})";
}

std::string linkFile(const std::string& id, const std::string& bandwidth)
{
    return R"({"$schema": "partita-link", "version": 1, "id": ")" + id + R"(", "name": "Wire", "efficiency": 0.5,
              "latency_us": 3, "source": "measured", "bandwidth_gbytes_per_s": )"
        + bandwidth + "}";
}

std::string clusterFile(const std::string& id, const std::string& levels)
{
    return R"({"$schema": "partita-cluster", "version": 1, "id": ")" + id
        + R"(", "name": "Own", "accelerator": "h100-sxm-80gb", "nodes": 2, "devices_per_node": 8, "levels": [)" + levels
        + "]}";
}

std::string contents(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

class TestPresets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void softwareTrainsServesOrBoth_data()
    {
        QTest::addColumn<bool>("serves");
        for (const char* id : {"vllm", "vllm-2024", "sglang", "gpt-fast", "tensorrt-llm", "lmdeploy",
                               "fastertransformer", "nemo-inference"}) {
            QTest::newRow(id) << true;
        }
        for (const char* id : {"megatron-core", "torchtitan", "ideal", "nanotron", "deepspeed"}) {
            QTest::newRow(id) << false;
        }
    }

    void softwareTrainsServesOrBoth()
    {
        QFETCH(bool, serves);
        const std::vector<Stack>& stacks = catalogue().stacks;
        const auto stack = std::find_if(stacks.begin(), stacks.end(),
                                        [](const Stack& each) { return each.id == QTest::currentDataTag(); });
        QVERIFY(stack != stacks.end());
        QCOMPARE(servesOnly(*stack), serves);
    }

    void everyFileIsUsable()
    {
        for (const Problem& problem : catalogue().problems) {
            qWarning("%s", describe(problem).c_str());
        }
        QVERIFY(catalogue().problems.empty());
        std::size_t files = 0;
        for (const char* kind : {"models", "links", "accelerators", "clusters", "stacks"}) {
            for (const auto& entry : std::filesystem::directory_iterator(presets / kind)) {
                files += static_cast<std::size_t>(entry.path().extension() == ".json");
            }
        }
        const Catalogue& c = catalogue();
        QCOMPARE(c.models.size() + c.links.size() + c.accelerators.size() + c.clusters.size() + c.stacks.size(), files);
    }

    void fileNamesAreIds()
    {
        for (const auto& [kind, has] : std::vector<std::pair<std::string, std::function<bool(const std::string&)>>>{
                 {"models", [](const auto& id) { return catalogue().model(id) != nullptr; }},
                 {"links", [](const auto& id) { return catalogue().link(id) != nullptr; }},
                 {"accelerators", [](const auto& id) { return catalogue().accelerator(id) != nullptr; }},
                 {"clusters", [](const auto& id) { return catalogue().cluster(id) != nullptr; }},
                 {"stacks", [](const auto& id) { return catalogue().stack(id) != nullptr; }}}) {
            for (const auto& entry : std::filesystem::directory_iterator(presets / kind)) {
                QVERIFY2(has(entry.path().stem().string()), entry.path().c_str());
            }
        }
    }

    void modelsHaveTheirPublishedSize()
    {
        QVERIFY(catalogue().publishedParameters.size() >= 36);
        QStringList wrong;
        for (const auto& [id, published] : catalogue().publishedParameters) {
            const std::int64_t total = parameters(*catalogue().model(id)).total();
            if (total != published) {
                wrong += QString("%1: %2, published %3").arg(QString::fromStdString(id)).arg(total).arg(published);
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }

    void modelsAreAboutAsLargeAsTheirNameSays_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("billions");
        for (const auto& [id, billions] : std::initializer_list<std::pair<const char*, double>>{
                 {"megatron-1.7b", 1.7},   {"megatron-3.6b", 3.6},    {"megatron-7.5b", 7.5},
                 {"megatron-18b", 18.4},   {"megatron-22b", 22},      {"megatron-39b", 39.1},
                 {"megatron-76b", 76.1},   {"megatron-145b", 145.6},  {"megatron-310b", 310.1},
                 {"megatron-530b", 529.6}, {"megatron-1t", 1008},     {"megatron-175b", 175},
                 {"gpt3-6.7b", 6.7},       {"gpt3-13b", 13},          {"gpt3-175b", 175},
                 {"opt-175b", 175},        {"falcon-180b", 180},      {"nemotron-4-340b", 340},
                 {"nemotron-4-15b", 15.6}, {"grok-1", 314},           {"mpt-30b", 30},
                 {"mamba2-1.3b", 1.344},   {"mamba2-hybrid-8b", 8.6}, {"llama-1b-study", 1.2},
                 {"mamba-1b", 1.2},        {"mamba-7b", 7.3}}) {
            QTest::newRow(id) << id << billions;
        }
    }

    void modelsAreAboutAsLargeAsTheirNameSays()
    {
        QFETCH(QString, id);
        QFETCH(double, billions);
        const Model* model = catalogue().model(id.toStdString());
        QVERIFY(model != nullptr);
        const double total = static_cast<double>(parameters(*model).total()) / 1e9;
        QVERIFY2(std::abs(total / billions - 1) < 0.03, qPrintable(QString::number(total)));
    }

    void thereIsAPresetForWhatPeopleAskFor()
    {
        const Catalogue& c = catalogue();
        QVERIFY(c.models.size() >= 36);
        QVERIFY(c.accelerators.size() >= 39);
        QVERIFY(c.clusters.size() >= 14);
        QVERIFY(c.stacks.size() >= 15);
        QVERIFY(c.links.size() >= 20);
        for (const char* id : {"llama-3.1-70b", "llama-3.1-405b", "megatron-1t", "gpt3-175b", "deepseek-v3"}) {
            QVERIFY2(c.model(id) != nullptr, id);
        }
        for (const char* id : {"h100-sxm-80gb", "a100-sxm-80gb", "b200-sxm", "gb200"}) {
            QVERIFY2(c.accelerator(id) != nullptr, id);
        }
        for (const char* id : {"megatron-core", "meta-llama1", "meta-llama3", "metaseq", "torchtitan"}) {
            QVERIFY2(c.stack(id) != nullptr, id);
        }
        QVERIFY(c.model("llama-3.1-71b") == nullptr);
    }

    void everythingStatesItsSource()
    {
        for (const Model& model : catalogue().models) {
            QVERIFY2(!model.source.empty() && !model.name.empty(), model.id.c_str());
        }
        for (const Accelerator& accelerator : catalogue().accelerators) {
            QVERIFY2(!accelerator.sources.empty() && !accelerator.name.empty(), accelerator.id.c_str());
        }
        for (const Link& link : catalogue().links) {
            QVERIFY2(!link.level.source.empty() && !link.level.name.empty(), link.id.c_str());
        }
        for (const Cluster& cluster : catalogue().clusters) {
            QVERIFY2(!cluster.sources.empty() && !cluster.name.empty(), cluster.id.c_str());
            for (const Level& level : cluster.levels) {
                QVERIFY2(!level.source.empty(), cluster.id.c_str());
            }
        }
        for (const Stack& stack : catalogue().stacks) {
            QVERIFY2(!stack.sources.empty() && !stack.name.empty(), stack.id.c_str());
        }
    }

    void aStackOffersWhatItUsuallyDoes()
    {
        for (const Stack& stack : catalogue().stacks) {
            QVERIFY2(offers(stack.offer.zeroStages, stack.usualZeroStage), stack.id.c_str());
            QVERIFY2(offers(stack.offer.recompute, stack.usualRecompute), stack.id.c_str());
            QVERIFY2(stack.offer.sequenceParallel || !stack.usualSequenceParallel, stack.id.c_str());
            QVERIFY2(offers(stack.offer.dimensions, Axis::Dp), stack.id.c_str());
            const bool said = std::any_of(stack.sources.begin(), stack.sources.end(),
                                          [](const std::string& source) { return source.rfind("offers: ", 0) == 0; });
            QVERIFY2(said == (stack.offer != Offer()), stack.id.c_str());
        }
    }

    void peaksAreDenseAndBandwidthsOneWay()
    {
        const Accelerator& h100 = *catalogue().accelerator("h100-sxm-80gb");
        QCOMPARE(h100.peak.bf16, 989.5e12);
        QCOMPARE(h100.peak.fp8, 1979e12);
        QCOMPARE(h100.memoryBytes, 80.0 * 1024 * 1024 * 1024);
        QCOMPARE(h100.memoryBandwidth, 3.35e12);
        QCOMPARE(catalogue().cluster("hgx-h100")->levels[0].bandwidth, 450e9);
        for (const Accelerator& accelerator : catalogue().accelerators) {
            QVERIFY2(accelerator.peak.fp8 <= 2.03 * accelerator.peak.bf16, accelerator.id.c_str());
            QVERIFY2(accelerator.peak.vector < std::max(accelerator.peak.bf16, accelerator.peak.fp16),
                     accelerator.id.c_str());
        }
    }

    void outerLevelsAreNeverFasterThanInnerOnes()
    {
        for (const Cluster& cluster : catalogue().clusters) {
            for (std::size_t i = 1; i < cluster.levels.size(); ++i) {
                QVERIFY2(cluster.levels[i].bandwidth <= cluster.levels[i - 1].bandwidth, cluster.id.c_str());
            }
        }
    }

    /// A network is measured once: the cluster presets and the usual node of their accelerator state the same
    /// constants.
    void clustersAgreeWithTheirAcceleratorsUsualNode()
    {
        int compared = 0;
        for (const Cluster& cluster : catalogue().clusters) {
            for (const Level& usual : catalogue().nodeTypes.at(cluster.accelerator.id).levels) {
                for (Level level : cluster.levels) {
                    level.domain = usual.domain;
                    if (level.name == usual.name) {
                        QVERIFY2(level == usual, (cluster.id + ": " + level.name).c_str());
                        ++compared;
                    }
                }
            }
        }
        QVERIFY(compared > 50);
    }

    void linksHaveTheirPublishedRate_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("bandwidth"); // of a device, one way
        for (const auto& [id, bandwidth] :
             std::initializer_list<std::pair<const char*, double>>{{"nvlink-2", 150e9},
                                                                   {"nvlink-3", 300e9},
                                                                   {"nvlink-4", 450e9},
                                                                   {"nvlink-5", 900e9},
                                                                   {"nvlink-5-nvl72", 900e9},
                                                                   {"infiniband-edr-100", 12.5e9},
                                                                   {"infiniband-hdr-200", 25e9},
                                                                   {"infiniband-ndr-400", 50e9},
                                                                   {"roce-400", 50e9},
                                                                   {"slingshot-11", 25e9},
                                                                   {"omni-path-100", 12.5e9},
                                                                   {"infinity-fabric-3", 448e9}}) {
            QTest::newRow(id) << id << bandwidth;
        }
    }

    void linksHaveTheirPublishedRate()
    {
        QFETCH(QString, id);
        QFETCH(double, bandwidth);
        const Link* link = catalogue().link(id.toStdString());
        QVERIFY(link != nullptr);
        QCOMPARE(link->level.bandwidth, bandwidth);
        QVERIFY(link->level.latency > 0 && link->level.baseLatency > 0 && link->level.halfSize > 0);
    }

    /// Largest all-reduces of published nccl-tests logs.
    void clustersReachTheirMeasuredBusBandwidth_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<double>("bandwidth");
        QTest::newRow("InfiniBand NDR") << "hgx-h100" << qint64{64} << 384.5e9;
        QTest::newRow("NVL72") << "gb200-nvl72" << qint64{72} << 834.6e9;
        QTest::newRow("EFA") << "p4d-a100" << qint64{16} << 78.3e9;
    }

    void clustersReachTheirMeasuredBusBandwidth()
    {
        QFETCH(QString, id);
        QFETCH(qint64, devices);
        QFETCH(double, bandwidth);
        const Cluster& cluster = *catalogue().cluster(id.toStdString());
        const double bytes = 16.0 * 1024 * 1024 * 1024;
        const double n = static_cast<double>(devices);
        const double reached = 2 * (n - 1) / n * bytes / allReduceTime(cluster, packedSpan(cluster, devices), bytes);
        QVERIFY2(std::abs(reached / bandwidth - 1) < 0.05, qPrintable(QString::number(reached / 1e9)));
    }

    void constantsOfLinksAreStatedInLinksOnly()
    {
        for (const char* kind : {"clusters", "accelerators"}) {
            for (const auto& entry : std::filesystem::directory_iterator(presets / kind)) {
                const std::string text = contents(entry.path());
                QVERIFY2(text.find("\"link\"") != std::string::npos, entry.path().c_str());
                for (const char* constant : {"\"base_latency_us\"", "\"half_size_mib\"", "\"fabric\""}) {
                    QVERIFY2(text.find(constant) == std::string::npos, entry.path().c_str());
                }
            }
        }
    }

    void aClusterIsMadeOfTheLinksItsPresetHas()
    {
        const Cluster& preset = *catalogue().cluster("hgx-h100");
        const Cluster made = makeCluster(preset.accelerator, preset.nodes, preset.devicesPerNode, catalogue());
        QVERIFY(made.levels == preset.levels);
        Level level = catalogue().link("nvlink-4")->level;
        level.domain = 8;
        QVERIFY(made.levels[0] == level);
    }

    void aLevelReplacesWhatItStatesOfItsLink()
    {
        QTemporaryDir folder;
        const std::filesystem::path own = folder.path().toStdString();
        write(own / "links/wire.json", linkFile("wire", "40"));
        write(own / "clusters/own.json", clusterFile("own", R"({"link": "wire", "domain": 8},
                                    {"link": "wire", "domain": 0, "name": "Two wires", "bandwidth_bytes_per_s": 8e10})"));
        const Catalogue loaded = loadCatalogue({presets, own});
        QVERIFY2(loaded.problems.empty(), loaded.problems.empty() ? "" : describe(loaded.problems[0]).c_str());
        const std::vector<Level>& levels = loaded.cluster("own")->levels;
        Level expected;
        expected.name = "Wire";
        expected.domain = 8;
        expected.bandwidth = 40e9;
        expected.latency = 3e-6;
        expected.efficiency = 0.5;
        expected.source = "measured";
        QVERIFY(levels[0] == expected);
        expected.name = "Two wires";
        expected.domain = 0;
        expected.bandwidth = 80e9;
        QVERIFY(levels[1] == expected);
    }

    void aLinkOfTheUserReplacesThePresetsOneEverywhere()
    {
        QTemporaryDir folder;
        const std::filesystem::path own = folder.path().toStdString();
        write(own / "links/nvlink.json", linkFile("nvlink-4", "123"));
        const Catalogue loaded = loadCatalogue({presets, own});
        QVERIFY(loaded.problems.empty());
        QCOMPARE(loaded.links.size(), catalogue().links.size());
        QCOMPARE(loaded.cluster("hgx-h100")->levels[0].bandwidth, 123e9);
        const Cluster made = makeCluster(*loaded.accelerator("h100-sxm-80gb"), 2, 8, loaded);
        QCOMPARE(made.levels[0].bandwidth, 123e9);
    }

    /// A recipe that lost a condition would fit more runs than it says.
    void wrongRecipesAreLeftOutAndNamed_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("problem");
        QTest::newRow("models are no list") << R"({"stack": "nemo", "models": 5})"
                                            << "recipes[0].models: 5";
        QTest::newRow("misspelt condition") << R"({"stack": "nemo", "model": ["gpt2"]})"
                                            << "recipes[0].model";
        QTest::newRow("fits nothing") << R"({"stack": "nemo", "models": []})"
                                      << "recipes[0].models: []";
        QTest::newRow("nothing stated") << "{}"
                                        << "recipes";
        QTest::newRow("no object") << "7"
                                   << "recipes[0]";
        QTest::newRow("unknown model") << R"({"stack": "nemo", "models": ["gpt-9"]})"
                                       << "models: gpt-9";
        QTest::newRow("unknown stack") << R"({"stack": "nemmo"})"
                                       << "stack: nemmo";
        QTest::newRow("runs as an unknown stack") << R"({"stack": "nemo", "runs_as": "x"})"
                                                  << "runs_as: x";
        QTest::newRow("unknown recomputation") << R"({"stack": "nemo", "recompute": "some"})"
                                               << "recompute: some";
        QTest::newRow("unknown precision") << R"({"stack": "nemo", "precisions": ["fp2"]})"
                                           << "precisions: fp2";
    }
    void wrongRecipesAreLeftOutAndNamed()
    {
        QFETCH(QString, recipe);
        QFETCH(QString, problem);
        QTemporaryDir folder;
        const std::filesystem::path own = folder.path().toStdString();
        write(own / "run_names.json",
              R"({"$schema": "partita-run-names", "version": 1, "recipes": [)" + recipe.toStdString() + "]}");
        const Catalogue loaded = loadCatalogue({presets, own});
        QCOMPARE(loaded.runNames.recipes.size(), catalogue().runNames.recipes.size());
        QVERIFY(!loaded.problems.empty());
        const QString told = QString::fromStdString(describe(loaded.problems.front()));
        QVERIFY2(told.contains(problem), qPrintable(told));
    }

    void wrongLinksAreNamed_data()
    {
        QTest::addColumn<QString>("levels");
        QTest::addColumn<QString>("problem");
        QTest::newRow("misspelt") << R"({"link": "nvlnik-4", "domain": 8})"
                                  << "levels[0].link: \"nvlnik-4\": is not a known preset (did you mean 'nvlink-4'?)";
        QTest::newRow("no text") << R"({"link": 4, "domain": 8})"
                                 << "levels[0].link: 4: must be a text";
        QTest::newRow("no domain") << R"({"link": "nvlink-4"})"
                                   << "levels[0].domain: is missing";
        QTest::newRow("bad domain") << R"({"link": "nvlink-4", "domain": "x"})"
                                    << "levels[0].domain: \"x\": must be a whole number";
        QTest::newRow("bad replacement") << R"({"link": "nvlink-4", "domain": 8, "efficiency": 3})"
                                         << "levels[0].efficiency: 3: must be from 0.001 to 2";
        QTest::newRow("unknown member") << R"({"link": "nvlink-4", "domain": 8, "fabrik": 3})"
                                        << "levels[0].fabrik: is not a known key (did you mean 'fabric'?)";
        QTest::newRow("no link, no bandwidth") << R"({"domain": 8})"
                                               << "levels[0].bandwidth_gbytes_per_s: is missing";
    }

    void wrongLinksAreNamed()
    {
        QFETCH(QString, levels);
        QFETCH(QString, problem);
        QTemporaryDir folder;
        const std::filesystem::path own = folder.path().toStdString();
        write(own / "clusters/own.json", clusterFile("own", levels.toStdString()));
        const Catalogue loaded = loadCatalogue({presets, own});
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QVERIFY(loaded.cluster("own") == nullptr);
        const QString found = QString::fromStdString(describe(loaded.problems[0]));
        QCOMPARE(found.mid(found.indexOf("json: ") + 6), problem);
    }

    void anyAcceleratorMakesACluster()
    {
        for (const Accelerator& accelerator : catalogue().accelerators) {
            QVERIFY2(catalogue().nodeTypes.count(accelerator.id) == 1, accelerator.id.c_str());
            const Cluster cluster =
                makeCluster(accelerator, 4, typicalDevicesPerNode(accelerator, catalogue()), catalogue());
            QCOMPARE(cluster.levels.back().domain, std::int64_t{0});
            QVERIFY(cluster.accelerator == accelerator);
        }
        QCOMPARE(makeCluster(Accelerator{}, 2, 8, catalogue()).levels.size(), std::size_t{2});
    }

    void nodesWithFewerDevicesKeepTheirLinks()
    {
        const Cluster half = makeCluster(*catalogue().accelerator("h100-sxm-80gb"), 4, 4, catalogue());
        QCOMPARE(half.devices(), std::int64_t{16});
        QCOMPARE(half.levels[0].domain, std::int64_t{4});
        QCOMPARE(half.levels[0].bandwidth, 450e9);
        const Cluster rack = makeCluster(*catalogue().accelerator("gb200"), 18, 4, catalogue());
        QCOMPARE(rack.levels[0].domain, std::int64_t{72});
        const Cluster single = makeCluster(*catalogue().accelerator("h100-nvl-94gb"), 2, 2, catalogue());
        QCOMPARE(single.levels.size(), std::size_t{2}); // the bridge joins the node already
    }

    void usersFoldersAddAndReplace()
    {
        QTemporaryDir folder;
        const std::filesystem::path own = folder.path().toStdString();
        write(own / "stacks/a.json", stackFile("mine", "Mine"));
        write(own / "stacks/b.json", stackFile("ideal", "My ideal"));
        write(own / "stacks/notes.txt", "not a preset");
        const Catalogue both = loadCatalogue({presets, own, own / "does-not-exist"});
        QVERIFY(both.problems.empty());
        QCOMPARE(both.stacks.size(), catalogue().stacks.size() + 1);
        QCOMPARE(both.stack("ideal")->name, std::string("My ideal"));
        QVERIFY(both.stack("mine") != nullptr);
        QVERIFY(std::is_sorted(both.stacks.begin(), both.stacks.end(),
                               [](const Stack& a, const Stack& b) { return a.id < b.id; }));
    }

    void aPipeAmongThePresetsIsNotWaitedFor()
    {
        QTemporaryDir folder;
        const std::filesystem::path own = folder.path().toStdString();
        write(own / "stacks/good.json", stackFile("good", "Good"));
        const std::filesystem::path pipe = own / "stacks/pipe.json";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const Catalogue loaded = loadCatalogue({own});
        QVERIFY(loaded.problems.empty());
        QCOMPARE(loaded.stacks.size(), std::size_t{1});
    }

    void aBadFileIsNamedAndSkipped()
    {
        QTemporaryDir folder;
        const std::filesystem::path own = folder.path().toStdString();
        write(own / "stacks/broken.json", "{");
        write(own / "stacks/good.json", stackFile("good", "Good"));
        write(own / "stacks/newer.json", R"({"$schema": "partita-stack", "version": 2, "id": "newer"})");
        write(own / "stacks/other.json", R"({"$schema": "partita-model", "version": 1, "id": "other"})");
        write(own / "stacks/shout.json", stackFile("SHOUT", "Shout"));
        write(own / "stacks/twice.json", stackFile("good", "Good again"));
        write(own / "models/huge.json", std::string((1 << 20) + 1, ' '));
        std::filesystem::create_directories(own / "models/folder.json");
        write(own / "clusters/lost.json",
              R"({"$schema": "partita-cluster", "version": 1, "id": "lost", "accelerator": "h1000", "nodes": 1,
                  "devices_per_node": 1, "levels": [{"bandwidth_gbytes_per_s": 1}]})");
        const Catalogue loaded = loadCatalogue({own});
        QCOMPARE(loaded.stacks.size(), std::size_t{1});
        QCOMPARE(loaded.stacks[0].name, std::string("Good"));
        QVERIFY(loaded.models.empty());
        QVERIFY(loaded.clusters.empty());
        QStringList problems;
        for (const Problem& problem : loaded.problems) {
            problems += QString::fromStdString(describe(problem)).remove(folder.path() + "/");
        }
        QCOMPARE(problems.size(), 8);
        QVERIFY(problems[0].startsWith("models/folder.json: is a folder"));
        QVERIFY(problems[1].startsWith("models/huge.json: is larger than"));
        QVERIFY(problems[2].startsWith("clusters/lost.json: accelerator: \"h1000\": is not a known preset"));
        QVERIFY(problems[3].startsWith("stacks/broken.json: not JSON: line 1"));
        QVERIFY(problems[4].startsWith("stacks/newer.json: version: 2: is newer"));
        QVERIFY(problems[5].startsWith("stacks/other.json: $schema: partita-model: is another kind of file"));
        QVERIFY(problems[6].startsWith("stacks/shout.json: id: SHOUT: must be lower-case"));
        QVERIFY(problems[7].startsWith("stacks/twice.json: id: good: is also the id of good.json"));
    }
};

QTEST_GUILESS_MAIN(TestPresets)
#include "tst_presets.moc"
