// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_options.h"
#include "app/default_scenario.h"
#include "core/runs/load_runs.h"
#include "core/runs/score_json.h"
#include "core/runs/score_text.h"

#include <fmt/format.h>

#include <limits>

namespace partita::cli {

int scoreVerb(const Words& words)
{
    const std::vector<Option> options{{"--json", "", "print every row, every source and the whole as JSON"},
                                      {"--markdown", "", "print the tables as Markdown"},
                                      {"--help", "", "print this"}};
    const Result<Arguments> arguments = parseArguments(words, options, std::numeric_limits<std::size_t>::max());
    if (!arguments) {
        return usageError(arguments.problems, "score");
    }
    if (arguments->has("--help")) {
        fmt::print(
            "usage: partita score FILE|FOLDER... [--json|--markdown]\n\n"
            "Compares predictions with measured runs. A folder stands for its *.json, in the order of their names.\n"
            "What a row does not state is taken from its stack and listed as an assumption; a row that cannot be\n"
            "expressed is skipped with the reason. Exit code 2 only when nothing could be scored.\n\n{}",
            describeOptions(options));
        return Done;
    }
    if (arguments->positional.empty()) {
        return usageError({{"FILE", {}, "no run file is named", "partita score FILE|FOLDER..."}}, "score");
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const LoadedRuns loaded = loadRuns({arguments->positional.begin(), arguments->positional.end()});
    printProblems(loaded.problems);
    const std::vector<ScoredRun> rows = scoreFiles(loaded.files, catalogue);
    const Score score = scoreRuns(rows);
    if (arguments->has("--json")) {
        fmt::print("{}", writeScore(rows, score, loaded.problems));
    } else if (!rows.empty()) {
        fmt::print("{}", arguments->has("--markdown") ? scoreMarkdown(score) : scoreText(score));
    }
    return score.overall.usable() > 0 ? Done : NotLegal;
}

} // namespace partita::cli
