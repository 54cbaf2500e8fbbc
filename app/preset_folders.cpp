// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preset_folders.h"

#include <cstdlib>
#include <filesystem>

namespace partita {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name)
{
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): read before any thread starts
    return value == nullptr ? std::string() : std::string(value);
}

std::string sharedFolder()
{
    const std::string stated = environment("PARTITA_PRESETS");
    if (!stated.empty()) {
        return stated;
    }
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const fs::path installed = program.parent_path().parent_path() / "share" / "partita" / "presets";
        if (fs::is_directory(installed, error)) {
            return installed.string();
        }
    }
    return PARTITA_SOURCE_PRESETS;
}

} // namespace

std::string userPresetFolder()
{
    // XDG Base Directory Specification: a relative path there is to be ignored.
    const fs::path data = environment("XDG_DATA_HOME");
    if (data.is_absolute()) {
        return (data / "partita" / "presets").string();
    }
    const fs::path home = environment("HOME");
    return home.empty() ? std::string() : (home / ".local" / "share" / "partita" / "presets").string();
}

std::vector<std::string> presetFolders()
{
    std::vector<std::string> folders;
    for (const std::string& folder : {sharedFolder(), userPresetFolder()}) {
        std::error_code error;
        if (!folder.empty() && fs::is_directory(folder, error)) {
            folders.push_back(folder);
        }
    }
    return folders;
}

} // namespace partita
