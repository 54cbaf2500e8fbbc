// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

#include <vector>

namespace partita {

/// The same architecture smaller and larger, fewest parameters first, the model itself among them: hidden size, heads,
/// feed-forward widths and number of layers times a common factor from 1/2 to 2 (about 1/8 to 8 times the parameters),
/// head size, experts and vocabulary kept. Factors that do not give whole heads and widths are left out.
std::vector<Model> scaledModels(const Model& model);

} // namespace partita
