// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/comparison.h"

#include "core/base/format.h"
#include "core/base/units.h"
#include "core/explain/derivation.h"
#include "core/formats/flat_json.h"
#include "core/formats/scenario_file.h"
#include "core/search/difference.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace partita {

namespace {

std::string textOf(const FlatJson& flat, const std::string& key)
{
    const auto found = flat.find(key);
    if (found == flat.end()) {
        return {};
    }
    const double* number = std::get_if<double>(&found->second);
    if (number == nullptr) {
        return std::get<std::string>(found->second);
    }
    return *number == std::floor(*number) && std::abs(*number) < 1e15 ? formatCount(static_cast<std::int64_t>(*number))
                                                                      : formatSignificant(*number);
}

/// "layout.global_batch" -> "global batch".
std::string settingLabel(const std::string& key)
{
    std::string label = key.substr(key.rfind('.') == std::string::npos ? 0 : key.rfind('.') + 1);
    std::replace(label.begin(), label.end(), '_', ' ');
    return label;
}

void addSettings(std::vector<ComparisonRow>& rows, const std::vector<ComparedLayout>& layouts,
                 const Catalogue& catalogue)
{
    std::set<std::string> keys;
    std::vector<FlatJson> settings;
    for (const ComparedLayout& layout : layouts) {
        for (std::string& key : differingFields(layouts.front().scenario, layout.scenario, catalogue)) {
            keys.insert(std::move(key));
        }
        settings.push_back(flatten(writeScenario(layout.scenario, catalogue)));
    }
    for (const std::string& key : keys) {
        ComparisonRow row{key, settingLabel(key), {}, {}, {}, false};
        for (const FlatJson& flat : settings) {
            const auto found = flat.find(key);
            const double* number = found == flat.end() ? nullptr : std::get_if<double>(&found->second);
            row.values.push_back(textOf(flat, key));
            row.numbers.push_back(number == nullptr ? std::nullopt : std::optional(*number));
        }
        rows.push_back(std::move(row));
    }
}

struct Figure {
    std::string_view key;
    std::string_view label;
    Measure measure;
    double (*value)(const Report&);
};

/// As everywhere, but for what reads better without unit, or is not known.
std::string written(const Figure& figure, double value)
{
    switch (figure.measure) {
    case Measure::Truth:
        return value != 0 ? "fits" : "does not fit";
    case Measure::TokensPerSecond:
        return formatCount(std::llround(value));
    case Measure::Days:
    case Measure::Dollars:
        return value > 0 ? formatMeasure(value, figure.measure) : std::string();
    default:
        return formatMeasure(value, figure.measure);
    }
}

constexpr std::array figures{
    Figure{"fits", "memory", Measure::Truth, [](const Report& r) { return r.fits ? 1. : 0.; }},
    Figure{"memory.peak_bytes", "peak memory", Measure::Bytes, [](const Report& r) { return r.peakMemory(); }},
    Figure{"step_time_s", "step time", Measure::Seconds, [](const Report& r) { return r.stepTime; }},
    Figure{"mfu.causal", "MFU", Measure::Share, [](const Report& r) { return r.mfu.causal; }},
    Figure{"hfu.causal", "HFU", Measure::Share, [](const Report& r) { return r.hfu.causal; }},
    Figure{"tokens_per_s_per_device", "tokens/s/device", Measure::TokensPerSecond,
           [](const Report& r) { return r.tokensPerSecondPerDevice; }},
    Figure{"bubble_fraction", "bubble", Measure::Share, [](const Report& r) { return r.bubbleFraction; }},
    Figure{"exposed_communication_s", "exposed communication", Measure::Seconds,
           [](const Report& r) { return r.time.exposedCommunication(); }},
    Figure{"training_days", "training time", Measure::Days, [](const Report& r) { return r.trainingDays; }},
    Figure{"training_cost_usd", "training cost", Measure::Dollars, [](const Report& r) { return r.trainingCost; }},
};

} // namespace

std::string layoutName(const Layout& layout)
{
    std::string name;
    const auto add = [&name](std::string_view degree, std::int64_t value, bool always) {
        if (always || value > 1) {
            name += fmt::format("{}{} {}", name.empty() ? "" : " · ", degree, value);
        }
    };
    add("tp", layout.tp, true);
    add("cp", layout.cp, false);
    add("pp", layout.pp, true);
    add("vpp", layout.vpp, false);
    add("dp", layout.dp, true);
    add("ep", layout.ep, false);
    return name + fmt::format(" · {} · batch {}", labelOf(layout.schedule), layout.globalBatch);
}

std::vector<ComparisonRow> differingRows(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue)
{
    std::vector<ComparisonRow> rows;
    if (layouts.size() < 2) {
        return rows;
    }
    addSettings(rows, layouts, catalogue);
    for (const Figure& figure : figures) {
        ComparisonRow row{
            std::string(figure.key), std::string(figure.label), {}, {}, std::string(keyOf(figure.measure)), true};
        bool differs = false;
        for (const ComparedLayout& layout : layouts) {
            const double value = figure.value(*layout.report);
            differs = differs || value != figure.value(*layouts.front().report);
            row.values.push_back(written(figure, value));
            row.numbers.push_back(row.values.back().empty() ? std::nullopt : std::optional(value));
        }
        if (differs) {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

double valueOf(ComparedQuantity quantity, const Report& report)
{
    switch (quantity) {
    case ComparedQuantity::StepTime:
        break;
    case ComparedQuantity::Memory:
        return report.peakMemory();
    case ComparedQuantity::Mfu:
        return report.mfu.causal;
    }
    return report.stepTime;
}

std::string formatQuantity(ComparedQuantity quantity, double value)
{
    switch (quantity) {
    case ComparedQuantity::StepTime:
        break;
    case ComparedQuantity::Memory:
        return formatBytes(value);
    case ComparedQuantity::Mfu:
        return formatPercent(value);
    }
    return formatSeconds(value);
}

std::string formatChange(ComparedQuantity quantity, double change)
{
    constexpr double leastTenth = 0.05; // points; what is less would read as none
    const double size = std::abs(change);
    const double points = size * 100;
    return (change < 0 ? "−" : "+")
        + (quantity != ComparedQuantity::Mfu ? formatQuantity(quantity, size)
               : points >= leastTenth        ? fmt::format("{:.1f} points", points)
                                             : formatSignificant(points, 2) + " points");
}

namespace {

constexpr double alike = 1e-12; // of the whole: what rounding tells apart is no step of its own

template <class Kind> Waterfall fromDifference(const Difference<Kind>& difference)
{
    Waterfall result{difference.before, difference.after, {}};
    const double least = alike * std::max(std::abs(result.before), std::abs(result.after));
    double at = result.before;
    for (const DifferenceTerm<Kind>& term : difference.terms) {
        if (std::abs(term.to - term.from) > least) {
            result.steps.push_back({std::string(labelOf(term.kind)), static_cast<int>(term.kind), at, term.to});
            at = term.to;
        }
    }
    if (result.steps.empty() && result.before != result.after) {
        result.steps.push_back({"rounding", -1, result.before, result.after});
    } else if (!result.steps.empty()) {
        result.steps.back().to = result.after;
    }
    return result;
}

Waterfall mfuWaterfall(const Report& before, const Report& after)
{
    Waterfall result = fromDifference(difference(before.time, after.time));
    const double useful = before.mfu.causal * before.stepTime; // s of the step that a peak rate would take
    const double usefulAfter = after.mfu.causal * after.stepTime;
    for (WaterfallStep& step : result.steps) {
        step.from = useful / step.from;
        step.to = useful / step.to;
    }
    result.before = before.mfu.causal;
    result.after = after.mfu.causal;
    if (!result.steps.empty()) {
        result.steps.front().from = result.before;
    }
    if (std::abs(usefulAfter - useful) > alike * useful) {
        const double from = result.steps.empty() ? result.before : result.steps.back().to;
        result.steps.push_back({"useful time of the step", -1, from, result.after});
    } else if (!result.steps.empty()) {
        result.steps.back().to = result.after;
    }
    return result;
}

} // namespace

Waterfall waterfall(ComparedQuantity quantity, const Report& before, const Report& after)
{
    switch (quantity) {
    case ComparedQuantity::StepTime:
        break;
    case ComparedQuantity::Memory:
        return fromDifference(difference(before.stages[static_cast<std::size_t>(before.peakStage)].memory,
                                         after.stages[static_cast<std::size_t>(after.peakStage)].memory));
    case ComparedQuantity::Mfu:
        return mfuWaterfall(before, after);
    }
    return fromDifference(difference(before.time, after.time));
}

double leastShown(ComparedQuantity quantity, const Waterfall& waterfall)
{
    const double unit = quantity == ComparedQuantity::Memory ? gibibyte : 1;
    const double value = std::max(std::abs(waterfall.before), std::abs(waterfall.after)) / unit;
    double largest = 0;
    for (const WaterfallStep& step : waterfall.steps) {
        largest = std::max(largest, std::abs(step.change()));
    }
    const double told = quantity == ComparedQuantity::Mfu ? 1e-3
        : value > 0                                       ? std::pow(10, std::floor(std::log10(value)) - 2)
                                                          : 0;
    return largest >= told * unit ? told * unit / 2 : largest / 100;
}

namespace {

/// Of equal steps in their order; what is left out as one, if it is as large as `least`.
Waterfall keeping(const Waterfall& waterfall, const std::vector<bool>& kept, double least)
{
    Waterfall result{waterfall.before, waterfall.after, {}};
    double at = waterfall.before;
    for (std::size_t i = 0; i < waterfall.steps.size(); ++i) {
        if (kept[i]) {
            WaterfallStep step = waterfall.steps[i];
            const double change = step.change();
            step.from = at;
            step.to = at + change;
            at = step.to;
            result.steps.push_back(std::move(step));
        }
    }
    if (std::find(kept.begin(), kept.end(), false) != kept.end() && std::abs(waterfall.after - at) >= least) {
        result.steps.push_back({"others", -1, at, waterfall.after});
    } else if (!result.steps.empty()) {
        result.steps.back().to = waterfall.after;
    }
    return result;
}

} // namespace

Waterfall withoutSmall(const Waterfall& waterfall, double least)
{
    std::vector<bool> kept;
    for (const WaterfallStep& step : waterfall.steps) {
        kept.push_back(std::abs(step.change()) >= least);
    }
    return keeping(waterfall, kept, least);
}

Waterfall shortened(const Waterfall& waterfall, std::size_t most)
{
    if (waterfall.steps.size() <= most || most == 0) {
        return waterfall;
    }
    const auto size = [&](std::size_t i) { return std::abs(waterfall.steps[i].change()); };
    std::vector<std::size_t> largest(waterfall.steps.size());
    std::iota(largest.begin(), largest.end(), std::size_t{0});
    std::stable_sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    std::vector<bool> kept(waterfall.steps.size(), false);
    for (std::size_t i = 0; i + 1 < most; ++i) {
        kept[largest[i]] = true;
    }
    return keeping(waterfall, kept, 0);
}

} // namespace partita
