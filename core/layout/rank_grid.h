// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/collective.h"
#include "core/layout/layout.h"

#include <map>
#include <vector>

namespace partita {

/// The groups a rank belongs to.
enum class GroupKind {
    Tensor,
    Context,
    Data, ///< dp alone
    Gradient, ///< dp * cp: who reduces dense gradients and shards ZeRO states
    Pipeline,
    Expert, ///< ep
    ExpertTensor, ///< etp
    ExpertData ///< tp * cp * dp / (etp * ep): who reduces expert gradients
};

template <> struct Names<GroupKind> {
    static constexpr std::array table{
        Name<GroupKind>{GroupKind::Tensor, "tp", "tensor parallel"},
        Name<GroupKind>{GroupKind::Context, "cp", "context parallel"},
        Name<GroupKind>{GroupKind::Data, "dp", "data parallel"},
        Name<GroupKind>{GroupKind::Gradient, "dp-cp", "gradient"},
        Name<GroupKind>{GroupKind::Pipeline, "pp", "pipeline parallel"},
        Name<GroupKind>{GroupKind::Expert, "ep", "expert parallel"},
        Name<GroupKind>{GroupKind::ExpertTensor, "etp", "expert tensor parallel"},
        Name<GroupKind>{GroupKind::ExpertData, "expert-dp", "expert data parallel"},
    };
};

/// How groups lie that were looked at one by one, by all that it depends on. For grids of as many ranks.
using CountedShares = std::map<std::vector<std::int64_t>, std::int64_t>;

/// Numbers ranks innermost first in layout.rankOrder, as Megatron-LM does; everything here costs O(levels), not
/// O(devices). Dense groups count tp, cp, dp and pp in that order. Expert groups count etp (in tp's place), ep and
/// expert-dp (in dp's) over the tp * cp * dp ranks of one pipeline stage, in that order. Needs a layout without
/// problems (core/scenario/rules.h); degrees below one count as one.
class RankGrid {
public:
    /// known: counts to use again and to add to, where many layouts are looked at.
    RankGrid(const Layout& layout, const Cluster& cluster, CountedShares* known = nullptr);

    /// How the worst-placed group of a kind lies on the levels: per level the fewest that any of its groups has in its
    /// fullest domain. Exact where strides and domains divide each other or the grid is small; else from a sample of
    /// groups.
    const GroupSpan& span(GroupKind kind) const { return m_spans[static_cast<std::size_t>(kind)]; }
    /// Level that the slowest hop between neighbouring pipeline stages crosses.
    int pipelineLevel() const { return m_pipelineLevel; }
    /// Member ranks of the group that a rank belongs to, ascending. Costs O(group).
    std::vector<std::int64_t> members(GroupKind kind, std::int64_t rank) const;
    std::int64_t ranks() const { return m_stageRanks * m_stages; }

private:
    /// One step of a mixed-radix count: `count` values, `stride` apart.
    struct Digit {
        std::int64_t stride = 1;
        std::int64_t count = 1;
    };
    using Digits = std::vector<Digit>;

    Digits stageDigits(GroupKind kind) const;
    bool rankDigits(GroupKind kind, Digits& digits) const;
    std::int64_t rankOf(std::int64_t stageRank, std::int64_t stage) const;
    std::int64_t worstShare(GroupKind kind, std::int64_t domain, CountedShares* known) const;
    bool isFirst(GroupKind kind, std::int64_t rank) const;
    std::vector<std::int64_t> countingKey(GroupKind kind, std::int64_t domain) const;
    std::int64_t countedShare(GroupKind kind, std::int64_t size, std::int64_t domain) const;

    std::array<Digit, 5> m_dense; ///< by Axis, in ranks of one stage; Ep and Pp unused
    std::array<Digit, 5> m_expert; ///< by Axis: Tp is etp, Dp is expert-dp
    std::int64_t m_stages = 1;
    std::int64_t m_stageRanks = 1; ///< tp * cp * dp
    std::int64_t m_insideStage = 1; ///< ranks of a stage numbered before the pipeline axis
    std::array<GroupSpan, Names<GroupKind>::table.size()> m_spans;
    int m_pipelineLevel = 0;
};

} // namespace partita
