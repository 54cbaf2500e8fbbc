// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

namespace partita {

/// Distinct experts that tokens visit when each takes topK of them at random: E (1 - (1 - k/E)^tokens).
double expertsTouched(int experts, int topK, double tokens);
/// Ranks that share experts evenly, and the distinct experts visited on the one that has most of them.
class ExpertPlacement {
public:
    ExpertPlacement(int experts, int ranks);

    /// touched: distinct experts visited in all. Counted exactly for few, as of a single token; else mean and spread of
    /// a random placement. At most experts / ranks.
    double busiest(double touched) const;

private:
    static constexpr int mostCounted = 12;

    int m_experts;
    int m_ranks;
    int m_perRank;
    std::array<double, mostCounted + 1> m_counted{}; ///< by experts visited
};

/// Ranks that a token's experts lie on, at most `groups` groups of ranks chosen of routingGroups (node-limited
/// routing).
double ranksVisited(int topK, int ranks, int routingGroups, int routedGroups);

} // namespace partita
