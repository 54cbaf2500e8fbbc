// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace partita {

/// Where presets are read from, without Qt so that no verb needs it: $PARTITA_PRESETS, or else the folder installed
/// beside the program, or else the source tree's; then the user's own, whose files win. Folders that do not exist are
/// left out.
std::vector<std::string> presetFolders();

/// The folder of the user's own presets; empty when there is no home.
std::string userPresetFolder();

} // namespace partita
