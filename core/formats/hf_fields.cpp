// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_fields.h"

#include "core/base/words.h"
#include "core/formats/hf_uncosted_keys.h"
#include "core/formats/json_fields.h"
#include "core/model/check_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

using nlohmann::json;

namespace {

constexpr std::size_t mostNotes = 60;
constexpr IntegerRange anyInt{0, std::numeric_limits<std::int32_t>::max()};

/// Whether an unknown key only says that something is not there.
bool isOff(const json& value)
{
    return value.is_null() || value == false || (value.is_structured() && value.empty());
}

const json& emptyObject()
{
    static const json nothing = json::object();
    return nothing;
}

} // namespace

HfFields::HfFields(const json& object, std::string path, std::string modelType, ImportedModel& notes,
                   Problems& problems)
    : m_object(object)
    , m_path(std::move(path))
    , m_modelType(std::move(modelType))
    , m_notes(notes)
    , m_problems(problems)
{
}

const json* HfFields::find(Keys keys, std::string_view& used)
{
    const json* found = nullptr;
    for (const std::string_view key : keys) {
        m_known.emplace(key);
        const auto it = m_object.find(key);
        if (found == nullptr && it != m_object.end() && !it->is_null()) {
            found = &*it;
            used = key;
        }
    }
    return found;
}

bool HfFields::says(std::string_view key, std::string_view word)
{
    std::string_view used;
    const json* value = find({key}, used);
    return value != nullptr && value->is_string() && value->get_ref<const std::string&>() == word;
}

std::optional<std::int64_t> HfFields::readNumber(const json& value, std::string_view key)
{
    const std::string path = memberPath(m_path, key);
    if (!value.is_array()) {
        return readInteger(value, path, anyInt, m_problems);
    }
    // Some files repeat a number for every layer.
    if (value.empty() || std::any_of(value.begin(), value.end(), [&](const json& v) { return v != value.front(); })) {
        problem(key, shown(value), "must be one number, the same for every layer");
        return std::nullopt;
    }
    return readInteger(value.front(), path, anyInt, m_problems);
}

std::optional<std::int64_t> HfFields::optionalInteger(Keys keys)
{
    std::string_view used;
    const json* value = find(keys, used);
    if (value == nullptr) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> number = readNumber(*value, used);
    if (number) {
        m_spelling.emplace(*keys.begin(), used);
    }
    return number;
}

std::int64_t HfFields::integer(Keys keys, std::int64_t classDefault)
{
    std::string_view used;
    if (const std::optional<std::int64_t> number = optionalInteger(keys)) {
        return *number;
    }
    if (find(keys, used) != nullptr) {
        return std::max<std::int64_t>(classDefault, 1); // there, and already a Problem
    }
    if (classDefault == 0) {
        problem(*keys.begin(), "", "is missing", fmt::format("{} has no default for it", m_modelType));
        return 1;
    }
    assume(*keys.begin(), fmt::format("{} as for {}", classDefault, m_modelType));
    return classDefault;
}

std::int64_t HfFields::period(Keys keys, std::int64_t classDefault)
{
    const std::int64_t value = integer(keys, classDefault);
    if (value < 1) {
        problem(*keys.begin(), fmt::to_string(value), "must be at least 1");
        return 1;
    }
    return value;
}

std::int64_t HfFields::integerOrZero(Keys keys)
{
    return optionalInteger(keys).value_or(0);
}

std::int64_t HfFields::derived(Keys keys, std::int64_t value, std::string_view why)
{
    std::string_view used;
    if (const std::optional<std::int64_t> number = optionalInteger(keys)) {
        return *number;
    }
    if (find(keys, used) == nullptr) {
        assume(*keys.begin(), fmt::format("{}, {}", value, why));
    }
    return value;
}

bool HfFields::flag(std::string_view key, bool classDefault)
{
    std::string_view used;
    if (const json* value = find({key}, used)) {
        return readFlag(*value, memberPath(m_path, key), m_problems).value_or(classDefault);
    }
    assume(key, fmt::format("{} as for {}", classDefault, m_modelType));
    return classDefault;
}

std::string HfFields::text(std::string_view key, std::string_view classDefault)
{
    std::string_view used;
    const json* value = find({key}, used);
    return value == nullptr ? std::string(classDefault)
                            : readText(*value, memberPath(m_path, key), m_problems).value_or(std::string(classDefault));
}

double HfFields::number(std::string_view key, double classDefault)
{
    std::string_view used;
    if (const json* value = find({key}, used)) {
        return partita::readNumber(*value, memberPath(m_path, key), {0, 1e6}, m_problems).value_or(classDefault);
    }
    assume(key, fmt::format("{} as for {}", classDefault, m_modelType));
    return classDefault;
}

std::optional<std::vector<std::string>> HfFields::texts(std::string_view key)
{
    const json* value = array(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> list;
    for (std::size_t i = 0; i < value->size() && i < std::size_t{ModelBounds::layers}; ++i) {
        list.push_back(
            readText((*value)[i], elementPath(memberPath(m_path, key), i), m_problems).value_or(std::string()));
    }
    return list;
}

std::optional<std::vector<std::int64_t>> HfFields::integers(std::string_view key)
{
    const json* value = array(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < value->size() && i < std::size_t{ModelBounds::layers}; ++i) {
        list.push_back(
            readInteger((*value)[i], elementPath(memberPath(m_path, key), i), anyInt, m_problems).value_or(0));
    }
    return list;
}

const json* HfFields::object(std::string_view key)
{
    std::string_view used;
    const json* value = find({key}, used);
    if (value != nullptr && !value->is_object()) {
        problem(key, shown(*value), "must be an object");
        return nullptr;
    }
    return value;
}

const json* HfFields::array(std::string_view key)
{
    std::string_view used;
    const json* value = find({key}, used);
    if (value != nullptr && !value->is_array()) {
        problem(key, shown(*value), "must be a list");
        return nullptr;
    }
    return value;
}

HfFields HfFields::nested(std::string_view key)
{
    const json* value = object(key);
    return {value != nullptr ? *value : emptyObject(), memberPath(m_path, key), m_modelType, m_notes, m_problems};
}

HfFields HfFields::element(std::string_view key, std::size_t index)
{
    const std::string path = elementPath(memberPath(m_path, key), index);
    const json* list = array(key);
    const bool usable = list != nullptr && index < list->size() && (*list)[index].is_object();
    if (!usable) {
        m_problems.push_back({path, "", "must be an object", ""});
    }
    return {usable ? (*list)[index] : emptyObject(), path, m_modelType, m_notes, m_problems};
}

void HfFields::assume(std::string_view key, std::string what)
{
    if (m_notes.assumed.size() < mostNotes) {
        m_notes.assumed.push_back(
            fmt::format("{}: {}, {}", memberPath(m_path, key), has(key) ? "null" : "absent", what));
    }
}

void HfFields::ignore(std::string what)
{
    if (m_notes.ignored.size() < mostNotes) {
        m_notes.ignored.push_back(std::move(what));
    }
}

void HfFields::problem(std::string_view key, std::string value, std::string message, std::string suggestion)
{
    Problem problem{memberPath(m_path, key), std::move(value), std::move(message), std::move(suggestion)};
    if (std::find(m_problems.begin(), m_problems.end(), problem) == m_problems.end()) {
        m_problems.push_back(std::move(problem));
    }
}

void HfFields::unsupported(std::string_view key, std::string message)
{
    const auto it = m_object.find(key);
    problem(key, it != m_object.end() ? shown(*it) : std::string(), std::move(message));
}

void HfFields::know(Keys keys)
{
    m_known.insert(keys.begin(), keys.end());
}

void HfFields::noteUnknownKeys()
{
    constexpr std::size_t longest = 80;
    for (const auto& [key, value] : m_object.items()) {
        if (m_known.count(key) == 0 && !isUncosted(key) && !isOff(value)) {
            ignore(fmt::format("{}: {}, not read", memberPath(m_path, elided(key, longest)), shown(value)));
        }
    }
}

bool HfFields::sound(std::string_view canonical) const
{
    return m_spelling.find(canonical) != m_spelling.end();
}

std::string HfFields::spelling(std::string_view canonical) const
{
    const auto it = m_spelling.find(canonical);
    return memberPath(m_path, it != m_spelling.end() ? it->second : canonical);
}

} // namespace partita
