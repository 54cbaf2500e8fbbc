// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/report.h"

#include <numeric>

namespace partita {

double MemoryBreakdown::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

double TimeBreakdown::total() const
{
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double TimeBreakdown::exposedCommunication() const
{
    return (*this)[TimeKind::TpExposed] + (*this)[TimeKind::CpExposed] + (*this)[TimeKind::EpExposed]
        + (*this)[TimeKind::PpExposed] + (*this)[TimeKind::DpExposed];
}

double TimeBreakdown::compute() const
{
    return (*this)[TimeKind::Gemm] + (*this)[TimeKind::Attention] + (*this)[TimeKind::Scan]
        + (*this)[TimeKind::Elementwise] + (*this)[TimeKind::Recompute] + (*this)[TimeKind::Host];
}

TimeBreakdown& TimeBreakdown::operator+=(const TimeBreakdown& other)
{
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        seconds[i] += other.seconds[i];
    }
    return *this;
}

TimeBreakdown TimeBreakdown::scaled(double factor) const
{
    TimeBreakdown result;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        result.seconds[i] = seconds[i] * factor;
    }
    return result;
}

} // namespace partita
