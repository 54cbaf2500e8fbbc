// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/load_runs.h"

#include "core/formats/files.h"
#include "core/runs/run_scenario.h"

#include <algorithm>
#include <set>

namespace partita {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> filesOf(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        return {path};
    }
    std::vector<fs::path> files;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
        if (at->path().extension() == ".json") {
            files.push_back(at->path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

void load(const fs::path& path, LoadedRuns& loaded)
{
    const Result<std::string> text = readFile(path);
    if (!text) {
        loaded.problems.insert(loaded.problems.end(), text.problems.begin(), text.problems.end());
        return;
    }
    loaded.readAny = true;
    Result<PublishedRuns> runs = readPublishedRuns(*text);
    const Problems named = within(path.string(), runs ? runs->problems : runs.problems);
    loaded.problems.insert(loaded.problems.end(), named.begin(), named.end());
    if (runs) {
        loaded.files.push_back({path.stem().string(), std::move(runs->runs)});
    }
}

} // namespace

LoadedRuns loadRuns(const std::vector<fs::path>& paths)
{
    LoadedRuns loaded;
    std::set<fs::path> seen;
    for (const fs::path& path : paths) {
        const std::vector<fs::path> files = filesOf(path);
        if (files.empty()) {
            loaded.problems.push_back({path.string(), "", "holds no run files", "a folder with *.json"});
            loaded.readAny = true;
        }
        for (const fs::path& file : files) {
            std::error_code error;
            const fs::path one = fs::weakly_canonical(file, error);
            if (seen.insert(error ? file : one).second) {
                load(file, loaded);
            }
        }
    }
    return loaded;
}

std::vector<fs::path> publishedRunFolders(const std::vector<fs::path>& presetFolders)
{
    std::vector<fs::path> folders;
    for (const fs::path& folder : presetFolders) {
        std::error_code error;
        if (fs::is_directory(folder / "published_runs", error)) {
            folders.push_back(folder / "published_runs");
        }
    }
    return folders;
}

std::vector<ScoredRun> scoreFiles(const std::vector<RunFile>& files, const Catalogue& catalogue)
{
    std::vector<ScoredRun> rows;
    for (const RunFile& file : files) {
        for (const PublishedRun& run : file.runs) {
            rows.push_back(scoreRun(run, file.source, catalogue));
        }
    }
    return rows;
}

} // namespace partita
