// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/collective_values.h"

#include <optional>
#include <string_view>
#include <vector>

namespace partita {

/// The exchange that a function of expressions stands for, of (devices, bytes): all_reduce, direct_all_reduce,
/// all_gather, reduce_scatter, all_to_all. Nothing when there is no such function of these numbers.
std::optional<CollectiveWork> namedExchange(const Cluster& cluster, std::string_view function,
                                            const std::vector<double>& numbers);
/// s
double timeOf(const Cluster& cluster, const CollectiveWork& work);

} // namespace partita
