// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_input.h"
#include "app/default_scenario.h"
#include "app/option_reader.h"
#include "app/preset_folders.h"
#include "core/formats/files.h"
#include "core/formats/report_json.h"
#include "core/lessons/lesson_list.h"

#include <fmt/format.h>

#include <filesystem>

namespace partita::cli {

namespace {

int checkFile(const Arguments& arguments, const std::string& path)
{
    const Input input = readInput(path);
    if (input.exitCode != Done) {
        return refuse(arguments, input.problems, input.exitCode);
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const std::string id = std::filesystem::path(path).stem().string();
    const Problems problems = checkLessonFile(input.text, id, catalogue);
    if (!problems.empty()) {
        return refuse(arguments, within(inputName(path), problems), NotLegal);
    }
    const Result<Lesson> lesson = readLesson(input.text, id, catalogue);
    fmt::print("{}",
               arguments.has("--json") ? writeProblems({})
                                       : fmt::format("{}: right, and can be played\n", lesson->title));
    return Done;
}

int run(const Arguments& arguments)
{
    const OptionReader reader(arguments);
    if (!reader.fine()) {
        return reader.refusal();
    }
    if (const std::optional<std::string> path = arguments.valueOf("--check")) {
        return checkFile(arguments, *path);
    }
    const Catalogue catalogue = loadPresets();
    const std::vector<std::string> folders = presetFolders();
    const LoadedLessons loaded = loadLessons({folders.begin(), folders.end()}, catalogue);
    printProblems(catalogue.problems);
    printProblems(loaded.problems);
    fmt::print("{}", arguments.has("--json") ? writeLessonList(loaded) : lessonListText(loaded));
    return Done;
}

} // namespace

Verb lessonsVerb()
{
    return {
        fmt::format("partita lessons [--check FILE] [--json]\n\n"
                    "Lists the lessons that the window's Lessons menu offers. Your own are JSON files in {}/lessons.",
                    userPresetFolder()),
        {{"--check", "FILE", "say what keeps a lesson from being right and playable"}, {"--json", "", "print as JSON"}},
        0,
        run};
}

} // namespace partita::cli
