// SPDX-License-Identifier: GPL-3.0-or-later
// fit_collectives [--write FOLDER] [DIRECTORY]: fits the constants of links to measured collectives in DIRECTORY
// (kernels/nccl/*.csv, kernels/allreduce/small-message.csv, logs/nccl/*; default ../shared/data). First every link
// inside a node, to the tables of all accelerators that have it, then, with those fixed, the link between nodes of
// every log. Prints the mean |log(predicted / measured)| in per cent before and after by collective and size, and the
// links as presets; --write puts those into FOLDER (presets/links), also relatives of theirs without a measurement.
// Name, bandwidth and fabric of a link are the preset's. Every second row of a table is fitted; the errors after are of
// the rows left out.
#include "core/calibration/preset_change.h"
#include "core/calibration/simplex_search.h"
#include "tests/calibration/collective_tables.h"
#include "tests/calibration/fitted_presets.h"
#include "tests/calibration/link_measurements.h"

#include "core/formats/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace partita;
using namespace partita::calibration;

namespace {

using Rows = std::vector<MeasuredCollective>;

double logError(const Cluster& cluster, const MeasuredCollective& row)
{
    return std::abs(std::log(predict(cluster, row) / row.seconds));
}

/// A training step is carried by its large messages; those of decoding are left to the direct kernels.
double weight(const MeasuredCollective& row)
{
    if (row.bytes < 65536) {
        return 1.0 / 3;
    }
    return row.bytes < 16 * 1048576.0 ? 1 : 3;
}

double meanError(const Cluster& cluster, const Rows& rows)
{
    double error = 0;
    double weights = 0;
    for (const MeasuredCollective& row : rows) {
        error += weight(row) * logError(cluster, row);
        weights += weight(row);
    }
    return weights > 0 ? error / weights : 0;
}

/// Searches the numbers on a logarithmic scale, each within its bounds, with a light pull to where they start.
struct Unknown {
    double* value;
    double low;
    double high;
};

void fit(const std::vector<Unknown>& unknowns, const Cluster& cluster, const Rows& rows)
{
    std::vector<double> start;
    for (const Unknown& unknown : unknowns) {
        start.push_back(std::log(*unknown.value));
    }
    const auto assign = [&](const std::vector<double>& at) {
        double penalty = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double inside = std::clamp(at[i], std::log(unknowns[i].low), std::log(unknowns[i].high));
            const double away = at[i] - start[i];
            penalty += 0.1 * std::abs(at[i] - inside) + 0.0003 * away * away;
            *unknowns[i].value = std::exp(inside);
        }
        return penalty;
    };
    const auto cost = [&](const std::vector<double>& at) { return assign(at) + meanError(cluster, rows); };
    // A simplex that has collapsed onto a ridge of the absolute errors gets off it when it starts anew.
    assign(minimise(cost, minimise(cost, minimise(cost, start, 0.4), 0.4), 0.4));
}

Rows everySecond(const Rows& rows, std::size_t first)
{
    Rows result;
    for (std::size_t i = first; i < rows.size(); i += 2) {
        result.push_back(rows[i]);
    }
    return result;
}

void printErrors(const char* when, const Cluster& cluster, const Rows& rows)
{
    const auto part = [&](Operation operation, double from, double to) {
        Rows chosen;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen), [&](const MeasuredCollective& row) {
            return row.operation == operation && row.bytes >= from && row.bytes < to;
        });
        return chosen.empty() ? std::string("    -") : fmt::format("{:5.1f}", 100 * meanError(cluster, chosen));
    };
    constexpr double kib = 1024;
    constexpr double all = 1e18;
    fmt::print("  {:7}", when);
    for (const auto& [name, operation] :
         {std::pair{"all-reduce", Operation::AllReduce}, std::pair{"all-gather", Operation::AllGather},
          std::pair{"reduce-scatter", Operation::ReduceScatter}, std::pair{"all-to-all", Operation::AllToAll},
          std::pair{"direct", Operation::DirectAllReduce}}) {
        fmt::print("  {} {} {} {}", name, part(operation, 0, 64 * kib), part(operation, 64 * kib, 4096 * kib),
                   part(operation, 4096 * kib, all));
    }
    fmt::print("  all {:5.1f}\n", 100 * meanError(cluster, rows));
}

/// Bus bandwidth of the largest all-reduce of most devices.
void printLargest(const Cluster& cluster, const Rows& rows)
{
    MeasuredCollective largest;
    for (const MeasuredCollective& row : rows) {
        const bool more =
            row.devices > largest.devices || (row.devices == largest.devices && row.bytes > largest.bytes);
        if (row.operation == Operation::AllReduce && more) {
            largest = row;
        }
    }
    const double n = static_cast<double>(largest.devices);
    const double wire = 2e-9 * (n - 1) / n * largest.bytes;
    fmt::print("  largest all-reduce, {} devices: {:.1f} GB/s of bus bandwidth measured, {:.1f} predicted\n",
               largest.devices, wire / largest.seconds, wire / predict(cluster, largest));
}

/// What a level is taken to be before it is fitted.
Level unfitted(double bandwidth, Fabric fabric)
{
    Level level;
    level.bandwidth = bandwidth;
    level.fabric = fabric;
    return level;
}

Level startingPoint(double bandwidth, Fabric fabric)
{
    Level level = unfitted(bandwidth, fabric);
    level.efficiency = level.allToAllEfficiency = 0.7;
    level.latency = 1e-6;
    level.baseLatency = 6e-6;
    level.halfSize = 5e-5 * bandwidth;
    return level;
}

/// In the units of files.
void roundAll(Level& level)
{
    for (double* value : {&level.efficiency, &level.allToAllEfficiency, &level.inSwitchReduction}) {
        *value = threeDigits(*value);
    }
    for (double* time : {&level.latency, &level.baseLatency, &level.directLatency}) {
        *time = threeDigits(*time * 1e6) / 1e6;
    }
    level.halfSize = threeDigits(level.halfSize / 1048576) * 1048576;
}

void append(Rows& rows, const Rows& more)
{
    rows.insert(rows.end(), more.begin(), more.end());
}

/// The presets of links, with the constants of those fitted so far.
class Links {
public:
    explicit Links(const Catalogue& catalogue)
        : m_catalogue(catalogue)
    {
    }

    bool has(const std::string& id) const { return m_catalogue.link(id) != nullptr; }
    /// The level of a fitted link, or as the preset has it.
    Level level(const std::string& id) const
    {
        const auto found = std::find_if(m_fitted.begin(), m_fitted.end(), [&](const Link& l) { return l.id == id; });
        return found != m_fitted.end() ? found->level : m_catalogue.link(id)->level;
    }
    /// Constants of a fit under the preset's name, bandwidth and fabric, in place of those added before.
    void add(const std::string& id, Level constants, const std::string& source)
    {
        const Level& preset = m_catalogue.link(id)->level;
        constants.name = preset.name;
        constants.bandwidth = preset.bandwidth;
        constants.fabric = preset.fabric;
        constants.domain = Level{}.domain;
        constants.source = source;
        roundAll(constants);
        m_fitted.erase(std::remove_if(m_fitted.begin(), m_fitted.end(), [&](const Link& l) { return l.id == id; }),
                       m_fitted.end());
        m_fitted.push_back({id, constants});
    }
    const std::vector<Link>& fitted() const { return m_fitted; }

private:
    const Catalogue& m_catalogue;
    std::vector<Link> m_fitted;
};

void fitInside(const std::filesystem::path& data, const Inside& inside, Links& links)
{
    const Level preset = links.level(inside.id);
    Rows nccl;
    Rows direct;
    std::string systems;
    std::string rack;
    for (const Table& table : inside.tables) {
        append(nccl, readNcclTable(data / "kernels/nccl" / table.file));
        append(direct, readDirectAllReduces(data / "kernels/allreduce/small-message.csv", table.system));
        systems += (systems.empty() ? "" : " and ") + table.system;
        if (!table.rackLog.empty()) {
            append(nccl, readNcclTestsLog(data / "logs/nccl" / table.rackLog, inside.domain));
            rack = fmt::format(" and to all-reduces of {}", inside.domain);
        }
    }
    Cluster cluster;
    cluster.devicesPerNode = inside.domain;
    cluster.levels = {unfitted(preset.bandwidth, preset.fabric)};
    fmt::print("{} of {}: {} rows of NCCL, {} of direct all-reduce\n", inside.id, systems, nccl.size(), direct.size());
    printErrors("before", cluster, everySecond(nccl, 1));

    Level& level = cluster.levels.front();
    level = startingPoint(preset.bandwidth, preset.fabric);
    level.inSwitchReduction = inside.reduces ? 0.9 : 0;
    std::vector<Unknown> unknowns{{&level.efficiency, 0.05, 1},
                                  {&level.allToAllEfficiency, 0.05, 1},
                                  {&level.latency, 1e-8, 2e-5},
                                  {&level.baseLatency, 1e-7, 1e-4},
                                  {&level.halfSize, 1e3, 1e9}};
    if (inside.reduces) {
        unknowns.push_back({&level.inSwitchReduction, 0.3, 2});
    }
    fit(unknowns, cluster, everySecond(nccl, 0));
    if (!direct.empty()) {
        level.directLatency = 5e-6;
        fit({{&level.directLatency, 1e-7, 1e-4}}, cluster, everySecond(direct, 0));
    }
    Rows scored = everySecond(nccl, 1);
    append(scored, everySecond(direct, 1));
    printErrors("after", cluster, scored);
    printLargest(cluster, nccl);
    links.add(inside.id, level,
              fmt::format("fitted to the aiconfigurator NCCL and custom all-reduce tables of {}{} (fit_collectives)",
                          systems, rack));
}

void fitBetween(const std::filesystem::path& data, const Between& between, Links& links)
{
    const Rows rows = readNcclTestsLog(data / "logs/nccl" / between.file, between.devices);
    Level inside = links.level(between.inside);
    inside.domain = between.domain;
    Cluster cluster;
    cluster.devicesPerNode = between.domain;
    cluster.nodes = between.devices / between.domain;
    cluster.levels = {inside, unfitted(between.bandwidth, Fabric::Switched)};
    fmt::print("{} of {}: {} rows\n", between.id.empty() ? "no link" : between.id, between.name, rows.size());
    printErrors("before", cluster, rows);
    Level& level = cluster.levels.back();
    level = startingPoint(between.bandwidth, Fabric::Switched);
    level.domain = 0;
    level.allToAllEfficiency = 0; // nothing but all-reduces was measured
    level.baseLatency = 3e-5;
    level.latency = 5e-6;
    std::vector<Unknown> unknowns{{&level.efficiency, 0.05, 1}, {&level.halfSize, 1e3, 1e9}};
    std::string source = fmt::format("fitted to the nccl-tests log of {} (fit_collectives)", between.name);
    if (between.latencies.empty()) {
        unknowns.push_back({&level.latency, 1e-7, 1e-4});
        unknowns.push_back({&level.baseLatency, 1e-6, 3e-4});
    } else {
        level.latency = links.level(between.latencies).latency;
        level.baseLatency = links.level(between.latencies).baseLatency;
        source = fmt::format("efficiency and half size {}; latencies of {}", source, between.latencies);
    }
    fit(unknowns, cluster, rows);
    printErrors("after", cluster, rows);
    printLargest(cluster, rows);
    if (!between.id.empty()) {
        links.add(between.id, level, source);
        for (const Relative& relative : between.relatives) {
            links.add(relative.id, level, relative.reason);
        }
    }
}

/// Every link that the fit names has a preset to take its bandwidth from.
bool allKnown(const Links& links)
{
    std::vector<std::string> ids;
    for (const Inside& inside : insideLinks()) {
        ids.push_back(inside.id);
    }
    for (const Between& between : betweenLinks()) {
        if (!between.id.empty()) {
            ids.push_back(between.id);
        }
        for (const Relative& relative : between.relatives) {
            ids.push_back(relative.id);
        }
    }
    bool known = true;
    for (const std::string& id : ids) {
        if (!links.has(id)) {
            fmt::print(stderr, "no preset of the link {}\n", id);
            known = false;
        }
    }
    return known;
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> arguments(argv + 1, argv + argc);
    std::filesystem::path folder;
    if (arguments.size() >= 2 && arguments.front() == "--write") {
        folder = arguments[1];
        arguments.erase(arguments.begin(), arguments.begin() + 2);
    }
    if (arguments.size() > 1 || (!arguments.empty() && arguments.front().rfind("--", 0) == 0)) {
        fmt::print(stderr, "usage: fit_collectives [--write FOLDER] [DIRECTORY]\n");
        return 2;
    }
    const std::filesystem::path data = arguments.empty() ? PARTITA_SHARED_DIR "/data" : arguments.front();
    if (!std::filesystem::exists(data / "kernels/nccl")) {
        fmt::print(stderr, "no kernels/nccl in {}\n", data.string());
        return 1;
    }
    const Catalogue catalogue = loadCatalogue({std::filesystem::path(PARTITA_SOURCE_DIR) / "presets"});
    Links links(catalogue);
    if (!allKnown(links)) {
        return 1;
    }
    fmt::print("errors: mean |log(predicted / measured)| in per cent below 64 KiB, to 4 MiB, above\n");
    for (const Inside& inside : insideLinks()) {
        fitInside(data, inside, links);
    }
    for (const Between& between : betweenLinks()) {
        fitBetween(data, between, links);
    }
    bool good = true;
    for (const Link& link : links.fitted()) {
        fmt::print("{}", linkAsJson(link));
        if (!folder.empty() && !writeLink(folder, link)) {
            fmt::print(stderr, "{}: cannot be written in {}\n", link.id, folder.string());
            good = false;
        }
    }
    return good ? 0 : 1;
}
