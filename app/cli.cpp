// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"

#include "app/cli_options.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace partita::cli {

namespace {

struct Verb {
    std::string_view name;
    std::string_view help;
    int (*run)(const Words&);
};

constexpr std::array verbs{
    Verb{"advise", "choose a layout step by step, and say why", adviseVerb},
    Verb{"calibrate", "fit constants to measured kernels and runs", calibrateVerb},
    Verb{"evaluate", "print what a scenario costs", evaluateVerb},
    Verb{"explain", "derive a number of the report from its presets", explainVerb},
    Verb{"export", "write a scenario's charts as files", exportVerb},
    Verb{"import", "print what a file is understood to be", importVerb},
    Verb{"lessons", "list lessons, or check one", lessonsVerb},
    Verb{"presets", "list models, accelerators, clusters and stacks known by name", presetsVerb},
    Verb{"report", "write a report of a scenario, as HTML or PDF", reportVerb},
    Verb{"schedule", "simulate a pipeline schedule, or a scenario's", scheduleVerb},
    Verb{"score", "compare predictions with measured runs", scoreVerb},
    Verb{"search", "find the fastest layouts of a scenario", searchVerb},
    Verb{"serve", "print what serving a scenario's model costs", serveVerb},
    Verb{"study", "how a layout scales, lies on the links, and hangs on constants", studyVerb},
};

int printHelp()
{
    fmt::print("usage: partita [FILE]               open the window, on a scenario or a config.json\n");
    fmt::print("       partita open FILE            the same; FILE may be a chart or report that carries its scenario\n");
    for (const Verb& verb : verbs) {
        fmt::print("       partita {:<9} [...]        {}\n", verb.name, verb.help);
    }
    fmt::print("       partita --version | --help\n\n"
               "partita VERB --help lists a verb's options. No verb needs a display.\n"
               "exit codes: 0 done, 1 usage, 2 the scenario is not legal or does not parse, 3 files\n");
    return Done;
}

int notUnderstood(const std::string& word, bool isOption)
{
    std::vector<std::string> known{"--version", "--help"};
    for (const Verb& verb : verbs) {
        known.emplace_back(verb.name);
    }
    const std::string meant = nearestWord(word, known);
    const std::string suggestion = meant.empty() ? std::string() : "did you mean " + meant + "?";
    if (isOption || !meant.empty()) {
        return usageError({{word, {}, isOption ? "unknown option" : "no such verb or file", suggestion}}, {});
    }
    printProblems({{word, {}, "no such file", {}}});
    return FileTrouble;
}

/// What a full disk or a closed pipe did not take must not look like success.
int runToTheEnd(const Verb& verb, const Words& words)
{
    std::string reason;
    try {
        const int code = verb.run(words);
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
            return code;
        }
        reason = std::generic_category().message(errno);
    } catch (const std::system_error& error) { // fmt::print
        reason = error.code().message();
    }
    std::fprintf(stderr, "partita: standard output: %s\n", reason.c_str());
    return FileTrouble;
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

int usageError(const Problems& problems, std::string_view verb)
{
    printProblems(problems);
    fmt::print(stderr, "partita: see partita {}{}--help\n", verb, verb.empty() ? "" : " ");
    return Usage;
}

std::optional<int> runVerb(const Words& words)
{
    if (words.empty()) {
        return std::nullopt;
    }
    const std::string& first = words.front();
    if (first == "--help" || first == "-h" || first == "help") {
        return printHelp();
    }
    if (first == "--version") {
        fmt::print("partita " PARTITA_VERSION "\n");
        return Done;
    }
    for (const Verb& verb : verbs) {
        if (first == verb.name) {
            return runToTheEnd(verb, Words(words.begin() + 1, words.end()));
        }
    }
    if (first.size() > 1 && first[0] == '-' && first != "--") {
        return notUnderstood(first, true);
    }
    if (first == "open" && words.size() == 2 && words.back() == "--help") {
        fmt::print("usage: partita open FILE\n\nOpens the window on a scenario, or on a chart or report that carries one.\n");
        return Done;
    }
    if (first == "open" && words.size() == 1) {
        return usageError({{"FILE", {}, "is missing", "partita open FILE"}}, {});
    }
    const std::optional<std::string> file = fileToOpen(words);
    if (!file) {
        return usageError({{words.back(), {}, "unexpected argument", "the window opens one file"}}, {});
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

std::optional<std::string> fileToOpen(const Words& words)
{
    const std::size_t at = !words.empty() && (words.front() == "--" || words.front() == "open") ? 1 : 0;
    return words.size() == at + 1 ? std::optional(words[at]) : std::nullopt;
}

} // namespace partita::cli
