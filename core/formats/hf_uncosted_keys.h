// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace partita {

/// Whether a key of config.json is one of the usual ones that say nothing about size or speed: tokens, initialisation,
/// dropout, numerics, generation, training loss. Internal to core/formats.
bool isUncosted(std::string_view key);

} // namespace partita
