// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"

namespace partita {

/// Forward FLOPs of one sequence through the whole model, whatever the layout.
struct ForwardFlops {
    double products = 0; ///< weight products, head included
    double causalCore = 0; ///< attention core and scans, masked scores left out
    double fullCore = 0; ///< the same with all s x s scores
    double layerProducts = 0; ///< products without the head
    double expertProducts = 0; ///< those of mixtures of experts, routers and shared experts included

    bool operator==(const ForwardFlops&) const = default;
};

ForwardFlops forwardFlops(const Model& model, std::int64_t sequence);

} // namespace partita
