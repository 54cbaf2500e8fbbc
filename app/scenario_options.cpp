// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/scenario_options.h"

#include "app/cli.h"
#include "app/cli_input.h"
#include "app/write_file.h"
#include "core/cluster/price.h"
#include "core/formats/files.h"
#include "core/formats/hf_config.h"
#include "core/formats/scenario_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace partita::cli {

namespace {

template <class T> std::string nearestPreset(const std::vector<T>& presets, std::string_view id)
{
    std::vector<std::string_view> ids;
    for (const T& preset : presets) {
        ids.push_back(preset.id);
    }
    return suggestKey(id, ids);
}

/// Applies options one by one; what is wrong with them the reader collects.
class Applier {
public:
    Applier(OptionReader& reader, const Catalogue& catalogue, Scenario& scenario)
        : m_reader(reader)
        , m_arguments(reader.arguments())
        , m_catalogue(catalogue)
        , m_scenario(scenario)
    {
    }

    void applyModel()
    {
        const std::optional<std::string> name = m_arguments.valueOf("--model");
        if (!name) {
            return;
        }
        if (const Model* model = m_catalogue.model(*name)) {
            m_scenario.model = *model;
            return;
        }
        std::error_code error;
        const bool isPath = name->find('/') != std::string::npos || std::filesystem::path(*name).extension() == ".json"
            || std::filesystem::exists(*name, error);
        if (!isPath) {
            m_reader.refuse(
                Usage, {"--model", *name, "no such model preset or file", nearestPreset(m_catalogue.models, *name)});
            return;
        }
        const Input input = readInput(*name);
        if (input.exitCode != Done) {
            m_reader.refuse(input.exitCode, input.problems);
            return;
        }
        const Result<ImportedModel> imported =
            readHuggingFaceConfig(input.text, std::filesystem::path(*name).stem().string());
        if (!imported) {
            m_reader.refuse(NotLegal, within(inputName(*name), imported.problems));
            return;
        }
        m_scenario.model = imported->model;
    }

    void applyCluster()
    {
        Cluster& cluster = m_scenario.cluster;
        if (const std::optional<std::string> name = m_arguments.valueOf("--cluster")) {
            if (const Cluster* preset = m_catalogue.cluster(*name)) {
                cluster = *preset;
            } else {
                m_reader.refuse(
                    Usage, {"--cluster", *name, "no such cluster preset", nearestPreset(m_catalogue.clusters, *name)});
            }
        }
        std::int64_t nodes = cluster.nodes;
        integer("--nodes", nodes);
        if (const std::optional<std::string> name = m_arguments.valueOf("--accelerator")) {
            setAccelerator(*name, nodes);
        }
        cluster.nodes = nodes;
        if (m_arguments.has("--price")) {
            constexpr double least = 1e-6;
            constexpr double most = 1e6;
            double price = cluster.accelerator.pricePerHour;
            m_reader.number("--price", price, 0, most);
            if (price > 0 && price < least) {
                m_reader.refuse(Usage,
                                Problem{"--price", fmt::format("{}", price), "is less than a price can be",
                                        "0 for none, or at least 0.000001"});
            }
            setPrice(cluster.accelerator, price, "given by --price");
        }
        setDevicesPerNode();
    }

    void applyLayout()
    {
        Layout& layout = m_scenario.layout;
        integer("--tp", layout.tp);
        integer("--cp", layout.cp);
        integer("--pp", layout.pp);
        integer("--vpp", layout.vpp);
        integer("--dp", layout.dp);
        integer("--ep", layout.ep);
        integer("--etp", layout.etp);
        integer("--zero", layout.zeroStage);
        integer("--micro-batch", layout.microBatch, std::int64_t{1} << 30);
        integer("--global-batch", layout.globalBatch, std::int64_t{1} << 30);
        m_reader.choice("--recompute", layout.recompute);
        m_reader.choice("--schedule", layout.schedule);
        const std::optional<std::string> value = m_arguments.valueOf("--sequence-parallel");
        if (value && m_reader.isOneOf("--sequence-parallel", *value, {"on", "off"})) {
            layout.sequenceParallel = *value == "on";
        }
    }

    void applyWorkload()
    {
        integer("--seq-len", m_scenario.workload.sequenceLength, std::int64_t{1} << 30);
        m_reader.choice("--precision", m_scenario.workload.precision);
        m_reader.choice("--optimizer", m_scenario.workload.optimizer);
        m_reader.choice("--training", m_scenario.workload.training);
        integer("--adapter-rank", m_scenario.workload.adapterRank, 1 << 16);
        if (const std::optional<std::string> name = m_arguments.valueOf("--stack")) {
            if (const Stack* stack = m_catalogue.stack(*name)) {
                m_scenario.stack = *stack;
            } else {
                m_reader.refuse(Usage,
                                {"--stack", *name, "no such stack preset", nearestPreset(m_catalogue.stacks, *name)});
            }
        }
    }

private:
    /// An accelerator comes with the node it is usually built into, unless it is the one the cluster already has.
    void setAccelerator(const std::string& name, std::int64_t nodes)
    {
        const Accelerator* accelerator = m_catalogue.accelerator(name);
        if (accelerator == nullptr) {
            m_reader.refuse(
                Usage,
                {"--accelerator", name, "no such accelerator preset", nearestPreset(m_catalogue.accelerators, name)});
        } else if (m_scenario.cluster.accelerator != *accelerator) {
            m_scenario.cluster =
                makeCluster(*accelerator, nodes, typicalDevicesPerNode(*accelerator, m_catalogue), m_catalogue);
        }
    }

    void setDevicesPerNode()
    {
        Cluster& cluster = m_scenario.cluster;
        const std::int64_t before = cluster.devicesPerNode;
        integer("--devices-per-node", cluster.devicesPerNode);
        // A level that ended at the node's edge still does.
        for (Level& level : cluster.levels) {
            if (level.domain == before) {
                level.domain = cluster.devicesPerNode;
            }
        }
    }

    /// Bounded as in scenario files, so that products of two stay exact; what is too small the rules explain.
    template <class I> void integer(std::string_view option, I& field, std::int64_t most = std::int64_t{1} << 24)
    {
        m_reader.integer(option, field, -most, most);
    }

    OptionReader& m_reader;
    const Arguments& m_arguments;
    const Catalogue& m_catalogue;
    Scenario& m_scenario;
};

bool anyOf(const Arguments& arguments, std::initializer_list<std::string_view> names)
{
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return arguments.has(name); });
}

/// What does not divide is left for the layout's rules to explain.
void solveDp(Scenario& scenario)
{
    scenario.layout.dp = static_cast<int>(std::min(solvedDp(scenario.layout, scenario.cluster.devices()), mostDevices));
}

void unsplit(Scenario& scenario)
{
    Layout& layout = scenario.layout;
    layout.tp = layout.cp = layout.pp = layout.vpp = layout.ep = layout.etp = 1;
    layout.schedule = ScheduleKind::OneFOneB;
    layout.recompute = Recompute::None;
    layout.layersPerStage.clear();
}

void completeFromOptions(const Arguments& arguments, Scenario& scenario)
{
    Layout& layout = scenario.layout;
    if (layout.vpp > 1 && !arguments.has("--schedule")) {
        layout.schedule = ScheduleKind::Interleaved;
    }
    const std::int64_t replica = layout.microBatch * layout.dp;
    if (!arguments.has("--global-batch") && replica > 0) {
        layout.globalBatch = std::max<std::int64_t>(1, layout.globalBatch / replica) * replica;
    }
    const std::int64_t longest = scenario.model.maxPositions;
    if (!arguments.has("--seq-len") && longest > 0) {
        scenario.workload.sequenceLength = std::min(scenario.workload.sequenceLength, longest);
    }
}

/// Changes a scenario as the options say.
void applyOptions(OptionReader& reader, const Catalogue& catalogue, bool plain, Scenario& scenario)
{
    const Arguments& arguments = reader.arguments();
    const bool devicesChange =
        anyOf(arguments, {"--tp", "--cp", "--pp", "--nodes", "--devices-per-node", "--cluster", "--accelerator"});
    // A split somebody else chose means nothing for another model, machine or split.
    const bool described = plain && (devicesChange || anyOf(arguments, {"--model", "--vpp", "--dp", "--ep", "--etp"}));
    if (described) {
        unsplit(scenario);
    }
    Applier applier(reader, catalogue, scenario);
    applier.applyModel();
    applier.applyCluster();
    applier.applyLayout();
    applier.applyWorkload();
    if (anyOf(arguments, {"--pp", "--vpp", "--model"})) {
        scenario.layout.layersPerStage.clear();
    }
    if (!arguments.has("--dp") && (described || devicesChange)) {
        solveDp(scenario);
    }
    if (described) {
        completeFromOptions(arguments, scenario);
    }
}

/// What an option concerns.
enum class Part { Machine, Split, Step, Workload };

struct ScenarioOption {
    Part part;
    Option option;
};

constexpr std::array scenarioTable{
    ScenarioOption{Part::Machine, {"--model", "NAME|config.json", "a preset, or a Hugging Face configuration"}},
    ScenarioOption{Part::Machine, {"--cluster", "NAME", "a preset: devices, nodes and links"}},
    ScenarioOption{Part::Machine, {"--accelerator", "NAME", "a preset; links follow where a cluster of it is known"}},
    ScenarioOption{Part::Machine, {"--nodes", "N", "number of nodes"}},
    ScenarioOption{Part::Machine, {"--devices-per-node", "N", "devices in a node"}},
    ScenarioOption{Part::Machine,
                   {"--price", "USD", "price of a device and hour, in place of the preset's list price"}},
    ScenarioOption{Part::Split, {"--tp", "N", "tensor parallel degree"}},
    ScenarioOption{Part::Split, {"--cp", "N", "context parallel degree"}},
    ScenarioOption{Part::Split, {"--pp", "N", "pipeline parallel degree"}},
    ScenarioOption{Part::Step, {"--vpp", "N", "virtual stages per pipeline rank"}},
    ScenarioOption{Part::Split, {"--dp", "N", "data parallel degree; solved when left out"}},
    ScenarioOption{Part::Split, {"--ep", "N", "expert parallel degree"}},
    ScenarioOption{Part::Split, {"--etp", "N", "tensor parallel degree inside an expert"}},
    ScenarioOption{Part::Step, {"--zero", "0..3", "sharded: 1 optimizer states, 2 + gradients, 3 + weights"}},
    ScenarioOption{Part::Step, {"--sequence-parallel", "on|off", "shard activations between tensor parallel regions"}},
    ScenarioOption{Part::Step, {"--micro-batch", "N", "sequences"}},
    ScenarioOption{Part::Workload, {"--global-batch", "N", "sequences per step"}},
    ScenarioOption{Part::Workload, {"--seq-len", "N", "tokens"}},
    ScenarioOption{Part::Step,
                   {"--recompute", "none|selective|experts|...", "activations computed again in the backward pass"}},
    ScenarioOption{Part::Step, {"--schedule", "NAME", "gpipe, 1f1b, interleaved, ..."}},
    ScenarioOption{Part::Workload, {"--precision", "bf16|fp8|...", "what matrices are multiplied in"}},
    ScenarioOption{Part::Workload,
                   {"--optimizer", "adam|muon|...", "what updates the weights, and what states it keeps"}},
    ScenarioOption{Part::Workload, {"--training", "full|lora|qlora", "all weights, or adapters on frozen ones"}},
    ScenarioOption{Part::Workload, {"--adapter-rank", "R", "rank of the adapters"}},
    ScenarioOption{Part::Machine, {"--stack", "NAME", "a preset: the software that runs it"}},
};

std::string_view whyRefused(Part part, Purpose purpose)
{
    if (purpose == Purpose::Choice && (part == Part::Split || part == Part::Step)) {
        return "is what this verb chooses";
    }
    if (purpose == Purpose::Serving && (part == Part::Step || part == Part::Workload)) {
        return "is of training and changes nothing when a model is served";
    }
    return {};
}

} // namespace

std::vector<Option> scenarioOptions(Purpose purpose)
{
    std::vector<Option> options;
    for (const ScenarioOption& each : scenarioTable) {
        options.push_back(each.option);
        options.back().refused = whyRefused(each.part, purpose);
    }
    return options;
}

std::optional<Scenario> readScenarioFile(OptionReader& reader, const std::string& path, const Catalogue& catalogue)
{
    const Input input = readInput(path);
    if (input.exitCode != Done) {
        reader.refuse(input.exitCode, input.problems);
        return std::nullopt;
    }
    Result<Scenario> scenario = readScenario(input.text, catalogue);
    reader.refuse(NotLegal, within(inputName(path), scenario.problems));
    return std::move(scenario.value);
}

std::optional<Scenario> givenScenario(OptionReader& reader, const Catalogue& catalogue,
                                      Result<Scenario> (*plain)(const Catalogue&))
{
    const std::vector<std::string>& files = reader.arguments().positional;
    if (!files.empty()) {
        return readScenarioFile(reader, files.front(), catalogue);
    }
    Result<Scenario> found = plain(catalogue);
    reader.refuse(NotLegal, found.problems);
    return std::move(found.value);
}

std::optional<Scenario> scenarioOf(OptionReader& reader, const Catalogue& catalogue,
                                   Result<Scenario> (*plain)(const Catalogue&))
{
    const std::optional<Scenario> scenario = givenScenario(reader, catalogue, plain);
    // What is wrong with the options is said even when there is nothing to change.
    Scenario changed = scenario.value_or(Scenario());
    applyOptions(reader, catalogue, reader.arguments().positional.empty(), changed);
    if (scenario && changed.workload.training == Training::Full) {
        reader.idle("--adapter-rank", "has no effect when all weights are trained");
    }
    return reader.fine() ? std::optional(std::move(changed)) : std::nullopt;
}

Option saveOption(std::string_view help)
{
    return {"--save", "FILE", help};
}

int saveAsked(const Arguments& arguments, const Scenario& scenario, const Catalogue& catalogue)
{
    const std::optional<std::string> path = arguments.valueOf("--save");
    if (!path) {
        return Done;
    }
    const QString failure =
        ui::writeFile(QString::fromStdString(*path), QByteArray::fromStdString(writeScenario(scenario, catalogue)));
    return failure.isEmpty() ? Done : refuse(arguments, {{"--save", *path, failure.toStdString(), {}}}, FileTrouble);
}

int endOf(const Arguments& arguments, bool fits)
{
    const std::optional<std::string> path = arguments.valueOf("--save");
    if (fits || !path) {
        return Done;
    }
    printProblems({{"--save", *path, "no layout fits: nothing is saved", {}}});
    return NotLegal;
}

} // namespace partita::cli
