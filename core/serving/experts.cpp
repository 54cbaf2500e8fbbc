// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/experts.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace partita {

namespace {

using Series = std::vector<double>; ///< coefficients of x^0 .. x^drawn

Series product(const Series& a, const Series& b)
{
    Series result(a.size(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; i + j < result.size(); ++j) {
            result[i + j] += a[i] * b[j];
        }
    }
    return result;
}

/// Ways to draw from ranks of n experts each with at most `most` from any: coefficient of x^drawn in
/// (sum of C(n, i) x^i)^ranks.
double placements(int n, int ranks, int drawn, int most)
{
    Series base(static_cast<std::size_t>(drawn) + 1, 0);
    double ways = 1;
    for (int i = 0; i <= std::min({n, most, drawn}); ++i) {
        base[static_cast<std::size_t>(i)] = ways;
        ways *= static_cast<double>(n - i) / (i + 1);
    }
    Series result(base.size(), 0);
    result.front() = 1;
    for (int power = ranks; power > 0; power /= 2) {
        if (power % 2 == 1) {
            result = product(result, base);
        }
        base = product(base, base);
    }
    return result.back();
}

double countedMost(int n, int ranks, int drawn)
{
    const double all = placements(n, ranks, drawn, drawn);
    double mean = 0;
    for (int most = 0; most < drawn; ++most) {
        mean += 1 - placements(n, ranks, drawn, most) / all; // chance that some rank has more
    }
    return mean;
}

} // namespace

double expertsTouched(int experts, int topK, double tokens)
{
    if (experts <= 0 || tokens <= 0) {
        return 0;
    }
    const double missed = 1 - std::min(1.0, static_cast<double>(topK) / experts);
    return experts * (1 - std::pow(missed, tokens));
}

ExpertPlacement::ExpertPlacement(int experts, int ranks)
    : m_experts(std::max(1, experts))
    , m_ranks(std::max(1, ranks))
    , m_perRank(std::max(1, m_experts / m_ranks))
{
    for (int drawn = 0; m_ranks > 1 && drawn <= std::min(mostCounted, m_experts); ++drawn) {
        m_counted[static_cast<std::size_t>(drawn)] = countedMost(m_perRank, m_ranks, drawn);
    }
}

double ExpertPlacement::busiest(double touched) const
{
    if (m_ranks <= 1) {
        return touched;
    }
    const int counted = std::min(mostCounted, m_experts);
    const auto at = [this](double drawn) { return m_counted[static_cast<std::size_t>(drawn)]; };
    if (touched >= counted) {
        const double mean = touched / m_ranks;
        const double variance = mean * std::max(0.0, 1 - touched / m_experts) * (1 - 1.0 / m_ranks);
        const double most = mean + std::sqrt(2 * variance * std::log(static_cast<double>(m_ranks)));
        return std::min<double>(m_perRank, std::max(at(counted), most));
    }
    const double whole = std::floor(touched);
    return at(whole) + (touched - whole) * (at(whole + 1) - at(whole));
}

double ranksVisited(int topK, int ranks, int routingGroups, int routedGroups)
{
    if (ranks <= 1) {
        return 1;
    }
    const double reachable =
        std::max(1.0, static_cast<double>(ranks) * std::max(1, routedGroups) / std::max(1, routingGroups));
    return reachable * (1 - std::pow(1 - 1 / reachable, topK));
}

} // namespace partita
