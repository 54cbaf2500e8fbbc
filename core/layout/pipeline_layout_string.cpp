// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/pipeline_layout_string.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

constexpr std::string_view field = "layout.layers_per_stage";
constexpr std::size_t mostUnits = 1 << 16; // of a text repeated out
constexpr std::size_t deepest = 8; // parentheses

Problem problem(std::string_view value, std::string message, std::string suggestion = {})
{
    return {std::string(field), std::string(value), std::move(message), std::move(suggestion)};
}

/// Repeats groups and units out to a plain row of E, t, m, L and |.
class Expander {
public:
    explicit Expander(std::string_view text)
        : m_text(text)
    {
    }

    std::string expand()
    {
        std::string row = group(0);
        if (m_problems.empty() && m_at < m_text.size()) {
            complain("closes a group that was not opened");
        }
        return row;
    }

    const Problems& problems() const { return m_problems; }

private:
    std::string group(std::size_t depth)
    {
        std::string row;
        while (m_problems.empty() && m_at < m_text.size() && m_text[m_at] != ')') {
            const char c = m_text[m_at];
            if (c == ',' || c == ' ' || c == '\t') {
                ++m_at;
                continue;
            }
            std::string unit;
            if (c == '(') {
                if (depth + 1 > deepest) {
                    complain("opens too many groups inside each other");
                    break;
                }
                ++m_at;
                unit = group(depth + 1);
                if (m_problems.empty() && m_at >= m_text.size()) {
                    m_problems.push_back(problem(m_text, "a group is not closed", "add )"));
                    break;
                }
                ++m_at;
            } else if (std::string_view("EtmL|").find(c) != std::string_view::npos) {
                unit = c;
                ++m_at;
            } else {
                complain("is no unit", "use E, t, m, L, |, * and parentheses");
                break;
            }
            append(row, unit, count());
        }
        return row;
    }

    /// The number behind a *; 1 without one.
    std::size_t count()
    {
        if (!m_problems.empty() || m_at >= m_text.size() || m_text[m_at] != '*') {
            return 1;
        }
        std::size_t end = ++m_at;
        std::size_t value = 0;
        while (end < m_text.size() && m_text[end] >= '0' && m_text[end] <= '9') {
            value = std::min(mostUnits, value * 10 + static_cast<std::size_t>(m_text[end] - '0'));
            ++end;
        }
        if (end == m_at) {
            m_problems.push_back(problem(m_text, "a number must follow *", "write t*3 for three layers"));
        }
        m_at = end;
        return value;
    }

    void append(std::string& row, const std::string& unit, std::size_t times)
    {
        if (row.size() + unit.size() * times > mostUnits) {
            m_problems.push_back(problem(m_text, fmt::format("holds more than {} units", mostUnits)));
            return;
        }
        for (std::size_t i = 0; i < times; ++i) {
            row += unit;
        }
    }

    void complain(std::string_view why, std::string suggestion = {})
    {
        m_problems.push_back(
            problem(m_text.substr(m_at, 1), fmt::format("at character {}: {}", m_at + 1, why), std::move(suggestion)));
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    Problems m_problems;
};

int& unitOf(ChunkUnits& chunk, char c)
{
    return c == 'E' ? chunk.embeddings : c == 't' ? chunk.layers : c == 'm' ? chunk.predictors : chunk.losses;
}

void checkPlaces(std::string_view text, const std::string& row, Problems& problems)
{
    const auto firstCut = row.find('|');
    const auto lastCut = row.rfind('|');
    const auto count = [&](char c) { return std::count(row.begin(), row.end(), c); };
    if (count('E') != 1) {
        problems.push_back(problem(text, fmt::format("{} embeddings", count('E')), "write one E, in front"));
    } else if (row.find('E') > firstCut) {
        problems.push_back(problem(text, "the embedding is not in the first chunk", "move E to the front"));
    }
    if (count('L') != 1) {
        problems.push_back(problem(text, fmt::format("{} losses", count('L')), "write one L, at the end"));
    } else if (lastCut != std::string::npos && row.find('L') < lastCut) {
        problems.push_back(problem(text, "the loss is not in the last chunk", "move L to the end"));
    }
    const auto lastLayer = row.rfind('t');
    if (lastLayer != std::string::npos && row.find('m') < lastLayer) {
        problems.push_back(problem(text, "a prediction module stands before a layer", "move m behind the last t"));
    }
}

void writeRun(std::string& out, char unit, int count)
{
    if (count > 0) {
        out += unit;
    }
    if (count > 2) {
        out += fmt::format("*{}", count);
    } else if (count == 2) {
        out += unit;
    }
}

std::string chunkText(const ChunkUnits& chunk)
{
    std::string text;
    writeRun(text, 'E', chunk.embeddings);
    writeRun(text, 't', chunk.layers);
    writeRun(text, 'm', chunk.predictors);
    writeRun(text, 'L', chunk.losses);
    return text;
}

} // namespace

Result<std::vector<ChunkUnits>> parsePipelineLayout(std::string_view text)
{
    Expander expander(text);
    const std::string row = expander.expand();
    Problems problems = expander.problems();
    if (problems.empty()) {
        checkPlaces(text, row, problems);
    }
    if (!problems.empty()) {
        return problems;
    }
    std::vector<ChunkUnits> chunks(1);
    for (const char c : row) {
        if (c == '|') {
            chunks.emplace_back();
        } else {
            ++unitOf(chunks.back(), c);
        }
    }
    return chunks;
}

std::string writePipelineLayout(const std::vector<ChunkUnits>& chunks)
{
    std::string out;
    for (std::size_t i = 0; i < chunks.size();) {
        std::size_t next = i + 1;
        while (next < chunks.size() && chunks[next] == chunks[i]) {
            ++next;
        }
        // The last chunk ends without a cut, so a run that reaches it keeps one chunk back.
        const std::size_t run = next == chunks.size() ? next - 1 - i : next - i;
        const std::string text = chunkText(chunks[i]);
        const std::string grouped = text.empty() ? fmt::format("|*{}", run) : fmt::format("({}|)*{}", text, run);
        std::string plain;
        for (std::size_t k = 0; k < run; ++k) {
            plain += text + '|';
        }
        if (run > 0) {
            out += grouped.size() < plain.size() ? grouped : plain;
        }
        if (next == chunks.size()) {
            out += text;
        }
        i = next;
    }
    return out;
}

std::vector<int> layersOf(const std::vector<ChunkUnits>& chunks)
{
    std::vector<int> layers;
    for (const ChunkUnits& chunk : chunks) {
        layers.push_back(chunk.layers);
    }
    return layers;
}

std::vector<ChunkUnits> unitsOf(const std::vector<int>& layers, int predictors)
{
    std::vector<ChunkUnits> chunks;
    for (const int count : layers) {
        chunks.push_back({0, count, 0, 0});
    }
    if (!chunks.empty()) {
        chunks.front().embeddings = 1;
        chunks.back().predictors = predictors;
        chunks.back().losses = 1;
    }
    return chunks;
}

Result<std::vector<int>> unevenEnds(int layers, int stages, int chunks, int first, int last)
{
    Problems problems;
    const auto add = [&](int value, std::string message, std::string suggestion = {}) {
        problems.push_back(problem(fmt::format("{}", value), std::move(message), std::move(suggestion)));
    };
    const int ends = (first >= 0 ? 1 : 0) + (last >= 0 ? 1 : 0);
    const int middle = stages - ends;
    const int rest = layers - std::max(first, 0) - std::max(last, 0);
    for (const int end : {first, last}) {
        if (end >= 0 && end % chunks != 0) {
            add(end, fmt::format("layers at an end do not spread over {} chunks", chunks),
                fmt::format("try {}", end / chunks * chunks));
        }
    }
    if (middle < 0 || rest < 0 || (middle == 0 && rest != 0)) {
        add(rest, fmt::format("layers are left for {} stages between the ends", std::max(middle, 0)),
            "change the numbers of the first and last stage");
    } else if (middle > 0 && rest % (middle * chunks) != 0) {
        add(rest, fmt::format("layers between the ends do not spread over {} chunks", middle * chunks),
            "change the numbers of the first and last stage");
    }
    if (!problems.empty()) {
        return problems;
    }
    std::vector<int> split;
    for (int chunk = 0; chunk < stages * chunks; ++chunk) {
        const int stage = chunk % stages;
        const bool isFirst = stage == 0 && first >= 0;
        const bool isLast = stage == stages - 1 && last >= 0;
        split.push_back((isFirst ? first : isLast ? last : rest / middle) / chunks);
    }
    return split;
}

} // namespace partita
