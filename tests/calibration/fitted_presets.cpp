// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/calibration/fitted_presets.h"

#include "core/formats/cluster_json.h"
#include "core/formats/preset_reference.h"

#include <cmath>
#include <fstream>

namespace partita::calibration {

namespace {

nlohmann::ordered_json toJson(KernelConstants kernels)
{
    FieldWriter fields;
    describe(fields, kernels);
    return fields.take();
}

bool save(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    return out.good();
}

} // namespace

double threeDigits(double value)
{
    if (value <= 0) {
        return value;
    }
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
    return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value);
}

std::string kernelsAsJson(const KernelConstants& kernels)
{
    return toJson(kernels).dump(2);
}

bool writeKernels(const std::filesystem::path& preset, const KernelConstants& kernels)
{
    std::ifstream in(preset, std::ios::binary);
    nlohmann::ordered_json tree = nlohmann::ordered_json::parse(in, nullptr, false);
    in.close();
    if (!tree.is_object()) {
        return false;
    }
    tree["kernels"] = toJson(kernels);
    return save(preset, jsonText(tree));
}

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
