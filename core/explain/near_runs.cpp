// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/explained_values.h"

#include <fmt/format.h>

namespace partita {

Measure measureOf(RunQuantity quantity)
{
    switch (quantity) {
    case RunQuantity::TokensPerDevice:
        return Measure::TokensPerSecond;
    case RunQuantity::StepTime:
        return Measure::Seconds;
    case RunQuantity::Mfu:
        return Measure::Share;
    case RunQuantity::PeakMemory:
        return Measure::Bytes;
    }
    return Measure::Plain;
}

std::string describe(const NearRun& run, RunQuantity quantity)
{
    const Measure measure = measureOf(quantity);
    return fmt::format("{} measured, {} predicted ({:+.1f} %)", formatMeasure(run.measured, measure),
                       formatMeasure(run.predicted, measure), run.error() * 100);
}

} // namespace partita
