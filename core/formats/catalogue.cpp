// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"

#include "core/formats/cluster_json.h"
#include "core/formats/files.h"
#include "core/formats/layout_json.h"
#include "core/formats/model_json.h"
#include "core/formats/preset_reference.h"

#include <fmt/format.h>

#include <cctype>

namespace partita {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t maxPresetBytes = std::size_t{1} << 20;

std::vector<fs::path> presetFiles(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        // A pipe would keep the program waiting for whoever writes into it.
        std::error_code unknown;
        const fs::file_status status = at->status(unknown);
        if (at->path().extension() == ".json" && !fs::is_fifo(status)) {
            files.push_back(at->path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool isPresetId(std::string_view id)
{
    return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    });
}

template <class T> void addOrReplace(std::vector<T>& presets, T preset)
{
    const auto at =
        std::lower_bound(presets.begin(), presets.end(), preset, [](const T& a, const T& b) { return a.id < b.id; });
    if (at != presets.end() && at->id == preset.id) {
        *at = std::move(preset);
    } else {
        presets.insert(at, std::move(preset));
    }
}

template <class Value>
void setOrErase(std::map<std::string, Value, std::less<>>& values, const std::string& id, const Value& value,
                bool isThere)
{
    if (isThere) {
        values.insert_or_assign(id, value);
    } else {
        values.erase(id);
    }
}

/// Reads every file of a folder with read(FieldReader&, T&) and hands each usable preset to add(T).
template <class T, class Read, class Add>
void loadFolder(const fs::path& folder, std::string_view schema, Problems& problems, Read read, Add add)
{
    std::map<std::string, fs::path> seen;
    for (const fs::path& path : presetFiles(folder)) {
        Problems found;
        T preset;
        const Result<std::string> text = readFile(path, maxPresetBytes);
        const Result<nlohmann::json> tree = text ? parseJson(*text) : Result<nlohmann::json>(text.problems);
        if (tree) {
            FieldReader fields(*tree, "", found);
            if (found.empty() && readHeader(fields, schema, presetVersion)) {
                read(fields, preset);
                fields.rejectUnknownKeys();
                if (!isPresetId(preset.id)) {
                    fields.problem("id", preset.id.substr(0, 70),
                                   "must be lower-case letters, digits, dashes and dots");
                } else if (const auto [at, isNew] = seen.emplace(preset.id, path.filename()); !isNew) {
                    fields.problem("id", preset.id, fmt::format("is also the id of {}", at->second.string()));
                }
            }
        } else {
            found = tree.problems;
        }
        if (found.empty()) {
            add(std::move(preset));
            continue;
        }
        found = within(path.string(), std::move(found));
        problems.insert(problems.end(), found.begin(), found.end());
    }
}

void loadModels(const fs::path& folder, Catalogue& catalogue)
{
    std::int64_t published = 0;
    loadFolder<Model>(
        folder / "models", "partita-model", catalogue.problems,
        [&](FieldReader& fields, Model& model) {
            published = 0;
            fields.integer("published_parameters", published, {1});
            readModel(fields, model);
        },
        [&](Model model) {
            setOrErase(catalogue.publishedParameters, model.id, published, published > 0);
            addOrReplace(catalogue.models, std::move(model));
        });
}

void loadLinks(const fs::path& folder, Catalogue& catalogue)
{
    loadFolder<Link>(
        folder / "links", linkSchema, catalogue.problems,
        [](FieldReader& fields, Link& link) { describe(fields, link); },
        [&](Link link) { addOrReplace(catalogue.links, std::move(link)); });
}

void readNodeType(FieldReader& fields, NodeType& node, const std::vector<Link>* links)
{
    const nlohmann::json* value = fields.member("typical_node");
    if (value == nullptr) {
        return;
    }
    FieldReader reader(*value, memberPath(fields.path(), "typical_node"), fields.problems());
    reader.integer("devices_per_node", node.devicesPerNode, {1, 1 << 16}, Presence::Required);
    readLevels(reader, node.levels, links);
    reader.text("source", node.source);
    reader.rejectUnknownKeys();
}

void loadAccelerators(const fs::path& folder, Catalogue& catalogue)
{
    NodeType node;
    loadFolder<Accelerator>(
        folder / "accelerators", "partita-accelerator", catalogue.problems,
        [&](FieldReader& fields, Accelerator& accelerator) {
            node = {};
            readNodeType(fields, node, &catalogue.links);
            describe(fields, accelerator);
            checkAccelerator(fields, accelerator);
        },
        [&](Accelerator accelerator) {
            setOrErase(catalogue.nodeTypes, accelerator.id, node, !node.levels.empty());
            addOrReplace(catalogue.accelerators, std::move(accelerator));
        });
}

void loadClusters(const fs::path& folder, Catalogue& catalogue)
{
    loadFolder<Cluster>(
        folder / "clusters", "partita-cluster", catalogue.problems,
        [&](FieldReader& fields, Cluster& cluster) {
            readCluster(fields, cluster, catalogue.accelerators, &catalogue.links);
        },
        [&](Cluster cluster) { addOrReplace(catalogue.clusters, std::move(cluster)); });
}

void loadStacks(const fs::path& folder, Catalogue& catalogue)
{
    loadFolder<Stack>(
        folder / "stacks", "partita-stack", catalogue.problems,
        [](FieldReader& fields, Stack& stack) { describe(fields, stack); },
        [&](Stack stack) { addOrReplace(catalogue.stacks, std::move(stack)); });
}

void readNames(FieldReader& fields, std::string_view key, std::map<std::string, std::string, std::less<>>& names)
{
    const nlohmann::json* object = fields.member(key);
    if (object == nullptr) {
        return;
    }
    if (!object->is_object()) {
        fields.problem(key, shown(*object), "must be an object");
        return;
    }
    const std::string path = memberPath(fields.path(), key);
    for (const auto& member : object->items()) {
        if (const auto id = readText(member.value(), memberPath(path, member.key()), fields.problems())) {
            names.insert_or_assign(member.key(), *id);
        }
    }
}

void describe(FieldReader& fields, RunRecipe& recipe)
{
    fields.text("stack", recipe.stack);
    fields.texts("models", recipe.models, Presence::Rare);
    fields.texts("accelerators", recipe.accelerators, Presence::Rare);
    fields.texts("precisions", recipe.precisions, Presence::Rare);
    fields.texts("tables", recipe.tables, Presence::Rare);
    fields.text("runs_as", recipe.runsAs, Presence::Rare);
    fields.text("recompute", recipe.recompute, Presence::Rare);
    fields.integer("prediction_modules", recipe.predictionModules, {0, 16}, Presence::Rare);
    fields.text("source", recipe.source);
}

/// A recipe with anything wrong is left out as a whole: without one of its conditions it would fit more than it should.
void readRecipes(FieldReader& fields, std::vector<RunRecipe>& recipes)
{
    const nlohmann::json* list = fields.member("recipes");
    if (list == nullptr) {
        return;
    }
    if (!list->is_array()) {
        fields.problem("recipes", shown(*list), "must be a list");
        return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
        Problems found;
        FieldReader reader((*list)[i], fmt::format("{}[{}]", memberPath(fields.path(), "recipes"), i), found);
        RunRecipe recipe;
        describe(reader, recipe);
        reader.rejectUnknownKeys();
        for (const char* key : {"models", "accelerators", "precisions", "tables"}) {
            const nlohmann::json* condition = reader.member(key);
            if (condition != nullptr && condition->is_array() && condition->empty()) {
                reader.problem(key, "[]", "fits nothing", "leave it out to fit all");
            }
        }
        if (found.empty()) {
            recipes.push_back(std::move(recipe));
        }
        fields.problems().insert(fields.problems().end(), found.begin(), found.end());
    }
}

/// Recipes that name what is not there are left out and told.
void checkRecipes(Catalogue& catalogue)
{
    const auto stranger = [&](const RunRecipe& recipe) {
        const auto unknown = [&](const char* field, const std::vector<std::string>& names, auto isKnown) {
            const auto at = std::find_if_not(names.begin(), names.end(), isKnown);
            if (at != names.end()) {
                catalogue.problems.push_back({fmt::format("run_names.json: recipes: {}", field), *at, "is not known",
                                              "a recipe names presets and keys that there are"});
            }
            return at != names.end();
        };
        const auto isStack = [&](const std::string& id) { return catalogue.stack(id) != nullptr; };
        std::vector<std::string> replaced;
        if (!recipe.runsAs.empty()) {
            replaced.push_back(recipe.runsAs);
        }
        std::vector<std::string> recomputes;
        if (!recipe.recompute.empty()) {
            recomputes.push_back(recipe.recompute);
        }
        const std::array found{
            unknown("stack", {recipe.stack}, isStack),
            unknown("runs_as", replaced, isStack),
            unknown("models", recipe.models, [&](const auto& id) { return catalogue.model(id) != nullptr; }),
            unknown("accelerators", recipe.accelerators,
                    [&](const auto& id) { return catalogue.accelerator(id) != nullptr; }),
            unknown("precisions", recipe.precisions,
                    [](const auto& key) { return fromKey<Precision>(key).has_value(); }),
            unknown("recompute", recomputes, [](const auto& key) { return fromKey<Recompute>(key).has_value(); }),
        };
        return std::any_of(found.begin(), found.end(), [](bool one) { return one; });
    };
    std::vector<RunRecipe>& recipes = catalogue.runNames.recipes;
    recipes.erase(std::remove_if(recipes.begin(), recipes.end(), stranger), recipes.end());
}

void loadRunNames(const fs::path& folder, Catalogue& catalogue)
{
    const fs::path path = folder / "run_names.json";
    std::error_code error;
    if (!fs::exists(path, error)) {
        return;
    }
    Problems found;
    const Result<std::string> text = readFile(path, maxPresetBytes);
    const Result<nlohmann::json> tree = text ? parseJson(*text) : Result<nlohmann::json>(text.problems);
    if (tree) {
        FieldReader fields(*tree, "", found);
        if (found.empty() && readHeader(fields, "partita-run-names", presetVersion)) {
            readNames(fields, "models", catalogue.runNames.models);
            readNames(fields, "accelerators", catalogue.runNames.accelerators);
            readNames(fields, "stacks", catalogue.runNames.stacks);
            readNames(fields, "sources", catalogue.runNames.sources);
            readNames(fields, "schedules", catalogue.runNames.schedules);
            readNames(fields, "engines", catalogue.runNames.engines);
            readRecipes(fields, catalogue.runNames.recipes);
            fields.rejectUnknownKeys();
        }
    } else {
        found = tree.problems;
    }
    found = within(path.string(), std::move(found));
    catalogue.problems.insert(catalogue.problems.end(), found.begin(), found.end());
}

/// A level of a link or, where the catalogue lacks that, of a bandwidth and nothing else.
Level levelOf(std::string_view link, std::int64_t domain, double bandwidth, const Catalogue& catalogue)
{
    const Link* preset = catalogue.link(link);
    Level level = preset != nullptr ? preset->level : Level{};
    level.domain = domain;
    level.bandwidth = bandwidth;
    return level;
}

/// Devices on PCIe behind one root complex, nodes on 100 Gb/s Ethernet: what a machine has at least.
NodeType plainNode(const Catalogue& catalogue)
{
    NodeType node;
    const double nic = 100e9 / 8 / static_cast<double>(node.devicesPerNode);
    node.levels = {levelOf("pcie-4-no-peer", node.devicesPerNode, 32e9, catalogue),
                   levelOf("ethernet-100", 0, nic, catalogue)};
    node.source = "assumed: the accelerator's usual node is not known";
    return node;
}

NodeType nodeOf(const Accelerator& accelerator, const Catalogue& catalogue)
{
    const auto found = catalogue.nodeTypes.find(accelerator.id);
    return found != catalogue.nodeTypes.end() ? found->second : plainNode(catalogue);
}

} // namespace

const Model* Catalogue::model(std::string_view id) const
{
    return findById(models, id);
}
const Link* Catalogue::link(std::string_view id) const
{
    return findById(links, id);
}
const Accelerator* Catalogue::accelerator(std::string_view id) const
{
    return findById(accelerators, id);
}
const Cluster* Catalogue::cluster(std::string_view id) const
{
    return findById(clusters, id);
}
const Stack* Catalogue::stack(std::string_view id) const
{
    return findById(stacks, id);
}

Catalogue loadCatalogue(const std::vector<fs::path>& folders)
{
    Catalogue catalogue;
    // Clusters name accelerators and links by id, accelerators links, also those of later folders.
    for (const fs::path& folder : folders) {
        loadLinks(folder, catalogue);
    }
    for (const fs::path& folder : folders) {
        loadAccelerators(folder, catalogue);
    }
    for (const fs::path& folder : folders) {
        loadModels(folder, catalogue);
        loadClusters(folder, catalogue);
        loadStacks(folder, catalogue);
        loadRunNames(folder, catalogue);
    }
    checkRecipes(catalogue);
    return catalogue;
}

std::int64_t typicalDevicesPerNode(const Accelerator& accelerator, const Catalogue& catalogue)
{
    return nodeOf(accelerator, catalogue).devicesPerNode;
}

Cluster makeCluster(const Accelerator& accelerator, std::int64_t nodes, std::int64_t devicesPerNode,
                    const Catalogue& catalogue)
{
    const NodeType node = nodeOf(accelerator, catalogue);
    Cluster cluster;
    cluster.name = fmt::format("{} x {}", nodes * devicesPerNode, accelerator.name);
    cluster.accelerator = accelerator;
    cluster.nodes = nodes;
    cluster.devicesPerNode = devicesPerNode;
    // A node with fewer devices than usual keeps its links; a rack-scale domain reaches over nodes whatever they hold.
    for (Level level : node.levels) {
        if (level.domain > devicesPerNode && level.domain <= node.devicesPerNode) {
            level.domain = devicesPerNode;
        }
        const bool repeats =
            !cluster.levels.empty() && level.domain != 0 && level.domain <= cluster.levels.back().domain;
        if (!repeats) {
            cluster.levels.push_back(std::move(level));
        }
    }
    if (!node.source.empty()) {
        cluster.sources = {node.source};
    }
    return cluster;
}

} // namespace partita
