// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/named_exchange.h"

#include "core/training/layer_cost.h"

#include <algorithm>
#include <array>

namespace partita {

namespace {

struct Function {
    std::string_view name;
    CollectiveKind kind;
    bool direct = false;
};

constexpr std::array functions{
    Function{"all_reduce", CollectiveKind::AllReduce}, Function{"direct_all_reduce", CollectiveKind::AllReduce, true},
    Function{"all_gather", CollectiveKind::AllGather}, Function{"reduce_scatter", CollectiveKind::ReduceScatter},
    Function{"all_to_all", CollectiveKind::AllToAll},
};

constexpr double largestGroup = 1e9;

} // namespace

std::optional<CollectiveWork> namedExchange(const Cluster& cluster, std::string_view function,
                                            const std::vector<double>& numbers)
{
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [function](const Function& each) { return each.name == function; });
    if (found == functions.end() || numbers.size() != 2 || !(numbers[0] >= 1 && numbers[0] <= largestGroup)
        || !(numbers[1] >= 0)) {
        return std::nullopt;
    }
    CollectiveWork work;
    work.kind = found->kind;
    work.span = packedSpan(cluster, static_cast<std::int64_t>(numbers[0]));
    work.bytes = numbers[1];
    work.direct = found->direct;
    return work;
}

double timeOf(const Cluster& cluster, const CollectiveWork& work)
{
    return work.direct ? directAllReduceTime(cluster, work.span, work.bytes)
                       : exchangeTime(cluster, work.span, work.kind, work.bytes, work.outside);
}

} // namespace partita
