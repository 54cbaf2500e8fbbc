// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/accelerator.h"

#include <filesystem>
#include <string>

namespace partita::calibration {

/// As the "kernels" object of an accelerator's preset.
std::string kernelsAsJson(const KernelConstants& kernels);
/// Replaces the "kernels" object of a preset file, nothing else; false when the file cannot be read or written.
bool writeKernels(const std::filesystem::path& preset, const KernelConstants& kernels);

} // namespace partita::calibration
