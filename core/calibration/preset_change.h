// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/cluster/accelerator.h"

#include <filesystem>
#include <functional>
#include <string>

namespace partita::calibration {

/// Takes what a fit has to say, in pieces of whole lines.
using Log = std::function<void(const std::string&)>;

/// A preset file as a fit would have it. Writing it is the caller's.
struct PresetChange {
    std::filesystem::path file;
    std::string text;
};

/// The text with the number behind a key that it holds once replaced, the rest byte for byte.
Result<std::string> withNumber(const std::string& text, const std::string& key, double value);
/// The text of an accelerator's preset with its "kernels" replaced, nothing else.
Result<std::string> withKernels(const std::string& text, const KernelConstants& kernels);

/// Three significant digits: more would claim what measured tables do not know.
double threeDigits(double value);
/// As the "kernels" object of an accelerator's preset.
std::string kernelsAsJson(const KernelConstants& kernels);

} // namespace partita::calibration
