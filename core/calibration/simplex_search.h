// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

namespace partita::calibration {

/// Minimum of cost near start by the downhill simplex method (Nelder and Mead 1965), restarted from its own result
/// until a restart gains less than a thousandth.
std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& cost, std::vector<double> start,
                             double firstStep);

} // namespace partita::calibration
