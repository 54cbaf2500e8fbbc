// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/default_scenario.h"

#include "app/preset_folders.h"
#include "core/formats/files.h"
#include "core/formats/scenario_file.h"

namespace partita {

Catalogue loadPresets()
{
    const std::vector<std::string> folders = presetFolders();
    return loadCatalogue({folders.begin(), folders.end()});
}

Result<Scenario> defaultScenario(const Catalogue& catalogue)
{
    const std::vector<std::string> folders = presetFolders();
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
        const std::filesystem::path path = std::filesystem::path(*folder) / "scenarios" / "default.partita";
        std::error_code error;
        if (!std::filesystem::exists(path, error)) {
            continue;
        }
        const Result<std::string> text = readFile(path);
        return text ? readScenario(*text, catalogue) : Result<Scenario>(text.problems);
    }
    return Problem{"scenarios/default.partita",
                   {},
                   "not found in any preset folder",
                   "set PARTITA_PRESETS to the folder of presets"};
}

} // namespace partita
