// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"

#include <string>

namespace partita {

/// A Timeline as a Chrome trace (JSON object format of the Trace Event Format), which Perfetto and chrome://tracing
/// open: one thread per stage with a complete event ("X") per op, those of the whole step included, and one counter
/// ("C") per stage of the micro-batches it holds. Times are µs. Events are in order of stage, then time. The text ends
/// in a newline.
std::string timelineTrace(const Timeline& timeline);

} // namespace partita
