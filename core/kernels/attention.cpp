// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/attention_terms.h"

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

/// Work left on the slowest core when the others are done, in longest tiles.
constexpr double tail = 0.5;

/// Scores a head computes for one sequence, the masked ones left out.
double visibleScores(const AttentionShape& shape)
{
    const double queries = static_cast<double>(shape.queries);
    const double keys = static_cast<double>(shape.keys);
    const double window = shape.window > 0 ? std::min(static_cast<double>(shape.window), keys) : keys;
    // The query behind p keys sees min(p, window) of them.
    return shape.causal ? queries * (window - window * window / (2 * keys)) : queries * window;
}

/// FLOPs of a score through all products of a pass.
double flopsPerScore(const AttentionShape& shape, Pass pass)
{
    // Backward: the scores again, then gradients of Q, K (over the Q/K size) and of P, V (over the V size).
    return pass == Pass::Forward ? 2.0 * (shape.queryKeyDim + shape.valueDim)
                                 : 2.0 * (3 * shape.queryKeyDim + 2 * shape.valueDim);
}

double flashBytes(const AttentionShape& shape, Pass pass)
{
    const double width = shape.queryKeyDim + shape.valueDim;
    const double batch = static_cast<double>(shape.batch);
    const double queries = batch * static_cast<double>(shape.queries) * static_cast<double>(shape.heads);
    const double keys = batch * static_cast<double>(shape.keys) * static_cast<double>(shape.kvHeads);
    if (pass == Pass::Forward) {
        return 2 * width * (queries + keys);
    }
    // Q, O, dO in, dQ summed in FP32 and cast; K, V in and their gradients, one for each query head, out.
    const double gradients = batch * static_cast<double>(shape.keys) * static_cast<double>(shape.heads);
    return queries * (2 * width + 2 * shape.valueDim + 10 * shape.queryKeyDim) + 2 * width * (keys + gradients);
}

double flashTime(const AttentionShape& shape, Pass pass, const Accelerator& accelerator)
{
    const FlashTerms terms = flashTerms(shape, pass, accelerator);
    const double memory = memoryPassTime(terms.bytes, accelerator);
    if (!(terms.pace > 0)) {
        return memory;
    }
    const double cores = std::max(accelerator.cores, 1);
    // List scheduling: never faster than the longest tile, and the last ones finish apart.
    const double keySteps = std::max(terms.longest, terms.tiles * terms.mean / cores + terms.tail * terms.longest);
    const double compute = keySteps * terms.tileRows * terms.flopsPerScore * cores / terms.pace;
    return std::max(compute, memory);
}

double batchedTime(const AttentionShape& shape, Pass pass, AttentionKernel kernel, const Accelerator& accelerator)
{
    double products = 0;
    for (const GemmShape& product : batchedProducts(shape, pass)) {
        products += gemmTime(product, DataType::Bf16, accelerator);
    }
    return alignmentSlowdown(shape) * products + memoryPassTime(scoreMatrixTraffic(shape, pass, kernel), accelerator);
}

} // namespace

FlashTerms flashTerms(const AttentionShape& shape, Pass pass, const Accelerator& accelerator)
{
    const KernelConstants& constants = accelerator.kernels;
    FlashTerms terms;
    terms.bytes = flashBytes(shape, pass);
    terms.flopsPerScore = flopsPerScore(shape, pass);
    terms.size = 0.5 * (shape.queryKeyDim + shape.valueDim);
    const double share = pass == Pass::Forward ? constants.attentionForward : constants.attentionBackward;
    terms.pace = matrixPeak(accelerator) * share * terms.size / (terms.size + constants.attentionHeadHalf);
    terms.tileRows = std::max(constants.attentionTile, 1);
    terms.tail = tail;
    const double keys = static_cast<double>(shape.keys);
    const double queries = static_cast<double>(shape.queries);
    // Few queries (decoding): those of the heads that share keys fill a tile together, and the keys are split over
    // cores.
    const double grouped = std::max(1.0, static_cast<double>(shape.heads) / static_cast<double>(shape.kvHeads));
    const bool splitsKeys = queries * grouped < terms.tileRows;
    const double perHead = splitsKeys ? 1 / grouped : std::ceil(queries / terms.tileRows);
    terms.tiles = static_cast<double>(shape.batch) * static_cast<double>(shape.heads) * perHead;
    // The diagonal crosses a tile: half of its own keys are computed in vain.
    const double visible = visibleScores(shape) / queries;
    const double onDiagonal = shape.causal ? std::min(terms.tileRows, keys) / 2 : 0;
    terms.mean = visible + onDiagonal + constants.attentionHalfLength;
    const double window = shape.window > 0 ? std::min(static_cast<double>(shape.window) + terms.tileRows, keys) : keys;
    terms.longest = (splitsKeys ? std::min(window, terms.tileRows) : window) + constants.attentionHalfLength;
    return terms;
}

double alignmentSlowdown(const AttentionShape& shape)
{
    constexpr int aligned = 8; // 16-bit elements in 16 bytes
    return shape.queryKeyDim % aligned != 0 || shape.valueDim % aligned != 0 ? 5 : 1;
}

std::vector<GemmShape> batchedProducts(const AttentionShape& shape, Pass pass)
{
    // Every score is computed, masked or not.
    const std::int64_t count = shape.batch * shape.heads;
    if (pass == Pass::Forward) {
        return {{shape.queries, shape.keys, shape.queryKeyDim, count},
                {shape.queries, shape.valueDim, shape.keys, count}};
    }
    // d(values) and d(scores) over the same two shapes turned, twice.
    return {{shape.keys, shape.valueDim, shape.queries, count},
            {shape.queries, shape.keys, shape.valueDim, count},
            {shape.queries, shape.queryKeyDim, shape.keys, count},
            {shape.keys, shape.queryKeyDim, shape.queries, count}};
}

double scoreMatrixTraffic(const AttentionShape& shape, Pass pass, AttentionKernel kernel)
{
    const std::int64_t count = shape.batch * shape.heads;
    return scoreMatrixBytes(pass, kernel) * static_cast<double>(count) * static_cast<double>(shape.queries)
        * static_cast<double>(shape.keys);
}

double scoreMatrixBytes(Pass pass, AttentionKernel kernel)
{
    switch (kernel) {
    case AttentionKernel::Flash:
    case AttentionKernel::Flash2:
        return 0;
    case AttentionKernel::FusedSoftmax:
        // One kernel scales, masks and normalises 16-bit scores in place of four; backward reads P and dP, writes dS.
        return pass == Pass::Forward ? 4 : 6;
    case AttentionKernel::Unfused:
        // Scale 4, mask 4, cast to FP32 6, softmax 8, cast back 6; backward cast 6, softmax 12, cast 6, mask 4,
        // scale 4.
        return pass == Pass::Forward ? 28 : 32;
    }
    return 0;
}

double AttentionShape::flops(Pass pass) const
{
    const double forward =
        2.0 * static_cast<double>(batch) * static_cast<double>(heads) * (queryKeyDim + valueDim) * visibleScores(*this);
    return pass == Pass::Forward ? forward : 2 * forward;
}

double attentionTime(const AttentionShape& shape, Pass pass, AttentionKernel kernel, const Accelerator& accelerator)
{
    if (shape.batch <= 0 || shape.heads <= 0 || shape.kvHeads <= 0 || shape.queries <= 0 || shape.keys <= 0) {
        return 0;
    }
    if (!isFlash(kernel)) {
        return batchedTime(shape, pass, kernel, accelerator);
    }
    const double speed = kernel == AttentionKernel::Flash2 ? accelerator.kernels.flash2Speed : 1;
    return flashTime(shape, pass, accelerator) / speed;
}

} // namespace partita
