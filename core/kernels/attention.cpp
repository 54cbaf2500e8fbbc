// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

/// Scores a head computes for one sequence, the masked ones left out.
double visibleScores(const AttentionShape& shape)
{
    const double queries = static_cast<double>(shape.queries);
    const double keys = static_cast<double>(shape.keys);
    const double window = shape.window > 0 ? std::min(static_cast<double>(shape.window), keys) : keys;
    // The query at position p of the keys sees min(p, window) of them.
    return shape.causal ? queries * (window - window * window / (2 * keys)) : queries * window;
}

double flashTime(const AttentionShape& shape, Pass pass, const Accelerator& accelerator)
{
    const KernelConstants& constants = accelerator.kernels;
    const double batch = static_cast<double>(shape.batch);
    const double heads = static_cast<double>(shape.heads);
    const double kvHeads = static_cast<double>(shape.kvHeads);
    const double queries = static_cast<double>(shape.queries);
    const double keys = static_cast<double>(shape.keys);
    const bool forward = pass == Pass::Forward;

    // Backward runs five products: the scores again, then three over the Q/K size and two over the V size in all.
    const double perScore =
        forward ? 2.0 * (shape.queryKeyDim + shape.valueDim) : 2.0 * (3 * shape.queryKeyDim + 2 * shape.valueDim);
    const double flops = batch * heads * visibleScores(shape) * perScore;
    const double visibleKeys = visibleScores(shape) / queries;
    const double ramp = visibleKeys / (visibleKeys + constants.attentionHalfLength / 2);
    const double cores = std::max(accelerator.cores, 1);
    const double waves = batch * heads * std::ceil(queries / 128) / cores;
    const double filled = waves <= 1 ? waves : waves / (0.5 * (std::ceil(waves) + waves));
    const double share = forward ? constants.attentionForward : constants.attentionBackward;
    const double compute = flops / (matrixPeak(accelerator) * share * ramp * filled);

    const double passes = forward ? 1 : 2; // read and write gradients too
    const double bytes = passes * 2 * batch
        * (queries * heads * (shape.queryKeyDim + shape.valueDim)
           + keys * kvHeads * (shape.queryKeyDim + shape.valueDim));
    return std::max(compute, memoryPassTime(bytes, accelerator));
}

double batchedTime(const AttentionShape& shape, Pass pass, AttentionKernel kernel, const Accelerator& accelerator)
{
    const std::int64_t count = shape.batch * shape.heads;
    const GemmShape scores{shape.queries, shape.keys, shape.queryKeyDim, count};
    const GemmShape values{shape.queries, shape.valueDim, shape.keys, count};
    const double products =
        gemmTime(scores, DataType::Bf16, accelerator) + gemmTime(values, DataType::Bf16, accelerator);
    const double elements =
        static_cast<double>(count) * static_cast<double>(shape.queries) * static_cast<double>(shape.keys);
    // Forward: fused scale, mask and softmax reads and writes two bytes; unfused runs scale, mask, cast and softmax
    // apart.
    const double forwardBytes = kernel == AttentionKernel::FusedSoftmax ? 4 : 20;
    const double backwardBytes = kernel == AttentionKernel::FusedSoftmax ? 6 : 24;
    if (pass == Pass::Forward) {
        return products + memoryPassTime(elements * forwardBytes, accelerator);
    }
    return 2 * products + memoryPassTime(elements * backwardBytes, accelerator);
}

} // namespace

double AttentionShape::flops(Pass pass) const
{
    const double forward =
        2.0 * static_cast<double>(batch) * static_cast<double>(heads) * (queryKeyDim + valueDim) * visibleScores(*this);
    return pass == Pass::Forward ? forward : 2 * forward;
}

double attentionTime(const AttentionShape& shape, Pass pass, AttentionKernel kernel, const Accelerator& accelerator)
{
    if (shape.batch <= 0 || shape.heads <= 0 || shape.queries <= 0 || shape.keys <= 0) {
        return 0;
    }
    return kernel == AttentionKernel::Flash ? flashTime(shape, pass, accelerator)
                                            : batchedTime(shape, pass, kernel, accelerator);
}

} // namespace partita
