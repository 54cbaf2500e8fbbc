// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/scenario_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// Whatever the bytes: a scenario that reads back equal from what is written of it, or at least one reason.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const partita::Catalogue catalogue;
    const partita::Result<partita::Scenario> scenario = partita::readScenario(text, catalogue);
    if (scenario.value.has_value() == !scenario.problems.empty()) {
        std::abort();
    }
    if (scenario) {
        const std::string written = partita::writeScenario(*scenario, catalogue);
        const partita::Result<partita::Scenario> again = partita::readScenario(written, catalogue);
        if (!again || !(*again == *scenario)) {
            std::abort();
        }
    }
    return 0;
}
