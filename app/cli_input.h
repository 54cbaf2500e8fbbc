// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <cstddef>
#include <string>

namespace partita::cli {

/// Text of a file, or of standard input for "-"; or why not, with the exit code that says so.
struct Input {
    std::string text;
    Problems problems;
    int exitCode = 0;
};

inline constexpr std::size_t mostInputBytes = std::size_t{8} << 20;

/// How problems call a file that may be standard input.
std::string inputName(const std::string& path);

/// A file that cannot be read is FileTrouble; one too large to be what it should be is NotLegal.
Input readInput(const std::string& path, std::size_t maxBytes = mostInputBytes);

} // namespace partita::cli
