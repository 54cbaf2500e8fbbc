// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/step_time.h"

#include "core/model/parameters.h"
#include "core/serving/key_values.h"
#include "core/training/layer_cost.h"
#include "core/training/op_builder.h"

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr double activation = 2; // bytes of an element between operators

bool isLatent(const LayerKind& kind)
{
    return std::holds_alternative<LatentAttention>(kind.mixer);
}

/// A collective that a layer may run; the span outlives it.
struct Collective {
    CollectiveKind kind = CollectiveKind::AllReduce;
    const GroupSpan* span = nullptr;
    double bytes = 0;
    bool direct = false;
    double seconds = 0;
};

Collective faster(const Collective& a, const Collective& b)
{
    return b.seconds < a.seconds ? b : a;
}

/// What of a mixer's products reads keys: heads on a tensor rank, FLOPs a query head spends on a key it sees.
struct Core {
    double heads = 0;
    double kvHeads = 0;
    double flopsPerKey = 0; ///< decoding; a latent is attended without expanding it
    int queryKeyDim = 0;
    int valueDim = 0;
    std::int64_t window = 0;
};

Core coreOf(const LayerKind& kind, int tp)
{
    Core core;
    if (const auto* attention = std::get_if<Attention>(&kind.mixer)) {
        core.heads = static_cast<double>(attention->heads) / tp;
        core.kvHeads = std::max(1.0, static_cast<double>(attention->kvHeads) / tp);
        core.queryKeyDim = attention->headDim;
        core.valueDim = attention->valueDim();
        core.window = attention->window;
        core.flopsPerKey = 2.0 * (core.queryKeyDim + core.valueDim);
    } else if (const auto* mla = std::get_if<LatentAttention>(&kind.mixer)) {
        core.heads = core.kvHeads = static_cast<double>(mla->heads) / tp;
        core.queryKeyDim = mla->nopeHeadDim + mla->ropeHeadDim;
        core.valueDim = mla->valueHeadDim;
        core.window = mla->indexHeads > 0 ? mla->indexTopK : 0;
        core.flopsPerKey = 2.0 * (2 * mla->kvRank + mla->ropeHeadDim);
    }
    return core;
}

} // namespace

/// A layer kind and what of it does not change with the step.
struct StepModel::Kind {
    const LayerKind& layer;
    Core core;
    LayerCache cache;
    double share = 1; ///< of the cache on this device
    int count = 0; ///< layers of this kind in the model
    ExpertPlacement placement;
    double expertBytes = 0; ///< of a layer, on this device
};

/// Device seconds by kind and kernels launched, of one layer or the head.
struct StepModel::Tally {
    const Scenario& scenario;
    bool records = false;
    bool carriesPrompts = false;
    TimeBreakdown time;
    double kernels = 0;
    std::vector<StepKernel> priced = {};

    const Accelerator& accelerator() const { return scenario.cluster.accelerator; }
    const Engine& engine() const { return scenario.stack.engine; }

    void add(std::string_view name, TimeKind kind, double seconds, double launched, const PricedWork& work)
    {
        time[kind] += seconds;
        kernels += launched;
        if (records) {
            priced.push_back({name, kind, seconds, launched, work});
        }
    }

    void exchange(std::string_view name, TimeKind kind, std::initializer_list<Collective> parts, double factor,
                  double launched)
    {
        double seconds = 0;
        PricedExchange work{{}, factor};
        for (const Collective& part : parts) {
            seconds += part.seconds;
            if (records) {
                work.collectives.push_back({part.kind, *part.span, part.bytes, part.direct, part.seconds});
            }
        }
        add(name, kind, factor * seconds, launched, work);
    }

    Collective allReduce(const GroupSpan& span, double bytes) const
    {
        const bool direct = engine().directAllReduce;
        return {CollectiveKind::AllReduce, &span, bytes, direct,
                direct ? directAllReduceTime(scenario.cluster, span, bytes)
                       : allReduceTime(scenario.cluster, span, bytes)};
    }

    Collective allGather(const GroupSpan& span, double bytes) const
    {
        return {CollectiveKind::AllGather, &span, bytes, false, allGatherTime(scenario.cluster, span, bytes)};
    }

    Collective reduceScatter(const GroupSpan& span, double bytes) const
    {
        return {CollectiveKind::ReduceScatter, &span, bytes, false, reduceScatterTime(scenario.cluster, span, bytes)};
    }

    Collective allToAll(const GroupSpan& span, double bytes) const
    {
        return {CollectiveKind::AllToAll, &span, bytes, false, allToAllTime(scenario.cluster, span, bytes)};
    }

    double weightRate(DataType type) const
    {
        switch (type) {
        case DataType::Int8:
            return engine().int8Rate;
        case DataType::Int4:
            return engine().int4Rate;
        default:
            return engine().weightRate;
        }
    }

    /// copies products of rows x k and k x n weights of a part; the rows are those of each.
    void product(std::string_view name, WeightPart part, double rows, double n, double k, double copies = 1)
    {
        const DataType type = storedType(part, scenario.serving);
        // Integer weights are widened on the way to the matrix units; everything else is multiplied as it is stored.
        const DataType operands = type == DataType::Int8 ? DataType::Bf16 : type;
        const double whole = std::max(1.0, std::ceil(copies - 1e-9));
        const GemmShape shape{wholeRows(std::ceil(rows)), wholeRows(n), wholeRows(k), wholeRows(whole)};
        GemmSides sides = gemmSides(shape, operands, accelerator());
        sides.compute *= copies / whole;
        const double bandwidth = accelerator().memoryBandwidth * accelerator().kernels.memoryEfficiency;
        const PricedProduct work{
            shape,           operands, copies / whole, speed(), copies, rows, n, k, storedBytes(type, scenario.serving),
            weightRate(type)};
        sides.memory = (work.weightBytes() / work.weightRate + work.movedBytes()) / bandwidth;
        sides.compute /= work.speed;
        add(name, TimeKind::Gemm, overlapped(sides, accelerator()), 1, work);
    }

    void pass(std::string_view name, double bytes, double launched = 1)
    {
        add(name, TimeKind::Elementwise, memoryPassTime(bytes, accelerator()), launched, PricedPass{bytes});
    }

    double speed() const { return engine().efficiency * (carriesPrompts ? engine().prefillEfficiency : 1); }
};

StepModel::StepModel(const Scenario& scenario)
    : m_scenario(scenario)
    , m_layout(servingLayout(scenario))
    , m_grid(scenario.layout, scenario.cluster)
    , m_stages(servingStages(scenario, m_layout))
{
    const Model& model = scenario.model;
    for (const LayerKind& layer : model.kinds) {
        const auto* moe = std::get_if<MoeFfn>(&layer.feedForward);
        m_kinds.push_back(std::make_unique<Kind>(
            Kind{layer, coreOf(layer, m_layout.tp),
                 layerCache(layer, scenario.serving.keyValues, scenario.stack.engine.keepsWindows),
                 deviceShare(layer, m_layout), 0, ExpertPlacement(moe != nullptr ? moe->experts : 1, m_layout.ep),
                 layerBytes(layer, model, scenario.serving, m_layout).experts}));
    }
    for (const int kind : model.layers) {
        ++m_kinds[static_cast<std::size_t>(kind)]->count;
    }
}

StepModel::~StepModel() = default;

void StepModel::addMixer(Tally& tally, const Kind& kind, const StepWork& work) const
{
    Shard shard;
    shard.tp = m_layout.tp;
    shard.sequence = wholeRows(work.tokens());
    OpStyle style;
    style.fusion = 1; // engines fuse what training stacks may not
    OpBuilder builder(m_scenario.model, shard, style);
    partita::addMixer(builder, kind.layer);
    for (const Op& op : builder.take()) {
        if (const auto* gemm = std::get_if<WeightGemm>(&op.work)) {
            const GemmShape& shape = gemm->shape;
            tally.product(op.name, WeightPart::TokenMixer, static_cast<double>(shape.m), static_cast<double>(shape.n),
                          static_cast<double>(shape.k));
        } else if (const auto* pass = std::get_if<MemoryPass>(&op.work)) {
            tally.pass(op.name, pass->forwardBytes, pass->forwardBytes > 0 ? pass->forwardKernels : 0);
        } else if (const auto* exchange = std::get_if<Exchange>(&op.work)) {
            if (exchange->forwardBytes > 0) {
                tally.exchange(op.name, TimeKind::TpExposed,
                               {tally.allReduce(m_grid.span(exchange->group), exchange->forwardBytes)},
                               tally.engine().communication, 1);
            }
        } else if (const auto* scan = std::get_if<ScanShape>(&op.work)) {
            ScanShape prompts = *scan;
            prompts.tokens = std::llround(work.prefilling);
            const PricedScan priced{prompts, work.decoding, kind.share, kind.cache.perSequence};
            tally.add(op.name, TimeKind::Scan,
                      scanTime(prompts, Pass::Forward, tally.accelerator())
                          + memoryPassTime(priced.bytes(), tally.accelerator()),
                      2, priced);
        } else {
            addDecodeCore(tally, kind, work);
            addPrefillCore(tally, kind, work);
        }
    }
}

void StepModel::addDecodeCore(Tally& tally, const Kind& kind, const StepWork& work) const
{
    if (!(work.decoding > 0)) {
        return;
    }
    const Engine& engine = tally.engine();
    const Accelerator& accelerator = tally.accelerator();
    const double group = kind.core.heads / kind.core.kvHeads;
    const bool narrow = m_scenario.serving.keyValues != KeyValueFormat::Bf16;
    const double sharing = narrow ? engine.narrowSharing : engine.keyValueSharing;
    const double again = isLatent(kind.layer) ? 1 : std::pow(group, 1 - sharing);
    const double rate = matrixPeak(accelerator) * accelerator.kernels.attentionForward;
    const PricedKeys keys{work.decoding,
                          work.verified,
                          kind.share,
                          kind.cache,
                          work.context + 1,
                          again,
                          engine.keyValueRate,
                          kind.core.heads,
                          kind.core.flopsPerKey,
                          static_cast<double>(m_layout.decodeContext),
                          rate};
    const double memory = memoryPassTime(keys.bytes(), accelerator) / engine.keyValueRate;
    tally.add("keys of decoding sequences", TimeKind::Attention, std::max(memory, rate > 0 ? keys.flops() / rate : 0),
              2, // the core, and joining its parts
              keys);
    if (m_layout.decodeContext > 1) {
        // Queries of all ranks are gathered, partial outputs and their log-sum-exp scattered (vLLM DCP).
        const GroupSpan span = packedSpan(m_scenario.cluster, m_layout.decodeContext);
        const double rows = work.decoding * work.verified * kind.core.heads * m_layout.decodeContext;
        const double queries = rows * kind.core.queryKeyDim * activation;
        const double outputs = rows * (kind.core.valueDim * activation + 4);
        tally.exchange("queries gathered, outputs scattered", TimeKind::CpExposed,
                       {tally.allGather(span, queries), tally.reduceScatter(span, outputs)}, engine.communication, 2);
    }
}

void StepModel::addPrefillCore(Tally& tally, const Kind& kind, const StepWork& work) const
{
    if (!(work.prefilling > 0)) {
        return;
    }
    const double sequences = std::max(1.0, work.prompts);
    AttentionShape shape;
    shape.heads = wholeRows(kind.core.heads);
    shape.kvHeads = wholeRows(kind.core.kvHeads);
    shape.queries = wholeRows(work.prefilling / sequences);
    shape.keys = shape.queries;
    shape.queryKeyDim = kind.core.queryKeyDim;
    shape.valueDim = kind.core.valueDim;
    shape.window = kind.core.window;
    const AttentionKernel kernel = m_scenario.stack.attention;
    const double speed = tally.speed() * m_scenario.stack.attentionEfficiency;
    const double own = attentionTime(shape, Pass::Forward, kernel, tally.accelerator());
    AttentionShape earlier;
    double before = 0;
    if (work.before >= 1) {
        earlier = shape;
        earlier.keys =
            wholeRows(shape.window > 0 ? std::min(work.before, static_cast<double>(shape.window)) : work.before);
        earlier.causal = false;
        earlier.window = 0;
        before = attentionTime(earlier, Pass::Forward, kernel, tally.accelerator());
    }
    tally.add("attention of prompts", TimeKind::Attention, sequences * (own + before) / speed, 1,
              PricedPrompt{sequences, shape, earlier, own, before, speed});
    if (m_layout.cp > 1) {
        // Keys of the other context ranks, gathered for every chunk.
        const double bytes = activation * (work.prefilling + work.before * sequences) * m_layout.cp * kind.core.kvHeads
            * (kind.core.queryKeyDim + kind.core.valueDim);
        tally.exchange("keys of the other context ranks", TimeKind::CpExposed,
                       {tally.allGather(m_grid.span(GroupKind::Context), bytes)}, tally.engine().communication, 1);
    }
}

void StepModel::addFeedForward(Tally& tally, const Kind& kind, const StepWork& work) const
{
    if (std::holds_alternative<std::monostate>(kind.layer.feedForward)) {
        return;
    }
    const Model& model = m_scenario.model;
    const double hidden = static_cast<double>(model.hidden);
    const double tokens = work.tokens();
    const bool parallelBlock = kind.layer.norms == 1 && !std::holds_alternative<std::monostate>(kind.layer.mixer);
    if (!parallelBlock) {
        tally.pass("norm", 2 * activation * tokens * hidden);
    }
    if (const auto* dense = std::get_if<DenseFfn>(&kind.layer.feedForward)) {
        const double width = static_cast<double>(dense->width) / m_layout.tp;
        tally.product("up projection", WeightPart::DenseFfn, tokens, dense->gated ? 2 * width : width, hidden);
        tally.pass("activation function", tokens * width * activation * (dense->gated ? 3 : 2));
        tally.product("down projection", WeightPart::DenseFfn, tokens, hidden, width);
    } else if (const auto* moe = std::get_if<MoeFfn>(&kind.layer.feedForward)) {
        addExperts(tally, kind, *moe, work);
    }
    // In a parallel block both halves are summed before the one exchange, which the mixer has paid.
    if (m_layout.tp > 1 && !parallelBlock) {
        tally.exchange("sum over tensor ranks", TimeKind::TpExposed,
                       {tally.allReduce(m_grid.span(GroupKind::Tensor), activation * tokens * hidden)},
                       tally.engine().communication, 1);
    }
    tally.pass("residual addition", 3 * activation * tokens * hidden);
}

void StepModel::addExperts(Tally& tally, const Kind& kind, const MoeFfn& moe, const StepWork& work) const
{
    const double hidden = static_cast<double>(m_scenario.model.hidden);
    const double inner = moe.latentWidth > 0 ? moe.latentWidth : hidden;
    const double tokens = work.tokens();
    const double all = tokens * m_layout.attentionRanks;
    const double width = static_cast<double>(moe.expertWidth) / m_layout.etp;
    tally.product("router", WeightPart::Router, tokens, moe.experts, hidden);
    tally.pass("choice of experts", tokens * moe.experts * 12, 2);
    if (moe.latentWidth > 0) {
        tally.product("into the latent", WeightPart::SharedExperts, tokens, inner, hidden);
        tally.product("out of the latent", WeightPart::SharedExperts, tokens, hidden, inner);
    }
    // The rank with most experts to read, and at large batches the one with most tokens, sets the pace.
    const double touched = expertsTouched(moe.experts, moe.topK, all);
    const double local = kind.placement.busiest(touched);
    const double imbalance = m_layout.ep > 1 ? std::max(1.0, m_scenario.stack.expertImbalance) : 1;
    const double copies = all * moe.topK / m_layout.ep * imbalance;
    const double rows = std::max(1.0, copies / std::max(1.0, local));
    tally.pass("tokens sorted by expert", 2 * activation * copies * inner);
    tally.product("up projection of experts", WeightPart::RoutedExperts, rows, moe.gated ? 2 * width : width, inner,
                  local);
    tally.pass("activation function of experts", copies * width * activation * (moe.gated ? 3 : 2));
    tally.product("down projection of experts", WeightPart::RoutedExperts, rows, inner, width, local);
    tally.pass("outputs of experts added up", 2 * activation * copies * inner);
    if (moe.sharedWidth > 0) {
        const double shared = static_cast<double>(moe.sharedWidth) / m_layout.tp;
        tally.product("up projection of shared experts", WeightPart::SharedExperts, tokens,
                      moe.gated ? 2 * shared : shared, hidden);
        tally.pass("activation function of shared experts", tokens * shared * activation * (moe.gated ? 3 : 2));
        tally.product("down projection of shared experts", WeightPart::SharedExperts, tokens, hidden, shared);
    }
    if (m_layout.attentionRanks > 1) {
        // Each tensor rank sends its part of the tokens to the ranks their experts lie on, and gets sums back.
        const GroupSpan& span = m_grid.span(GroupKind::Expert);
        const double ranks = ranksVisited(moe.topK, m_layout.ep, moe.routingGroups, moe.routedGroups);
        const double narrow =
            std::min(activation, bytesPerElement(storedType(WeightPart::RoutedExperts, m_scenario.serving)));
        const double sent = tokens / m_layout.tp * ranks * inner * imbalance;
        const double gathered = all * inner;
        // Or everything goes to everybody, which few tokens do not notice.
        const Collective dispatch = faster(tally.allToAll(span, sent * std::max(1.0, narrow)),
                                           tally.allGather(span, gathered * std::max(1.0, narrow)));
        const Collective combine =
            faster(tally.allToAll(span, sent * activation), tally.reduceScatter(span, gathered * activation));
        tally.exchange("tokens to experts and back", TimeKind::EpExposed, {dispatch, combine},
                       tally.engine().communication * (1 - m_scenario.stack.epOverlap), 4);
    }
}

void StepModel::addHead(Tally& tally, const StepWork& work) const
{
    const Model& model = m_scenario.model;
    const double rows = work.outputs();
    if (!(rows > 0)) {
        return;
    }
    const double hidden = static_cast<double>(model.embeddingColumns());
    const double vocabulary = static_cast<double>(model.vocabulary);
    tally.pass("final norm", 2 * activation * rows * hidden);
    tally.product("output matrix", WeightPart::Head, rows, vocabulary / m_layout.tp, hidden);
    if (m_layout.tp > 1) {
        tally.exchange("logits gathered", TimeKind::TpExposed,
                       {tally.allGather(m_grid.span(GroupKind::Tensor), activation * rows * vocabulary)},
                       tally.engine().communication, 1);
    }
    tally.pass("sampling", rows * vocabulary * (activation + 3 * 4), 4); // widened, scaled, exponentiated, drawn from
}

StepBlock StepModel::finished(Tally&& tally, const StepWork& work) const
{
    const Engine& engine = tally.engine();
    StepBlock block;
    block.kernels = std::move(tally.priced);
    block.launches = tally.kernels;
    block.replayed = engine.graphs && !(work.prefilling > 0);
    block.gap = tally.accelerator().kernels.launch * (block.replayed ? engine.graphGap : engine.kernelGap);
    block.time = tally.time;
    block.time[TimeKind::Elementwise] += block.launches * block.gap;
    if (!block.replayed) {
        block.time[TimeKind::Host] += std::max(0.0, block.launches * engine.hostPerKernel - block.time.total());
    }
    return block;
}

StepTime StepModel::time(const StepWork& stated, StepRecord* record) const
{
    StepWork work = stated;
    work.prefilling /= m_layout.cp; // of this context rank
    const bool records = record != nullptr;
    std::vector<StepBlock> kinds;
    for (const auto& kind : m_kinds) {
        Tally tally{m_scenario, records, work.prefilling > 0, {}};
        addMixer(tally, *kind, work);
        addFeedForward(tally, *kind, work);
        kinds.push_back(finished(std::move(tally), work));
    }
    Tally tally{m_scenario, records, false, {}};
    addHead(tally, work);
    StepBlock head = finished(std::move(tally), work);

    StepTime step;
    const double hopBytes = activation * work.tokens() * static_cast<double>(m_scenario.model.hidden);
    const double hop = m_layout.pp > 1 ? pointToPointTime(m_scenario.cluster, m_grid.pipelineLevel(), hopBytes) : 0;
    auto layer = m_scenario.model.layers.begin();
    for (std::size_t i = 0; i < m_stages.layers.size(); ++i) {
        TimeBreakdown stage;
        for (int n = 0; n < m_stages.layers[i]; ++n) {
            stage += kinds[static_cast<std::size_t>(*layer++)].time;
        }
        if (i + 1 == m_stages.layers.size()) {
            stage += head.time;
            const Engine& engine = m_scenario.stack.engine;
            stage[TimeKind::Host] += engine.hostPerStep + engine.hostPerSequence * work.outputs()
                + (work.prefilling > 0 ? engine.hostPerPrefill : 0);
        } else {
            stage[TimeKind::PpExposed] += hop;
        }
        step.slowestStage = std::max(step.slowestStage, stage.total());
        step.parts += stage;
        if (records) {
            record->stages.push_back(stage);
        }
    }
    if (records) {
        record->work = work;
        record->kinds = std::move(kinds);
        record->head = std::move(head);
        record->hopLevel = m_grid.pipelineLevel();
        record->hopBytes = hopBytes;
        record->hop = hop;
    }
    return step;
}

double StepModel::floorFlops(const StepWork& work) const
{
    const Model& model = m_scenario.model;
    const double head = static_cast<double>(model.vocabulary) * static_cast<double>(model.embeddingColumns());
    const double layers = std::max(0.0, static_cast<double>(parameters(model).active) - head);
    return 2 * (layers * work.tokens() + head * work.outputs()) / (static_cast<double>(m_layout.tp) * m_layout.cp);
}

double StepModel::floor(const StepWork& work) const
{
    const Accelerator& accelerator = m_scenario.cluster.accelerator;
    const double all = work.tokens() * m_layout.attentionRanks;
    double bytes = 0;
    for (const WeightBytes& stage : m_stages.weights) {
        bytes += stage.dense;
    }
    for (const auto& kind : m_kinds) {
        bytes += kind->count * work.decoding * kind->share * kind->cache.bytesRead(work.context);
        if (const auto* moe = std::get_if<MoeFfn>(&kind->layer.feedForward)) {
            bytes += kind->count * kind->expertBytes * expertsTouched(moe->experts, moe->topK, all) / moe->experts;
        }
    }
    const double flops = floorFlops(work);
    const double peak = std::max(peakFor(accelerator, m_scenario.serving.weights), matrixPeak(accelerator));
    return std::max(accelerator.memoryBandwidth > 0 ? bytes / accelerator.memoryBandwidth : 0,
                    peak > 0 ? flops / peak : 0);
}

} // namespace partita
