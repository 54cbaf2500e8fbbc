// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/score.h"

#include <string>

namespace partita {

/// Tables for a terminal: throughput by source, memory by source and kind, fit or out of memory, why rows were skipped.
std::string scoreText(const Score& score);
/// The same figures as Markdown tables, for documents.
std::string scoreMarkdown(const Score& score);

} // namespace partita
