// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "core/explain/joint_explainer.h"

namespace partita {

/// Derives what a comparison shows. Of layouts A, B, ...: "a.step_time_s", the report of A; "ab.step_time_s", the
/// change from A to B; "ab.waterfall.step_time.steps[0].change", a bar of the way from A to B. A setting is
/// "a.layout.tp". rows: differingRows(layouts); runs must outlive the explainer.
std::unique_ptr<JointExplainer> explainComparison(const std::vector<ComparedLayout>& layouts,
                                                  const std::vector<ComparisonRow>& rows,
                                                  const std::vector<ComparableRun>& runs);

/// Where a report has the quantity: "step_time_s".
std::string_view pathOf(ComparedQuantity quantity);
/// Where a report has a part of it: "time.parts.gemm", the fullest stage's "memory.stages[0].weights".
std::string partPath(ComparedQuantity quantity, int category, const Report& report);
/// "a.step_time_s": what a cell of the table of differences shows.
std::string comparedPath(std::size_t layout, std::string_view key);
/// "ab.waterfall.step_time.": what the waterfall from one layout to another shows.
std::string waterfallPath(std::size_t from, std::size_t to, ComparedQuantity quantity);

} // namespace partita
