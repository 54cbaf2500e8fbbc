// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reading run files, whatever the spelling of their rows. Internal to core/runs.

#include "core/formats/json_fields.h"
#include "core/runs/published_run.h"

#include <string>

namespace partita {

/// Of measured rates and times: what is divided by.
inline constexpr NumberRange positive{1e-9};

/// Members of one run; a member that is absent or null stays absent, one of the wrong type is a Problem.
class RunFields {
public:
    RunFields(const nlohmann::json& object, std::string path, Problems& problems)
        : m_reader(object, std::move(path), problems)
    {
    }

    void integer(std::string_view key, std::optional<std::int64_t>& field, std::int64_t low = 1)
    {
        if (const nlohmann::json* value = m_reader.member(key)) {
            field = readInteger(*value, memberPath(m_reader.path(), key), {low}, m_reader.problems());
        }
    }
    void number(std::string_view key, std::optional<double>& field, NumberRange range = {})
    {
        if (const nlohmann::json* value = m_reader.member(key)) {
            field = readNumber(*value, memberPath(m_reader.path(), key), range, m_reader.problems());
        }
    }
    void flag(std::string_view key, std::optional<bool>& field)
    {
        if (const nlohmann::json* value = m_reader.member(key)) {
            field = readFlag(*value, memberPath(m_reader.path(), key), m_reader.problems());
        }
    }
    void text(std::string_view key, std::optional<std::string>& field)
    {
        if (const nlohmann::json* value = m_reader.member(key)) {
            field = readText(*value, memberPath(m_reader.path(), key), m_reader.problems());
        }
    }
    std::string text(std::string_view key)
    {
        std::optional<std::string> field;
        text(key, field);
        return field.value_or("");
    }

private:
    FieldReader m_reader;
};

/// What training rows of either kind spell alike.
void readShape(RunFields& fields, PublishedRun::ModelFacts& model);
void readSplit(RunFields& fields, PublishedRun::LayoutFacts& layout);

/// An amount of memory in GiB; nothing when the unit is none of GiB, GB, MiB and MB.
std::optional<double> gibibytesOf(double amount, std::string_view unit);

/// The member that must be an object; an empty one where it is absent or null, and a Problem where it is anything else.
const nlohmann::json& section(const nlohmann::json& row, const char* key, const std::string& path, Problems& problems);

/// A row of public models by name, with its facts in `hardware`, `layout` and `measured`.
PublishedRun readNamedRun(const nlohmann::json& row, const std::string& path, Problems& problems);

/// A serving point: `hardware` in the source's words, `layout`, `workload` and `measured`.
PublishedRun readServingPoint(const nlohmann::json& row, const std::string& path, Problems& problems);

} // namespace partita
