// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/preset_change.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

namespace partita::calibration {

/// Writes the changed presets; what cannot be is told. Returns the program's exit code.
inline int writeChanges(const Result<std::vector<PresetChange>>& changes)
{
    int code = 0;
    for (const Problem& problem : changes.problems) {
        fmt::print(stderr, "{}\n", describe(problem));
        code = 1;
    }
    for (const PresetChange& change : changes ? *changes : std::vector<PresetChange>()) {
        std::ofstream out(change.file, std::ios::binary | std::ios::trunc);
        out << change.text;
        if (!out.flush()) {
            fmt::print(stderr, "{}: cannot be written\n", change.file.string());
            code = 1;
        }
    }
    return code;
}

} // namespace partita::calibration
