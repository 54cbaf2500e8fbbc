// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_text.h"

#include "core/base/format.h"
#include "core/cluster/price.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

void line(std::string& text, std::string_view name, std::string_view value)
{
    text += fmt::format("{:<24}{}\n", name, value);
}

/// Which stages to show when they do not all fit on a line: the ends, the fullest, and some between.
std::vector<std::size_t> shownStages(const Report& report)
{
    constexpr std::size_t most = 8;
    const std::size_t count = report.stages.size();
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < std::min(count, most); ++i) {
        shown.push_back(count <= most ? i : i * (count - 1) / (most - 1));
    }
    const auto peak = static_cast<std::size_t>(report.peakStage);
    if (!shown.empty() && std::find(shown.begin(), shown.end(), peak) == shown.end()) {
        *std::lower_bound(shown.begin(), shown.end() - 1, peak) = peak;
    }
    return shown;
}

std::string memoryTable(const Report& report)
{
    const std::vector<std::size_t> shown = shownStages(report);
    std::string text = fmt::format("{:<24}", "memory, GiB");
    for (const std::size_t stage : shown) {
        text += fmt::format("{:>9}", fmt::format("stage {}", stage));
    }
    text += '\n';
    const auto row = [&](std::string_view name, const auto& bytesOf) {
        text += fmt::format("  {:<22}", name);
        for (const std::size_t stage : shown) {
            text += fmt::format("{:>9}", formatGibibytes(bytesOf(report.stages[stage].memory)));
        }
        text += '\n';
    };
    for (const auto& kind : Names<MemoryKind>::table) {
        row(kind.label, [&](const MemoryBreakdown& memory) { return memory[kind.value]; });
    }
    row("total", [](const MemoryBreakdown& memory) { return memory.total(); });
    return text;
}

std::string timeTable(const Report& report)
{
    std::string text = fmt::format("{:<24}{:>9}{:>9}\n", "step", "time", "share");
    const auto row = [&](std::string_view name, double seconds) {
        text +=
            fmt::format("  {:<22}{:>9}{:>9}\n", name, formatSeconds(seconds), formatPercent(seconds / report.stepTime));
    };
    for (const auto& kind : Names<TimeKind>::table) {
        if (report.time[kind.value] > 0) {
            row(kind.label, report.time[kind.value]);
        }
    }
    row("total", report.stepTime);
    return text;
}

} // namespace

std::string productLine(const Layout& layout)
{
    return fmt::format("tp {} × cp {} × pp {} × dp {} = {}", layout.tp, layout.cp, layout.pp, layout.dp,
                       layout.devices());
}

std::string reportText(const Scenario& scenario, const Report& report)
{
    const Layout& layout = scenario.layout;
    std::string text =
        fmt::format("{} ({} parameters) on {} × {}\n", scenario.model.name, formatCount(report.parameters.total()),
                    formatCount(scenario.cluster.devices()), scenario.cluster.accelerator.name);
    text += fmt::format("{}, vpp {}, ep {}, ZeRO-{}, recompute {}, {}\n", productLine(layout), layout.vpp, layout.ep,
                        layout.zeroStage, labelOf(layout.recompute), labelOf(layout.schedule));
    text += fmt::format("{} sequences of {} tokens per step, micro-batch {}, {}, {}\n\n",
                        formatCount(layout.globalBatch), formatCount(scenario.workload.sequenceLength),
                        layout.microBatch, labelOf(scenario.workload.precision), scenario.stack.name);

    const std::string peak = fmt::format("{} of {} GiB, fullest on stage {}", formatGibibytes(report.peakMemory()),
                                         formatGibibytes(report.memoryLimit), report.peakStage);
    line(text, report.fits ? "fits" : "out of memory",
         report.fits ? peak : fmt::format("{}, lacks {}", peak, formatBytes(report.peakMemory() - report.memoryLimit)));
    line(text, "step time", formatSeconds(report.stepTime));
    line(text, "MFU",
         fmt::format("{} (causal), {} (attention in full), {} (6N)", formatPercent(report.mfu.causal),
                     formatPercent(report.mfu.full), formatPercent(report.mfu.sixN)));
    line(text, "HFU", fmt::format("{} (causal)", formatPercent(report.hfu.causal)));
    line(text, "tokens/s",
         fmt::format("{}, {} per device", formatSignificant(report.tokensPerSecond),
                     formatSignificant(report.tokensPerSecondPerDevice)));
    line(text, "bubble", formatPercent(report.bubbleFraction));
    line(text, "exposed communication", formatPercent(report.time.exposedCommunication() / report.stepTime));
    if (report.trainingDays > 0) {
        line(text, fmt::format("{} tokens", formatScaled(scenario.workload.trainingTokens)),
             report.trainingCost > 0
                 ? fmt::format("{}, {} {}", formatDays(report.trainingDays), formatDollars(report.trainingCost),
                               priceText(scenario.cluster.accelerator))
                 : formatDays(report.trainingDays));
    }
    text += '\n' + memoryTable(report) + '\n' + timeTable(report);
    for (const std::string& warning : report.warnings) {
        text += fmt::format("\nnote: {}", warning);
    }
    return report.warnings.empty() ? text : text + '\n';
}

} // namespace partita
