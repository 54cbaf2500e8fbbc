// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/rank_grid.h"

#include <algorithm>

namespace partita {

namespace {

constexpr std::int64_t countingBudget = 16384; ///< ranks looked at where no closed form applies

std::size_t at(Axis axis)
{
    return static_cast<std::size_t>(axis);
}

std::int64_t atLeastOne(std::int64_t degree)
{
    return std::max<std::int64_t>(1, degree);
}

/// Most of n neighbours from an offset inside one domain of d, offset counted inside the first domain.
std::int64_t fullestShare(std::int64_t n, std::int64_t d, std::int64_t offset)
{
    const std::int64_t first = d - offset;
    if (n <= first) {
        return n;
    }
    return std::max(first, std::min(n - first, d));
}

/// The least fullestShare over groups of n neighbours that start at multiples of n in a grid of `groups` groups.
std::int64_t worstRun(std::int64_t n, std::int64_t d, std::int64_t groups)
{
    if (d % n == 0) {
        return n;
    }
    if (n >= 2 * d - 1 || n % d == 0) {
        return d;
    }
    std::int64_t worst = n;
    std::int64_t offset = 0;
    for (std::int64_t group = 0; group < groups; ++group) {
        worst = std::min(worst, fullestShare(n, d, offset));
        offset = (offset + n) % d;
        if (offset == 0) {
            break; // from here on the offsets repeat
        }
    }
    return worst;
}

} // namespace

RankGrid::RankGrid(const Layout& layout, const Cluster& cluster, CountedShares* known)
    : m_stages(atLeastOne(layout.pp))
{
    const std::int64_t tp = atLeastOne(layout.tp);
    const std::int64_t cp = atLeastOne(layout.cp);
    const std::int64_t dp = atLeastOne(layout.dp);
    const std::int64_t ep = atLeastOne(layout.ep);
    const std::int64_t etp = atLeastOne(layout.etp);
    m_stageRanks = tp * cp * dp;
    m_dense = {Digit{1, tp}, Digit{1, cp}, Digit{1, 1}, Digit{1, dp}, Digit{1, 1}};
    m_expert = {Digit{1, etp}, Digit{1, 1}, Digit{1, ep}, Digit{1, atLeastOne(m_stageRanks / (ep * etp))}, Digit{1, 1}};
    std::int64_t denseStride = 1;
    std::int64_t expertStride = 1;
    m_insideStage = m_stageRanks;
    for (const Axis axis : layout.rankOrder) {
        if (axis == Axis::Pp) {
            m_insideStage = denseStride;
            continue;
        }
        m_dense[at(axis)].stride = denseStride;
        denseStride *= m_dense[at(axis)].count;
        m_expert[at(axis)].stride = expertStride;
        expertStride *= m_expert[at(axis)].count;
    }

    const std::size_t levels = cluster.levels.size();
    for (const Name<GroupKind>& kind : Names<GroupKind>::table) {
        GroupSpan& span = m_spans[static_cast<std::size_t>(kind.value)];
        for (std::size_t level = 0; level < std::max<std::size_t>(1, levels); ++level) {
            const bool all = level + 1 >= levels || cluster.levels[level].domain <= 0;
            span.members.push_back(worstShare(kind.value, all ? ranks() : cluster.levels[level].domain, known));
        }
    }
    // A boundary of a domain that is not one between whole pipelines cuts a pipeline, and so one of its hops.
    const std::int64_t pipelineBlock = m_insideStage * m_stages;
    for (std::size_t level = 0; level + 1 < levels; ++level) {
        const std::int64_t domain = cluster.levels[level].domain;
        if (m_stages > 1 && domain > 0 && domain < ranks() && domain % pipelineBlock != 0) {
            m_pipelineLevel = static_cast<int>(level) + 1;
        }
    }
}

/// A group's members by digits of the rank inside the stage, inner digit first. Pipeline groups have none.
RankGrid::Digits RankGrid::stageDigits(GroupKind kind) const
{
    switch (kind) {
    case GroupKind::Tensor:
        return {m_dense[at(Axis::Tp)]};
    case GroupKind::Context:
        return {m_dense[at(Axis::Cp)]};
    case GroupKind::Data:
        return {m_dense[at(Axis::Dp)]};
    case GroupKind::Gradient: {
        Digits digits{m_dense[at(Axis::Cp)], m_dense[at(Axis::Dp)]};
        if (digits[0].stride > digits[1].stride) {
            std::swap(digits[0], digits[1]);
        }
        return digits;
    }
    case GroupKind::Pipeline:
        return {};
    case GroupKind::Expert:
        return {m_expert[at(Axis::Ep)]};
    case GroupKind::ExpertTensor:
        return {m_expert[at(Axis::Tp)]};
    case GroupKind::ExpertData:
        return {m_expert[at(Axis::Dp)]};
    }
    return {};
}

std::int64_t RankGrid::rankOf(std::int64_t stageRank, std::int64_t stage) const
{
    return stageRank % m_insideStage + m_insideStage * (stage + m_stages * (stageRank / m_insideStage));
}

/// Digits of the global rank; false where a group is not a mixed-radix count there (an expert group cut by the pipeline
/// axis).
bool RankGrid::rankDigits(GroupKind kind, Digits& digits) const
{
    digits.clear();
    if (kind == GroupKind::Pipeline) {
        digits.push_back({m_insideStage, m_stages});
        return true;
    }
    for (const Digit& digit : stageDigits(kind)) {
        const std::int64_t span = digit.stride * digit.count;
        if (digit.count == 1) {
            continue;
        }
        if (m_stages == 1 || m_insideStage % span == 0) {
            digits.push_back(digit);
        } else if (digit.stride % m_insideStage == 0) {
            digits.push_back({digit.stride * m_stages, digit.count});
        } else if (m_insideStage % digit.stride == 0 && span % m_insideStage == 0) {
            digits.push_back({digit.stride, m_insideStage / digit.stride});
            digits.push_back({m_insideStage * m_stages, span / m_insideStage});
        } else {
            return false;
        }
    }
    // Digits that follow each other without a gap are one.
    for (std::size_t i = 0; i + 1 < digits.size();) {
        if (digits[i].stride * digits[i].count == digits[i + 1].stride) {
            digits[i].count *= digits[i + 1].count;
            digits.erase(digits.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        } else {
            ++i;
        }
    }
    return true;
}

std::int64_t RankGrid::worstShare(GroupKind kind, std::int64_t domain, CountedShares* known) const
{
    Digits digits;
    const bool counted = rankDigits(kind, digits);
    std::int64_t size = 1;
    for (const Digit& digit : counted ? digits : stageDigits(kind)) {
        size *= digit.count;
    }
    if (domain >= ranks() || size == 1) {
        return size;
    }
    if (counted && digits.size() == 1) {
        const Digit& only = digits.front();
        if (only.stride >= domain && only.stride % domain == 0) {
            return 1;
        }
        if (domain % only.stride == 0) {
            return worstRun(only.count, domain / only.stride, ranks() / (only.stride * only.count));
        }
    }
    // Every digit divides the domain or is divided by it: each gives what fits of it.
    std::int64_t share = 1;
    bool regular = counted;
    for (const Digit& digit : digits) {
        const std::int64_t span = digit.stride * digit.count;
        if (domain % span == 0) {
            share *= digit.count;
        } else if (domain % digit.stride == 0 && span % domain == 0) {
            share *= domain / digit.stride;
        } else if (digit.stride % domain != 0) {
            regular = false;
        }
    }
    if (regular) {
        return share;
    }
    if (known == nullptr) {
        return countedShare(kind, size, domain);
    }
    const auto [entry, isNew] = known->try_emplace(countingKey(kind, domain));
    if (isNew) {
        entry->second = countedShare(kind, size, domain);
    }
    return entry->second;
}

std::vector<std::int64_t> RankGrid::countingKey(GroupKind kind, std::int64_t domain) const
{
    std::vector<std::int64_t> key{domain, ranks(), m_insideStage, m_stages, kind == GroupKind::Pipeline ? 1 : 0};
    for (const Digit& digit : stageDigits(kind)) {
        key.push_back(digit.stride);
        key.push_back(digit.count);
    }
    return key;
}

/// The share by looking at every group, or at groups evenly spread when there are many.
std::int64_t RankGrid::countedShare(GroupKind kind, std::int64_t size, std::int64_t domain) const
{
    std::int64_t step = 1;
    if (ranks() > countingBudget) {
        const std::int64_t samples = atLeastOne(countingBudget / size);
        step = (ranks() / samples) | 1; // odd, so that samples do not fall on the same place of every domain
    }
    std::int64_t worst = size;
    for (std::int64_t rank = 0; rank < ranks(); rank += step) {
        if (step == 1 && !isFirst(kind, rank)) {
            continue;
        }
        std::int64_t best = 0;
        std::int64_t run = 0;
        std::int64_t previous = -1;
        for (const std::int64_t member : members(kind, rank)) {
            run = member / domain == previous ? run + 1 : 1;
            previous = member / domain;
            best = std::max(best, run);
        }
        worst = std::min(worst, best);
    }
    return worst;
}

/// Whether a rank is the first member of its group.
bool RankGrid::isFirst(GroupKind kind, std::int64_t rank) const
{
    const std::int64_t rest = rank / m_insideStage;
    if (kind == GroupKind::Pipeline) {
        return rest % m_stages == 0;
    }
    const std::int64_t stageRank = rank % m_insideStage + m_insideStage * (rest / m_stages);
    for (const Digit& digit : stageDigits(kind)) {
        if (stageRank / digit.stride % digit.count != 0) {
            return false;
        }
    }
    return true;
}

std::vector<std::int64_t> RankGrid::members(GroupKind kind, std::int64_t rank) const
{
    const std::int64_t inside = rank % m_insideStage;
    const std::int64_t rest = rank / m_insideStage;
    const std::int64_t stage = rest % m_stages;
    std::int64_t first = inside + m_insideStage * (rest / m_stages);
    std::vector<std::int64_t> result;
    if (kind == GroupKind::Pipeline) {
        for (std::int64_t other = 0; other < m_stages; ++other) {
            result.push_back(rankOf(first, other));
        }
        return result;
    }
    result.push_back(0);
    for (const Digit& digit : stageDigits(kind)) {
        first -= first / digit.stride % digit.count * digit.stride;
        const std::size_t known = result.size();
        for (std::int64_t i = 1; i < digit.count; ++i) {
            for (std::size_t j = 0; j < known; ++j) {
                result.push_back(result[j] + i * digit.stride);
            }
        }
    }
    for (std::int64_t& member : result) {
        member = rankOf(first + member, stage);
    }
    return result;
}

} // namespace partita
