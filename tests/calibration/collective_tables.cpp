// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/calibration/collective_tables.h"

#include "core/calibration/kernel_tables.h"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

namespace partita::calibration {

namespace {

std::optional<Operation> operationOf(const std::string& name)
{
    if (name == "all_reduce") {
        return Operation::AllReduce;
    }
    if (name == "all_gather") {
        return Operation::AllGather;
    }
    if (name == "reduce_scatter") {
        return Operation::ReduceScatter;
    }
    if (name == "alltoall") {
        return Operation::AllToAll;
    }
    return std::nullopt;
}

double number(const Row& row, const char* column)
{
    const auto found = row.find(column);
    return found == row.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

} // namespace

std::vector<MeasuredCollective> readNcclTable(const std::filesystem::path& file)
{
    std::vector<MeasuredCollective> result;
    for (const Row& row : readTable(file)) {
        const std::optional<Operation> operation = operationOf(row.at("op_name"));
        if (operation && row.at("nccl_dtype") == "half") {
            result.push_back({*operation, static_cast<std::int64_t>(number(row, "num_gpus")),
                              2 * number(row, "message_size"), number(row, "latency") * 1e-3});
        }
    }
    return result;
}

std::vector<MeasuredCollective> readDirectAllReduces(const std::filesystem::path& file, const std::string& system)
{
    std::vector<MeasuredCollective> result;
    for (const Row& row : readTable(file)) {
        const double bytes = number(row, "bytes");
        if (row.at("system") == system && row.at("kernel") == "vLLM_custom_graph" && bytes <= 8 * 1048576.0) {
            result.push_back({Operation::DirectAllReduce, static_cast<std::int64_t>(number(row, "n_gpus")), bytes,
                              number(row, "latency_us") * 1e-6});
        }
    }
    return result;
}

std::vector<MeasuredCollective> readNcclTestsLog(const std::filesystem::path& file, std::int64_t devices)
{
    std::vector<MeasuredCollective> result;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        // [rank:] size count type redop root time ...
        std::istringstream words(line);
        std::vector<std::string> cells;
        for (std::string word; words >> word;) {
            cells.push_back(word);
        }
        for (std::size_t i = 3; i + 2 < cells.size(); ++i) {
            if (cells[i] == "sum") {
                const double bytes = std::strtod(cells[i - 3].c_str(), nullptr);
                const double seconds = std::strtod(cells[i + 2].c_str(), nullptr) * 1e-6;
                if (bytes > 0 && seconds > 0) {
                    result.push_back({Operation::AllReduce, devices, bytes, seconds});
                }
                break;
            }
        }
    }
    return result;
}

double predict(const Cluster& cluster, const MeasuredCollective& measured)
{
    const GroupSpan group = packedSpan(cluster, measured.devices);
    switch (measured.operation) {
    case Operation::AllReduce:
        return allReduceTime(cluster, group, measured.bytes);
    case Operation::AllGather:
        return allGatherTime(cluster, group, measured.bytes);
    case Operation::ReduceScatter:
        return reduceScatterTime(cluster, group, measured.bytes);
    case Operation::AllToAll:
        return allToAllTime(cluster, group, measured.bytes);
    case Operation::DirectAllReduce:
        return directAllReduceTime(cluster, group, measured.bytes);
    }
    return 0;
}

} // namespace partita::calibration
