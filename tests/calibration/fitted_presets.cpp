// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/calibration/fitted_presets.h"

#include "core/formats/cluster_json.h"
#include "core/formats/preset_reference.h"

#include <fstream>

namespace partita::calibration {

namespace {

bool save(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    return out.good();
}

} // namespace

std::string linkAsJson(Link link)
{
    FieldWriter fields;
    writeHeader(fields, linkSchema, presetVersion);
    describe(fields, link);
    return jsonText(fields.take());
}

bool writeLink(const std::filesystem::path& folder, const Link& link)
{
    return save(folder / (link.id + ".json"), linkAsJson(link));
}

} // namespace partita::calibration
