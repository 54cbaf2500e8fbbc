// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli_options.h"

#include <optional>
#include <string>
#include <vector>

namespace partita::cli {

/// What the program tells the shell.
enum ExitCode {
    Done = 0,
    Usage = 1, ///< the command line cannot be understood
    NotLegal = 2, ///< it can, but a value is out of range, or a scenario or file is not what it must be
    FileTrouble = 3 ///< a file cannot be read or written; no display for the window
};

using Words = std::vector<std::string>;

/// Runs the verb that the words (without the program's name) begin with and returns its exit code; nothing when they
/// ask for the window. Qt is not touched unless the verb draws charts.
std::optional<int> runVerb(const Words& words);

/// The file to open in the window: the only word, if any.
std::optional<std::string> fileToOpen(const Words& words);

/// "partita: layout.tp: 3: ..." on stderr, one line each.
void printProblems(const Problems& problems);

/// Says on stderr, and as JSON on stdout when --json is given, why a verb does nothing. Returns the exit code.
int refuse(const Arguments& arguments, const Problems& problems, int exitCode);

/// What a verb takes and does. --help and -h come with every one.
struct Verb {
    std::string usage; ///< what its help says above the options
    std::vector<Option> options;
    std::size_t mostPositional;
    int (*run)(const Arguments&); ///< arguments may have problems: those of values are found before any is said
};

Verb adviseVerb();
Verb calibrateVerb();
Verb evaluateVerb();
Verb explainVerb();
Verb exportVerb();
Verb importVerb();
Verb lessonsVerb();
Verb presetsVerb();
Verb reportVerb();
Verb scheduleVerb();
Verb scoreVerb();
Verb searchVerb();
Verb serveVerb();
Verb studyVerb();

} // namespace partita::cli
