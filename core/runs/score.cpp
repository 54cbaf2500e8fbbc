// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/score.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita {

namespace {

std::vector<double> ranks(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
            ++last;
        }
        for (std::size_t i = first; i <= last; ++i) {
            result[order[i]] = static_cast<double>(first + last) / 2;
        }
        first = last + 1;
    }
    return result;
}

void addError(const std::optional<double>& predicted, const std::optional<double>& measured,
              std::vector<double>& errors)
{
    if (predicted && measured) {
        errors.push_back(*predicted / *measured - 1);
    }
}

/// Whether the better of two layouts is predicted to be the better one.
void comparePairs(const std::vector<const ScoredRun*>& rows, SourceScore& score)
{
    std::map<std::string, std::vector<const ScoredRun*>> groups;
    for (const ScoredRun* row : rows) {
        if (row->serves && row->predictedServing.tokensPerSecond && row->measuredServing.tokensPerSecond) {
            groups[row->group].push_back(row);
        }
    }
    constexpr double telling = 1.1;
    for (const auto& [name, members] : groups) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            for (std::size_t j = i + 1; j < members.size(); ++j) {
                const double measured =
                    *members[i]->measuredServing.tokensPerSecond / *members[j]->measuredServing.tokensPerSecond;
                if (members[i]->layout == members[j]->layout || (measured < telling && measured > 1 / telling)) {
                    continue;
                }
                const double predicted =
                    *members[i]->predictedServing.tokensPerSecond / *members[j]->predictedServing.tokensPerSecond;
                ++score.layoutPairs;
                score.layoutPairsRight += (predicted > 1) == (measured > 1) ? 1 : 0;
            }
        }
    }
}

SourceScore scoreSource(const std::string& source, const std::vector<const ScoredRun*>& rows)
{
    SourceScore score;
    score.source = source;
    score.rows = static_cast<int>(rows.size());
    std::vector<double> time;
    std::vector<double> tpot;
    std::vector<double> ttft;
    std::map<std::string, std::vector<double>> memory;
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> groups;
    for (const ScoredRun* row : rows) {
        if (!row->skipped.empty()) {
            ++score.skipped[row->skipped];
            continue;
        }
        if (row->measuredTokens && row->predictedTokens) {
            time.push_back(*row->predictedTokens / *row->measuredTokens - 1);
            groups[row->group].first.push_back(*row->predictedTokens);
            groups[row->group].second.push_back(*row->measuredTokens);
        }
        addError(row->predictedServing.tpot, row->measuredServing.tpot, tpot);
        addError(row->predictedServing.ttft, row->measuredServing.ttft, ttft);
        if (row->measuredMemoryGib && row->predictedMemoryGib) {
            memory[row->memoryKind].push_back(*row->predictedMemoryGib / *row->measuredMemoryGib - 1);
        }
        if (row->measuredFits && row->predictedFits) {
            int& cell = *row->measuredFits ? (*row->predictedFits ? score.fit.fitsRight : score.fit.fitsWrong)
                                           : (*row->predictedFits ? score.fit.failsWrong : score.fit.failsRight);
            ++cell;
        }
    }
    score.time = errorStatistics(std::move(time));
    score.tpot = errorStatistics(std::move(tpot));
    score.ttft = errorStatistics(std::move(ttft));
    comparePairs(rows, score);
    for (auto& [kind, errors] : memory) {
        score.memory[kind] = errorStatistics(std::move(errors));
    }
    constexpr std::size_t smallestSweep = 6;
    for (const auto& [name, pair] : groups) {
        if (pair.first.size() >= smallestSweep) {
            score.rankCorrelation += spearman(pair.first, pair.second);
            ++score.rankGroups;
        }
    }
    if (score.rankGroups > 0) {
        score.rankCorrelation /= score.rankGroups;
    }
    return score;
}

} // namespace

ErrorStatistics errorStatistics(std::vector<double> relativeErrors)
{
    ErrorStatistics statistics;
    statistics.count = static_cast<int>(relativeErrors.size());
    if (relativeErrors.empty()) {
        return statistics;
    }
    const double n = static_cast<double>(relativeErrors.size());
    statistics.bias = std::accumulate(relativeErrors.begin(), relativeErrors.end(), 0.0) / n;
    for (double& error : relativeErrors) {
        error = std::abs(error);
    }
    std::sort(relativeErrors.begin(), relativeErrors.end());
    const auto share = [&](double limit) {
        const auto end = std::upper_bound(relativeErrors.begin(), relativeErrors.end(), limit);
        return static_cast<double>(end - relativeErrors.begin()) / n;
    };
    statistics.mape = std::accumulate(relativeErrors.begin(), relativeErrors.end(), 0.0) / n;
    const std::size_t middle = relativeErrors.size() / 2;
    statistics.median = relativeErrors.size() % 2 == 1 ? relativeErrors[middle]
                                                       : (relativeErrors[middle - 1] + relativeErrors[middle]) / 2;
    statistics.within10 = share(0.10);
    statistics.within20 = share(0.20);
    return statistics;
}

int SourceScore::usable() const
{
    return std::accumulate(skipped.begin(), skipped.end(), rows,
                           [](int sum, const auto& reason) { return sum - reason.second; });
}

double FitConfusion::balanced() const
{
    const int ran = fitsRight + fitsWrong;
    const int failed = failsRight + failsWrong;
    if (ran == 0 || failed == 0) {
        return right();
    }
    return (static_cast<double>(fitsRight) / ran + static_cast<double>(failsRight) / failed) / 2;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b)
{
    if (a.size() < 2 || a.size() != b.size()) {
        return 0;
    }
    const std::vector<double> ra = ranks(a);
    const std::vector<double> rb = ranks(b);
    const double mean = static_cast<double>(a.size() - 1) / 2;
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (ra[i] - mean) * (rb[i] - mean);
        aa += (ra[i] - mean) * (ra[i] - mean);
        bb += (rb[i] - mean) * (rb[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

Score scoreRuns(const std::vector<ScoredRun>& rows)
{
    std::map<std::string, std::vector<const ScoredRun*>> bySource;
    std::vector<const ScoredRun*> all;
    for (const ScoredRun& row : rows) {
        bySource[row.source].push_back(&row);
        all.push_back(&row);
    }
    Score score;
    int scored = 0;
    for (const auto& [source, members] : bySource) {
        score.sources.push_back(scoreSource(source, members));
        if (score.sources.back().time.count > 0) {
            score.meanSourceMape += score.sources.back().time.mape;
            ++scored;
        }
    }
    if (scored > 0) {
        score.meanSourceMape /= scored;
    }
    score.overall = scoreSource("overall", all);
    return score;
}

} // namespace partita
