// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/constant_search.h"
#include "core/formats/catalogue.h"
#include "core/runs/load_runs.h"

#include <vector>

namespace partita::calibration {

/// Fits the constants of software stacks, and the rate accelerators sustain in training, to measured runs. Tells the
/// error of every source before and after, and the values. The cost is the mean over sources of the mean absolute
/// logarithm of predicted over measured tokens/s, so that a sweep of a hundred rows weighs as much as a source of ten.
/// Constants belong to a stack or to an accelerator family, never to a source.
Fit fitStacks(const std::vector<RunFile>& runs, const Catalogue& catalogue, const Log& log);

/// The files of a preset folder that the numbers change.
Result<std::vector<PresetChange>> changedPresets(const std::vector<FittedNumber>& numbers,
                                                 const std::filesystem::path& presets);

} // namespace partita::calibration
