// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/score_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace partita {

namespace {

using Cells = std::vector<std::string>;

/// The first column is words, the others are figures.
struct Table {
    std::string title;
    std::vector<Cells> rows; ///< headings first
};

std::string percent(double share)
{
    return fmt::format("{:.1f}", 100 * share);
}

std::string signedPercent(double share)
{
    return fmt::format("{:+.1f}", 100 * share);
}

std::vector<const SourceScore*> lines(const Score& score)
{
    std::vector<const SourceScore*> result;
    for (const SourceScore& source : score.sources) {
        result.push_back(&source);
    }
    result.push_back(&score.overall);
    return result;
}

Table throughput(const Score& score)
{
    Table table{
        "Tokens/s per device, error in %",
        {{"source", "rows", "usable", "timed", "MAPE", "median", "within 10", "within 20", "bias", "rank", "groups"}}};
    for (const SourceScore* source : lines(score)) {
        Cells cells{source->source, std::to_string(source->rows), std::to_string(source->usable()),
                    std::to_string(source->time.count)};
        const ErrorStatistics& e = source->time;
        if (e.count > 0) {
            for (const double share : {e.mape, e.median, e.within10, e.within20}) {
                cells.push_back(percent(share));
            }
            cells.push_back(signedPercent(e.bias));
        } else {
            cells.resize(cells.size() + 5, "-");
        }
        cells.push_back(source->rankGroups > 0 ? fmt::format("{:.2f}", source->rankCorrelation) : "-");
        cells.push_back(std::to_string(source->rankGroups));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table memory(const Score& score)
{
    Table table{"Peak memory, error in %",
                {{"source", "kind", "rows", "MAPE", "median", "within 10", "within 20", "bias"}}};
    for (const SourceScore* source : lines(score)) {
        for (const auto& [kind, e] : source->memory) {
            table.rows.push_back({source->source, kind.empty() ? "unknown" : kind, std::to_string(e.count),
                                  percent(e.mape), percent(e.median), percent(e.within10), percent(e.within20),
                                  signedPercent(e.bias)});
        }
    }
    return table;
}

Table fits(const Score& score)
{
    Table table{"Fits or not, rows",
                {{"source", "ran: fits", "ran: too large", "OOM: fits", "OOM: too large", "right %", "balanced %"}}};
    for (const SourceScore* source : lines(score)) {
        const FitConfusion& fit = source->fit;
        if (fit.count() > 0) {
            table.rows.push_back({source->source, std::to_string(fit.fitsRight), std::to_string(fit.fitsWrong),
                                  std::to_string(fit.failsWrong), std::to_string(fit.failsRight), percent(fit.right()),
                                  percent(fit.balanced())});
        }
    }
    return table;
}

Table latencies(const Score& score)
{
    Table table{"Serving: time per token and to the first token, error in %; order of layouts",
                {{"source", "timed", "TPOT", "bias", "first", "TTFT", "bias", "pairs", "right %"}}};
    for (const SourceScore* source : lines(score)) {
        if (source->tpot.count + source->ttft.count + source->layoutPairs == 0) {
            continue;
        }
        Cells cells{source->source};
        for (const ErrorStatistics* e : {&source->tpot, &source->ttft}) {
            cells.push_back(std::to_string(e->count));
            cells.push_back(e->count > 0 ? percent(e->mape) : "-");
            cells.push_back(e->count > 0 ? signedPercent(e->bias) : "-");
        }
        cells.push_back(std::to_string(source->layoutPairs));
        cells.push_back(source->layoutPairs > 0
                            ? percent(static_cast<double>(source->layoutPairsRight) / source->layoutPairs)
                            : "-");
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table reasons(const Score& score)
{
    Table table{"Skipped", {{"source", "rows", "reason"}}};
    for (const SourceScore& source : score.sources) {
        for (const auto& [reason, count] : source.skipped) {
            table.rows.push_back({source.source, std::to_string(count), reason});
        }
    }
    return table;
}

std::vector<Table> tables(const Score& score)
{
    return {throughput(score), memory(score), fits(score), latencies(score), reasons(score)};
}

std::string closing(const Score& score)
{
    if (score.overall.time.count == 0) {
        return "No row with a measured rate could be scored.\n";
    }
    return fmt::format("Mean of the sources' MAPE, each counted once: {} %\n", percent(score.meanSourceMape));
}

std::string aligned(const Table& table)
{
    std::vector<std::size_t> widths(table.rows.front().size());
    for (const Cells& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text = table.title + "\n";
    for (const Cells& row : table.rows) {
        std::string line = "  " + fmt::format("{:<{}}", row[0], widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) {
            const bool words = table.rows.front()[i] == "reason" || table.rows.front()[i] == "kind";
            line +=
                "  " + (words ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]));
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string markdown(const Table& table)
{
    std::string text = fmt::format("**{}**\n\n", table.title);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        for (std::string cell : table.rows[r]) {
            for (std::size_t bar = cell.find('|'); bar != std::string::npos; bar = cell.find('|', bar + 2)) {
                cell.insert(bar, "\\");
            }
            text += "| " + cell + " ";
        }
        text += "|\n";
        for (std::size_t i = 0; r == 0 && i < table.rows[r].size(); ++i) {
            text += i == 0 ? "|---" : "|---:";
        }
        text += r == 0 ? "|\n" : "";
    }
    return text;
}

template <class Render> std::string rendered(const Score& score, Render render)
{
    std::string text;
    for (const Table& table : tables(score)) {
        if (table.rows.size() > 1) {
            text += render(table) + "\n";
        }
    }
    return text + closing(score);
}

} // namespace

std::string scoreText(const Score& score)
{
    return rendered(score, aligned);
}

std::string scoreMarkdown(const Score& score)
{
    return rendered(score, markdown);
}

} // namespace partita
