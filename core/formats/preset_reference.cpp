// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/preset_reference.h"

#include <fmt/format.h>

namespace partita {

bool readHeader(FieldReader& fields, std::string_view schema, int version)
{
    const std::size_t before = fields.problems().size();
    std::string found;
    std::int64_t foundVersion = 0;
    fields.text("$schema", found, Presence::Required);
    fields.integer("version", foundVersion, {1}, Presence::Required);
    if (fields.problems().size() > before) {
        return false;
    }
    if (found != schema) {
        fields.problem("$schema", found.substr(0, 60), "is another kind of file",
                       fmt::format("\"{}\" is expected here", schema));
        return false;
    }
    if (foundVersion > version) {
        fields.problem("version", fmt::to_string(foundVersion),
                       fmt::format("is newer than the version {} this program reads", version), "update the program");
        return false;
    }
    return true;
}

void writeHeader(FieldWriter& fields, std::string_view schema, int version)
{
    fields.text("$schema", std::string(schema));
    fields.integer("version", version);
}

} // namespace partita
