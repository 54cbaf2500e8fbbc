// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/collective.h"

#include <filesystem>
#include <string>
#include <vector>

namespace partita::calibration {

enum class Operation { AllReduce, AllGather, ReduceScatter, AllToAll, DirectAllReduce };

struct MeasuredCollective {
    Operation operation = Operation::AllReduce;
    std::int64_t devices = 1;
    double bytes = 0; ///< full tensor, as core/cluster/collective.h counts it
    double seconds = 0;
};

/// A table of NCCL times of one node (aiconfigurator): sizes in fp16 elements, times in ms.
std::vector<MeasuredCollective> readNcclTable(const std::filesystem::path& file);
/// The rows of custom all-reduce kernels in CUDA graphs of one system, sizes up to 8 MiB (where vLLM stops using them).
std::vector<MeasuredCollective> readDirectAllReduces(const std::filesystem::path& file, const std::string& system);
/// The out-of-place all-reduce rows of an nccl-tests log.
std::vector<MeasuredCollective> readNcclTestsLog(const std::filesystem::path& file, std::int64_t devices);

double predict(const Cluster& cluster, const MeasuredCollective& measured);

} // namespace partita::calibration
