// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/kernel_tables.h"

#include "core/formats/files.h"

#include <charconv>
#include <sstream>
#include <string_view>

namespace partita::calibration {

namespace {

std::vector<std::string> cells(const std::string& line)
{
    std::vector<std::string> out{""};
    for (const char c : line) {
        if (c == ',') {
            out.emplace_back();
        } else if (c != '\r') {
            out.back() += c;
        }
    }
    return out;
}

double number(const Row& row, std::string_view column)
{
    const auto cell = row.find(column);
    double value = 0;
    if (cell != row.end()) {
        std::from_chars(cell->second.data(), cell->second.data() + cell->second.size(), value);
    }
    return value;
}

std::int64_t integer(const Row& row, std::string_view column)
{
    return static_cast<std::int64_t>(number(row, column));
}

bool has(const Row& row, std::string_view column, std::string_view text)
{
    const auto cell = row.find(column);
    return cell != row.end() && cell->second == text;
}

} // namespace

std::vector<Row> readTable(const std::filesystem::path& file)
{
    constexpr std::size_t largest = std::size_t{256} << 20;
    const Result<std::string> text = readFile(file, largest);
    if (!text) {
        return {};
    }
    std::istringstream stream(*text);
    std::string line;
    if (!std::getline(stream, line)) {
        return {};
    }
    const std::vector<std::string> header = cells(line);
    std::vector<Row> rows;
    while (std::getline(stream, line)) {
        const std::vector<std::string> values = cells(line);
        if (values.size() != header.size()) {
            continue;
        }
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < header.size(); ++i) {
            row[header[i]] = values[i];
        }
    }
    return rows;
}

std::vector<Measured<GemmShape>> readGemms(const std::filesystem::path& file, const std::string& dataType)
{
    std::vector<Measured<GemmShape>> out;
    for (const Row& row : readTable(file)) {
        if (has(row, "dtype", dataType)) {
            const GemmShape shape{integer(row, "m"), integer(row, "n"), integer(row, "k")};
            out.push_back({shape, 1e-3 * number(row, "latency_ms")});
        }
    }
    return out;
}

std::vector<Measured<AttentionShape>> readAttention(const std::filesystem::path& file, const std::string& dataType)
{
    std::vector<Measured<AttentionShape>> out;
    for (const Row& row : readTable(file)) {
        if (has(row, "dtype", dataType)) {
            AttentionShape shape;
            shape.batch = integer(row, "batch");
            shape.heads = integer(row, "heads");
            shape.kvHeads = integer(row, "kv_heads");
            shape.queries = shape.keys = integer(row, "seq");
            shape.queryKeyDim = shape.valueDim = static_cast<int>(integer(row, "head_dim"));
            out.push_back({shape, 1e-3 * number(row, "latency_ms")});
        }
    }
    return out;
}

std::vector<Measured<double>> readConvolutions(const std::filesystem::path& file)
{
    std::vector<Measured<double>> out;
    for (const Row& row : readTable(file)) {
        if (has(row, "phase", "context") && integer(row, "seq_len") >= 1024) {
            const double channels =
                number(row, "nheads") * number(row, "head_dim") + 2 * number(row, "n_groups") * number(row, "d_state");
            out.push_back({number(row, "num_tokens") * channels, 1e-3 * number(row, "latency")});
        }
    }
    return out;
}

} // namespace partita::calibration
