// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/published_run.h"
#include "core/runs/score.h"

#include <filesystem>
#include <string>
#include <vector>

namespace partita {

struct Catalogue;

struct RunFile {
    std::string source; ///< the file's stem
    std::vector<PublishedRun> runs;
};

/// Run files and what is wrong with them: field is the file, then the place in it.
struct LoadedRuns {
    std::vector<RunFile> files;
    Problems problems;
    bool readAny = false; ///< a file or folder, whatever is in it
};

/// Reads run files; of a folder its *.json in the order of their names. A file named twice is read once; one that
/// cannot be read, or is something else, is a Problem.
LoadedRuns loadRuns(const std::vector<std::filesystem::path>& paths);

/// The folders published_runs of preset folders that exist.
std::vector<std::filesystem::path> publishedRunFolders(const std::vector<std::filesystem::path>& presetFolders);

/// Every run beside its prediction, in the order of files and rows.
std::vector<ScoredRun> scoreFiles(const std::vector<RunFile>& files, const Catalogue& catalogue);

} // namespace partita
