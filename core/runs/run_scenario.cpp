// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_scenario.h"

#include "core/base/words.h"
#include "core/pipeline/schedule.h"
#include "core/runs/named_presets.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

/// Of Megatron-Bridge's LoRA recipes.
constexpr int usualAdapterRank = 32;

/// Builds the scenario of a run member by member, collecting assumptions and everything that stands in the way.
class RunTranslator {
public:
    RunTranslator(const PublishedRun& run, const Catalogue& catalogue)
        : m_run(run)
        , m_catalogue(catalogue)
    {
    }

    Result<RunScenario> translate()
    {
        if (!m_run.unscorable.empty()) {
            return Problem{"", m_run.id, m_run.unscorable, ""};
        }
        if (m_run.serving) {
            return Problem{"", m_run.id, "is a serving point, not a training run", ""};
        }
        m_result.scenario.name = m_run.id;
        addStack();
        addModel();
        addCluster();
        addWorkload();
        addRecipe();
        adjustStack();
        addLayout();
        for (const std::string& field : m_run.inferredFields) {
            m_result.assumptions.push_back(fmt::format("{}: inferred by whoever gathered the run", field));
        }
        if (!m_problems.empty()) {
            return m_problems;
        }
        return m_result;
    }

private:
    template <class T> T required(std::string_view field, const std::optional<T>& value)
    {
        if (!value) {
            m_problems.push_back({std::string(field), "", "is not stated", ""});
        }
        return value.value_or(T{});
    }

    template <class T>
    T assumed(std::string_view field, const std::optional<T>& value, T standard, std::string_view why)
    {
        if (value) {
            return *value;
        }
        m_result.assumptions.push_back(fmt::format("{}: {} ({})", field, standard, why));
        return standard;
    }

    /// The stack that a phrase in a run's words stands for; otherwise as stated.
    std::string stackTold(const std::map<std::string, std::string, std::less<>>& phrases, std::string_view words,
                          std::string stated)
    {
        for (const auto& [phrase, stack] : phrases) {
            if (contains(words, phrase)) {
                m_result.assumptions.push_back(fmt::format("stack: {} (the source speaks of {})", stack, phrase));
                return stack;
            }
        }
        return stated;
    }

    void addStack()
    {
        const RunNames& names = m_catalogue.runNames;
        std::string id = stackTold(names.schedules, lowered(m_run.layout.schedule.value_or("")), m_run.stack);
        id = stackTold(names.sources, lowered(m_run.sourceUrl), std::move(id));
        const Stack* stack = m_run.namesPresets ? namedStack(id, m_catalogue) : m_catalogue.stack(id);
        if (m_run.namesPresets && stack != nullptr && stack->id != id) {
            m_result.assumptions.push_back(fmt::format("stack: {} (nearest to the source's)", stack->id));
        }
        if (stack == nullptr) {
            m_problems.push_back({"stack", id, fmt::format("{} is not a known stack", id), "add it to presets/stacks"});
            return;
        }
        m_result.scenario.stack = *stack;
    }

    bool fits(const RunRecipe& recipe) const
    {
        const auto among = [](const std::vector<std::string>& list, std::string_view value) {
            return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
        };
        const auto inWords = [&](const std::string& part) { return contains(m_run.where, part); };
        const Scenario& scenario = m_result.scenario;
        return recipe.stack == scenario.stack.id && among(recipe.models, scenario.model.id)
            && among(recipe.accelerators, scenario.cluster.accelerator.id)
            && among(recipe.precisions, keyOf(scenario.workload.precision))
            && (recipe.tables.empty() || std::any_of(recipe.tables.begin(), recipe.tables.end(), inWords));
    }

    void addRecipe()
    {
        Scenario& scenario = m_result.scenario;
        const Stack* runsAs = nullptr;
        if (!m_run.namesPresets) {
            return;
        }
        for (const RunRecipe& recipe : m_catalogue.runNames.recipes) {
            if (!fits(recipe)) {
                continue;
            }
            m_recompute = recipe.recompute.empty() ? m_recompute : recipe.recompute;
            runsAs = recipe.runsAs.empty() ? runsAs : m_catalogue.stack(recipe.runsAs);
            if (recipe.predictionModules >= 0) {
                scenario.model.multiTokenPrediction = recipe.predictionModules;
            }
            m_result.assumptions.push_back(fmt::format("recipe: {}", recipe.source));
        }
        if (runsAs != nullptr) {
            scenario.stack = *runsAs;
            m_result.assumptions.push_back(fmt::format("stack: {} (its recipe)", runsAs->id));
        }
    }

    /// What the run's own words say of its stack.
    void adjustStack()
    {
        if (const auto exchange = fromKey<ContextExchange>(m_run.layout.contextExchange.value_or(""))) {
            m_result.scenario.stack.contextExchange = *exchange;
        }
        const std::string attention = lowered(m_run.model.attention.value_or(""));
        const std::string detail = lowered(m_run.model.attentionDetail.value_or(""));
        if (contains(detail, "unfused-softmax") || contains(detail, "fused scale-mask")
            || attention == "fused-softmax") {
            m_result.scenario.stack.attention = AttentionKernel::FusedSoftmax;
        } else if (attention == "unfused") {
            m_result.scenario.stack.attention = AttentionKernel::Unfused;
        } else if (attention == "flash" && !isFlash(m_result.scenario.stack.attention)) {
            m_result.scenario.stack.attention = AttentionKernel::Flash;
        }
        if (contains(lowered(m_run.notes), "overlap switched off")) {
            m_result.scenario.stack.tpOverlap = 0;
            m_result.scenario.stack.dpOverlap = false;
            m_result.scenario.stack.ppOverlap = false;
        }
        if (contains(detail, "rms kernel")) {
            m_result.scenario.stack.fusedElementwise = 1;
        }
    }

    /// True when the run's model is a preset, or should have been.
    bool addNamedModel()
    {
        const Model* preset = m_run.namesPresets ? namedModel(m_run.model.name, m_catalogue) : nullptr;
        if (preset == nullptr) {
            if (m_run.model.moe.value_or(false) || (m_run.namesPresets && !m_run.model.hidden)) {
                m_problems.push_back({"model", m_run.model.name,
                                      fmt::format("{} is not a known model", m_run.model.name),
                                      "add it to presets/models"});
                return true;
            }
            return false;
        }
        Result<Model> model = modelAsStated(*preset, m_run.model, m_result.assumptions);
        m_problems.insert(m_problems.end(), model.problems.begin(), model.problems.end());
        m_result.scenario.model = model ? *model : *preset;
        return true;
    }

    void addModel()
    {
        if (addNamedModel()) {
            return;
        }
        const PublishedRun::ModelFacts& facts = m_run.model;
        Model& model = m_result.scenario.model;
        model.name = facts.name;
        model.source = m_run.sourceTitle;
        model.hidden = required("model.hidden", facts.hidden);
        const std::int64_t layers = required("model.layers", facts.layers);
        const std::int64_t heads = required("model.heads", facts.heads);
        if (model.hidden <= 0 || heads <= 0 || layers <= 0 || layers > 10'000 || heads > 100'000) {
            return;
        }
        const bool wide = m_run.namesPresets && facts.ffnHidden.value_or(4 * model.hidden) != 4 * model.hidden;
        const bool gated =
            assumed("model.gated_ffn", facts.gatedFfn, wide, wide ? "not four times as wide" : "two matrices");
        model.vocabulary = assumed<std::int64_t>("model.vocab", facts.vocabulary, 51200, "GPT-2's, padded");
        model.tiedEmbeddings = assumed("model.tied_embeddings", facts.tiedEmbeddings, !gated, "as GPT or Llama");
        model.norm = gated ? NormKind::Rms : NormKind::Layer;
        model.learnedPositions = gated ? 0 : facts.sequence.value_or(0);
        Attention attention;
        attention.heads = static_cast<int>(heads);
        attention.kvHeads = static_cast<int>(facts.kvHeads.value_or(heads));
        attention.headDim = static_cast<int>(model.hidden / heads);
        attention.qkvBias = attention.outputBias = !gated;
        DenseFfn ffn;
        ffn.width = facts.ffnHidden.value_or(4 * model.hidden);
        ffn.gated = gated;
        ffn.bias = !gated;
        model.kinds = {{attention, ffn, 2}};
        model.layers.assign(static_cast<std::size_t>(layers), 0);
    }

    void addCluster()
    {
        const std::string id = required("cluster.accelerator", m_run.cluster.accelerator);
        const std::int64_t devices = required("cluster.devices", m_run.cluster.devices);
        const Accelerator* accelerator =
            m_run.namesPresets ? namedAccelerator(id, m_catalogue) : m_catalogue.accelerator(id);
        if (accelerator == nullptr) {
            m_problems.push_back({"cluster.accelerator", id, fmt::format("{} is not a known accelerator", id),
                                  "add it to presets/accelerators"});
            return;
        }
        std::int64_t perNode = m_run.cluster.devicesPerNode.value_or(typicalDevicesPerNode(*accelerator, m_catalogue));
        perNode = std::min(perNode, std::max<std::int64_t>(1, devices));
        const std::int64_t nodes = perNode > 0 ? devices / perNode : 0;
        if (nodes * perNode != devices) {
            m_problems.push_back({"cluster.devices", std::to_string(devices),
                                  fmt::format("is not a multiple of {} devices a node", perNode), ""});
            return;
        }
        Cluster& cluster = m_result.scenario.cluster;
        cluster = makeCluster(*accelerator, nodes, perNode, m_catalogue);
        fillRacks(cluster);
        const Result<double> bandwidth = networkBandwidth(m_run.cluster.interNode.value_or(""), perNode);
        if (!bandwidth) {
            m_problems.insert(m_problems.end(), bandwidth.problems.begin(), bandwidth.problems.end());
        } else if (*bandwidth > 0 && cluster.levels.size() > 1) {
            cluster.levels.back().bandwidth = *bandwidth;
        } else if (nodes > 1) {
            m_result.assumptions.push_back("cluster.inter_node: as the accelerator's usual node");
        }
    }

    /// Jobs take as many devices of every rack: 256 of NVL72 racks are four times 64, not three full racks and a rest.
    void fillRacks(Cluster& cluster)
    {
        const std::int64_t devices = cluster.devices();
        for (Level& level : cluster.levels) {
            if (level.domain <= cluster.devicesPerNode || devices <= level.domain || devices % level.domain == 0) {
                continue;
            }
            while (devices % level.domain != 0 || level.domain % cluster.devicesPerNode != 0) {
                --level.domain; // ends at devicesPerNode, which divides the devices
            }
            m_result.assumptions.push_back(
                fmt::format("cluster: {} devices a rack (racks filled alike)", level.domain));
        }
    }

    void addLayout()
    {
        const PublishedRun::LayoutFacts& facts = m_run.layout;
        const Stack& stack = m_result.scenario.stack;
        Layout& layout = m_result.scenario.layout;
        const auto degree = [&](std::string_view field, const std::optional<std::int64_t>& value) {
            return static_cast<int>(std::clamp<std::int64_t>(required(field, value), 1, 1'000'000));
        };
        layout.tp = degree("layout.tp", facts.tp);
        layout.pp = degree("layout.pp", facts.pp);
        layout.cp = static_cast<int>(facts.cp.value_or(1));
        layout.vpp = static_cast<int>(facts.vpp.value_or(1));
        layout.ep = static_cast<int>(facts.ep.value_or(1));
        layout.etp = static_cast<int>(facts.etp.value_or(1));
        if (m_run.model.experts && layout.tp > 1 && !facts.etp) {
            m_result.assumptions.emplace_back("layout.etp: 1 (not stated)");
        }
        const std::int64_t devices = m_run.cluster.devices.value_or(1);
        const std::int64_t split = std::int64_t{layout.tp} * layout.pp * layout.cp;
        layout.dp = static_cast<int>(facts.dp.value_or(std::max<std::int64_t>(1, devices / split)));
        layout.globalBatch = required("layout.global_batch", facts.globalBatch);
        addMicroBatch(facts, stack, layout);
        layout.sequenceParallel = layout.tp > 1
            && assumed("layout.sequence_parallel", facts.sequenceParallel, stack.usualSequenceParallel,
                       "the stack's habit");
        layout.zeroStage = static_cast<int>(
            assumed<std::int64_t>("layout.zero_stage", facts.zeroStage, stack.usualZeroStage, "the stack's habit"));
        addRecompute(facts, stack, layout);
        addSchedule(lowered(facts.schedule.value_or("")), layout);
    }

    void addMicroBatch(const PublishedRun::LayoutFacts& facts, const Stack& stack, Layout& layout)
    {
        const std::int64_t sequences = layout.globalBatch / std::max(1, layout.dp);
        const std::int64_t usual =
            stack.usualMicroBatchPerStage && layout.pp > 1 ? std::max<std::int64_t>(1, sequences / layout.pp) : 1;
        layout.microBatch = assumed("layout.micro_batch", facts.microBatch, usual,
                                    stack.usualMicroBatchPerStage ? "the stack's habit" : "not stated");
    }

    void addRecompute(const PublishedRun::LayoutFacts& facts, const Stack& stack, Layout& layout)
    {
        const std::string key = m_recompute.empty()
            ? assumed("layout.recompute", facts.recompute, std::string(keyOf(stack.usualRecompute)),
                      "the stack's habit")
            : assumed("layout.recompute", facts.recompute, m_recompute, "its recipe");
        const std::optional<Recompute> recompute = fromKey<Recompute>(key);
        if (!recompute) {
            m_problems.push_back(
                {"layout.recompute", key, "is not a kind of recomputation", "none, selective or full"});
        }
        layout.recompute = recompute.value_or(Recompute::None);
        if (layout.recompute == Recompute::Selective && stack.selectivePerOperator) {
            layout.recompute = Recompute::PerOperator;
        }
    }

    void addSchedule(const std::string& words, Layout& layout)
    {
        const std::optional<ScheduleKind> kind = fromKey<ScheduleKind>(words);
        if (kind && kind != ScheduleKind::OneFOneB && kind != ScheduleKind::Interleaved) { // those two follow vpp
            layout.schedule = *kind;
            const int chunks = describe(*kind).chunks;
            layout.vpp = chunks > 0 ? chunks : layout.vpp;
        } else if (contains(words, "zb-1p")) {
            layout.schedule = ScheduleKind::ZbH1;
        } else if (contains(words, "zb-2p")) {
            layout.schedule = ScheduleKind::ZbH2;
        } else if (contains(words, "dualpipe")) {
            layout.schedule = ScheduleKind::DualPipe;
        } else if (contains(words, "gpipe")) {
            layout.schedule = ScheduleKind::GPipe;
        } else {
            layout.schedule = layout.vpp > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
        }
    }

    void addWorkload()
    {
        Workload& workload = m_result.scenario.workload;
        workload.sequenceLength = required("model.seq_len", m_run.model.sequence);
        const std::string precision =
            lowered(assumed("layout.precision", m_run.layout.precision, std::string("bf16"), "usual"));
        if (const std::optional<Precision> exact = fromKey<Precision>(precision)) {
            workload.precision = *exact;
        } else if (contains(precision, "nvfp4")) {
            workload.precision = Precision::NvFp4;
        } else if (contains(precision, "mxfp8") || contains(precision, "fp8-mx")) {
            workload.precision = Precision::MxFp8;
        } else if (contains(precision, "rowwise")) {
            workload.precision = Precision::Fp8Row;
        } else if (contains(precision, "fp8") || contains(precision, "float8")) {
            workload.precision = Precision::Fp8;
        } else if (contains(precision, "fp16")) {
            workload.precision = Precision::Fp16;
        }
        if (m_run.training != Training::Full) {
            workload.training = m_run.training;
            workload.adapterRank = usualAdapterRank;
            m_result.assumptions.push_back(fmt::format("workload.adapter_rank: {} (usual)", usualAdapterRank));
        }
        if (m_result.scenario.stack.usualNarrowWeights && bytesPerElement(operandType(workload.precision)) < 2) {
            workload.weights = WeightStorage::Fp8;
            m_result.assumptions.emplace_back("workload.weights: FP8 alone (the stack's habit)");
        }
        if (contains(lowered(m_run.layout.optimizer.value_or("")), "8-bit")) {
            workload.optimizer = Optimizer::Adam8bit;
        } else if (m_run.layout.optimizer == "muon") {
            workload.optimizer = Optimizer::Muon;
        }
    }

    const PublishedRun& m_run;
    const Catalogue& m_catalogue;
    RunScenario m_result;
    std::string m_recompute; ///< of the recipe; empty = none stated
    Problems m_problems;
};

} // namespace

Result<RunScenario> scenarioOf(const PublishedRun& run, const Catalogue& catalogue)
{
    return RunTranslator(run, catalogue).translate();
}

} // namespace partita
