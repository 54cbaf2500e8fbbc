// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/optimum.h"
#include "core/advice/why_not.h"
#include "widgets/compare_chart.h"
#include "widgets/table_chart.h"

#include <vector>

namespace partita::ui {

/// A step a row, what is advised, and, where it is known, how far that is from the best.
TableChart adviceChart(const Advice& advice, const std::optional<Optimum>& optimum);

/// What is advised and what was asked about, to be compared; none where one of them is illegal. The scenario's memory
/// is what the limits leave of it.
std::vector<ComparedLayout> comparedIn(const WhyNot& answer, const Scenario& scenario, const SearchSpace& limits);

/// The way from what is advised to what was asked about: of memory where that lacks some, of MFU where the batches
/// differ, else of the step time.
CompareChart whyNotChart(const WhyNot& answer, std::vector<ComparedLayout> layouts);

} // namespace partita::ui
