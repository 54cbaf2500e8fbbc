// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/layout/layout.h"

#include <string>
#include <string_view>

namespace partita {

/// The field, as scenario files spell it, that a typed word means: in capitals or not, hyphens for underscores,
/// "zero", "sp", "mbs".
std::string layoutKey(std::string_view word);

/// What rankOrderText() writes, as Megatron-LM's order strings do: every axis exactly once.
Result<std::array<Axis, 5>> readRankOrder(std::string_view text);

} // namespace partita
