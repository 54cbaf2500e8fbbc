// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_config.h"
#include "core/model/check_model.h"
#include "core/model/parameters.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// Whatever the bytes: a model that can be counted, or at least one reason.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const partita::Result<partita::ImportedModel> imported = partita::readHuggingFaceConfig(text, "fuzz");
    if (imported.value.has_value() == !imported.problems.empty()) {
        std::abort();
    }
    if (imported
        && (!partita::checkModel(imported->model).empty() || partita::parameters(imported->model).total() <= 0)) {
        std::abort();
    }
    return 0;
}
