// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kernel_time.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace partita {

namespace {

/// The library's choices: the big tile, and smaller ones that trade operand reuse for fitting a narrow output.
struct TileChoice {
    int divideM;
    int divideN;
};

constexpr std::array tileChoices{TileChoice{1, 1}, TileChoice{1, 2}, TileChoice{2, 1}, TileChoice{1, 4},
                                 TileChoice{2, 2}};
constexpr std::array splits{1.0, 2.0, 4.0, 8.0};

double shareOfPeak(DataType type, const Accelerator& accelerator)
{
    const KernelConstants& constants = accelerator.kernels;
    const double bytes = bytesPerElement(type);
    if (bytes < 0.75 && accelerator.peak.fp4 > 0) {
        return constants.fp4Efficiency;
    }
    if (bytes < 1.5 && accelerator.peak.fp8 > 0) {
        return constants.fp8Efficiency;
    }
    return constants.gemmEfficiency;
}

} // namespace

double gemmTime(const GemmShape& shape, DataType operands, const Accelerator& accelerator)
{
    if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.count <= 0) {
        return 0;
    }
    const KernelConstants& constants = accelerator.kernels;
    const double m = static_cast<double>(shape.m);
    const double n = static_cast<double>(shape.n);
    const double k = static_cast<double>(shape.k);
    const double count = static_cast<double>(shape.count);
    const double cores = std::max(accelerator.cores, 1);
    const double corePeak = peakFor(accelerator, operands) * shareOfPeak(operands, accelerator) / cores;
    const double bandwidth = accelerator.memoryBandwidth * constants.memoryEfficiency;

    double compute = HUGE_VAL;
    for (const TileChoice& choice : tileChoices) {
        const double tileM = constants.tileM / choice.divideM;
        const double tileN = constants.tileN / choice.divideN;
        // Operand bytes a tile loads per product grow as it shrinks; half of the gap shows.
        const double reuse = tileM * tileN / (tileM + tileN);
        const double bestReuse = double{1} * constants.tileM * constants.tileN / (constants.tileM + constants.tileN);
        const double feed = 0.5 + 0.5 * reuse / bestReuse;
        const double tiles = count * std::ceil(m / tileM) * std::ceil(n / tileN);
        for (const double split : splits) {
            const double waves = tiles * split / cores;
            // Past one wave, persistent kernels and tail overlap hide half of the idle last wave.
            const double quantised = waves <= 1 ? 1 : 0.5 * (std::ceil(waves) + waves);
            const double perTile = 2 * tileM * tileN * (k / split + constants.gemmKHalf) / (corePeak * feed);
            const double reduction = split > 1 ? (split * 4 * 2 * m * n * count) / (2 * bandwidth) : 0;
            compute = std::min(compute, quantised * perTile + reduction);
        }
    }
    const double operandBytes = bytesPerElement(operands);
    const double memory = count * ((m * k + k * n) * operandBytes + m * n * 2) / bandwidth;
    return std::max(compute, memory);
}

} // namespace partita
