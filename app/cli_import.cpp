// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_input.h"
#include "app/cli_options.h"
#include "app/default_scenario.h"
#include "core/base/format.h"
#include "core/formats/import_file.h"
#include "core/formats/report_json.h"
#include "core/model/parameters.h"
#include "core/runs/trace_comparison.h"

#include <fmt/format.h>

#include <filesystem>

namespace partita::cli {

namespace {

void printLines(std::string_view heading, const std::vector<std::string>& lines)
{
    for (const std::string& line : lines) {
        fmt::print("{:<12}{}\n", heading, line);
        heading = "";
    }
}

void printUnderstood(const ImportedFile& file)
{
    const Model& model = modelOf(file);
    const ModelParameters count = parameters(model);
    fmt::print("{:<12}{}\n", kindOf(file), model.name);
    fmt::print("{:<12}{}, {} active per token\n", "parameters", formatCount(count.total()), formatCount(count.active));
    fmt::print("{:<12}{} layers, hidden {}, vocabulary {}\n", "sizes", model.layerCount(), formatCount(model.hidden),
               formatCount(model.vocabulary));
    if (const auto* imported = std::get_if<ImportedModel>(&file)) {
        printLines("assumed", imported->assumed);
        printLines("ignored", imported->ignored);
    }
}

} // namespace

int importVerb(const Words& words)
{
    const std::vector<Option> options{{"--json", "", "print as JSON"}, {"--help", "", "print this"}};
    const Result<Arguments> arguments = parseArguments(words, options, 1);
    if (!arguments) {
        return usageError(arguments.problems, "import");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita import FILE|- [--json]\n\n"
                   "FILE is a Hugging Face config.json, a params.json, a scenario, or a Chrome trace of a step;\n"
                   "`partita schedule SCENARIO --measured FILE` lays a trace beside the prediction.\n\n{}",
                   describeOptions(options));
        return Done;
    }
    if (arguments->positional.empty()) {
        return usageError({{"FILE", {}, "is missing", "a file, or - for standard input"}}, "import");
    }
    const bool asJson = arguments->has("--json");
    const std::string& path = arguments->positional.front();
    Input input = readInput(path);
    if (input.exitCode == NotLegal && path != "-") { // too large for anything but a trace
        Input large = readInput(path, mostTraceBytes);
        if (looksLikeTrace(large.text)) {
            input = std::move(large);
        }
    }
    if (input.exitCode != Done) {
        printProblems(input.problems);
        if (asJson) {
            fmt::print("{}", writeProblems(input.problems));
        }
        return input.exitCode;
    }
    if (looksLikeTrace(input.text)) {
        const Result<ImportedTrace> trace = readTrace(input.text);
        printProblems(trace.problems);
        if (trace || asJson) {
            fmt::print("{}", trace ? describeTrace(*trace, asJson) : writeProblems(trace.problems));
        }
        return trace ? Done : NotLegal;
    }
    const Catalogue catalogue = loadPresets();
    const Result<ImportedFile> file = readAnyFile(input.text, std::filesystem::path(path).stem().string(), catalogue);
    printProblems(file.problems);
    if (asJson) {
        fmt::print("{}", writeImport(file, catalogue));
    } else if (file) {
        printUnderstood(*file);
    }
    return file ? Done : NotLegal;
}

} // namespace partita::cli
