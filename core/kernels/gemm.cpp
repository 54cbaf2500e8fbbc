// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gemm_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace partita {

namespace {

/// Output tiles libraries choose from, as shares of the accelerator's biggest one; turned by 90 degrees where told.
struct TileChoice {
    double rows;
    double columns;
    bool turned;
};

constexpr std::array tileChoices{
    TileChoice{1, 1, false}, //
    TileChoice{1, 1, true}, //
    TileChoice{1, 0.5, false}, //
    TileChoice{0.5, 1, false}, //
    TileChoice{0.5, 1, true}, //
    TileChoice{0.5, 0.5, false}, //
    TileChoice{0.5, 0.5, true}, //
    TileChoice{0.5, 0.25, false},
};

/// Shortest share of K a split works on: below it the partial sums cost more than the idle cores.
constexpr double shortestSplit = 256;
/// Adding up the partial results of a split: a second, dependent pass, in launches.
constexpr double splitLaunches = 0.5;
/// Partial results are FP32, written and read in the last-level cache at about twice the memory's rate.
constexpr double splitBytes = 4;
/// Share of the operand reads of later waves that miss the last-level cache once the operands outgrow it.
/// Fits of seven accelerators' tables put it at 0.09 to 0.13.
constexpr double rereadMisses = 0.1;
/// Weight gradients (both operands transposed, FP32 sum) against forward products, measured on A100:
/// mean 0.68 of peak against 0.72 (shapes shipped with SimuMax).
constexpr double accumulationPace = 0.95;

double ceiling(double value)
{
    // std::ceil is a call without SSE4.1, and this is the hot path of every search.
    const double whole = static_cast<double>(static_cast<std::int64_t>(value));
    return whole < value ? whole + 1 : whole;
}

/// How fast products of a type run: pace of all cores with full tiles, and the K a tile loses at its ends.
struct Pace {
    double flops = 0;
    double fill = 0;
    bool splits = true;
};

Pace paceOf(DataType operands, const Accelerator& accelerator)
{
    const KernelConstants& constants = accelerator.kernels;
    const double peak = peakFor(accelerator, operands);
    if (!(peak > 0)) {
        return {};
    }
    const DataType product = productType(accelerator, operands);
    if (product == DataType::NvFp4) {
        return {peak * constants.fp4Efficiency, constants.fp4KHalf, false};
    }
    const double share = product == DataType::Fp8 ? constants.fp8Efficiency : constants.gemmEfficiency;
    // Prologue and epilogue of a tile take the same time for either type, so more K of the faster one.
    return {peak * share, constants.gemmKHalf * peak / matrixPeak(accelerator), true};
}

/// Bytes through device memory: each operand and the result once, and the misses of re-reads by later waves.
double traffic(const GemmShape& shape, double operandBytes, double tileArea, const Accelerator& accelerator)
{
    const double m = static_cast<double>(shape.m);
    const double n = static_cast<double>(shape.n);
    const double k = static_cast<double>(shape.k);
    const double count = static_cast<double>(shape.count);
    const double operands = count * (m * k + k * n) * operandBytes;
    const double result = count * m * n * (shape.accumulate ? 8 : 2);
    // A wave covers about a square of the result; the next one reads its rows and columns of the operands again.
    const double side = std::sqrt(accelerator.cores * tileArea);
    if (accelerator.l2Bytes <= 0 || side <= 0 || (m <= side && n <= side)) {
        return operands + result;
    }
    const double outgrown = std::min(1.0, operands / accelerator.l2Bytes);
    const double again = m * k * std::max(0.0, n / side - 1) + k * n * std::max(0.0, m / side - 1);
    return operands + result + rereadMisses * outgrown * count * again * operandBytes;
}

/// see(const TileTerms&): the choices, each faster than the one before.
template <class See>
GemmSides sidesOf(const GemmShape& shape, DataType operands, const Accelerator& accelerator, const See& see)
{
    const Pace pace = paceOf(operands, accelerator);
    if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.count <= 0 || !(pace.flops > 0)) {
        return {};
    }
    const KernelConstants& constants = accelerator.kernels;
    const double m = static_cast<double>(shape.m);
    const double n = static_cast<double>(shape.n);
    const double k = static_cast<double>(shape.k);
    const double count = static_cast<double>(shape.count);
    const double cores = std::max(accelerator.cores, 1);
    const double perCore = 1 / cores;
    const double corePace = pace.flops * perCore * (shape.accumulate ? accumulationPace : 1);
    const double bandwidth = accelerator.memoryBandwidth * constants.memoryEfficiency;
    const double tileRows = constants.tileM;
    const double tileColumns = constants.tileN;
    const double bestReuse = tileRows * tileColumns / (tileRows + tileColumns);
    const double splitTime = splitLaunches * constants.launch;
    const double splitResultTime = bandwidth > 0 ? m * n * count * splitBytes / bandwidth : 0;
    const double mostSplits = pace.splits ? k / shortestSplit : 1;

    double compute = std::numeric_limits<double>::infinity();
    for (const TileChoice& choice : tileChoices) {
        const double rows = choice.rows * (choice.turned ? tileColumns : tileRows);
        const double columns = choice.columns * (choice.turned ? tileRows : tileColumns);
        // Operand loads per product grow as the tile shrinks; gemmTileFeed of them shows.
        const double feed = 1 + constants.gemmTileFeed * (bestReuse * (rows + columns) / (rows * columns) - 1);
        const double perK = 2 * rows * columns * feed / corePace;
        const double tiles = count * ceiling(m / rows) * ceiling(n / columns);
        const double waves = tiles * perCore;
        // Persistent kernels, and tiles that finish early, hide part of the idle cores of the last wave.
        const double busy =
            waves <= 1 ? 1 : constants.gemmWaveLoss * ceiling(waves) + (1 - constants.gemmWaveLoss) * waves;
        const double whole = busy * perK * (k + pace.fill);
        if (whole < compute) {
            compute = whole;
            see(TileTerms{rows, columns, feed, corePace, busy, k, pace.fill, 1, 0, 0});
        }
        if (2 * tiles <= cores && mostSplits >= 2) {
            const double splits = std::min(std::floor(cores / tiles), mostSplits);
            const double split = perK * (k / splits + pace.fill) + splitTime + splits * splitResultTime;
            if (split < compute) {
                compute = split;
                see(TileTerms{rows, columns, feed, corePace, 1, k, pace.fill, splits, splitTime, splitResultTime});
            }
        }
    }
    const double bytes = traffic(shape, bytesPerElement(operands), tileRows * tileColumns, accelerator);
    return {compute, bandwidth > 0 ? bytes / bandwidth : 0};
}

} // namespace

GemmSides gemmSides(const GemmShape& shape, DataType operands, const Accelerator& accelerator)
{
    return sidesOf(shape, operands, accelerator, [](const TileTerms&) {});
}

GemmTerms gemmTerms(const GemmShape& shape, DataType operands, const Accelerator& accelerator)
{
    GemmTerms terms;
    terms.sides = sidesOf(shape, operands, accelerator, [&](const TileTerms& tile) { terms.tile = tile; });
    return terms;
}

double overlapped(const GemmSides& sides, const Accelerator& accelerator)
{
    return std::max(sides.compute, sides.memory) + accelerator.kernels.exposure * std::min(sides.compute, sides.memory);
}

double leastGemmTime(const GemmShape& shape, DataType operands, const Accelerator& accelerator, bool longerK)
{
    const Pace pace = paceOf(operands, accelerator);
    if (!(pace.flops > 0)) {
        return 0;
    }
    const double products =
        2 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.count);
    const double k = static_cast<double>(shape.k) + (longerK ? 0 : pace.fill);
    return products * k / (pace.flops * (shape.accumulate ? accumulationPace : 1));
}

double gemmTime(const GemmShape& shape, DataType operands, const Accelerator& accelerator)
{
    return overlapped(gemmSides(shape, operands, accelerator), accelerator);
}

} // namespace partita
