// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

std::string memoryPath(std::size_t stage, std::string_view key)
{
    return fmt::format("memory.stages[{}].{}", stage, key);
}

std::string memoryPath(std::size_t stage, MemoryKind kind)
{
    return memoryPath(stage, keyOf(kind));
}

/// One category on one stage, as stageMemory() puts it together.
class CategoryOf {
public:
    CategoryOf(Derivation& d, const Ledger& ledger, const ExplainContext& context, std::size_t stage)
        : m_d(d)
        , m_ledger(ledger)
        , m_context(context)
        , m_layout(context.scenario.layout)
        , m_stack(context.scenario.stack)
        , m_plan(context.plans[stage])
        , m_stage(stage)
    {
    }

    void derive(MemoryKind kind)
    {
        switch (kind) {
        case MemoryKind::Weights:
            return weights();
        case MemoryKind::Gradients:
            return gradients();
        case MemoryKind::OptimizerStates:
            return optimizer();
        case MemoryKind::Activations:
            return activations();
        case MemoryKind::HeadAndLoss:
            return head();
        case MemoryKind::WorkingSet:
            return workingSet();
        case MemoryKind::CommunicationBuffers:
            return buffers();
        case MemoryKind::Framework:
            m_d.formula = "f";
            m_d.terms = {given("f", "context, libraries and communicators", Measure::Bytes, m_stack.frameworkBytes,
                               origin("framework_gib"))};
            m_d.sources = stackSources(m_context.scenario);
            return;
        case MemoryKind::Fragmentation:
            return fragmentation();
        }
    }

private:
    std::string stagePath(std::string_view what) const { return fmt::format("stages[{}].{}", m_stage, what); }
    std::string origin(std::string_view field) const { return fmt::format("stack {}: {}", m_stack.name, field); }

    Term copies() const
    {
        return given("c", "copies of the model on a stage", Measure::Count, m_plan.copies,
                     fmt::format("schedule {}", labelOf(m_layout.schedule)));
    }

    /// Weights that are held: all of the stage's, or this device's shard.
    Term held(std::string_view symbol, std::string_view set, bool sharded) const
    {
        return m_ledger.term(symbol,
                             stagePath(sharded ? fmt::format("sharded_{}", set) : fmt::format("{}_per_copy", set)));
    }
    bool keepsWhole() const { return keepsGathered(m_context.scenario); }

    Term perParameter(std::string_view symbol, std::string_view what, double bytes, std::string_view from) const
    {
        return given(symbol, fmt::format("bytes of {} per parameter", what), Measure::Bytes, bytes, from);
    }

    void zeroNote(int least, std::string_view what)
    {
        m_d.assumptions.push_back(
            m_layout.zeroStage >= least
                ? fmt::format("ZeRO-{} shards the {} over data and context ranks.", m_layout.zeroStage, what)
                : fmt::format("ZeRO-{} leaves the {} whole on every data rank.", m_layout.zeroStage, what));
        m_d.sources.emplace_back(sources::zero);
    }

    void weights()
    {
        const Workload& workload = m_context.scenario.workload;
        const bool sharded = m_layout.zeroStage >= 3 && !keepsWhole();
        const bool onlyMaster = sharded && m_stack.fp32Parameters;
        const double inLayers = heldLayerWeightBytes(workload, m_stack);
        m_d.formula = "w*p";
        m_d.terms = {copies(),
                     perParameter("w", "weights", onlyMaster ? 0 : m_context.bytes.weight,
                                  onlyMaster ? "the sharded FP32 master copy is the parameter" : "workload.precision"),
                     held("p", "parameters", sharded)};
        if (!onlyMaster && inLayers != m_context.bytes.weight) {
            m_d.formula = "w*(p - l) + v*l";
            m_d.terms.push_back(held("l", "layer_weights", sharded));
            m_d.terms.push_back(perParameter("v", "a layer's weights with the copies a recipe keeps", inLayers,
                                             "workload.weights, workload.training, " + origin("fp8_weight_copies")));
        }
        if (m_context.adapters()) {
            m_d.formula += " + b*a";
            m_d.terms.push_back(perParameter("b", "adapters", m_context.bytes.weight, "workload.precision"));
            m_d.terms.push_back(held("a", "trained", sharded));
        }
        m_d.formula = fmt::format("c*({})", m_d.formula);
        zeroNote(3, "weights");
        if (keepsWhole()) {
            m_d.assumptions.emplace_back("The stack keeps gathered weights for the step under pipeline parallelism.");
        }
    }

    void gradients()
    {
        m_d.formula = "c*g*t";
        m_d.terms = {
            copies(),
            perParameter("g", "gradients", m_context.bytes.gradient, "workload.gradients, " + origin("gradient_type")),
            held("t", "trained", m_layout.zeroStage >= 2 && !keepsWhole())};
        zeroNote(2, "gradients");
    }

    void optimizer()
    {
        m_d.formula = "o*t*(1 - f)";
        m_d.terms = {perParameter("o", "master copy and moments", m_context.bytes.optimizer, "workload.optimizer"),
                     held("t", "trained", m_layout.zeroStage >= 1),
                     given("f", "share kept in host memory", Measure::Share,
                           m_context.scenario.workload.offloadedStates, "workload.offloaded_states")};
        zeroNote(1, "optimizer states");
    }

    void activations()
    {
        m_d.formula = "a*n";
        m_d.terms = {m_ledger.term("a", stagePath("kept_bytes")), m_ledger.term("n", stagePath("in_flight"))};
        m_d.assumptions.push_back(
            fmt::format("{}: {}.", labelOf(m_layout.schedule), describe(m_layout.schedule).memory));
        m_d.assumptions.push_back(fmt::format("Recomputation: {}.", labelOf(m_layout.recompute)));
        m_d.sources.emplace_back(sources::activations);
    }

    void head()
    {
        const bool all = m_layout.schedule == ScheduleKind::GPipe || m_layout.schedule == ScheduleKind::BreadthFirst;
        m_d.formula = all ? "h*n" : "h";
        m_d.terms = {m_ledger.term("h", stagePath("head_bytes"))};
        if (all) {
            m_d.terms.push_back(m_ledger.term("n", stagePath("in_flight")));
        }
        m_d.assumptions.emplace_back(
            all ? "No backward starts before the last forward: every micro-batch's logits live."
                : "The backward follows at once: one micro-batch's logits live.");
    }

    void workingSet()
    {
        std::vector<double> sets;
        double largest = 0;
        for (const ChunkPlan& chunk : m_plan.chunks) {
            sets.push_back(chunk.workingSet);
            largest = std::max(largest, chunk.largestLayer);
        }
        m_d.formula = "max(0, max(w) - L)";
        m_d.terms = {givenList("w", "largest layer run again and largest operator's gradients, by chunk",
                               Measure::Bytes, sets, {}, "operators of the layers"),
                     m_ledger.term("L", memoryPath(m_stage, MemoryKind::HeadAndLoss))};
        m_d.assumptions.emplace_back(
            "A layer's temporaries and the head's are never alive together: the larger counts.");
        const Term layer =
            given("l", "parameters of the largest layer on this device", Measure::Count, largest, "model");
        const bool placeholder = m_stack.placeholderGradients && m_context.bytes.gradient > 2;
        const bool gathered = m_layout.zeroStage >= 3 && !keepsWhole();
        if (placeholder || gathered) {
            m_d.terms.push_back(layer);
        }
        if (placeholder) {
            m_d.formula += " + 2*l";
            m_d.assumptions.emplace_back("A 16-bit gradient of a weight's shape is kept beside FP32 accumulation.");
        }
        if (gathered) {
            m_d.formula += " + l*(2*w_p + g)";
            m_d.terms.push_back(perParameter("w_p", "a layer's weights", layerWeightBytes(m_context.scenario.workload),
                                             "workload.weights, workload.training"));
            m_d.terms.push_back(perParameter("g", "gradients", m_context.bytes.gradient, origin("gradient_type")));
            m_d.assumptions.emplace_back(
                "ZeRO-3 holds this layer's and the prefetched one's weights, and its gradients.");
            m_d.sources.emplace_back(sources::fsdp);
        }
    }

    void buffers()
    {
        const bool piped = m_layout.pp > 1;
        const std::array groups{std::pair{m_layout.tp > 1, "tp"}, std::pair{m_layout.cp > 1, "cp"},
                                std::pair{piped, "pp"},           std::pair{m_layout.dp * m_layout.cp > 1, "dp x cp"},
                                std::pair{m_layout.ep > 1, "ep"}, std::pair{m_layout.etp > 1, "etp"}};
        double count = 0;
        std::string names;
        for (const auto& [used, name] : groups) {
            count += used ? 1 : 0;
            names += used ? (names.empty() ? "" : ", ") + std::string(name) : "";
        }
        m_d.formula = "b*n + k*B";
        m_d.terms = {
            given("b", "buffers of a communicator", Measure::Bytes, m_stack.commBufferBytes, origin("comm_buffer_mib")),
            given("n", "communicators", Measure::Count, count, names.empty() ? "layout: none" : "layout: " + names),
            given("k", "boundary buffers: send and receive, each way", Measure::Count, piped ? 4 : 0, "layout.pp"),
            m_ledger.term("B", "boundary_bytes")};
    }

    void fragmentation()
    {
        m_d.formula = "f*(a + h + w)";
        m_d.terms = {given("f", "share the allocator cannot use", Measure::Share, m_stack.fragmentation,
                           origin("fragmentation")),
                     m_ledger.term("a", memoryPath(m_stage, MemoryKind::Activations)),
                     m_ledger.term("h", memoryPath(m_stage, MemoryKind::HeadAndLoss)),
                     m_ledger.term("w", memoryPath(m_stage, MemoryKind::WorkingSet))};
        m_d.sources = stackSources(m_context.scenario);
    }

    Derivation& m_d;
    const Ledger& m_ledger;
    const ExplainContext& m_context;
    const Layout& m_layout;
    const Stack& m_stack;
    const StagePlan& m_plan;
    std::size_t m_stage;
};

std::vector<std::string> totals(const ExplainContext& context)
{
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < context.report.stages.size(); ++i) {
        paths.push_back(memoryPath(i, "total"));
    }
    return paths;
}

void addPeak(Ledger& ledger, const ExplainContext& context)
{
    const Report& report = context.report;
    ledger.add("memory.peak_bytes", "memory of the fullest stage", Measure::Bytes, report.peakMemory(),
               [&](Derivation& d) {
                   d.formula = "max(M)";
                   d.terms = {ledger.list("M", "memory of a stage", totals(context))};
               });
    ledger.add("memory.limit_bytes", "memory a device has", Measure::Bytes, report.memoryLimit, [&](Derivation& d) {
        const Accelerator& accelerator = context.scenario.cluster.accelerator;
        d.formula = "C";
        d.terms = {given("C", "memory usable by a program", Measure::Bytes, accelerator.memoryBytes,
                         "accelerator " + accelerator.name + ": memory")};
        d.sources = acceleratorSources(context.scenario);
    });
    ledger.setReported(false);
    ledger.add("memory.lacks_bytes", "memory that the fullest stage lacks", Measure::Bytes,
               std::max(0.0, report.peakMemory() - report.memoryLimit), [&](Derivation& d) {
                   d.formula = "max(0, M - C)";
                   d.terms = {ledger.term("M", "memory.peak_bytes"), ledger.term("C", "memory.limit_bytes")};
               });
    ledger.setReported(true);
    ledger.add("memory.peak_stage", "the fullest stage", Measure::Count, report.peakStage, [&](Derivation& d) {
        d.formula = "argmax(M)";
        d.terms = {ledger.list("M", "memory of a stage", totals(context))};
        d.assumptions.emplace_back("Stages count from 0.");
    });
}

} // namespace

void addMemoryValues(Ledger& ledger, const ExplainContext& context)
{
    addPeak(ledger, context);
    const std::vector<StageReport>& stages = context.report.stages;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const Name<MemoryKind>& kind : Names<MemoryKind>::table) {
            ledger.add(memoryPath(i, kind.value), fmt::format("{}, stage {}", kind.label, i), Measure::Bytes,
                       stages[i].memory[kind.value], [&ledger, &context, i, value = kind.value](Derivation& d) {
                           CategoryOf(d, ledger, context, i).derive(value);
                       });
        }
        ledger.add(memoryPath(i, "total"), fmt::format("memory, stage {}", i), Measure::Bytes, stages[i].memory.total(),
                   [&ledger, i](Derivation& d) {
                       std::vector<std::string> paths;
                       for (const Name<MemoryKind>& kind : Names<MemoryKind>::table) {
                           paths.push_back(memoryPath(i, kind.value));
                       }
                       d.formula = "sum(b)";
                       d.terms = {ledger.list("b", "what memory is held for", paths)};
                   });
    }
}

} // namespace partita
