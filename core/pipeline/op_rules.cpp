// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/op_rules.h"

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

/// Whether the table has a legal time for every cell of every rank.
bool fits(const std::vector<std::vector<double>>& table, const Placement& placement, int cells)
{
    const auto legal = [](double seconds) { return seconds >= 0 && std::isfinite(seconds); };
    return table.size() == static_cast<std::size_t>(placement.stages)
        && std::all_of(table.begin(), table.end(), [&](const std::vector<double>& row) {
               return row.size() == static_cast<std::size_t>(cells) && std::all_of(row.begin(), row.end(), legal);
           });
}

} // namespace

Problems checkTimes(const StageTimes& times, const Placement& placement)
{
    const int chunks = placement.chunks;
    if (!fits(times.forward, placement, chunks) || !fits(times.backwardInput, placement, chunks)
        || !fits(times.backwardWeight, placement, chunks) || !(times.transfer >= 0) || !(times.overlapped >= 0)
        || !(times.hiddenInPair.empty() || fits(times.hiddenInPair, placement, chunks * chunks))
        || !(times.exchange.empty() || times.exchange.size() == placement.links.size())) {
        return {{"schedule.times", "", "every chunk of every stage needs a finite time of at least 0 s", ""}};
    }
    return {};
}

double secondsOf(const StageTimes& times, std::size_t row, const Placement& placement, const ScheduleOp& op)
{
    const auto at = [row](const std::vector<std::vector<double>>& table, std::int16_t chunk) {
        return table[row][static_cast<std::size_t>(chunk)];
    };
    switch (op.kind) {
    case OpKind::Forward:
        return at(times.forward, op.chunk);
    case OpKind::BackwardInput:
        return at(times.backwardInput, op.chunk);
    case OpKind::BackwardWeight:
        return at(times.backwardWeight, op.chunk);
    case OpKind::Backward:
        return at(times.backwardInput, op.chunk) + at(times.backwardWeight, op.chunk);
    default:
        break;
    }
    const double shown = times.overlapped > 0 ? times.overlapped * placement.stageShare()
                                              : at(times.forward, op.chunk) + at(times.backwardInput, op.partnerChunk)
            + at(times.backwardWeight, op.partnerChunk);
    return std::max(0.0, shown - times.hidden(row, placement.chunks, op.chunk, op.partnerChunk));
}

} // namespace partita
