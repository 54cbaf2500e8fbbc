// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A member that is either the id of a preset or the whole object. Internal to core/formats.

#include "core/base/words.h"
#include "core/formats/json_fields.h"

#include <algorithm>

namespace partita {

template <class T> const T* findById(const std::vector<T>& presets, std::string_view id)
{
    const auto found = std::find_if(presets.begin(), presets.end(), [&](const T& preset) { return preset.id == id; });
    return found == presets.end() ? nullptr : &*found;
}

/// The preset of an id that a member states; nullptr and a Problem when there is none.
template <class T>
const T* presetWithId(FieldReader& fields, std::string_view key, const std::string& id, const std::vector<T>& presets)
{
    const T* preset = findById(presets, id);
    if (preset == nullptr) {
        std::vector<std::string_view> ids;
        for (const T& each : presets) {
            ids.push_back(each.id);
        }
        fields.problem(key, shown(id), "is not a known preset", suggestKey(id, ids));
    }
    return preset;
}

/// readObject(FieldReader&, T&) reads the members of a value that is not a preset.
template <class T, class ReadObject>
void readPresetOr(FieldReader& fields, std::string_view key, T& field, const std::vector<T>& presets, Presence presence,
                  ReadObject readObject)
{
    const nlohmann::json* value = fields.member(key, presence);
    if (value == nullptr) {
        return;
    }
    if (!value->is_string()) {
        FieldReader reader(*value, memberPath(fields.path(), key), fields.problems());
        readObject(reader, field);
        reader.rejectUnknownKeys();
        return;
    }
    if (const T* preset = presetWithId(fields, key, value->get_ref<const std::string&>(), presets)) {
        field = *preset;
    }
}

/// writeObject(FieldWriter&, T&) writes the members of a value that no preset equals.
template <class T, class WriteObject>
void writePresetOr(FieldWriter& fields, std::string_view key, T& field, const std::vector<T>& presets,
                   WriteObject writeObject)
{
    const T* preset = findById(presets, field.id);
    if (preset != nullptr && *preset == field) {
        fields.set(key, field.id);
        return;
    }
    FieldWriter writer;
    writeObject(writer, field);
    fields.set(key, writer.take());
}

/// "version" of preset files, and "$schema" of those that programs write.
inline constexpr int presetVersion = 1;
inline constexpr std::string_view linkSchema = "partita-link";

/// Reads "$schema" and "version" of a file; false when it is something else or newer than this program.
bool readHeader(FieldReader& fields, std::string_view schema, int version);
void writeHeader(FieldWriter& fields, std::string_view schema, int version);

} // namespace partita
