// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serving_text.h"

#include "app/report_text.h"
#include "core/base/format.h"
#include "core/explain/derivation.h"

#include <fmt/format.h>

#include <cmath>

namespace partita {

namespace {

void line(std::string& text, std::string_view name, std::string_view value)
{
    text += fmt::format("{:<24}{}\n", name, value);
}

std::string count(double value)
{
    return std::isfinite(value) ? formatMeasure(value, Measure::Count) : "unlimited";
}

std::string limit(double seconds)
{
    return seconds > 0 ? fmt::format(", limit {}", formatSeconds(seconds)) : std::string();
}

void addFigures(std::string& text, const Scenario& scenario, const ServingReport& report)
{
    const Serving& serving = scenario.serving;
    line(text, "time to first token", formatSeconds(report.ttft) + limit(serving.ttftLimit));
    line(text, "time per output token", formatSeconds(report.tpot) + limit(serving.tpotLimit));
    line(text, "request", formatSeconds(report.latency));
    line(text, "tokens/s",
         fmt::format("{}, {} per device", formatSignificant(report.tokensPerSecond),
                     formatSignificant(report.tokensPerSecondPerDevice)));
    line(text, "requests/s",
         fmt::format("{}, {} within the limits", formatSignificant(report.requestsPerSecond),
                     formatSignificant(report.goodput)));
    if (report.costPerMillionTokens > 0) {
        line(text, "a million tokens", formatDollars(report.costPerMillionTokens));
    }
    line(text, "KV cache",
         fmt::format("{} tokens a replica, {} a token", count(report.cache.tokens),
                     formatBytes(report.keyValueBytesPerToken)));
    line(text, "most requests at once", count(report.maxConcurrency));
}

std::string roomTable(const ServingReport& report)
{
    std::string text = fmt::format("{:<24}{:>9}\n", "memory of a device", "GiB");
    for (const auto& kind : Names<RoomKind>::table) {
        text += fmt::format("  {:<22}{:>9}\n", kind.label, formatGibibytes(report.cache.room[kind.value]));
    }
    return text;
}

std::string timeTable(const ServingReport& report)
{
    std::string text = fmt::format("{:<24}{:>9}{:>9}\n", "between tokens", "time", "share");
    const auto row = [&](std::string_view name, double seconds) {
        text += fmt::format("  {:<22}{:>9}{:>9}\n", name, formatSeconds(seconds), formatPercent(seconds / report.tpot));
    };
    for (const auto& kind : Names<TimeKind>::table) {
        if (report.time[kind.value] > 0) {
            row(kind.label, report.time[kind.value]);
        }
    }
    row("total", report.tpot);
    return text;
}

} // namespace

std::string servingText(const Scenario& scenario, const ServingReport& report)
{
    const Serving& serving = scenario.serving;
    const ServingLayout& layout = report.layout;
    std::string text =
        fmt::format("{} in {} on {} × {}, {}\n", scenario.model.name, labelOf(serving.weights),
                    formatCount(scenario.cluster.devices()), scenario.cluster.accelerator.name, scenario.stack.name);
    text +=
        fmt::format("{}: {} replica{}", productLine(scenario.layout), layout.replicas, layout.replicas == 1 ? "" : "s");
    if (layout.attentionRanks > 1) {
        text += fmt::format(" of {} data-parallel attention ranks", layout.attentionRanks);
    }
    if (layout.ep > 1) {
        text += fmt::format(", ep {}", layout.ep);
    }
    text += fmt::format("\n{} tokens in, {} out, {} sequences a step, {} batching\n\n", formatCount(serving.prompt),
                        formatCount(serving.output), formatCount(serving.batch), labelOf(serving.batching));
    line(text, report.fits ? "fits" : "out of memory",
         fmt::format("{} of weights a device", formatBytes(report.weightBytesPerDevice)));
    addFigures(text, scenario, report);
    text += '\n' + roomTable(report) + '\n' + timeTable(report);
    for (const std::string& warning : report.warnings) {
        text += fmt::format("\nnote: {}", warning);
    }
    return report.warnings.empty() ? text : text + '\n';
}

std::string sweepText(const std::vector<ServingReport>& reports)
{
    std::string text = fmt::format("{:>8}{:>12}{:>12}{:>14}{:>14}{:>10}\n", "batch", "ms/token", "TTFT", "tokens/s",
                                   "per device", "$/M");
    for (const ServingReport& report : reports) {
        text +=
            fmt::format("{:>8}{:>12}{:>12}{:>14}{:>14}{:>10}{}\n", formatSignificant(report.batch, 4),
                        formatSignificant(report.tpot * 1e3), formatSeconds(report.ttft),
                        formatSignificant(report.tokensPerSecond), formatSignificant(report.tokensPerSecondPerDevice),
                        report.costPerMillionTokens > 0 ? formatDollars(report.costPerMillionTokens) : "",
                        !report.fits             ? "  out of memory"
                            : report.waiting > 0 ? "  KV cache full"
                            : !report.meetsTtft  ? "  TTFT over the limit"
                            : !report.meetsTpot  ? "  TPOT over the limit"
                                                 : "");
    }
    return text;
}

namespace {

std::string degrees(const Layout& layout)
{
    std::string text = fmt::format("tp {} pp {} dp {}", layout.tp, layout.pp, layout.dp);
    text += layout.cp > 1 ? fmt::format(" cp {}", layout.cp) : std::string();
    return text + (layout.ep > 1 ? fmt::format(" ep {}", layout.ep) : std::string());
}

std::string pointLine(const ServingPoint& point)
{
    if (point.batch == 0) {
        return fmt::format("{:<26}no batch meets the limits", degrees(point.layout));
    }
    return fmt::format("{:<26}{:>6}{:>12}{:>12}{:>14}{:>10}", degrees(point.layout), point.batch,
                       formatSignificant(point.tpot * 1e3), formatSeconds(point.ttft),
                       formatSignificant(point.tokensPerSecondPerDevice),
                       point.costPerMillionTokens > 0 ? formatDollars(point.costPerMillionTokens) : "");
}

std::string pointHead()
{
    return fmt::format("  {:<26}{:>6}{:>12}{:>12}{:>14}{:>10}\n", "layout", "batch", "ms/token", "TTFT", "per device",
                       "$/M");
}

} // namespace

std::string searchText(const ServingSearch& search)
{
    std::string text =
        fmt::format("{} layouts, {} hold a request; those no other beats:\n", search.layouts, search.fitting)
        + pointHead();
    for (const std::size_t i : search.front) {
        text += fmt::format("  {}{}\n", pointLine(search.points[i]), search.points[i].meets ? "" : "  over a limit");
    }
    return text;
}

std::string widthsText(const std::vector<ServingPoint>& points)
{
    std::string text = fmt::format("{:<24}", "one engine, or replicas");
    const auto row = [&](std::string_view name, const auto& cell) {
        text += fmt::format("\n  {:<22}", name);
        for (const ServingPoint& point : points) {
            text += fmt::format("{:>14}", point.batch > 0 || name == "layout" ? cell(point) : std::string("-"));
        }
    };
    row("layout", [](const ServingPoint& p) { return fmt::format("{} × TP {}", p.layout.dp, p.layout.tp); });
    row("batch a replica", [](const ServingPoint& p) { return fmt::format("{}", p.batch); });
    row("ms/token", [](const ServingPoint& p) { return formatSignificant(p.tpot * 1e3); });
    row("TTFT", [](const ServingPoint& p) { return formatSeconds(p.ttft); });
    row("tokens/s", [](const ServingPoint& p) { return formatSignificant(p.tokensPerSecond); });
    row("good requests/s", [](const ServingPoint& p) { return formatSignificant(p.requestsPerSecond); });
    return text + "\n";
}

std::string recipeText(const ServingRecipe& recipe)
{
    std::string text = "recipe\n";
    for (const RecipeStep& step : recipe.steps) {
        text += fmt::format("  {:<8}{}{}\n", step.decision, step.reason, step.settled ? "" : " ✗");
    }
    text += pointHead() + "  " + pointLine(recipe.pick) + "  picked\n";
    if (recipe.optimum.batch > 0) {
        text += "  " + pointLine(recipe.optimum) + "  best of all layouts";
        text += recipe.pick.batch > 0 ? fmt::format(", {} more\n", formatPercent(recipe.gap)) : std::string("\n");
    }
    return text;
}

} // namespace partita
