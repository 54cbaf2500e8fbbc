// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_input.h"

#include "app/cli.h"
#include "core/formats/files.h"

#include <array>
#include <cstdio>

namespace partita::cli {

namespace {

constexpr std::size_t mostBytes = std::size_t{8} << 20;

Input readStandardInput()
{
    Input input;
    std::array<char, 65536> block{};
    while (const std::size_t count = std::fread(block.data(), 1, block.size(), stdin)) {
        input.text.append(block.data(), count);
        if (input.text.size() > mostBytes) {
            return {{}, {{"-", {}, "standard input is larger than 8 MiB", {}}}, NotLegal};
        }
    }
    if (std::ferror(stdin) != 0) {
        return {{}, {{"-", {}, "standard input cannot be read", {}}}, FileTrouble};
    }
    return input;
}

} // namespace

Input readInput(const std::string& path)
{
    if (path == "-") {
        return readStandardInput();
    }
    Result<std::string> text = readFile(path, mostBytes);
    if (text) {
        return {*std::move(text), {}, Done};
    }
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return {{}, text.problems, !error && size > mostBytes ? NotLegal : FileTrouble};
}

} // namespace partita::cli
