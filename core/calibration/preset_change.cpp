// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/preset_change.h"

#include "core/formats/cluster_json.h"

#include <fmt/format.h>

#include <cmath>

namespace partita::calibration {

namespace {

nlohmann::ordered_json toJson(KernelConstants kernels)
{
    FieldWriter fields;
    describe(fields, kernels);
    return fields.take();
}

} // namespace

Result<std::string> withNumber(const std::string& text, const std::string& key, double value)
{
    const std::string marker = fmt::format("\"{}\": ", key);
    const std::size_t at = text.find(marker);
    if (at == std::string::npos || text.find(marker, at + 1) != std::string::npos) {
        return Problem{key, "", "is not there once", ""};
    }
    const std::size_t begin = at + marker.size();
    const std::size_t end = text.find_first_of(",\n}", begin);
    std::string changed = text;
    changed.replace(begin, end - begin, fmt::format("{}", value));
    return changed;
}

Result<std::string> withKernels(const std::string& text, const KernelConstants& kernels)
{
    nlohmann::ordered_json tree = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!tree.is_object()) {
        return Problem{"kernels", "", "are to be put into a file that is no preset", ""};
    }
    tree["kernels"] = toJson(kernels);
    return jsonText(tree);
}

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

} // namespace partita::calibration
