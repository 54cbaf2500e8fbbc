// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target over files, so that every corpus is a test where libFuzzer is not there.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> filesBelow(const char* folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Every prefix of a small file is an input too: files are cut off in the field.
void runWithPrefixes(const std::vector<char>& bytes)
{
    constexpr std::size_t small = 4096;
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    for (std::size_t size = bytes.size() <= small ? 0 : bytes.size(); size <= bytes.size(); ++size) {
        LLVMFuzzerTestOneInput(data, size);
    }
}

} // namespace

int main(int argc, char** argv)
{
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i) {
        for (const std::filesystem::path& path : filesBelow(argv[i])) {
            std::printf("%s\n", path.c_str());
            std::fflush(stdout); // the last line names the file that crashed
            std::ifstream file(path, std::ios::binary);
            runWithPrefixes({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
            ++count;
        }
    }
    if (count == 0) {
        std::fputs("no files to replay\n", stderr);
        return 1;
    }
    return 0;
}
