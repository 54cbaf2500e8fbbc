// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the readers of the architectures share. Internal to core/formats.

#include "core/formats/hf_config.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <initializer_list>
#include <map>
#include <set>

namespace partita {

/// Class defaults of a model type in transformers. 0: the class has none and the file must say; kvHeads and headDim: as
/// many as there are query heads, hidden size over heads.
struct ClassDefaults {
    int hidden = 0;
    int layers = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int width = 0; ///< of the feed-forward
    int vocabulary = 0;
    int positions = 0;
    bool tied = false;
};

/// Typed access to one object of a config. Everything that is absent and matters is noted as assumed, everything that
/// cannot be used is a Problem; the reader of the architecture carries on with a harmless value.
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

/// The dimensions every decoder has.
struct Dimensions {
    int layers = 1;
    int heads = 1;
    int kvHeads = 1;
    int headDim = 1;
    std::int64_t width = 1;

    Attention attention() const;
};

/// Reads hidden size, vocabulary, positions and tying into the model and returns the rest.
Dimensions readDimensions(HfFields& fields, Model& model, const ClassDefaults& defaults);
/// The same without attention and feed-forward.
int readFrame(HfFields& fields, Model& model, const ClassDefaults& defaults);
int readHeads(HfFields& fields, const ClassDefaults& defaults);
int readKvHeads(HfFields& fields, int heads, const ClassDefaults& defaults);
int readHeadDim(HfFields& fields, const Model& model, int heads, const ClassDefaults& defaults);

void addLayer(Model& model, const LayerKind& kind); ///< as the next layer, sharing its kind with equal ones
void addLayers(Model& model, int layers, const LayerKind& kind);
void addLayers(Model& model, int layers, const std::function<LayerKind(int)>& kindOf);

/// The window of every layer: by layer_types where the file has it, else where isWindowed says so. 0 = none.
std::vector<int> readWindows(HfFields& fields, int layers, std::int64_t window,
                             const std::function<bool(int)>& isWindowed);

} // namespace partita
