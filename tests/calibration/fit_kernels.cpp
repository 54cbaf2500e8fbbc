// SPDX-License-Identifier: GPL-3.0-or-later
// fit_kernels [--write] [DIRECTORY]: fits the kernel constants of every accelerator that has measured tables in
// DIRECTORY (gemm/*.csv, attn/*.csv; default ../shared/data/kernels), prints the error of the presets and of the fit by
// class of shape, and the constants. --write puts them into presets/accelerators, also of relatives without a table.
#include "core/calibration/kernel_fit.h"
#include "tests/calibration/write_changes.h"

using namespace partita;
using namespace partita::calibration;

int main(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool writes = !arguments.empty() && arguments.front() == "--write";
    const std::size_t next = writes ? 1 : 0;
    const std::filesystem::path tables = next < arguments.size() ? arguments[next] : PARTITA_SHARED_DIR "/data/kernels";
    const std::filesystem::path presets = PARTITA_SOURCE_DIR "/presets";
    const auto fitted =
        fitKernels(tables, loadCatalogue({presets}), [](const std::string& text) { fmt::print("{}", text); });
    if (fitted.empty()) {
        fmt::print(stderr, "no kernel tables in {}\n", tables.string());
        return 1;
    }
    return writes ? writeChanges(changedPresets(fitted, presets)) : 0;
}
