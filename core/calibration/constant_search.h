// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/preset_change.h"
#include "core/scenario/scenario.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace partita::calibration {

/// A measured run and what predicts it.
struct Row {
    std::string source;
    Scenario scenario;
    double measured = 0;
    double (*predict)(const Scenario&) = nullptr; ///< in the unit of measured
    double log = 0; ///< ln(predicted / measured)
};

/// A constant to fit: where it is, within what bounds.
struct Parameter {
    std::string owner; ///< preset id, or accelerator family
    std::string key; ///< as in the preset file
    double low = 0;
    double high = 1;
    double scale = 1; ///< file unit over base unit
    std::function<double*(Scenario&)> place; ///< nullptr where the scenario has another owner
    std::vector<std::size_t> rows;
    double value = 0;
    double before = 0;
};

/// Coordinate search over constants that several scenarios share. The cost is the mean over sources of the mean
/// absolute logarithm of predicted over measured.
class ConstantSearch {
public:
    explicit ConstantSearch(std::vector<Row> rows);

    /// A parameter of fewer than five rows would be a constant for a run: it is left alone.
    void add(Parameter parameter);
    /// Coordinate search with shrinking steps: the parameters are few and nearly independent.
    void run(int rounds);
    void printErrors(const char* when, const Log& log) const;
    const std::vector<Parameter>& parameters() const { return m_parameters; }

private:
    void set(const Parameter& parameter, double value, std::vector<double>& logs);
    double cost(const Parameter& parameter, const std::vector<double>& logs) const;
    void search(Parameter& parameter, double step);

    std::vector<Row> m_rows;
    std::map<std::string, double> m_sourceSize;
    std::vector<Parameter> m_parameters;
};

} // namespace partita::calibration
