// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/explainer.h"

namespace partita {

/// A derivation for the terminal: formula, numbers, terms unfolded `depth` levels deep, sources, assumptions, nearest
/// runs. Ends in a newline.
std::string derivationText(const Explainer& explainer, const Derivation& derivation, int depth);

/// The same for programs: names and values in base units, every term unfolded `depth` levels deep.
std::string writeDerivation(const Explainer& explainer, const Derivation& derivation, int depth);

/// {"values": [{"path", "name", "value", "unit"}]}.
std::string writeValues(const Explainer& explainer, const std::vector<std::string>& paths);

} // namespace partita
