// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/kernel_time.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace partita::calibration {

/// A CSV file with a header line and no quoting; cells by column name.
using Row = std::map<std::string, std::string, std::less<>>;
/// Empty when the file cannot be read.
std::vector<Row> readTable(const std::filesystem::path& file);

template <class Shape> struct Measured {
    Shape shape;
    double seconds = 0;
};

std::vector<Measured<GemmShape>> readGemms(const std::filesystem::path& file, const std::string& dataType);
/// Causal forward, as many keys as queries.
std::vector<Measured<AttentionShape>> readAttention(const std::filesystem::path& file, const std::string& dataType);
/// Elements (tokens x channels) of causal convolutions over sequences of 1024 tokens and more.
std::vector<Measured<double>> readConvolutions(const std::filesystem::path& file);

} // namespace partita::calibration
