// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace partita::ui {

/// Opens the main window, on a file if one is given, and runs until it closes. Returns the exit code.
int runWindow(int argc, char** argv, const std::optional<std::string>& file);

} // namespace partita::ui
