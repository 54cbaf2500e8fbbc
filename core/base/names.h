// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace partita {

/// The one table of an enumeration's names: key as written in files and on the command line, label as shown on screen.
template <class E> struct Name {
    E value;
    std::string_view key;
    std::string_view label;
};

/// Specialise with `static constexpr std::array table{Name<E>{...}, ...}`.
template <class E> struct Names;

template <class E> constexpr std::string_view keyOf(E value)
{
    for (const Name<E>& name : Names<E>::table) {
        if (name.value == value) {
            return name.key;
        }
    }
    return {};
}

template <class E> constexpr std::string_view labelOf(E value)
{
    for (const Name<E>& name : Names<E>::table) {
        if (name.value == value) {
            return name.label;
        }
    }
    return {};
}

template <class E> constexpr std::optional<E> fromKey(std::string_view key)
{
    for (const Name<E>& name : Names<E>::table) {
        if (name.key == key) {
            return name.value;
        }
    }
    return std::nullopt;
}

} // namespace partita
