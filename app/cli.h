// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <optional>
#include <string>
#include <vector>

namespace partita::cli {

/// What the program tells the shell.
enum ExitCode {
    Done = 0,
    Usage = 1,
    NotLegal = 2, ///< the scenario is illegal or does not parse
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

/// Problems of the command line itself, and where help is. Returns Usage.
int usageError(const Problems& problems, std::string_view verb);

int adviseVerb(const Words& words);
int calibrateVerb(const Words& words);
int evaluateVerb(const Words& words);
int explainVerb(const Words& words);
int exportVerb(const Words& words);
int importVerb(const Words& words);
int lessonsVerb(const Words& words);
int presetsVerb(const Words& words);
int reportVerb(const Words& words);
int scheduleVerb(const Words& words);
int scoreVerb(const Words& words);
int searchVerb(const Words& words);
int serveVerb(const Words& words);
int studyVerb(const Words& words);

} // namespace partita::cli
