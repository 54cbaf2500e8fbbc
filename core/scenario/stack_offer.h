// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"

#include <algorithm>
#include <string>
#include <vector>

namespace partita {

/// Whether a list of an Offer has a value.
template <class T> bool offers(const std::vector<T>& offered, T value)
{
    return offered.empty() || std::find(offered.begin(), offered.end(), value) != offered.end();
}

/// Whether all that is known of a stack is how it serves: a training step is priced with the usual constants then.
bool servesOnly(const Stack& stack);
/// That in a sentence; empty of a stack that trains.
std::string servesOnlyText(const Stack& stack);

/// What of the scenario's layout its stack cannot run, a sentence each.
std::vector<std::string> beyondOffer(const Scenario& scenario);

/// What a stack can run, on one line: "tp, cp, ep, dp, pp; 1F1B, Interleaved 1F1B; ZeRO 0, 1; ..."; empty for one
/// without limits.
std::string describe(const Offer& offer);

} // namespace partita
