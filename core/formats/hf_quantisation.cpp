// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_quantisation.h"

#include "core/formats/json_text.h"

#include <fmt/format.h>

namespace partita {

namespace {

std::optional<DataType> integerOfBits(std::int64_t bits)
{
    switch (bits) {
    case 4:
        return DataType::Int4;
    case 8:
        return DataType::Int8;
    default:
        return std::nullopt;
    }
}

/// The first group of compressed-tensors: {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}.
std::optional<DataType> readGroup(HfFields& quantisation)
{
    const nlohmann::json* groups = quantisation.object("config_groups");
    if (groups == nullptr || groups->empty()) {
        return std::nullopt;
    }
    HfFields all = quantisation.nested("config_groups");
    HfFields group = all.nested(groups->begin().key());
    HfFields weights = group.nested("weights");
    const std::int64_t bits = weights.integerOrZero({"num_bits"});
    if (weights.text("type", "int") != "float") {
        return integerOfBits(bits);
    }
    constexpr std::int64_t nvBlock = 16; // NVFP4 scales 16 values, MXFP4 32
    if (bits == 4) {
        return weights.integerOrZero({"group_size"}) == nvBlock ? DataType::NvFp4 : DataType::MxFp4;
    }
    return bits == 8 ? std::optional(DataType::Fp8) : std::nullopt;
}

std::optional<DataType> readModelOpt(HfFields& quantisation)
{
    const std::string algorithm = quantisation.text("quant_algo", "");
    if (algorithm.find("NVFP4") != std::string::npos) {
        return DataType::NvFp4;
    }
    if (algorithm.find("FP8") != std::string::npos) {
        return DataType::Fp8;
    }
    return algorithm.find("W4A") != std::string::npos ? std::optional(DataType::Int4) : readGroup(quantisation);
}

std::optional<DataType> readBitsAndBytes(HfFields& quantisation)
{
    const auto says = [&](std::string_view key) { return quantisation.has(key) && quantisation.flag(key, false); };
    if (says("load_in_4bit")) {
        return DataType::Int4;
    }
    return says("load_in_8bit") ? std::optional(DataType::Int8) : std::nullopt;
}

} // namespace

std::optional<DataType> readQuantisation(HfFields& quantisation)
{
    const std::string method = quantisation.text("quant_method", quantisation.has("quant_algo") ? "modelopt" : "");
    std::optional<DataType> type;
    if (method == "fp8" || method == "fbgemm_fp8") {
        type = DataType::Fp8;
    } else if (method == "mxfp4") {
        type = DataType::MxFp4;
    } else if (method == "awq" || method == "gptq") {
        type = integerOfBits(quantisation.integerOrZero({"bits", "w_bit"}));
    } else if (method == "compressed-tensors") {
        type = readGroup(quantisation);
    } else if (method == "bitsandbytes") {
        type = readBitsAndBytes(quantisation);
    } else if (method == "modelopt") {
        type = readModelOpt(quantisation);
    }
    if (!type) {
        quantisation.ignore(
            fmt::format("{}: method \"{}\" gives no known number format", quantisation.path(), method.substr(0, 40)));
    }
    return type;
}

} // namespace partita
