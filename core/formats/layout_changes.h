// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/layout/layout.h"

#include <string_view>

namespace partita {

/// A layout changed as "tp=4, pp=2, recompute=full" says: keys and values as scenario files spell them, hyphens for
/// underscores allowed, numbers of a list joined by |. dp follows the devices unless it is stated, and 1F1B becomes
/// interleaved with more than one chunk unless the schedule is. Whether the layout is legal is not asked.
Result<Layout> readLayoutChanges(std::string_view text, const Layout& base, std::int64_t devices);

} // namespace partita
