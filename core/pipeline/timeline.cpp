// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/timeline.h"

namespace partita {

double Timeline::bubbleFraction() const
{
    double idle = 0;
    for (const StageTimeline& stage : stages) {
        idle += stage.idle;
    }
    const double total = makespan * static_cast<double>(stages.size());
    return total > 0 ? idle / total : 0;
}

} // namespace partita
