// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/flops.h"

#include "core/training/layer_ops.h"

namespace partita {

namespace {

void addFlops(ForwardFlops& flops, const std::vector<Op>& ops, double times)
{
    for (const Op& op : ops) {
        if (const auto* gemm = std::get_if<WeightGemm>(&op.work)) {
            flops.products += times * gemm->shape.flops();
            flops.expertProducts += op.part == OpPart::Experts ? times * gemm->shape.flops() : 0;
        } else if (const auto* core = std::get_if<AttentionShape>(&op.work)) {
            AttentionShape full = *core;
            full.causal = false;
            full.window = 0;
            flops.causalCore += times * core->flops(Pass::Forward);
            flops.fullCore += times * full.flops(Pass::Forward);
        } else if (const auto* scan = std::get_if<ScanShape>(&op.work)) {
            flops.causalCore += times * scan->flops();
            flops.fullCore += times * scan->flops();
        }
    }
}

} // namespace

ForwardFlops forwardFlops(const Model& model, std::int64_t sequence)
{
    Shard whole;
    whole.sequence = sequence;
    const OpStyle style;
    std::vector<double> count(model.kinds.size(), 0);
    for (int kind : model.layers) {
        count[static_cast<std::size_t>(kind)] += 1;
    }
    ForwardFlops flops;
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        addFlops(flops, layerOps(model, model.kinds[i], whole, style), count[i]);
    }
    flops.layerProducts = flops.products;
    // The head's true rows: padding is work, but not model FLOPs.
    const double heads = 1 + model.multiTokenPrediction;
    if (model.multiTokenPrediction > 0 && !model.layers.empty()) {
        const LayerKind& last = model.layer(model.layerCount() - 1);
        addFlops(flops, layerOps(model, last, whole, style), model.multiTokenPrediction);
        addFlops(flops, predictionOps(model, whole, style), model.multiTokenPrediction);
    }
    flops.products += 2.0 * heads * static_cast<double>(sequence) * static_cast<double>(model.vocabulary)
        * static_cast<double>(model.hidden);
    return flops;
}

} // namespace partita
