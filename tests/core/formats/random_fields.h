// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/json_fields.h"

#include <array>
#include <cmath>
#include <random>

namespace partita {

/// Fills what a description names with random values that its ranges allow.
class RandomFields {
public:
    static constexpr bool reading = false;

    explicit RandomFields(std::mt19937_64& random)
        : m_random(random)
    {
    }

    template <class I>
    void integer(std::string_view, I& field, IntegerRange range = {}, Presence = Presence::Stated, I = {})
    {
        field = static_cast<I>(anyInteger(range.within<I>()));
    }
    void number(std::string_view, double& field, NumberRange range = {}, Presence = Presence::Stated, double = 0)
    {
        const double low = std::max(range.low, range.high * 1e-9);
        field = low * std::pow(range.high / low, std::uniform_real_distribution<double>(0, 1)(m_random));
        field = std::clamp(field, range.low, range.high);
    }
    void quantity(std::string_view key, double& field, const Unit&, NumberRange range = {}, Presence = Presence::Stated)
    {
        number(key, field, range);
    }
    void flag(std::string_view, bool& field, Presence = Presence::Stated) { field = below(2) == 1; }
    void text(std::string_view, std::string& field, Presence = Presence::Stated)
    {
        static constexpr std::array<std::string_view, 5> texts{"", "a", "\"quoted\" \\ \n", "größer ≥ 1", "0"};
        field = texts[below(texts.size())];
    }
    template <class E> void choice(std::string_view, E& field, Presence = Presence::Stated)
    {
        field = Names<E>::table[below(Names<E>::table.size())].value;
    }
    template <class E> void choices(std::string_view key, std::vector<E>& field, Presence = Presence::Stated)
    {
        field.resize(below(4));
        for (E& each : field) {
            choice(key, each);
        }
    }
    void texts(std::string_view key, std::vector<std::string>& field, Presence = Presence::Stated)
    {
        field.resize(below(4));
        for (std::string& each : field) {
            text(key, each);
        }
    }
    template <class I>
    void integers(std::string_view key, std::vector<I>& field, IntegerRange range = {}, Presence = Presence::Stated)
    {
        field.resize(below(4));
        for (I& each : field) {
            integer(key, each, range);
        }
    }
    template <class T> void object(std::string_view, T& field, Presence = Presence::Stated) { describe(*this, field); }
    template <class T> void objects(std::string_view, std::vector<T>& field, Presence = Presence::Stated)
    {
        field.assign(1 + below(3), T());
        for (T& each : field) {
            describe(*this, each);
        }
    }
    template <class... Ts> void oneOf(std::string_view, std::variant<std::monostate, Ts...>& field)
    {
        std::size_t i = 0;
        const std::size_t chosen = below(sizeof...(Ts) + 1);
        field = std::monostate();
        (void)((chosen == i++ ? (describe(*this, field.template emplace<Ts>()), true) : false) || ...);
    }

    std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_random); }

private:
    std::int64_t anyInteger(IntegerRange range)
    {
        // Small numbers as often as large ones.
        const std::int64_t span = std::uniform_int_distribution<std::int64_t>(0, 50)(m_random);
        const std::int64_t high = below(2) == 0 ? std::min(range.high, range.low + span) : range.high;
        return std::uniform_int_distribution<std::int64_t>(range.low, high)(m_random);
    }

    std::mt19937_64& m_random;
};

/// Counts the fields that a description names.
struct CountingFields {
    static constexpr bool reading = false;
    std::size_t count = 0;

    template <class T> void integer(std::string_view, T&, IntegerRange = {}, Presence = {}, T = {}) { ++count; }
    template <class T> void integers(std::string_view, T&, IntegerRange = {}, Presence = {}) { ++count; }
    void number(std::string_view, double&, NumberRange = {}, Presence = {}, double = 0) { ++count; }
    void quantity(std::string_view, double&, const Unit&, NumberRange = {}, Presence = {}) { ++count; }
    void flag(std::string_view, bool&, Presence = {}) { ++count; }
    void text(std::string_view, std::string&, Presence = {}) { ++count; }
    void texts(std::string_view, std::vector<std::string>&, Presence = {}) { ++count; }
    template <class T> void choice(std::string_view, T&, Presence = {}) { ++count; }
    template <class T> void choices(std::string_view, std::vector<T>&, Presence = {}) { ++count; }
    template <class T> void object(std::string_view, T&, Presence = {}) { ++count; }
    template <class T> void objects(std::string_view, T&, Presence = {}) { ++count; }
    template <class T> void oneOf(std::string_view, T&) { ++count; }
};

/// Converts to whatever a member of an aggregate is.
struct AnyMember {
    template <class T> operator T() const;
};

/// Number of members of an aggregate.
template <class T, class... Members> constexpr std::size_t memberCount()
{
    if constexpr (requires { T{Members{}..., AnyMember{}}; }) {
        return memberCount<T, Members..., AnyMember>();
    } else {
        return sizeof...(Members);
    }
}

} // namespace partita
