// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/option_reader.h"
#include "app/preset_folders.h"
#include "app/write_file.h"
#include "core/calibration/engine_fit.h"
#include "core/calibration/kernel_fit.h"
#include "core/calibration/stack_fit.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>

namespace partita::cli {

namespace {

using calibration::PresetChange;

void print(const std::string& text)
{
    fmt::print("{}", text);
    std::fflush(stdout);
}

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

/// Fits to kernel tables; runs are then fitted with what was found.
int fitToTables(const Arguments& arguments, const std::string& tables, const std::filesystem::path& presets,
                Catalogue& catalogue)
{
    const auto fitted = calibration::fitKernels(tables, catalogue, print);
    if (fitted.empty()) {
        return refuse(arguments, {{tables, {}, "has no kernel tables", "a folder with gemm/*.csv"}}, FileTrouble);
    }
    for (const calibration::FittedKernels& each : fitted) {
        for (Accelerator& accelerator : catalogue.accelerators) {
            if (accelerator.id == each.accelerator) {
                accelerator.kernels = each.constants;
            }
        }
    }
    return settle(changedPresets(fitted, presets), arguments.has("--write"));
}

int fitToRuns(const Arguments& arguments, const std::vector<std::filesystem::path>& files,
              const std::filesystem::path& presets, const Catalogue& catalogue)
{
    const LoadedRuns runs = loadRuns(files);
    if (runs.files.empty()) {
        return refuse(arguments, runs.problems, withoutRows(runs));
    }
    printProblems(runs.problems);
    calibration::Fit fit = calibration::fitStacks(runs.files, catalogue, print);
    const calibration::Fit engines = calibration::fitEngines(runs.files, catalogue, print);
    if (fit.rows + engines.rows == 0) {
        return refuse(arguments, {{"--runs", {}, "no row can be fitted to", "partita score says why"}},
                      withoutRows(runs));
    }
    fit.numbers.insert(fit.numbers.end(), engines.numbers.begin(), engines.numbers.end());
    return settle(changedPresets(fit.numbers, presets), arguments.has("--write"));
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    std::vector<std::filesystem::path> runFiles(arguments.positional.begin(), arguments.positional.end());
    for (const std::string& file : arguments.valuesOf("--runs")) {
        runFiles.emplace_back(file);
    }
    const std::optional<std::string> tables = arguments.valueOf("--kernels");
    if (!tables && runFiles.empty()) {
        reader.refuse(Usage, {"--runs", {}, "nothing to fit to is named", "--kernels FOLDER or --runs FILE"});
    }
    if (!reader.fine()) {
        return reader.refusal();
    }
    const std::vector<std::string> folders = presetFolders();
    const std::filesystem::path presets =
        arguments.valueOf("--write").value_or(folders.empty() ? std::string() : folders.front());
    Catalogue catalogue = loadPresets();
    int code = Done;
    if (tables) {
        code = fitToTables(arguments, *tables, presets, catalogue);
    }
    if (!runFiles.empty()) {
        code = std::max(code, fitToRuns(arguments, runFiles, presets, catalogue));
    }
    return code;
}

} // namespace

Verb calibrateVerb()
{
    return {"partita calibrate [--kernels FOLDER] [--runs FILE|FOLDER...] [--write PRESETS]\n\n"
            "Fits constants of accelerators, stacks and serving engines to measurements; prints the errors before\n"
            "and after by table and source, the values, and the presets that would change. Minutes for a thousand\n"
            "runs. Exit code 2 when no run can be fitted to, 3 when nothing could be read.",
            {{"--kernels", "FOLDER", "fit kernel constants to its gemm/*.csv and attn/*.csv"},
             {"--runs", "FILE|FOLDER", "fit stacks and engines to runs; further ones may follow it", Times::Often},
             {"--write", "PRESETS", "put the values into this preset folder"}},
            std::numeric_limits<std::size_t>::max(),
            run};
}

} // namespace partita::cli
