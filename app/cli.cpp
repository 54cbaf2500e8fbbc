// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"

#include "core/base/words.h"
#include "core/formats/report_json.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <system_error>

namespace partita::cli {

namespace {

struct NamedVerb {
    std::string_view name;
    std::string_view summary;
    Verb (*verb)();
};

constexpr std::array verbs{
    NamedVerb{"advise", "choose a layout step by step, and say why", adviseVerb},
    NamedVerb{"calibrate", "fit constants to measured kernels and runs", calibrateVerb},
    NamedVerb{"evaluate", "print what a scenario costs", evaluateVerb},
    NamedVerb{"explain", "derive a number of the report from its presets", explainVerb},
    NamedVerb{"export", "write a scenario's charts as files", exportVerb},
    NamedVerb{"import", "print what a file is understood to be", importVerb},
    NamedVerb{"lessons", "list lessons, or check one", lessonsVerb},
    NamedVerb{"presets", "list models, accelerators, clusters and stacks known by name", presetsVerb},
    NamedVerb{"report", "write a report of a scenario, as HTML or PDF", reportVerb},
    NamedVerb{"schedule", "simulate a pipeline schedule, or a scenario's", scheduleVerb},
    NamedVerb{"score", "compare predictions with measured runs", scoreVerb},
    NamedVerb{"search", "find the fastest layouts of a scenario", searchVerb},
    NamedVerb{"serve", "print what serving a scenario's model costs", serveVerb},
    NamedVerb{"study", "how a layout scales, lies on the links, and hangs on constants", studyVerb},
};

int printHelp()
{
    fmt::print("usage: partita [FILE]               open the window, on a scenario or a config.json\n");
    fmt::print(
        "       partita open FILE            the same; FILE may be a chart or report that carries its scenario\n");
    for (const NamedVerb& verb : verbs) {
        fmt::print("       partita {:<9} [...]        {}\n", verb.name, verb.summary);
    }
    fmt::print("       partita --version | --help\n\n"
               "partita VERB --help lists a verb's options. No verb needs a display.\n"
               "exit codes: 0 done; 1 the command line cannot be understood, or an option would have no effect;\n"
               "2 it can, but a value is out of range or a scenario is not legal or does not parse;\n"
               "3 a file cannot be read or written\n");
    return Done;
}

/// Problems of a command line without a verb.
int usageError(const Problems& problems)
{
    return refuse({}, problems, Usage);
}

int notUnderstood(const std::string& word, bool isOption)
{
    std::vector<std::string_view> known{"--version", "--help"};
    for (const NamedVerb& verb : verbs) {
        known.push_back(verb.name);
    }
    const std::string_view meant = closest(word, known);
    const std::string suggestion = meant.empty() ? std::string() : fmt::format("did you mean '{}'?", meant);
    if (isOption || !meant.empty()) {
        return usageError({{word, {}, isOption ? "unknown option" : "no such verb or file", suggestion}});
    }
    printProblems({{word, {}, "no such file", {}}});
    return FileTrouble;
}

int run(const NamedVerb& named, const Words& words)
{
    const Verb verb = named.verb();
    const Arguments arguments = parseArguments(named.name, words, verb.options, verb.mostPositional);
    if (arguments.has("--help")) {
        fmt::print("usage: {}\n\n{}", verb.usage, describeOptions(verb.options));
        return Done;
    }
    return verb.run(arguments);
}

/// What a full disk or a closed pipe did not take must not look like success.
std::optional<int> toTheEnd(const std::function<std::optional<int>()>& verb)
{
    std::string reason;
    try {
        const std::optional<int> code = verb();
        if (!code || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) {
            return code;
        }
        reason = std::generic_category().message(errno);
    } catch (const std::system_error& error) { // fmt::print
        reason = error.code().message();
    }
    std::fprintf(stderr, "partita: standard output: %s\n", reason.c_str());
    return FileTrouble;
}

std::optional<int> runWords(const Words& words)
{
    const std::string& first = words.front();
    if (first == "--help" || first == "-h" || first == "help") {
        return printHelp();
    }
    if (first == "--version") {
        fmt::print("partita " PARTITA_VERSION "\n");
        return Done;
    }
    for (const NamedVerb& verb : verbs) {
        if (first == verb.name) {
            return run(verb, Words(words.begin() + 1, words.end()));
        }
    }
    if (first.size() > 1 && first[0] == '-' && first != "--") {
        return notUnderstood(first, true);
    }
    if (first == "open" && words.size() == 2 && (words.back() == "--help" || words.back() == "-h")) {
        fmt::print(
            "usage: partita open FILE\n\nOpens the window on a scenario, or on a chart or report that carries one.\n");
        return Done;
    }
    if (first == "open" && words.size() == 1) {
        return usageError({{"FILE", {}, "is missing", "partita open FILE"}});
    }
    const std::optional<std::string> file = fileToOpen(words);
    if (!file) {
        return usageError({{words.back(), {}, "unexpected argument", "the window opens one file"}});
    }
    std::error_code error;
    if (!std::filesystem::exists(*file, error)) {
        return notUnderstood(*file, false);
    }
    if (std::filesystem::is_directory(*file, error)) {
        printProblems({{*file, {}, "is a folder", "name a scenario, chart or report in it"}});
        return FileTrouble;
    }
    return std::nullopt;
}

} // namespace

void printProblems(const Problems& problems)
{
    for (const Problem& problem : problems) {
        std::string line = describe(problem);
        // One problem, one line: what a hostile file put into its keys must not break that.
        for (char& character : line) {
            if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
                character = ' ';
            }
        }
        fmt::print(stderr, "partita: {}\n", line);
    }
}

int refuse(const Arguments& arguments, const Problems& problems, int exitCode)
{
    printProblems(problems);
    if (exitCode == Usage) {
        fmt::print(stderr, "partita: see partita {}{}--help\n", arguments.verb, arguments.verb.empty() ? "" : " ");
    }
    if (arguments.has("--json")) {
        fmt::print("{}", writeProblems(problems));
    }
    return exitCode;
}

std::optional<int> runVerb(const Words& words)
{
    return words.empty() ? std::nullopt : toTheEnd([&words] { return runWords(words); });
}

std::optional<std::string> fileToOpen(const Words& words)
{
    const std::size_t at = !words.empty() && (words.front() == "--" || words.front() == "open") ? 1 : 0;
    return words.size() == at + 1 ? std::optional(words[at]) : std::nullopt;
}

} // namespace partita::cli
