// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/preset_change.h"
#include "core/formats/catalogue.h"

#include <filesystem>
#include <string>
#include <vector>

namespace partita::calibration {

struct FittedKernels {
    std::string accelerator; ///< preset id
    KernelConstants constants;
};

/// Fits the kernel constants of every accelerator that has measured tables in a folder (gemm/*.csv, attn/*.csv), and
/// gives them to relatives without a table. Tells the error of the presets and of the fit by class of shape, and the
/// constants. Every second row is fitted, the others are scored. Levels of attention are taken from publications and
/// stay. Empty when the folder has no tables.
std::vector<FittedKernels> fitKernels(const std::filesystem::path& tables, const Catalogue& catalogue, const Log& log);

/// The files of a preset folder that the constants change.
Result<std::vector<PresetChange>> changedPresets(const std::vector<FittedKernels>& fitted,
                                                 const std::filesystem::path& presets);

} // namespace partita::calibration
