// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reading and writing structs as JSON objects. A struct's fields are described once, in a function
// `template <class Fields> void describe(Fields& fields, Struct& value)` of one line a field; FieldReader and
// FieldWriter both run it, so what is read and what is written cannot drift apart. Internal to core/formats.

#include "core/base/names.h"
#include "core/formats/json_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace partita {

/// The unit a number has in files; structs hold base units.
struct Unit {
    std::string_view suffix; ///< of the key, e.g. "_us"
    double factor; ///< base = file * factor, or file / factor where inverse (exact where factor is)
    bool inverse;
    std::string_view baseSuffix; ///< of the same field in base units, for values the file unit cannot hold exactly

    double toBase(double value) const { return inverse ? value / factor : value * factor; }
};

inline constexpr Unit plainNumber{"", 1, false, ""};
inline constexpr Unit teraflops{"_tflops", 1e12, false, "_flops"};
inline constexpr Unit gigabytesPerSecond{"_gbytes_per_s", 1e9, false, "_bytes_per_s"};
inline constexpr Unit gibibytes{"_gib", 1073741824.0, false, "_bytes"};
inline constexpr Unit mebibytes{"_mib", 1048576.0, false, "_bytes"};
inline constexpr Unit milliseconds{"_ms", 1e3, true, "_s"};
inline constexpr Unit microseconds{"_us", 1e6, true, "_s"};

struct IntegerRange {
    std::int64_t low = 0;
    std::int64_t high = std::int64_t{1} << 48;

    /// What of the range the type I can hold.
    template <class I> IntegerRange within() const
    {
        return {std::max<std::int64_t>(low, std::numeric_limits<I>::min()),
                std::min<std::int64_t>(high, std::numeric_limits<I>::max())};
    }
};

struct NumberRange {
    double low = 0;
    double high = 1e24;
};

inline constexpr NumberRange share{0, 1};

/// Required: must be in the file. Stated: may be left out, is always written. Rare: written only where it is not the
/// default.
enum class Presence { Required, Stated, Rare };

/// Typed values: nullopt and a Problem at path when the JSON is something else. Integers may be written 4096.0, never
/// "4096", true or 3.7; numbers are finite.
std::optional<std::int64_t> readInteger(const nlohmann::json& value, const std::string& path, IntegerRange range,
                                        Problems& problems);
std::optional<double> readNumber(const nlohmann::json& value, const std::string& path, NumberRange range,
                                 Problems& problems);
std::optional<bool> readFlag(const nlohmann::json& value, const std::string& path, Problems& problems);
std::optional<std::string> readText(const nlohmann::json& value, const std::string& path, Problems& problems);
/// Index of the key among those allowed.
std::optional<std::size_t> readKey(const nlohmann::json& value, const std::string& path,
                                   const std::vector<std::string_view>& keys, Problems& problems);

template <class E> std::optional<E> readChoice(const nlohmann::json& value, const std::string& path, Problems& problems)
{
    std::vector<std::string_view> keys;
    for (const Name<E>& name : Names<E>::table) {
        keys.push_back(name.key);
    }
    const std::optional<std::size_t> index = readKey(value, path, keys, problems);
    return index ? std::optional<E>(Names<E>::table[*index].value) : std::nullopt;
}

/// A JSON value as a Problem shows it: short, and never a whole tree.
std::string shown(const nlohmann::json& value);

/// Key under which the alternative T of a variant is written as "kind".
template <class T> struct KindKey;

/// Reads an object's members into a struct; what is wrong goes to problems, the member keeps its default.
class FieldReader {
public:
    static constexpr bool reading = true;

    /// value must outlive the reader. Anything but an object is a Problem.
    FieldReader(const nlohmann::json& value, std::string path, Problems& problems);

    const std::string& path() const { return m_path; }
    /// The member, or nullptr where it is absent or null; a required one that is missing is a Problem. Marks the key as
    /// known.
    const nlohmann::json* member(std::string_view key, Presence presence = Presence::Rare);
    void problem(std::string_view key, std::string value, std::string message, std::string suggestion = {});
    Problems& problems() { return m_problems; }
    /// Members that nothing asked for.
    std::vector<std::string> unknownKeys() const;
    /// Every unknown key as a Problem with "did you mean".
    void rejectUnknownKeys();

    template <class I>
    void integer(std::string_view key, I& field, IntegerRange range = {}, Presence presence = Presence::Stated,
                 I /*standard*/ = {})
    {
        range = range.within<I>();
        assign(key, presence, field,
               [&](const auto& v, const auto& p) { return readInteger(v, p, range, m_problems); });
    }
    void number(std::string_view key, double& field, NumberRange range = {}, Presence presence = Presence::Stated,
                double /*standard*/ = 0)
    {
        assign(key, presence, field, [&](const auto& v, const auto& p) { return readNumber(v, p, range, m_problems); });
    }
    /// Range in base units.
    void quantity(std::string_view stem, double& field, const Unit& unit, NumberRange range = {},
                  Presence presence = Presence::Stated);
    void flag(std::string_view key, bool& field, Presence presence = Presence::Stated)
    {
        assign(key, presence, field, [&](const auto& v, const auto& p) { return readFlag(v, p, m_problems); });
    }
    void text(std::string_view key, std::string& field, Presence presence = Presence::Stated)
    {
        assign(key, presence, field, [&](const auto& v, const auto& p) { return readText(v, p, m_problems); });
    }
    template <class E> void choice(std::string_view key, E& field, Presence presence = Presence::Stated)
    {
        assign(key, presence, field, [&](const auto& v, const auto& p) { return readChoice<E>(v, p, m_problems); });
    }
    template <class E> void choices(std::string_view key, std::vector<E>& field, Presence presence = Presence::Stated)
    {
        elements(key, field, presence, [&](const auto& v, const auto& p) { return readChoice<E>(v, p, m_problems); });
    }
    void texts(std::string_view key, std::vector<std::string>& field, Presence presence = Presence::Stated)
    {
        elements(key, field, presence, [&](const auto& v, const auto& p) { return readText(v, p, m_problems); });
    }
    template <class I>
    void integers(std::string_view key, std::vector<I>& field, IntegerRange range = {},
                  Presence presence = Presence::Stated)
    {
        range = range.within<I>();
        elements(key, field, presence,
                 [&](const auto& v, const auto& p) { return readInteger(v, p, range, m_problems); });
    }
    template <class T> void object(std::string_view key, T& field, Presence presence = Presence::Stated)
    {
        if (const nlohmann::json* value = member(key, presence)) {
            readStruct(*value, memberPath(m_path, key), field);
        }
    }
    template <class T> void objects(std::string_view key, std::vector<T>& field, Presence presence = Presence::Stated)
    {
        objects(key, field, presence, [](FieldReader& reader, T& element) { describe(reader, element); });
    }
    /// readElement(FieldReader&, T&) reads the members of one.
    template <class T, class ReadElement>
    void objects(std::string_view key, std::vector<T>& field, Presence presence, ReadElement readElement)
    {
        elements(key, field, presence, [&](const auto& v, const auto& p) {
            T element;
            FieldReader reader(v, p, m_problems);
            readElement(reader, element);
            reader.rejectUnknownKeys();
            return std::optional<T>(std::move(element));
        });
    }
    /// A variant whose first alternative, std::monostate, is the absent member; the others say which by "kind".
    template <class... Ts> void oneOf(std::string_view key, std::variant<std::monostate, Ts...>& field)
    {
        const nlohmann::json* value = member(key);
        if (value == nullptr) {
            return;
        }
        FieldReader reader(*value, memberPath(m_path, key), m_problems);
        const nlohmann::json* kind = reader.member("kind", Presence::Required);
        if (kind == nullptr) {
            return;
        }
        const std::vector<std::string_view> keys{KindKey<Ts>::value...};
        const std::optional<std::size_t> index = readKey(*kind, memberPath(reader.path(), "kind"), keys, m_problems);
        std::size_t i = 0;
        (void)((index == i++ ? (describe(reader, field.template emplace<Ts>()), true) : false) || ...);
        if (index) {
            reader.rejectUnknownKeys();
        }
    }

private:
    template <class T, class Read> void assign(std::string_view key, Presence presence, T& field, Read read)
    {
        if (const nlohmann::json* value = member(key, presence)) {
            if (auto result = read(*value, memberPath(m_path, key))) {
                field = static_cast<T>(*std::move(result));
            }
        }
    }
    template <class T, class Read>
    void elements(std::string_view key, std::vector<T>& field, Presence presence, Read read)
    {
        const nlohmann::json* value = member(key, presence);
        if (value == nullptr) {
            return;
        }
        if (!value->is_array()) {
            problem(key, shown(*value), "must be a list");
            return;
        }
        field.clear();
        for (std::size_t i = 0; i < value->size(); ++i) {
            if (auto result = read((*value)[i], elementPath(memberPath(m_path, key), i))) {
                field.push_back(static_cast<T>(*std::move(result)));
            }
        }
    }
    template <class T> void readStruct(const nlohmann::json& value, const std::string& path, T& field)
    {
        FieldReader reader(value, path, m_problems);
        describe(reader, field);
        reader.rejectUnknownKeys();
    }

    const nlohmann::json& m_value;
    std::string m_path;
    Problems& m_problems;
    std::vector<std::string> m_known;
};

/// Writes a struct's fields as an object whose keys keep the order of the description.
class FieldWriter {
public:
    static constexpr bool reading = false;

    nlohmann::ordered_json take() { return std::move(m_object); }

    template <class I>
    void integer(std::string_view key, const I& field, IntegerRange = {}, Presence presence = Presence::Stated,
                 I standard = {})
    {
        write(key, field, standard, presence);
    }
    void number(std::string_view key, double field, NumberRange = {}, Presence presence = Presence::Stated,
                double standard = 0);
    void quantity(std::string_view stem, double field, const Unit& unit, NumberRange = {},
                  Presence presence = Presence::Stated);
    void flag(std::string_view key, bool field, Presence presence = Presence::Stated)
    {
        write(key, field, false, presence);
    }
    void text(std::string_view key, const std::string& field, Presence presence = Presence::Stated)
    {
        write(key, field, std::string(), presence);
    }
    /// The default of a rare choice is the first of its names.
    template <class E> void choice(std::string_view key, E field, Presence presence = Presence::Stated)
    {
        if (presence != Presence::Rare || field != Names<E>::table.front().value) {
            set(key, std::string(keyOf(field)));
        }
    }
    template <class E>
    void choices(std::string_view key, const std::vector<E>& field, Presence presence = Presence::Stated)
    {
        std::vector<std::string> keys;
        for (const E value : field) {
            keys.emplace_back(keyOf(value));
        }
        write(key, keys, {}, presence);
    }
    void texts(std::string_view key, const std::vector<std::string>& field, Presence presence = Presence::Stated)
    {
        write(key, field, {}, presence);
    }
    template <class I>
    void integers(std::string_view key, const std::vector<I>& field, IntegerRange = {},
                  Presence presence = Presence::Stated)
    {
        write(key, field, {}, presence);
    }
    template <class T> void object(std::string_view key, T& field, Presence presence = Presence::Stated)
    {
        if (presence != Presence::Rare || !(field == T{})) {
            set(key, written(field));
        }
    }
    template <class T> void objects(std::string_view key, std::vector<T>& field, Presence presence = Presence::Stated)
    {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (T& element : field) {
            list.push_back(written(element));
        }
        if (presence != Presence::Rare || !field.empty()) {
            set(key, std::move(list));
        }
    }
    template <class... Ts> void oneOf(std::string_view key, std::variant<std::monostate, Ts...>& field)
    {
        (void)(writeKind<Ts>(key, field) || ...);
    }
    void set(std::string_view key, nlohmann::ordered_json value) { m_object[std::string(key)] = std::move(value); }

private:
    template <class T> void write(std::string_view key, const T& field, const T& standard, Presence presence)
    {
        if (presence != Presence::Rare || !(field == standard)) {
            set(key, field);
        }
    }
    template <class T> static nlohmann::ordered_json written(T& field)
    {
        FieldWriter writer;
        describe(writer, field);
        return writer.take();
    }
    template <class T, class V> bool writeKind(std::string_view key, V& variant)
    {
        T* alternative = std::get_if<T>(&variant);
        if (alternative == nullptr) {
            return false;
        }
        FieldWriter writer;
        writer.set("kind", std::string(KindKey<T>::value));
        describe(writer, *alternative);
        set(key, writer.take());
        return true;
    }

    nlohmann::ordered_json m_object = nlohmann::ordered_json::object();
};

/// A number as JSON: integral values without a fraction, others with the fewest digits that read back the same.
nlohmann::ordered_json jsonNumber(double value);
/// Canonical text: 2 spaces of indent, final newline, bytes that are not UTF-8 replaced.
std::string jsonText(const nlohmann::ordered_json& value);

} // namespace partita
