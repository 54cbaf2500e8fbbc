// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_runs.h"

#include "app/cli.h"
#include "app/preset_folders.h"

namespace partita::cli {

std::vector<ComparableRun> loadComparableRuns(const Catalogue& catalogue)
{
    const std::vector<std::string> folders = presetFolders();
    const LoadedRuns loaded = loadRuns(publishedRunFolders({folders.begin(), folders.end()}));
    printProblems(loaded.problems);
    return comparableRuns(loaded.files, catalogue);
}

int withoutRows(const LoadedRuns& loaded)
{
    return loaded.readAny ? NotLegal : FileTrouble;
}

} // namespace partita::cli
