// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_input.h"
#include "app/default_scenario.h"
#include "app/option_reader.h"
#include "core/base/format.h"
#include "core/formats/files.h"
#include "core/formats/import_file.h"
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

int printTrace(const Arguments& arguments, const std::string& path, const std::string& text)
{
    const Result<ImportedTrace> trace = readTrace(text);
    if (!trace) {
        return refuse(arguments, within(inputName(path), trace.problems), NotLegal);
    }
    fmt::print("{}", describeTrace(*trace, arguments.has("--json")));
    return Done;
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    if (arguments.positional.empty()) {
        reader.refuse(Usage, {"FILE", {}, "is missing", "a file, or - for standard input"});
    }
    if (!reader.fine()) {
        return reader.refusal();
    }
    const std::string& path = arguments.positional.front();
    Input input = readInput(path);
    if (input.exitCode == NotLegal && path != "-") { // too large for anything but a trace
        Input large = readInput(path, mostTraceBytes);
        if (looksLikeTrace(large.text)) {
            input = std::move(large);
        }
    }
    if (input.exitCode != Done) {
        return refuse(arguments, input.problems, input.exitCode);
    }
    if (looksLikeTrace(input.text)) {
        return printTrace(arguments, path, input.text);
    }
    const Catalogue catalogue = loadPresets();
    const Result<ImportedFile> file = readAnyFile(input.text, std::filesystem::path(path).stem().string(), catalogue);
    if (!file) {
        return refuse(arguments, within(inputName(path), file.problems), NotLegal);
    }
    if (arguments.has("--json")) {
        fmt::print("{}", writeImport(*file, catalogue));
    } else {
        printUnderstood(*file);
    }
    return Done;
}

} // namespace

Verb importVerb()
{
    return {"partita import FILE|- [--json]\n\n"
            "FILE is a Hugging Face config.json, a params.json, a scenario, or a Chrome trace of a step;\n"
            "`partita schedule SCENARIO --measured FILE` lays a trace beside the prediction.",
            {{"--json", "", "print as JSON"}},
            1,
            run};
}

} // namespace partita::cli
