// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serving_text.h"

#include "app/report_text.h"
#include "core/base/format.h"

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
    return std::isfinite(value) ? formatCount(std::llround(value)) : "unlimited";
}

std::string limit(double seconds)
{
    return seconds > 0 ? fmt::format(", limit {}", formatSeconds(seconds)) : std::string();
}

std::string dollars(double amount)
{
    return fmt::format("${:.3g}", amount);
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
        line(text, "a million tokens", dollars(report.costPerMillionTokens));
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
    text += fmt::format("{}: {} replicas", productLine(scenario.layout), layout.replicas);
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
                        report.costPerMillionTokens > 0 ? dollars(report.costPerMillionTokens) : "",
                        !report.fits             ? "  out of memory"
                            : report.waiting > 0 ? "  KV cache full"
                            : !report.meetsTtft  ? "  TTFT over the limit"
                            : !report.meetsTpot  ? "  TPOT over the limit"
                                                 : "");
    }
    return text;
}

} // namespace partita
