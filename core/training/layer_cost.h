// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/gemm_times.h"
#include "core/training/layer_ops.h"
#include "core/training/report.h"

namespace partita {

/// What prices an operator: devices, software, precision and where the groups lie. Refers to the scenario it is made
/// from.
struct Pricing {
    const Cluster& cluster;
    const Stack& stack;
    const RankGrid& grid;
    OpStyle style;
    bool accumulates = true; ///< weight gradients are added to FP32 main gradients
    GemmTimes* products = nullptr; ///< of the cluster's accelerator; where many layouts are priced
};

/// Parameters on one device, by the group that shares copies of them.
struct DeviceParameters {
    double dense = 0; ///< copied over dp * cp
    double experts = 0; ///< copied over the expert-data group

    double total() const { return dense + experts; }
    DeviceParameters times(double factor) const { return {dense * factor, experts * factor}; }
    DeviceParameters& operator+=(const DeviceParameters& other)
    {
        dense += other.dense;
        experts += other.experts;
        return *this;
    }
};

/// One layer's (or the head's) cost on one device for one micro-batch.
struct LayerCost {
    TimeBreakdown forward;
    TimeBreakdown backwardInput; ///< gradients of inputs, with everything that is not a weight gradient
    TimeBreakdown backwardWeight;
    TimeBreakdown core; ///< forward of the attention core alone: what selective recomputation adds
    double saved = 0; ///< bytes kept from forward to backward
    double savedPerOperator = 0; ///< bytes that per-operator recomputation keeps beside the layer's input
    DeviceParameters adapters; ///< weights of the products that are trained beside frozen ones
    double savedCore = 0; ///< part of saved that selective recomputation does not keep
    TimeBreakdown experts; ///< forward of the mixture of experts alone: what Recompute::Experts adds
    double savedExperts = 0; ///< part of saved that belongs to it
    double transient = 0; ///< bytes of the largest operator's gradients beside what is saved
    int forwardKernels = 0; ///< kernels the host launches in each pass
    int inputKernels = 0;
    int weightKernels = 0;

    LayerCost& add(const LayerCost& other, int count); ///< so many alike
    LayerCost& operator+=(const LayerCost& other) { return add(other, 1); }
};

LayerCost price(const std::vector<Op>& ops, const Pricing& pricing);
/// The same of a whole layer: with what its mixture of experts waits for the host, and what it takes alone.
LayerCost priceLayer(const std::vector<Op>& ops, const Pricing& pricing);

/// Kernels of a product: one, or one an expert of the device.
int expertKernels(const WeightGemm& gemm, const Stack& stack);

/// Seconds of one exchange on the group it names; outside as in allToAllTime().
double exchangeTime(const Cluster& cluster, const GroupSpan& span, CollectiveKind kind, double bytes,
                    double outside = 1);
/// What a stack that sends a row once to every device and node sends of a dispatch's copies, experts drawn at random
/// (at most on as many nodes as routing allows); others send all.
struct DispatchShares {
    double sent = 1; ///< copies that leave: devices the experts of a row lie on, over its copies
    double beyondNode = 1; ///< of those for other nodes, what crosses: nodes they lie on, over those devices
};
DispatchShares dispatchShares(const Stack& stack, const Exchange& exchange, const GroupSpan& span);

} // namespace partita
