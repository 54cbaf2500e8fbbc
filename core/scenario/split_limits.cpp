// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/split_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace partita {

namespace {

std::string mustDivide(std::int64_t degree, std::int64_t dimension, const char* name)
{
    return dimension % degree == 0 ? std::string() : fmt::format("does not divide {} {}", dimension, name);
}

/// Heads that may be copied instead of split: fewer than the degree is fine as long as each is copied equally often.
std::string mustDivideOrCopy(std::int64_t degree, std::int64_t dimension, const char* name)
{
    if (dimension > 0 && (dimension % degree == 0 || degree % dimension == 0)) {
        return {};
    }
    return fmt::format("neither divides {} {} nor is a multiple of them", dimension, name);
}

/// The objection of a mixer against a split of its heads.
struct MixerObjection {
    std::int64_t degree;

    std::string operator()(const std::monostate&) const { return {}; }
    std::string operator()(const Attention& attention) const
    {
        const std::string heads = mustDivide(degree, attention.heads, "heads");
        return heads.empty() ? mustDivideOrCopy(degree, attention.kvHeads, "KV heads") : heads;
    }
    std::string operator()(const LatentAttention& attention) const
    {
        return mustDivide(degree, attention.heads, "heads");
    }
    std::string operator()(const Mamba1& mamba) const { return mustDivide(degree, mamba.innerWidth, "inner channels"); }
    std::string operator()(const Mamba2& mamba) const
    {
        const std::string heads = mustDivide(degree, mamba.heads, "state space heads");
        return heads.empty() ? mustDivideOrCopy(degree, mamba.groups, "state space groups") : heads;
    }
    std::string operator()(const GatedDelta& delta) const
    {
        const std::string heads = mustDivide(degree, delta.valueHeads, "value heads");
        return heads.empty() ? mustDivideOrCopy(degree, delta.keyHeads, "key heads") : heads;
    }
};

std::string mixersObjection(const Model& model, std::int64_t degree)
{
    for (const LayerKind& kind : model.kinds) {
        std::string objection = std::visit(MixerObjection{degree}, kind.mixer);
        if (!objection.empty()) {
            return objection;
        }
    }
    return {};
}

struct MixerDegree {
    std::int64_t operator()(const std::monostate&) const { return 0; }
    std::int64_t operator()(const Attention& attention) const { return attention.heads; }
    std::int64_t operator()(const LatentAttention& attention) const { return attention.heads; }
    std::int64_t operator()(const Mamba1& mamba) const { return mamba.innerWidth; }
    std::int64_t operator()(const Mamba2& mamba) const { return mamba.heads; }
    std::int64_t operator()(const GatedDelta& delta) const { return delta.valueHeads; }
};

} // namespace

std::string tensorObjection(const Model& model, std::int64_t tp)
{
    if (tp == 1) {
        return {};
    }
    std::string objection = mixersObjection(model, tp);
    for (const LayerKind& kind : model.kinds) {
        if (!objection.empty()) {
            return objection;
        }
        if (const auto* dense = std::get_if<DenseFfn>(&kind.feedForward)) {
            objection = mustDivide(tp, dense->width, "feed-forward columns");
        } else if (const auto* moe = std::get_if<MoeFfn>(&kind.feedForward)) {
            objection = mustDivide(tp, moe->sharedWidth, "shared expert columns");
        }
    }
    return objection;
}

std::string contextObjection(const Scenario& scenario, std::int64_t cp, std::int64_t tp)
{
    if (cp == 1) {
        return {};
    }
    const std::int64_t length = scenario.workload.sequenceLength;
    if (scenario.stack.contextExchange == ContextExchange::AllToAll) {
        const std::string objection = mixersObjection(scenario.model, boundedProduct(tp, cp));
        if (!objection.empty()) {
            return fmt::format("times {} tensor ranks {}, as an all-to-all exchange needs", tp, objection);
        }
    } else if (scenario.stack.zigZag && length % boundedProduct(2, cp) != 0) {
        return fmt::format("does not cut a sequence of {} into two equal chunks a rank", length);
    }
    return length % cp == 0 ? std::string() : fmt::format("does not divide a sequence of {}", length);
}

std::string sequenceParallelObjection(const Scenario& scenario, std::int64_t tp, std::int64_t cp)
{
    const std::int64_t length = scenario.workload.sequenceLength / cp;
    if (!scenario.layout.sequenceParallel || length % tp == 0) {
        return {};
    }
    return fmt::format("{} tensor ranks do not divide {} tokens of a sequence", tp, length);
}

std::string expertObjection(const Model& model, std::int64_t ep)
{
    if (ep > 1 && !isMoe(model)) {
        return "needs experts, and the model has none";
    }
    for (const LayerKind& kind : model.kinds) {
        const auto* moe = std::get_if<MoeFfn>(&kind.feedForward);
        if (moe != nullptr && moe->experts % ep != 0) {
            return mustDivide(ep, moe->experts, "experts");
        }
    }
    return {};
}

std::string expertTensorObjection(const Model& model, std::int64_t etp)
{
    if (etp > 1 && !isMoe(model)) {
        return "needs experts, and the model has none";
    }
    for (const LayerKind& kind : model.kinds) {
        const auto* moe = std::get_if<MoeFfn>(&kind.feedForward);
        if (moe != nullptr && moe->expertWidth % etp != 0) {
            return mustDivide(etp, moe->expertWidth, "expert columns");
        }
    }
    return {};
}

bool isMoe(const Model& model)
{
    return std::any_of(model.kinds.begin(), model.kinds.end(),
                       [](const LayerKind& kind) { return std::holds_alternative<MoeFfn>(kind.feedForward); });
}

std::int64_t largestTensorDegree(const Model& model)
{
    std::int64_t largest = 0;
    for (const LayerKind& kind : model.kinds) {
        const std::int64_t degree = std::visit(MixerDegree{}, kind.mixer);
        largest = largest == 0 ? degree : std::gcd(largest, degree);
        if (const auto* dense = std::get_if<DenseFfn>(&kind.feedForward)) {
            largest = std::gcd(largest, dense->width);
        }
    }
    return std::max<std::int64_t>(1, largest);
}

std::int64_t boundedProduct(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return b != 0 && a > most / b ? most : a * b;
}

std::string productText(std::int64_t product)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return product == most ? "more than 9.2e18" : fmt::to_string(product);
}

std::int64_t deviceCount(const Cluster& cluster)
{
    if (cluster.devicesPerNode < 1 || cluster.nodes < 1) {
        return 0;
    }
    return boundedProduct(cluster.devicesPerNode, cluster.nodes);
}

std::vector<std::int64_t> divisors(std::int64_t n, std::int64_t limit)
{
    constexpr std::int64_t patience = 65536; // enough for every real number of devices; bounds the time for absurd ones
    std::vector<std::int64_t> small;
    std::vector<std::int64_t> large;
    for (std::int64_t i = 1; i <= patience && i <= n / i; ++i) {
        if (n % i == 0) {
            small.push_back(i);
            if (i != n / i) {
                large.push_back(n / i);
            }
        }
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    small.erase(std::upper_bound(small.begin(), small.end(), limit), small.end());
    return small;
}

} // namespace partita
