// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/constant_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace partita::calibration {

namespace {

double predictionLog(const Row& row)
{
    return std::log(row.predict(row.scenario) / row.measured);
}

} // namespace

Parameter ofStack(const std::string& stack, std::string key, double low, double high, double scale,
                  std::function<double*(Stack&)> member)
{
    Parameter parameter;
    parameter.owner = stack;
    parameter.key = std::move(key);
    parameter.low = low;
    parameter.high = high;
    parameter.scale = scale;
    parameter.place = [stack, member = std::move(member)](Scenario& s) {
        return s.stack.id == stack ? member(s.stack) : nullptr;
    };
    return parameter;
}

ConstantSearch::ConstantSearch(std::vector<Row> rows)
    : m_rows(std::move(rows))
{
    for (Row& row : m_rows) {
        row.log = predictionLog(row);
        ++m_sourceSize[row.source];
    }
}

void ConstantSearch::add(Parameter parameter)
{
    // What a run's own words set in place of the preset's value is not the constant's.
    std::map<double, std::vector<std::size_t>> rowsOf;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (const double* place = parameter.place(m_rows[i].scenario)) {
            rowsOf[*place].push_back(i);
        }
    }
    for (auto& [value, rows] : rowsOf) {
        if (rows.size() > parameter.rows.size()) {
            parameter.value = value;
            parameter.rows = std::move(rows);
        }
    }
    parameter.before = parameter.value;
    // Fewer rows would be a constant for a run.
    constexpr std::size_t fewest = 5;
    if (parameter.rows.size() >= fewest) {
        m_parameters.push_back(std::move(parameter));
    }
}

Fit ConstantSearch::fit(int rounds, const Log& log)
{
    Fit found{m_rows.size(), {}};
    if (m_rows.empty()) {
        return found;
    }
    printErrors("before", log);
    double step = 0.25;
    for (int round = 0; round < rounds; ++round, step *= 0.7) {
        for (Parameter& parameter : m_parameters) {
            search(parameter, step);
        }
    }
    printErrors("after", log);
    for (const Parameter& parameter : m_parameters) {
        log(fmt::format("{:20} {:22} {:8.3f} -> {:8.3f}  ({} rows)\n", parameter.owner, parameter.key,
                        parameter.before * parameter.scale, parameter.value * parameter.scale, parameter.rows.size()));
        found.numbers.push_back({parameter.isStack, parameter.owner, parameter.key,
                                 std::round(parameter.value * parameter.scale * 1000) / 1000});
    }
    return found;
}

void ConstantSearch::printErrors(const char* when, const Log& log) const
{
    log(fmt::format("{}:\n", when));
    double mean = 0;
    for (const auto& [source, size] : m_sourceSize) {
        double mape = 0;
        double bias = 0;
        double within = 0;
        for (const Row& row : m_rows) {
            if (row.source == source) {
                const double error = std::exp(row.log) - 1;
                mape += std::abs(error) / size;
                bias += error / size;
                within += (std::abs(error) <= 0.2 ? 1.0 : 0.0) / size;
            }
        }
        mean += mape / static_cast<double>(m_sourceSize.size());
        log(fmt::format("  {:20} {:4.0f} rows  MAPE {:6.1f} %  bias {:+6.1f} %  within 20 % {:4.0f} %\n", source, size,
                        100 * mape, 100 * bias, 100 * within));
    }
    log(fmt::format("  mean over sources: {:.1f} %\n", 100 * mean));
}

void ConstantSearch::set(const Parameter& parameter, double value, std::vector<double>& logs)
{
    logs.clear();
    for (std::size_t i : parameter.rows) {
        *parameter.place(m_rows[i].scenario) = value;
        logs.push_back(predictionLog(m_rows[i]));
    }
}

double ConstantSearch::cost(const Parameter& parameter, const std::vector<double>& logs) const
{
    double sum = 0;
    for (std::size_t j = 0; j < logs.size(); ++j) {
        const double absolute = std::abs(logs[j]);
        sum += std::min(absolute, 0.7) / m_sourceSize.at(m_rows[parameter.rows[j]].source);
    }
    return sum;
}

void ConstantSearch::search(Parameter& parameter, double step)
{
    std::vector<double> best;
    set(parameter, parameter.value, best);
    double bestCost = cost(parameter, best);
    double bestValue = parameter.value;
    const double width = parameter.high - parameter.low;
    for (double direction : {-1.0, 1.0}) {
        for (double stride = step; stride > step / 5; stride /= 2) {
            const double value =
                std::clamp(parameter.value + direction * stride * width, parameter.low, parameter.high);
            std::vector<double> logs;
            set(parameter, value, logs);
            const double now = cost(parameter, logs);
            if (now < bestCost - 1e-9) {
                bestCost = now;
                bestValue = value;
                best = logs;
            }
        }
    }
    parameter.value = bestValue;
    set(parameter, bestValue, best);
    for (std::size_t j = 0; j < best.size(); ++j) {
        m_rows[parameter.rows[j]].log = best[j];
    }
}

} // namespace partita::calibration
