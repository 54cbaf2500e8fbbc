// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace partita {

/// Something in the input that cannot be used: which field, its value, why, and what would be right.
struct Problem {
    std::string field; ///< path as in the scenario file, e.g. "layout.tp" or "model.layers[3].mixer.heads"
    std::string value; ///< the offending value as text; empty when the field is missing
    std::string message; ///< why it cannot be used
    std::string suggestion; ///< what would be right; empty when nothing can be named

    bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

/// One line for a log or stderr: "layout.tp: 3: does not divide 64 heads (try 2 or 4)".
std::string describe(const Problem& problem);

/// A value, or every reason why there is none. Warnings that do not prevent a value belong to the value itself.
template <class T> struct Result {
    std::optional<T> value;
    Problems problems;

    Result(T v)
        : value(std::move(v))
    {
    }
    Result(Problems p)
        : problems(std::move(p))
    {
    }
    Result(Problem p)
        : problems{std::move(p)}
    {
    }

    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const& { return *value; }
    T& operator*() & { return *value; }
    T&& operator*() && { return *std::move(value); }
    const T* operator->() const { return &*value; }
    T* operator->() { return &*value; }
};

} // namespace partita
