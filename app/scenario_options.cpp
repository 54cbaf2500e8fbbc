// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/scenario_options.h"

#include "app/cli.h"
#include "app/cli_input.h"
#include "app/default_scenario.h"
#include "core/base/names.h"
#include "core/formats/hf_config.h"
#include "core/formats/scenario_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace partita::cli {

namespace {

template <class T> std::string nearestPreset(const std::vector<T>& presets, std::string_view id)
{
    std::vector<std::string> ids;
    for (const T& preset : presets) {
        ids.push_back(preset.id);
    }
    const std::string meant = nearestWord(id, ids);
    return meant.empty() ? std::string() : "did you mean " + meant + "?";
}

/// Applies options one by one and collects everything that is wrong with them.
class Applier : public OptionReader {
public:
    Applier(const Arguments& arguments, const Catalogue& catalogue, Scenario& scenario)
        : OptionReader(arguments)
        , m_arguments(arguments)
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
            refuse(Usage, {"--model", *name, "no such model preset or file", nearestPreset(m_catalogue.models, *name)});
            return;
        }
        const Input input = readInput(*name);
        if (input.exitCode != Done) {
            refuse(input.exitCode, input.problems);
            return;
        }
        const Result<ImportedModel> imported =
            readHuggingFaceConfig(input.text, std::filesystem::path(*name).stem().string());
        if (!imported) {
            refuse(NotLegal, imported.problems);
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
                refuse(Usage,
                       {"--cluster", *name, "no such cluster preset", nearestPreset(m_catalogue.clusters, *name)});
            }
        }
        std::int64_t nodes = cluster.nodes;
        integer("--nodes", nodes);
        if (const std::optional<std::string> name = m_arguments.valueOf("--accelerator")) {
            setAccelerator(*name, nodes);
        }
        cluster.nodes = nodes;
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
        choice("--recompute", layout.recompute);
        choice("--schedule", layout.schedule);
        if (const std::optional<std::string> value = m_arguments.valueOf("--sequence-parallel")) {
            if (*value == "on" || *value == "off") {
                layout.sequenceParallel = *value == "on";
            } else {
                refuse(Usage, {"--sequence-parallel", *value, "must be on or off", {}});
            }
        }
    }

    void applyWorkload()
    {
        integer("--seq-len", m_scenario.workload.sequenceLength, std::int64_t{1} << 30);
        choice("--precision", m_scenario.workload.precision);
        choice("--optimizer", m_scenario.workload.optimizer);
        choice("--training", m_scenario.workload.training);
        integer("--adapter-rank", m_scenario.workload.adapterRank, 1 << 16);
        if (const std::optional<std::string> name = m_arguments.valueOf("--stack")) {
            if (const Stack* stack = m_catalogue.stack(*name)) {
                m_scenario.stack = *stack;
            } else {
                refuse(Usage, {"--stack", *name, "no such stack preset", nearestPreset(m_catalogue.stacks, *name)});
            }
        }
    }

private:
    /// An accelerator comes with the node it is usually built into, unless it is the one the cluster already has.
    void setAccelerator(const std::string& name, std::int64_t nodes)
    {
        const Accelerator* accelerator = m_catalogue.accelerator(name);
        if (accelerator == nullptr) {
            refuse(
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
        OptionReader::integer(option, field, -most, most);
    }

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

} // namespace

const std::vector<Option>& scenarioOptions()
{
    static const std::vector<Option> options{
        {"--model", "NAME|config.json", "a preset, or a Hugging Face configuration"},
        {"--cluster", "NAME", "a preset: devices, nodes and links"},
        {"--accelerator", "NAME", "a preset; links follow where a cluster of it is known"},
        {"--nodes", "N", "number of nodes"},
        {"--devices-per-node", "N", "devices in a node"},
        {"--tp", "N", "tensor parallel degree"},
        {"--cp", "N", "context parallel degree"},
        {"--pp", "N", "pipeline parallel degree"},
        {"--vpp", "N", "virtual stages per pipeline rank"},
        {"--dp", "N", "data parallel degree; solved when left out"},
        {"--ep", "N", "expert parallel degree"},
        {"--etp", "N", "tensor parallel degree inside an expert"},
        {"--zero", "0..3", "sharded: 1 optimizer states, 2 + gradients, 3 + weights"},
        {"--sequence-parallel", "on|off", "shard activations between tensor parallel regions"},
        {"--micro-batch", "N", "sequences"},
        {"--global-batch", "N", "sequences per step"},
        {"--seq-len", "N", "tokens"},
        {"--recompute", "none|selective|full", "activations computed again in the backward pass"},
        {"--schedule", "NAME", "gpipe, 1f1b, interleaved, ..."},
        {"--precision", "bf16|fp8|...", "what matrices are multiplied in"},
        {"--optimizer", "adam|muon|...", "what updates the weights, and what states it keeps"},
        {"--training", "full|lora|qlora", "all weights, or adapters on frozen ones"},
        {"--adapter-rank", "R", "rank of the adapters"},
        {"--stack", "NAME", "a preset: the software that runs it"},
    };
    return options;
}

std::optional<Refusal> applyOptions(const Arguments& arguments, const Catalogue& catalogue, bool plain,
                                    Scenario& scenario)
{
    const bool devicesChange =
        anyOf(arguments, {"--tp", "--cp", "--pp", "--nodes", "--devices-per-node", "--cluster", "--accelerator"});
    // A split somebody else chose means nothing for another model, machine or split.
    const bool described = plain && (devicesChange || anyOf(arguments, {"--model", "--vpp", "--dp", "--ep", "--etp"}));
    if (described) {
        unsplit(scenario);
    }
    Applier applier(arguments, catalogue, scenario);
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
    return applier.refusal();
}

ScenarioInput scenarioOf(const Arguments& arguments, const Catalogue& catalogue)
{
    const bool plain = arguments.positional.empty();
    Result<Scenario> scenario = Problems{};
    if (plain) {
        scenario = defaultScenario(catalogue);
    } else {
        const Input input = readInput(arguments.positional.front());
        if (input.exitCode != Done) {
            return {std::nullopt, input.problems, input.exitCode};
        }
        scenario = readScenario(input.text, catalogue);
    }
    if (!scenario) {
        return {std::nullopt, scenario.problems, NotLegal};
    }
    if (const std::optional<Refusal> refusal = applyOptions(arguments, catalogue, plain, *scenario)) {
        return {std::nullopt, refusal->problems, refusal->exitCode};
    }
    return {*std::move(scenario), {}, Done};
}

} // namespace partita::cli
