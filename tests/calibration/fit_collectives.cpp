// SPDX-License-Identifier: GPL-3.0-or-later
// fit_collectives [DIRECTORY]: fits the constants of network levels to measured collectives in DIRECTORY
// (kernels/nccl/*.csv, kernels/allreduce/small-message.csv, logs/nccl/*; default ../shared/data). First the level
// inside a node of every accelerator that has a table, then, with that fixed, the level between nodes of every log.
// Prints the mean |log(predicted / measured)| in per cent before and after by collective and size, and the constants as
// the "levels" of presets. Every second row is fitted; the errors after are of the rows left out.
#include "tests/calibration/collective_tables.h"
#include "tests/calibration/simplex_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace partita;
using namespace partita::calibration;

namespace {

using Rows = std::vector<MeasuredCollective>;

struct Table {
    const char* system; ///< as in the names of the files
    const char* file;
    double bandwidth; ///< bytes/s per device and direction, data sheet
    Fabric fabric;
    bool reduces; ///< the switch can reduce (NVLS: from Hopper on)
    std::int64_t domain = 8;
    const char* rackLog = nullptr; ///< all-reduces over the whole domain
};

constexpr Table tables[] = {
    {"a100_sxm", "aiconfigurator_a100_sxm_nccl_2.27.3.csv", 300e9, Fabric::Switched, false},
    {"h100_sxm", "aiconfigurator_h100_sxm_nccl_2.29.2.csv", 450e9, Fabric::Switched, true},
    {"h200_sxm", "aiconfigurator_h200_sxm_nccl_2.29.2.csv", 450e9, Fabric::Switched, true},
    {"b200_sxm", "aiconfigurator_b200_sxm_nccl_2.29.2.csv", 900e9, Fabric::Switched, true},
    {"b300_sxm", "aiconfigurator_b300_sxm_nccl_2.29.2.csv", 900e9, Fabric::Switched, true},
    {"gb200", "aiconfigurator_gb200_nccl_2.29.2.csv", 900e9, Fabric::Switched, true, 72,
     "02_gb200_72gpu_nvl72_coreweave.txt"},
    {"gb300", "aiconfigurator_gb300_nccl_2.29.2.csv", 900e9, Fabric::Switched, true, 72},
    {"l40s", "aiconfigurator_l40s_nccl_2.27.3.csv", 32e9, Fabric::SharedBus, false},
    {"rtx_pro_6000_server", "aiconfigurator_rtx_pro_6000_server_nccl_2.29.2.csv", 64e9, Fabric::Switched, false},
};

struct Log {
    const char* name;
    const char* file;
    const char* inside; ///< system whose level lies below
    std::int64_t domain; ///< devices in a node
    std::int64_t devices;
    double bandwidth; ///< NICs of a device
};

constexpr Log logs[] = {
    {"A100, EFA 4 x 100 Gb/s", "08_a100_p4de_16gpu_2node_efa_srunlabel.txt", "a100_sxm", 8, 16, 6.25e9},
    {"A100, RoCE 16 x 100 Gb/s", "17_a100_16gpu_2node_roce_oke_full.txt", "a100_sxm", 8, 16, 25e9},
    {"H100, EFA 32 x 100 Gb/s", "09_h100_p5_16gpu_2node_efa_srunlabel.txt", "h100_sxm", 8, 16, 50e9},
    {"H100, TCPX 8 x 200 Gb/s", "12_h100_a3mega_16gpu_2node_markdown_mangled.txt", "h100_sxm", 8, 16, 25e9},
    {"H100, InfiniBand 8 x 400 Gb/s", "05_h100_64gpu_ib_sharp_coreweave.txt", "h100_sxm", 8, 64, 50e9},
    {"GB200, InfiniBand, 2 racks", "03_gb200_144gpu_2racks_coreweave.txt", "gb200", 72, 144, 50e9},
    {"GB200, InfiniBand, 20 racks", "04_gb200_1440gpu_20racks_coreweave.txt", "gb200", 72, 1440, 50e9},
};

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
    assign(minimise([&](const std::vector<double>& at) { return assign(at) + meanError(cluster, rows); }, start, 0.4));
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

void printLevel(const Level& level)
{
    fmt::print("  \"latency_us\": {:.2f}, \"base_latency_us\": {:.1f}, \"efficiency\": {:.3f}, "
               "\"all_to_all_efficiency\": {:.3f}, "
               "\"half_size_mib\": {:.2f}, \"in_switch_reduction\": {:.3f}, \"direct_latency_us\": {:.2f}\n",
               level.latency * 1e6, level.baseLatency * 1e6, level.efficiency, level.allToAllEfficiency,
               level.halfSize / 1048576, level.inSwitchReduction, level.directLatency * 1e6);
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

Level fitInside(const std::filesystem::path& data, const Table& table)
{
    Rows nccl = readNcclTable(data / "kernels/nccl" / table.file);
    if (table.rackLog != nullptr) {
        const Rows rack = readNcclTestsLog(data / "logs/nccl" / table.rackLog, table.domain);
        nccl.insert(nccl.end(), rack.begin(), rack.end());
    }
    const Rows direct = readDirectAllReduces(data / "kernels/allreduce/small-message.csv", table.system);
    Cluster cluster;
    cluster.devicesPerNode = table.domain;
    cluster.levels = {unfitted(table.bandwidth, table.fabric)};
    fmt::print("{}: {} rows of NCCL, {} of direct all-reduce\n", table.system, nccl.size(), direct.size());
    printErrors("before", cluster, everySecond(nccl, 1));

    Level& level = cluster.levels.front();
    level = startingPoint(table.bandwidth, table.fabric);
    level.inSwitchReduction = table.reduces ? 0.9 : 0;
    std::vector<Unknown> unknowns{{&level.efficiency, 0.05, 1},
                                  {&level.allToAllEfficiency, 0.05, 1},
                                  {&level.latency, 1e-8, 2e-5},
                                  {&level.baseLatency, 1e-7, 1e-4},
                                  {&level.halfSize, 1e3, 1e9}};
    if (table.reduces) {
        unknowns.push_back({&level.inSwitchReduction, 0.3, 2});
    }
    fit(unknowns, cluster, everySecond(nccl, 0));
    if (!direct.empty()) {
        level.directLatency = 5e-6;
        fit({{&level.directLatency, 1e-7, 1e-4}}, cluster, everySecond(direct, 0));
    }
    Rows scored = everySecond(nccl, 1);
    const Rows directScored = everySecond(direct, 1);
    scored.insert(scored.end(), directScored.begin(), directScored.end());
    printErrors("after", cluster, scored);
    printLevel(level);
    printLargest(cluster, nccl);
    return level;
}

void fitBetween(const std::filesystem::path& data, const Log& log, Level inside)
{
    const Rows rows = readNcclTestsLog(data / "logs/nccl" / log.file, log.devices);
    inside.domain = log.domain;
    Cluster cluster;
    cluster.devicesPerNode = log.domain;
    cluster.nodes = log.devices / log.domain;
    cluster.levels = {inside, unfitted(log.bandwidth, Fabric::Switched)};
    fmt::print("{}: {} rows on {} devices\n", log.name, rows.size(), log.devices);
    printErrors("before", cluster, rows);
    Level& level = cluster.levels.back();
    level = startingPoint(log.bandwidth, Fabric::Switched);
    level.domain = 0;
    level.baseLatency = 3e-5;
    level.latency = 5e-6;
    fit({{&level.efficiency, 0.05, 1},
         {&level.latency, 1e-7, 1e-4},
         {&level.baseLatency, 1e-6, 3e-4},
         {&level.halfSize, 1e3, 1e9}},
        cluster, rows);
    level.allToAllEfficiency = 0;
    printErrors("after", cluster, rows);
    printLevel(level);
    printLargest(cluster, rows);
}

} // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path data = argc > 1 ? argv[1] : std::string(PARTITA_SHARED_DIR) + "/data";
    if (!std::filesystem::exists(data / "kernels/nccl")) {
        fmt::print(stderr, "no kernels/nccl in {}\n", data.string());
        return 1;
    }
    fmt::print("errors: mean |log(predicted / measured)| in per cent below 64 KiB, to 4 MiB, above\n");
    std::vector<std::pair<std::string, Level>> inside;
    for (const Table& table : tables) {
        inside.emplace_back(table.system, fitInside(data, table));
    }
    for (const Log& log : logs) {
        const auto found =
            std::find_if(inside.begin(), inside.end(), [&](const auto& entry) { return entry.first == log.inside; });
        fitBetween(data, log, found->second);
    }
    return 0;
}
