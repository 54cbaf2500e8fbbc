// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/hf_config.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <map>
#include <set>

namespace partita {

/// Typed access to one object of a config; internal to core/formats. Everything that is absent and matters is noted as
/// assumed, everything that cannot be used is a Problem; the reader of the architecture carries on with a harmless
/// value.
class HfFields {
public:
    /// The first of these that is in the file and not null counts; the first one is the canonical name.
    using Keys = std::initializer_list<std::string_view>;

    /// object must outlive this.
    HfFields(const nlohmann::json& object, std::string path, std::string modelType, ImportedModel& notes,
             Problems& problems);

    const std::string& modelType() const { return m_modelType; }
    const std::string& path() const { return m_path; }
    bool has(std::string_view key) const { return m_object.contains(key); } ///< null included
    bool says(std::string_view key, std::string_view word); ///< whether the key holds this text, such as "auto"

    std::optional<std::int64_t> optionalInteger(Keys keys);
    std::int64_t integer(Keys keys, std::int64_t classDefault); ///< 0: absent is a Problem
    std::int64_t period(Keys keys, std::int64_t classDefault); ///< the same, and at least 1
    std::int64_t integerOrZero(Keys keys); ///< absent or null means off
    std::int64_t derived(Keys keys, std::int64_t value, std::string_view why); ///< absent: value, because of why
    bool flag(std::string_view key, bool classDefault);
    std::string text(std::string_view key, std::string_view classDefault);
    double number(std::string_view key, double classDefault);
    std::optional<std::vector<std::string>> texts(std::string_view key);
    std::optional<std::vector<std::int64_t>> integers(std::string_view key);
    const nlohmann::json* object(std::string_view key); ///< nullptr when absent or null
    const nlohmann::json* array(std::string_view key);
    HfFields nested(std::string_view key); ///< an empty object when absent
    HfFields element(std::string_view key, std::size_t index); ///< of a list of objects

    void assume(std::string_view key, std::string what);
    void ignore(std::string what);
    void problem(std::string_view key, std::string value, std::string message, std::string suggestion = {});
    /// Refuses a combination that no model of the type is known to have.
    void unsupported(std::string_view key, std::string message);
    void know(Keys keys); ///< keys of which nothing depends

    /// Notes what nothing asked for, the usual keys without a cost apart.
    void noteUnknownKeys();
    bool sound(std::string_view canonical) const; ///< whether the key was in the file and read without a Problem
    std::string spelling(std::string_view canonical) const; ///< path of the key as the file has it

private:
    const nlohmann::json* find(Keys keys, std::string_view& used);
    std::optional<std::int64_t> readNumber(const nlohmann::json& value, std::string_view key);

    const nlohmann::json& m_object;
    std::string m_path;
    std::string m_modelType;
    ImportedModel& m_notes;
    Problems& m_problems;
    std::set<std::string, std::less<>> m_known;
    std::map<std::string, std::string, std::less<>> m_spelling; ///< canonical to used, of what was read well
};

} // namespace partita
