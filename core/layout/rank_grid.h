// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/collective.h"
#include "core/layout/layout.h"

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

template <>
struct Names<GroupKind> {
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

/// Numbers ranks innermost first in layout.rankOrder, as Megatron-LM does; everything here costs O(levels), not O(devices).
class RankGrid {
public:
    RankGrid(const Layout& layout, const Cluster& cluster);

    /// How the worst-placed group of a kind lies on the levels.
    const GroupSpan& span(GroupKind kind) const;
    /// Level that the slowest hop between neighbouring pipeline stages crosses.
    int pipelineLevel() const;
    /// Member ranks of the group that a rank belongs to, ascending.
    std::vector<std::int64_t> members(GroupKind kind, std::int64_t rank) const;

private:
    Layout m_layout;
    std::array<GroupSpan, Names<GroupKind>::table.size()> m_spans;
    int m_pipelineLevel = 0;
};

} // namespace partita
