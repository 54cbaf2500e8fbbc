// SPDX-License-Identifier: GPL-3.0-or-later
// Fits the constants of serving engines to measured serving points:
//   fit_engines [--write PRESETS] POINTS.json ...
// Prints the error of every source before and after, and the values found; --write puts them into the presets.
#include "core/calibration/engine_fit.h"
#include "tests/calibration/write_changes.h"

#include <cstring>

using namespace partita;
using namespace partita::calibration;

int main(int argc, char** argv)
{
    std::filesystem::path write;
    std::vector<std::filesystem::path> files;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--write") == 0 && i + 1 < argc) {
            write = argv[++i];
        } else {
            files.emplace_back(argv[i]);
        }
    }
    const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    const LoadedRuns runs = loadRuns(files);
    for (const Problem& problem : runs.problems) {
        fmt::print(stderr, "{}\n", describe(problem));
    }
    const auto numbers = fitEngines(runs.files, catalogue, [](const std::string& text) { fmt::print("{}", text); });
    return write.empty() ? 0 : writeChanges(changedPresets(numbers, write));
}
