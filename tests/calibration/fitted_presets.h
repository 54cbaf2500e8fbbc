// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <filesystem>
#include <string>

namespace partita::calibration {

/// Three significant digits: more would claim what measured tables do not know.
double threeDigits(double value);

/// As the "kernels" object of an accelerator's preset.
std::string kernelsAsJson(const KernelConstants& kernels);
/// Replaces the "kernels" object of a preset file, nothing else; false when the file cannot be read or written.
bool writeKernels(const std::filesystem::path& preset, const KernelConstants& kernels);

/// As the preset file of a link.
std::string linkAsJson(Link link);
/// Writes the preset of a link, ID.json, into a folder; false when it cannot be written.
bool writeLink(const std::filesystem::path& folder, const Link& link);

} // namespace partita::calibration
