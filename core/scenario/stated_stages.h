// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/scenario/scenario.h"

#include <string>
#include <string_view>

namespace partita {

/// The scenario with its layers placed as a layout string says (core/layout/pipeline_layout_string.h): as many virtual
/// stages as the chunks ask for, pp kept. Where prediction modules stand is read but not kept: they live in the last
/// chunk.
Result<Scenario> withPipelineLayout(const Scenario& scenario, std::string_view text);

/// The layout string of layers per chunk of the scenario's model.
std::string pipelineLayoutText(const Scenario& scenario, const std::vector<int>& layers);

} // namespace partita
