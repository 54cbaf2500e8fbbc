// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace partita::calibration {

/// Replaces the number behind a key that a preset file holds once, keeping the rest byte for byte; false when it does not.
bool writeNumber(const std::filesystem::path& preset, const std::string& key, double value);

} // namespace partita::calibration
