// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_input.h"

#include "app/cli.h"
#include "core/formats/files.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace partita::cli {

namespace {

Input readStandardInput(std::size_t maxBytes)
{
    Input input;
    std::array<char, 65536> block{};
    while (const std::size_t count = std::fread(block.data(), 1, block.size(), stdin)) {
        input.text.append(block.data(), count);
        if (input.text.size() > maxBytes) {
            return {{}, {{inputName("-"), {}, fmt::format("is larger than {} MiB", maxBytes >> 20), {}}}, NotLegal};
        }
    }
    if (std::ferror(stdin) != 0) {
        return {{}, {{inputName("-"), {}, "cannot be read", {}}}, FileTrouble};
    }
    return input;
}

} // namespace

std::string inputName(const std::string& path)
{
    return path == "-" ? "standard input" : path;
}

Input readInput(const std::string& path, std::size_t maxBytes)
{
    if (path == "-") {
        return readStandardInput(maxBytes);
    }
    Result<std::string> text = readFile(path, maxBytes);
    if (text) {
        return {*std::move(text), {}, Done};
    }
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return {{}, text.problems, !error && size > maxBytes ? NotLegal : FileTrouble};
}

} // namespace partita::cli
