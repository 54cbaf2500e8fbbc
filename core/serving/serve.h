// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_report.h"
#include "core/serving/serving_terms.h"

namespace partita {

/// Latency, throughput and room of a scenario's model served as scenario.serving asks. Pure, a fraction of a
/// millisecond. terms: filled with what lies between, where the scenario is legal.
ServingReport serve(const Scenario& scenario, ServingTerms* terms = nullptr);

/// One batch size after the other, as serve() answers each; up to the first that finds no room, which is the last.
std::vector<ServingReport> sweepBatch(const Scenario& scenario, const std::vector<std::int64_t>& batches);

/// 1, 2, 4, ... up to the limit, and the limit.
std::vector<std::int64_t> batchLadder(std::int64_t largest);

} // namespace partita
