// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/serving_search.h"

#include "core/scenario/split_limits.h"
#include "core/serving/serve.h"

#include <algorithm>
#include <numeric>

namespace partita {

namespace {

ServingPoint pointOf(const Scenario& scenario, std::int64_t batch, const ServingReport& report)
{
    ServingPoint point;
    point.layout = scenario.layout;
    point.batch = batch;
    point.tpot = report.tpot;
    point.ttft = report.ttft;
    point.tokensPerSecond = report.tokensPerSecond;
    point.tokensPerSecondPerDevice = report.tokensPerSecondPerDevice;
    point.requestsPerSecond = report.requestsPerSecond;
    point.costPerMillionTokens = report.costPerMillionTokens;
    point.fits = report.fits && report.waiting <= 0;
    point.meets = point.fits && report.meetsTtft && report.meetsTpot;
    return point;
}

/// Points that no other beats, found from the fastest token on.
std::vector<std::size_t> frontOf(const std::vector<ServingPoint>& points)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].fits) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return points[a].tpot < points[b].tpot
            || (points[a].tpot == points[b].tpot
                && points[a].tokensPerSecondPerDevice > points[b].tokensPerSecondPerDevice);
    });
    std::vector<std::size_t> front;
    double most = 0;
    for (const std::size_t i : order) {
        if (points[i].tokensPerSecondPerDevice > most) {
            most = points[i].tokensPerSecondPerDevice;
            front.push_back(i);
        }
    }
    return front;
}

/// Expert degrees worth trying: those inside the tensor group, and all ranks of a stage together.
std::vector<std::int64_t> expertDegrees(const Scenario& scenario, int tp, std::int64_t stageRanks)
{
    if (!isMoe(scenario.model)) {
        return {1};
    }
    std::vector<std::int64_t> degrees;
    for (const std::int64_t ep : divisors(stageRanks, stageRanks)) {
        const bool inside = tp % ep == 0;
        const bool beyond = ep % tp == 0;
        if ((inside || beyond) && expertObjection(scenario.model, ep).empty()) {
            degrees.push_back(ep);
        }
    }
    return degrees;
}

constexpr std::int64_t largestBatch = 1024;

} // namespace

const ServingPoint* ServingSearch::best() const
{
    const ServingPoint* best = nullptr;
    for (const ServingPoint& point : points) {
        if (point.meets && (best == nullptr || point.tokensPerSecondPerDevice > best->tokensPerSecondPerDevice)) {
            best = &point;
        }
    }
    return best;
}

ServingSearch searchServing(const Scenario& scenario)
{
    ServingSearch search;
    Scenario each = scenario;
    each.layout.layersPerStage.clear();
    each.layout.etp = 1;
    const std::int64_t devices = scenario.cluster.devices();
    const std::int64_t ranks = devices / std::max(1, scenario.layout.cp);
    const std::vector<std::int64_t> ladder = batchLadder(std::min(largestBatch, scenario.stack.engine.mostSequences));
    for (const std::int64_t tp : divisors(ranks, std::min<std::int64_t>(ranks, largestTensorDegree(scenario.model)))) {
        for (const std::int64_t pp :
             divisors(ranks / tp, std::min<std::int64_t>(ranks / tp, scenario.model.layerCount()))) {
            each.layout.tp = static_cast<int>(tp);
            each.layout.pp = static_cast<int>(pp);
            each.layout.dp = static_cast<int>(ranks / tp / pp);
            for (const std::int64_t ep : expertDegrees(scenario, each.layout.tp, ranks / pp)) {
                each.layout.ep = static_cast<int>(ep);
                const std::vector<ServingReport> reports = sweepBatch(each, ladder);
                search.layouts += reports.empty() ? 0 : 1;
                search.fitting += !reports.empty() && reports.front().fits ? 1 : 0;
                for (std::size_t i = 0; i < reports.size(); ++i) {
                    search.points.push_back(pointOf(each, ladder[i], reports[i]));
                }
            }
        }
    }
    search.front = frontOf(search.points);
    return search;
}

ServingPoint bestBatch(const Scenario& scenario)
{
    Scenario each = scenario;
    // Slower a token and a first token with every sequence more: the last one within the limits is found by halving.
    const std::int64_t most = std::min(std::int64_t{1} << 16, scenario.stack.engine.mostSequences);
    std::int64_t good = 0;
    std::int64_t bad = most + 1;
    ServingPoint best;
    best.layout = scenario.layout;
    best.batch = 0;
    while (bad - good > 1) {
        const std::int64_t batch = good == 0 && bad > most ? 1 : good + (bad - good) / 2;
        each.serving.batch = batch;
        const std::vector<ServingReport> reports = sweepBatch(each, {batch});
        const ServingPoint point = reports.empty() ? ServingPoint{} : pointOf(each, batch, reports.front());
        if (point.meets) {
            good = batch;
            best = point;
        } else {
            best.fits = batch == 1 ? point.fits : best.fits;
            bad = batch;
        }
    }
    return best;
}

std::vector<ServingPoint> replicasOrWider(const Scenario& scenario)
{
    std::vector<ServingPoint> points;
    Scenario each = scenario;
    each.layout.layersPerStage.clear();
    for (std::int64_t ways = 1; scenario.layout.tp % ways == 0; ways *= 2) {
        each.layout.tp = static_cast<int>(scenario.layout.tp / ways);
        each.layout.dp = static_cast<int>(scenario.layout.dp * ways);
        each.layout.ep = std::gcd(scenario.layout.ep, each.layout.tp);
        each.layout.etp = 1;
        points.push_back(bestBatch(each));
    }
    return points;
}

} // namespace partita
