// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_input.h"
#include "app/cli_options.h"
#include "app/default_scenario.h"
#include "app/preset_folders.h"
#include "core/formats/report_json.h"
#include "core/lessons/lesson_list.h"

#include <fmt/format.h>

#include <filesystem>

namespace partita::cli {

namespace {

int checkFile(const std::string& path, bool asJson)
{
    const Input input = readInput(path);
    Problems problems = input.problems;
    int code = input.exitCode;
    std::string title;
    if (code == Done) {
        const Catalogue catalogue = loadPresets();
        printProblems(catalogue.problems);
        const Result<Lesson> lesson = readLesson(input.text, std::filesystem::path(path).stem().string(), catalogue);
        problems = lesson ? checkLesson(*lesson, catalogue) : lesson.problems;
        title = lesson ? lesson->title : std::string();
        code = problems.empty() ? Done : NotLegal;
    }
    printProblems(problems);
    if (asJson) {
        fmt::print("{}", writeProblems(problems));
    } else if (code == Done) {
        fmt::print("{}: right, and can be played\n", title);
    }
    return code;
}

} // namespace

int lessonsVerb(const Words& words)
{
    const std::vector<Option> options{{"--check", "FILE", "say what keeps a lesson from being right and playable"},
                                      {"--json", "", "print as JSON"},
                                      {"--help", "", "print this"}};
    const Result<Arguments> arguments = parseArguments(words, options, 0);
    if (!arguments) {
        return usageError(arguments.problems, "lessons");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita lessons [--check FILE] [--json]\n\n"
                   "Lists the lessons that the window's Lessons menu offers. Your own are JSON files in {}/lessons.\n\n{}",
                   userPresetFolder(), describeOptions(options));
        return Done;
    }
    const bool asJson = arguments->has("--json");
    if (const std::optional<std::string> path = arguments->valueOf("--check")) {
        return checkFile(*path, asJson);
    }
    const Catalogue catalogue = loadPresets();
    const std::vector<std::string> folders = presetFolders();
    const LoadedLessons loaded = loadLessons({folders.begin(), folders.end()}, catalogue);
    printProblems(catalogue.problems);
    printProblems(loaded.problems);
    fmt::print("{}", asJson ? writeLessonList(loaded) : lessonListText(loaded));
    return Done;
}

} // namespace partita::cli
