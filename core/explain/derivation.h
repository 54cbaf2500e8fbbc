// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/base/problem.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// What a number counts; decides how it is written.
enum class Measure {
    Plain,
    Count,
    Share,
    Truth, ///< 0 or 1
    Bytes,
    Seconds,
    Flops,
    FlopsPerSecond,
    BytesPerSecond,
    Tokens,
    TokensPerSecond,
    Days,
    Dollars,
    DollarsPerHour
};

template <> struct Names<Measure> {
    static constexpr std::array table{
        Name<Measure>{Measure::Plain, "1", ""},
        Name<Measure>{Measure::Count, "count", ""},
        Name<Measure>{Measure::Share, "share", ""},
        Name<Measure>{Measure::Truth, "truth", ""},
        Name<Measure>{Measure::Bytes, "bytes", "bytes"},
        Name<Measure>{Measure::Seconds, "s", "seconds"},
        Name<Measure>{Measure::Flops, "flop", "FLOP"},
        Name<Measure>{Measure::FlopsPerSecond, "flop/s", "FLOP/s"},
        Name<Measure>{Measure::BytesPerSecond, "bytes/s", "bytes/s"},
        Name<Measure>{Measure::Tokens, "tokens", "tokens"},
        Name<Measure>{Measure::TokensPerSecond, "tokens/s", "tokens/s"},
        Name<Measure>{Measure::Days, "days", "days"},
        Name<Measure>{Measure::Dollars, "usd", "US dollars"},
        Name<Measure>{Measure::DollarsPerHour, "usd/h", "US dollars an hour"},
    };
};

/// As people read it, with its unit: "68.4 GiB", "989 TFLOP/s", "yes".
std::string formatMeasure(double value, Measure measure);

/// The origin of a term that stands for a part the scenario does not have.
inline constexpr std::string_view absentOrigin = "nothing of this kind in the scenario";

/// A number that stands for a symbol, and where it is from: another derivation, or what the user or a preset gave.
struct Quantity {
    double value = 0;
    std::string name;
    std::string path; ///< of the derivation it unfolds to; empty: it is given
    std::string origin; ///< of a given number: "layout.tp", "accelerator h100-sxm-80gb: memory bandwidth"
};

/// A symbol of a formula. A list has as many values as there are stages, layers, parts, ...
struct Term {
    std::string symbol;
    std::string name;
    Measure measure = Measure::Plain;
    bool list = false;
    std::vector<Quantity> values;
};

/// Where a number comes from.
struct Derivation {
    std::string path; ///< as in the report's JSON, or of an intermediate value
    std::string name; ///< in words
    Measure measure = Measure::Plain;
    double value = 0;
    std::string text; ///< of a value that is no number; then there may be no formula
    std::string formula; ///< for parseFormula(); empty: the value is given or simulated, and `assumptions` say how
    std::vector<Term> terms; ///< one per symbol of the formula
    std::vector<std::string> sources;
    std::vector<std::string> assumptions;
    double rest = 0; ///< part of the value that the formula does not reach; then a term "rest" makes it up

    std::string valueText() const; ///< text, or the number with its unit
    std::string plain() const; ///< the formula on one line, "" without one
    std::string latex() const;
    std::string math() const; ///< inside of a <math> element
    std::string substituted() const; ///< with this scenario's numbers
};

/// The formula's own answer from the values of its terms. Problems: a formula or terms that do not belong together.
Result<double> recompute(const Derivation& derivation);

/// Where a formula and its terms do not reach the value (within rounding), a term "rest" is added that says by how
/// much: a derivation never shows a sum that is not one.
void closeGap(Derivation& derivation);

} // namespace partita
