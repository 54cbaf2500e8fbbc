// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gemm_times.h"

namespace partita {

namespace {

constexpr std::size_t places = std::size_t{1} << 11; // some 96 KB

std::size_t placeOf(const GemmShape& shape, DataType operands)
{
    std::uint64_t hash = shape.accumulate ? 1 : 0;
    for (const std::int64_t part : {shape.m, shape.n, shape.k, shape.count, static_cast<std::int64_t>(operands)}) {
        hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15U; // 2^64 over the golden ratio
        hash ^= hash >> 32;
    }
    return hash % places;
}

} // namespace

GemmTimes::GemmTimes(const Accelerator& accelerator)
    : m_accelerator(accelerator)
    , m_known(places)
{
}

double GemmTimes::operator()(const GemmShape& shape, DataType operands)
{
    Known& known = m_known[placeOf(shape, operands)];
    if (known.seconds < 0 || known.shape != shape || known.operands != operands) {
        known = {shape, operands, gemmTime(shape, operands, m_accelerator)};
    }
    return known.seconds;
}

} // namespace partita
