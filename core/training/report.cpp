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

} // namespace partita
