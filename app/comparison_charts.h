// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "widgets/chart.h"

#include <memory>
#include <vector>

namespace partita::ui {

/// A legal scenario among others: named by its layout, and by its model where those differ.
std::vector<ComparedLayout> comparedLayouts(const std::vector<std::pair<Scenario, std::shared_ptr<const Report>>>& all);

/// For a document: step time, memory and MFU of all layouts on one axis with the way from the first to each other, and
/// the pipelines of the two on one time axis.
std::vector<std::shared_ptr<const Chart>> comparisonCharts(const std::vector<ComparedLayout>& layouts);

/// The scenarios' own text, for documents that show the comparison.
std::vector<std::string> provenanceOf(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue);

/// What differs: a column a layout, headed A, B, ...
ChartTable differenceTable(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue);

/// The same as a chart of its own, "compare-differences": raw numbers with their key and unit in its table. Of two at
/// least.
std::shared_ptr<const Chart> differenceChart(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue);

} // namespace partita::ui
