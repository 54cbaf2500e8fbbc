// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace partita {

/// "Llama 3.1 70B on 64 × NVIDIA H100 SXM 80GB".
std::string modelOnDevices(const Scenario& scenario);

/// The name somebody gave the scenario; else its model and devices.
std::string titleOf(const Scenario& scenario);

} // namespace partita
