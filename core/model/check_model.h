// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/model/model.h"

namespace partita {

/// Bounds of a model that can be costed. They keep every count below exact in 64 bits and every evaluation short.
struct ModelBounds {
    static constexpr std::int64_t layers = 10'000;
    static constexpr std::int64_t kinds = 1'000; ///< distinct layers
    static constexpr std::int64_t width = 10'000'000;
    static constexpr std::int64_t heads = 100'000;
    static constexpr std::int64_t experts = 100'000;
    static constexpr std::int64_t vocabulary = 100'000'000;
    static constexpr std::int64_t tokens = 1'000'000'000; ///< positions, windows
    static constexpr std::int64_t predictionModules = 100;
    static constexpr double parameters = 1e15;
};

/// Everything about a model that is out of bounds or contradicts itself; fields as "kinds[1].mixer.heads".
/// Empty means: parameters() and whatever is computed from it are exact.
Problems checkModel(const Model& model);

} // namespace partita
