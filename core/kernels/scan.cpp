// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kernel_time.h"

#include <algorithm>

namespace partita {

namespace {

/// The short convolution is bound by instructions more than by traffic: its rate follows the vector units. In FP32
/// FLOPs an element; the causal_conv1d tables of H100, H200 and B200 agree within 15 %.
constexpr double convolutionWork = 85;

} // namespace

double convolutionTime(double elements, Pass pass, const Accelerator& accelerator)
{
    if (!(elements > 0)) {
        return 0;
    }
    const double once = accelerator.peak.vector > 0 ? elements * convolutionWork / accelerator.peak.vector : 0;
    // In and out; backward reads the input and the gradient, writes one, and works twice.
    const double work = pass == Pass::Forward ? once : 2 * once;
    const double traffic = memoryPassTime((pass == Pass::Forward ? 4 : 6) * elements, accelerator);
    return std::max(work, traffic) + accelerator.kernels.exposure * std::min(work, traffic);
}

double ScanShape::flops() const
{
    const double positions = static_cast<double>(tokens);
    const double state = static_cast<double>(stateSize);
    const double inner = static_cast<double>(heads) * static_cast<double>(headDim);
    const double length = static_cast<double>(chunk);
    const double wideKeys = static_cast<double>(heads) * state;
    const double sharedKeys = static_cast<double>(groups) * state;
    switch (kind) {
    case ScanKind::Selective:
        return positions * inner * state * 6; // decay, input, output: a multiply-add each
    case ScanKind::StateSpaceDual:
        return positions * (2 * length * (inner + sharedKeys) + 4 * state * inner);
    case ScanKind::GatedDelta:
        // A head and chunk: K Kt, Q Kt, the solved triangle on K and on V, scores on V; then three products with the
        // state.
        return positions * (2 * length * (3 * wideKeys + 2 * inner) + 6 * state * inner);
    }
    return 0;
}

double ScanShape::bytes() const
{
    const double positions = static_cast<double>(tokens);
    const double state = static_cast<double>(stateSize);
    const double inner = static_cast<double>(heads) * static_cast<double>(headDim);
    const double streams =
        positions * 2 * (2 * inner + 2 * static_cast<double>(groups) * state + static_cast<double>(heads));
    if (kind == ScanKind::Selective) {
        return streams + positions * 2 * inner; // one step size a channel
    }
    // FP32 state at every chunk border, written by one kernel, read and written by the pass over chunks, read by the
    // last.
    return streams + positions / static_cast<double>(chunk) * inner * state * 4 * 4;
}

double scanTime(const ScanShape& shape, Pass pass, const Accelerator& accelerator)
{
    if (shape.tokens <= 0 || shape.heads <= 0 || shape.headDim <= 0 || shape.chunk <= 0) {
        return 0;
    }
    const bool onVectorUnits = shape.kind == ScanKind::Selective;
    const double peak = onVectorUnits ? accelerator.peak.vector : matrixPeak(accelerator);
    const double compute = peak > 0 ? shape.flops() / (peak * accelerator.kernels.scanEfficiency) : 0;
    const double once = std::max(compute, memoryPassTime(shape.bytes(), accelerator));
    // Backward runs the forward again, then two products for each.
    return pass == Pass::Forward ? once : 3 * once;
}

} // namespace partita
