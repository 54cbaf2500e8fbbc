// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/runs/published_run.h"
#include "core/runs/run_scenario.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

template <typename T> void requireValueOrReason(const partita::Result<T>& result)
{
    if (result.value.has_value() == !result.problems.empty()) {
        std::abort();
    }
}

} // namespace

/// Whatever the bytes: runs that have a name, each a scenario or at least one reason; or at least one reason.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const partita::Catalogue catalogue = partita::loadCatalogue({PARTITA_PRESETS_DIR});
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const partita::Result<partita::PublishedRuns> read = partita::readPublishedRuns(text);
    requireValueOrReason(read);
    if (!read) {
        return 0;
    }
    for (const partita::PublishedRun& run : read->runs) {
        if (run.id.empty()) {
            std::abort();
        }
        requireValueOrReason(partita::scenarioOf(run, catalogue));
    }
    return 0;
}
