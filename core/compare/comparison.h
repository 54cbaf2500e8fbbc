// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"
#include "core/training/report.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace partita {

/// A legal scenario and what it costs, under the name it was pinned with.
struct ComparedLayout {
    std::string name;
    Scenario scenario;
    std::shared_ptr<const Report> report; ///< never null; shared, because a timeline is large
};

/// 'A' of the first: how charts, tables and derivations (in lower case) name the layouts of a comparison.
constexpr char16_t letterOf(std::size_t layout)
{
    return static_cast<char16_t>(u'A' + layout);
}

/// "tp 8 · pp 4 · dp 2 · 1F1B · batch 64", with whatever other degree is not one.
std::string layoutName(const Layout& layout);

/// A setting or a figure in which layouts differ.
struct ComparisonRow {
    std::string key; ///< of scenario files, or as `partita explain` names it
    std::string label;
    std::vector<std::string> values; ///< one a layout, as people read them; empty = has no such setting
    std::vector<std::optional<double>> numbers; ///< the same where they are numbers, in the unit
    std::string unit; ///< as derivations name it; empty = none, or that of the key
    bool isFigure = false; ///< what comes out, not what was set

    bool operator==(const ComparisonRow&) const = default;
};

/// Only what differs: settings first, then figures. Nothing for fewer than two layouts.
std::vector<ComparisonRow> differingRows(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue);

enum class ComparedQuantity { StepTime, Memory, Mfu };

template <> struct Names<ComparedQuantity> {
    static constexpr std::array table{
        Name<ComparedQuantity>{ComparedQuantity::StepTime, "step-time", "step time"},
        Name<ComparedQuantity>{ComparedQuantity::Memory, "memory", "peak memory"},
        Name<ComparedQuantity>{ComparedQuantity::Mfu, "mfu", "MFU"},
    };
};

double valueOf(ComparedQuantity quantity, const Report& report); ///< s, bytes of the fullest stage, share
std::string formatQuantity(ComparedQuantity quantity, double value);
/// With its sign; of MFU in points, because a per cent of a per cent would be read as something else: "−2.4 points".
std::string formatChange(ComparedQuantity quantity, double change);

/// What changing one term alone, after those before it, does to the quantity.
struct WaterfallStep {
    std::string label;
    int category = -1; ///< TimeKind or MemoryKind; -1 = no part of a breakdown
    double from = 0;
    double to = 0;

    double change() const { return to - from; }
};

/// The way from one report's value to another's. The first `from` is `before`, each `to` the next `from`, the last `to`
/// is `after`, all to the last bit. MFU is the useful time of a step over the step: terms of the step time come first,
/// then, where model or devices differ, the useful time.
struct Waterfall {
    double before = 0;
    double after = 0;
    std::vector<WaterfallStep> steps;
};

Waterfall waterfall(ComparedQuantity quantity, const Report& before, const Report& after);

/// What is small beside the values it leads between: less than half of what their last written digit tells apart, or,
/// where every step is, a hundredth of the largest.
double leastShown(ComparedQuantity quantity, const Waterfall& waterfall);

/// Steps of at least that size in their order, and the rest as one, "others", where it is as large; the ends stay.
Waterfall withoutSmall(const Waterfall& waterfall, double least);

/// The largest `most` − 1 steps in their order, of equal ones the first, and the rest as one, "others"; the ends stay.
/// All of them when there are no more than `most`, or most is 0.
Waterfall shortened(const Waterfall& waterfall, std::size_t most);

} // namespace partita
