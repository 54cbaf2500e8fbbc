// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <filesystem>
#include <string>

namespace partita::calibration {

/// As the preset file of a link.
std::string linkAsJson(Link link);
/// Writes the preset of a link, ID.json, into a folder; false when it cannot be written.
bool writeLink(const std::filesystem::path& folder, const Link& link);

} // namespace partita::calibration
