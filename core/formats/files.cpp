// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace partita {

Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        return Problem{path.string(), "", "does not exist", ""};
    }
    if (std::filesystem::is_directory(status)) {
        return Problem{path.string(), "", "is a folder", ""};
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        return Problem{path.string(), "", "cannot be opened", ""};
    }
    // Read in pieces up to the limit: a device or a pipe has no size to ask for.
    std::string bytes;
    constexpr std::size_t piece = std::size_t{1} << 16;
    while (stream && bytes.size() <= maxBytes) {
        const std::size_t before = bytes.size();
        bytes.resize(before + piece);
        stream.read(bytes.data() + before, static_cast<std::streamsize>(piece));
        bytes.resize(before + static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    }
    if (bytes.size() > maxBytes) {
        return Problem{path.string(), "", fmt::format("is larger than the {} bytes that are read", maxBytes), ""};
    }
    if (stream.bad()) {
        return Problem{path.string(), "", "cannot be read to its end", ""};
    }
    return bytes;
}

Problems within(std::string_view place, Problems problems)
{
    for (Problem& problem : problems) {
        if (problem.field != place) { // as readFile() names it
            problem.field = fmt::format("{}{}{}", place, problem.field.empty() ? "" : ": ", problem.field);
        }
    }
    return problems;
}

} // namespace partita
