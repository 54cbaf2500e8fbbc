// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partita {

/// Every reason why the layout cannot run on this model and cluster, each with the nearest legal value. What a schedule
/// asks of pp, vpp and micro-batches is core/pipeline's to say. While a degree is below 1, only that is reported.
Problems checkLayout(const Scenario& scenario);

/// Legal but unwise: one sentence each (TP leaves the node, m < 4p, uneven stages, tp > kv heads, ...).
/// Empty for a layout with problems.
std::vector<std::string> adviseLayout(const Scenario& scenario);

/// The field of a layout a control edits.
enum class LayoutField { Tp, Cp, Pp, Vpp, Dp, Ep, Etp, MicroBatch, GlobalBatch };

/// Ascending values a slider may stop on for a field, the other degrees kept and dp solved to balance the devices.
std::vector<std::int64_t> legalStops(const Scenario& scenario, LayoutField field);

/// The layout with a field set and dp re-solved so that tp * cp * pp * dp = devices where that is possible; other
/// fields are moved to the nearest legal value only when they would become illegal (ep, etp, vpp, global batch, shard
/// group, and pp, cp, tp in that order of preference when no dp balances). An edited vpp turns 1F1B into its
/// interleaved form and back. A value that no balanced layout has is kept, for checkLayout() to explain.
Layout withField(const Scenario& scenario, LayoutField field, std::int64_t value);

} // namespace partita
