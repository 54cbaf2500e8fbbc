// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/calibration/kernel_presets.h"

#include "core/formats/cluster_json.h"

#include <fstream>

namespace partita::calibration {

namespace {

nlohmann::ordered_json toJson(KernelConstants kernels)
{
    FieldWriter fields;
    describe(fields, kernels);
    return fields.take();
}

} // namespace

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
    std::ofstream out(preset, std::ios::binary | std::ios::trunc);
    out << tree.dump(2) << '\n';
    return out.good();
}

} // namespace partita::calibration
