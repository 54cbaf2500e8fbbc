// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace partita {

struct Layout;
struct Report;

/// The numbers (true is 1) and texts of a JSON text by their paths: "memory.stages[0].total". What is null is left out.
using FlatJson = std::map<std::string, std::variant<double, std::string>, std::less<>>;

FlatJson flatten(std::string_view jsonText);
/// A layout as files have it.
FlatJson flatten(const Layout& layout);
/// A report as `partita evaluate --json` prints it, its layout under "layout." and its workload under "workload.".
FlatJson flatten(const Report& report, const Scenario& scenario, const Catalogue& catalogue);

/// Fields of scenario files and what they are to be, as JSON text: "layout.pp", "8".
using FieldValues = std::map<std::string, std::string, std::less<>>;

/// The scenario with fields changed, also inside what is a preset ("stack.expert_imbalance"). Problems as
/// readScenario() finds them.
Result<Scenario> withFields(const Scenario& scenario, const FieldValues& fields, const Catalogue& catalogue);

/// Paths at which the files of two scenarios differ, in the order of the alphabet; their names left aside.
std::vector<std::string> differingFields(const Scenario& a, const Scenario& b, const Catalogue& catalogue);

} // namespace partita
