// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/option_reader.h"
#include "core/runs/score_json.h"
#include "core/runs/score_text.h"

#include <fmt/format.h>

#include <limits>

namespace partita::cli {

namespace {

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    if (arguments.positional.empty()) {
        reader.refuse(Usage, {"FILE", {}, "is missing", "run files, or folders of them"});
    }
    reader.notWith("--markdown", "--json");
    if (!reader.fine()) {
        return reader.refusal();
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const LoadedRuns loaded = loadRuns({arguments.positional.begin(), arguments.positional.end()});
    printProblems(loaded.problems);
    const std::vector<ScoredRun> rows = scoreFiles(loaded.files, catalogue);
    const Score score = scoreRuns(rows);
    if (arguments.has("--json")) {
        fmt::print("{}", writeScore(rows, score, loaded.problems));
    } else if (!rows.empty()) {
        fmt::print("{}", arguments.has("--markdown") ? scoreMarkdown(score) : scoreText(score));
    }
    return score.overall.usable() > 0 ? Done : withoutRows(loaded);
}

} // namespace

Verb scoreVerb()
{
    return {
        "partita score FILE|FOLDER... [--json|--markdown]\n\n"
        "Compares predictions with measured runs. A folder stands for its *.json, in the order of their names.\n"
        "What a row does not state is taken from its stack and listed as an assumption; a row that cannot be\n"
        "expressed is skipped with the reason. Exit code 2 only when nothing could be scored, 3 when nothing could\n"
        "be read.",
        {{"--json", "", "print every row, every source and the whole as JSON"},
         {"--markdown", "", "print the tables as Markdown"}},
        std::numeric_limits<std::size_t>::max(),
        run};
}

} // namespace partita::cli
