// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/scenario/scenario.h"
#include "core/search/search_space.h"

namespace partita {

/// Says that a space holds no legal layout, and which of its limits, lifted alone, would give it some. The model must
/// be legal.
Problem noLayout(const Scenario& scenario, const SearchSpace& space);

} // namespace partita
