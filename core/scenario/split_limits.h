// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partita {

/// What stands against a degree, as the end of a sentence that begins with the degree's value; empty when it fits.
/// Degrees must be at least one.
std::string tensorObjection(const Model& model, std::int64_t tp);
std::string contextObjection(const Scenario& scenario, std::int64_t cp, std::int64_t tp);
std::string sequenceParallelObjection(const Scenario& scenario, std::int64_t tp, std::int64_t cp);
std::string expertObjection(const Model& model, std::int64_t ep);
std::string expertTensorObjection(const Model& model, std::int64_t etp);

bool isMoe(const Model& model);
/// Most of the model's dimension that tensor parallelism could split: no legal tensor degree is larger.
std::int64_t largestTensorDegree(const Model& model);

/// Product that stops at the largest value instead of overflowing; factors are not negative.
std::int64_t boundedProduct(std::int64_t a, std::int64_t b);
/// Such a product in words: where it stopped, that it is more.
std::string productText(std::int64_t product);
/// Devices of the cluster, bounded as above; 0 for a cluster without any.
std::int64_t deviceCount(const Cluster& cluster);
/// Divisors of n up to a limit, ascending.
std::vector<std::int64_t> divisors(std::int64_t n, std::int64_t limit);

} // namespace partita
