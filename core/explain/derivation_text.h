// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/explained_values.h"

namespace partita {

/// A derivation for the terminal: formula, numbers, terms unfolded `depth` levels deep, sources, assumptions, nearest
/// runs. What has been unfolded so deep before is named, not repeated. Ends in a newline.
std::string derivationText(const ExplainedValues& values, const Derivation& derivation, int depth);

/// The same for programs: names and values in base units. "derivations" has what the terms' paths lead to, `depth`
/// levels deep, every path once.
std::string writeDerivation(const ExplainedValues& values, const Derivation& derivation, int depth);

/// {"values": [{"path", "name", "value", "unit"}]}.
std::string writeValues(const ExplainedValues& values, const std::vector<std::string>& paths);

} // namespace partita
