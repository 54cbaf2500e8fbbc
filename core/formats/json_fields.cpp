// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_fields.h"

#include "core/base/words.h"

#include <fmt/format.h>

#include <charconv>

namespace partita {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr double exactIntegers = 9007199254740992.0; // 2^53

std::optional<std::int64_t> integral(const json& value)
{
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        return number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
            ? std::optional(static_cast<std::int64_t>(number))
            : std::nullopt;
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (std::abs(number) <= exactIntegers && std::trunc(number) == number) {
            return static_cast<std::int64_t>(number);
        }
    }
    return std::nullopt;
}

} // namespace

std::string shown(const json& value)
{
    if (value.is_object()) {
        return "{...}";
    }
    if (value.is_array()) {
        return value.empty() ? "[]" : "[...]";
    }
    if (value.is_number_float()) {
        return fmt::format("{}", value.get<double>());
    }
    if (!value.is_string()) {
        return value.dump();
    }
    constexpr std::size_t longest = 60;
    return "\"" + elided(value.get_ref<const std::string&>(), longest) + "\"";
}

std::optional<std::int64_t> readInteger(const json& value, const std::string& path, IntegerRange range,
                                        Problems& problems)
{
    const std::optional<std::int64_t> number = integral(value);
    if (!number && !(value.is_number() && !value.is_number_float())) {
        problems.push_back({path, shown(value), "must be a whole number", ""});
    } else if (!number || *number < range.low || *number > range.high) {
        problems.push_back({path, shown(value), fmt::format("must be from {} to {}", range.low, range.high), ""});
    } else {
        return number;
    }
    return std::nullopt;
}

std::optional<double> readNumber(const json& value, const std::string& path, NumberRange range, Problems& problems)
{
    if (!value.is_number()) {
        problems.push_back({path, shown(value), "must be a number", ""});
        return std::nullopt;
    }
    const double number = value.get<double>();
    if (!std::isfinite(number) || number < range.low || number > range.high) {
        problems.push_back({path, shown(value), fmt::format("must be from {} to {}", range.low, range.high), ""});
        return std::nullopt;
    }
    return number == 0 ? 0 : number; // -0 would not compare as written
}

std::optional<bool> readFlag(const json& value, const std::string& path, Problems& problems)
{
    if (!value.is_boolean()) {
        problems.push_back({path, shown(value), "must be true or false", ""});
        return std::nullopt;
    }
    return value.get<bool>();
}

std::optional<std::string> readText(const json& value, const std::string& path, Problems& problems)
{
    if (!value.is_string()) {
        problems.push_back({path, shown(value), "must be a text", ""});
        return std::nullopt;
    }
    return value.get<std::string>();
}

std::optional<std::size_t> readKey(const json& value, const std::string& path,
                                   const std::vector<std::string_view>& keys, Problems& problems)
{
    const std::optional<std::string> text = readText(value, path, problems);
    if (!text) {
        return std::nullopt;
    }
    const auto found = std::find(keys.begin(), keys.end(), *text);
    if (found == keys.end()) {
        problems.push_back({path, shown(value), "is not known", suggestKey(*text, keys)});
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - keys.begin());
}

FieldReader::FieldReader(const json& value, std::string path, Problems& problems)
    : m_value(value)
    , m_path(std::move(path))
    , m_problems(problems)
{
    if (!value.is_object()) {
        m_problems.push_back({m_path, shown(value), "must be an object", ""});
    }
}

const json* FieldReader::member(std::string_view key, Presence presence)
{
    if (std::find(m_known.begin(), m_known.end(), key) == m_known.end()) {
        m_known.emplace_back(key);
    }
    if (!m_value.is_object()) {
        return nullptr;
    }
    const auto found = m_value.find(std::string(key));
    if (found != m_value.end() && !found->is_null()) {
        return &*found;
    }
    if (presence == Presence::Required) {
        problem(key, "", "is missing");
    }
    return nullptr;
}

void FieldReader::problem(std::string_view key, std::string value, std::string message, std::string suggestion)
{
    m_problems.push_back({memberPath(m_path, key), std::move(value), std::move(message), std::move(suggestion)});
}

void FieldReader::quantity(std::string_view stem, double& field, const Unit& unit, NumberRange range, Presence presence)
{
    const std::string key = std::string(stem) + std::string(unit.suffix);
    const std::string baseKey = std::string(stem) + std::string(unit.baseSuffix);
    const json* inBase = member(baseKey);
    const json* inUnit = member(key, inBase == nullptr ? presence : Presence::Rare);
    if (inBase != nullptr && inUnit != nullptr) {
        problem(key, shown(*inUnit), fmt::format("is given twice, here and as {}", baseKey), "keep one of them");
        return;
    }
    if (inBase != nullptr) {
        field = readNumber(*inBase, memberPath(m_path, baseKey), range, m_problems).value_or(field);
    } else if (inUnit != nullptr) {
        const double perUnit = unit.toBase(1);
        const NumberRange inFile{range.low / perUnit, range.high / perUnit};
        if (const auto value = readNumber(*inUnit, memberPath(m_path, key), inFile, m_problems)) {
            field = unit.toBase(*value);
        }
    }
}

std::vector<std::string> FieldReader::unknownKeys() const
{
    std::vector<std::string> unknown;
    if (m_value.is_object()) {
        for (const auto& [key, value] : m_value.items()) {
            if (std::find(m_known.begin(), m_known.end(), key) == m_known.end()) {
                unknown.push_back(key);
            }
        }
    }
    return unknown;
}

void FieldReader::rejectUnknownKeys()
{
    const std::vector<std::string_view> known(m_known.begin(), m_known.end());
    for (const std::string& key : unknownKeys()) {
        const std::string name = shown(json(key));
        problem(std::string_view(name).substr(1, name.size() - 2), "", "is not a known key", suggestKey(key, known));
    }
}

void FieldWriter::number(std::string_view key, double field, NumberRange, Presence presence, double standard)
{
    if (presence != Presence::Rare || field != standard) {
        set(key, jsonNumber(field));
    }
}

void FieldWriter::quantity(std::string_view stem, double field, const Unit& unit, NumberRange range, Presence presence)
{
    const double quotient = unit.inverse ? field * unit.factor : field / unit.factor;
    double rounded = quotient;
    const std::string digits = fmt::format("{:.15g}", quotient);
    std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
    for (const double candidate : {rounded, quotient}) {
        if (unit.toBase(candidate) == field) {
            number(std::string(stem) + std::string(unit.suffix), candidate, range, presence);
            return;
        }
    }
    number(std::string(stem) + std::string(unit.baseSuffix), field, range, presence);
}

ordered_json jsonNumber(double value)
{
    if (std::trunc(value) == value && std::abs(value) <= exactIntegers) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

std::string jsonText(const ordered_json& value)
{
    return value.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace partita
