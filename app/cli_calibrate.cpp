// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_options.h"
#include "app/default_scenario.h"
#include "app/preset_folders.h"
#include "app/write_file.h"
#include "core/calibration/kernel_fit.h"
#include "core/calibration/stack_fit.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>

namespace partita::cli {

namespace {

using calibration::PresetChange;

/// Says which presets a fit changes and, when asked, changes them.
int settle(const Result<std::vector<PresetChange>>& changes, bool write)
{
    printProblems(changes.problems);
    int code = changes ? Done : FileTrouble;
    for (const PresetChange& change : changes ? *changes : std::vector<PresetChange>()) {
        const QString trouble = write
            ? ui::writeFile(QString::fromStdString(change.file.string()), QByteArray::fromStdString(change.text))
            : QString();
        fmt::print("{} {}\n", write ? "changed" : "would change", change.file.string());
        if (!trouble.isEmpty()) {
            printProblems({{change.file.string(), {}, trouble.toStdString(), {}}});
            code = FileTrouble;
        }
    }
    return code;
}

} // namespace

int calibrateVerb(const Words& words)
{
    const std::vector<Option> options{{"--kernels", "FOLDER", "fit kernel constants to its gemm/*.csv and attn/*.csv"},
                                      {"--runs", "FILE|FOLDER", "fit stacks to runs; further ones may follow it"},
                                      {"--write", "PRESETS", "put the values into this preset folder"},
                                      {"--help", "", "print this"}};
    const Result<Arguments> arguments = parseArguments(words, options, std::numeric_limits<std::size_t>::max());
    if (!arguments) {
        return usageError(arguments.problems, "calibrate");
    }
    if (arguments->has("--help")) {
        fmt::print(
            "usage: partita calibrate [--kernels FOLDER] [--runs FILE|FOLDER...] [--write PRESETS]\n\n"
            "Fits constants of accelerators and stacks to measurements; prints the errors before and after by\n"
            "table and source, the values, and the presets that would change. Minutes for a thousand runs.\n\n{}",
            describeOptions(options));
        return Done;
    }
    std::vector<std::filesystem::path> runFiles(arguments->positional.begin(), arguments->positional.end());
    for (const auto& [name, value] : arguments->options) {
        if (name == "--runs") {
            runFiles.emplace_back(value);
        }
    }
    const std::optional<std::string> tables = arguments->valueOf("--kernels");
    if (!tables && runFiles.empty()) {
        return usageError({{"--runs", {}, "nothing to fit to is named", "--kernels FOLDER or --runs FILE"}},
                          "calibrate");
    }
    const std::optional<std::string> target = arguments->valueOf("--write");
    const std::vector<std::string> folders = presetFolders();
    const std::filesystem::path presets = target.value_or(folders.empty() ? std::string() : folders.front());
    Catalogue catalogue = loadPresets();
    const auto log = [](const std::string& text) {
        fmt::print("{}", text);
        std::fflush(stdout);
    };
    int code = Done;
    if (tables) {
        const auto fitted = calibration::fitKernels(*tables, catalogue, log);
        if (fitted.empty()) {
            printProblems({{*tables, {}, "has no kernel tables", "a folder with gemm/*.csv"}});
            return FileTrouble;
        }
        code = std::max(code, settle(changedPresets(fitted, presets), target.has_value()));
        for (const calibration::FittedKernels& each : fitted) { // runs are then fitted with what was found
            for (Accelerator& accelerator : catalogue.accelerators) {
                if (accelerator.id == each.accelerator) {
                    accelerator.kernels = each.constants;
                }
            }
        }
    }
    if (!runFiles.empty()) {
        const LoadedRuns runs = loadRuns(runFiles);
        printProblems(runs.problems);
        if (runs.files.empty()) {
            return FileTrouble;
        }
        code = std::max(
            code,
            settle(changedPresets(calibration::fitStacks(runs.files, catalogue, log), presets), target.has_value()));
    }
    return code;
}

} // namespace partita::cli
