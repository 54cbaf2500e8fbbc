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

/// A constant that a fit found, in the unit of preset files, rounded.
struct FittedNumber {
    bool isStack = true; ///< of a stack's preset, or of those of an accelerator family
    std::string owner; ///< preset id, or accelerator family
    std::string key; ///< as in the file
    double value = 0;
};

/// What a fit found, and in how many rows.
struct Fit {
    std::size_t rows = 0;
    std::vector<FittedNumber> numbers;
};

/// A constant to fit: where it is, within what bounds.
struct Parameter {
    bool isStack = true;
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

/// The constant of a stack, or of its engine, that `member` finds in it.
Parameter ofStack(const std::string& stack, std::string key, double low, double high, double scale,
                  std::function<double*(Stack&)> member);

/// Coordinate search over constants that several scenarios share, with shrinking steps: they are few and nearly
/// independent. The cost is the mean over sources of the mean
/// absolute logarithm of predicted over measured.
class ConstantSearch {
public:
    explicit ConstantSearch(std::vector<Row> rows);

    /// A parameter of fewer than five rows would be a constant for a run: it is left alone.
    void add(Parameter parameter);
    /// Searches; tells the errors by source before and after, and the values. Says and finds nothing
    /// where there are no rows.
    Fit fit(int rounds, const Log& log);

private:
    void printErrors(const char* when, const Log& log) const;
    void set(const Parameter& parameter, double value, std::vector<double>& logs);
    double cost(const Parameter& parameter, const std::vector<double>& logs) const;
    void search(Parameter& parameter, double step);

    std::vector<Row> m_rows;
    std::map<std::string, double> m_sourceSize;
    std::vector<Parameter> m_parameters;
};

} // namespace partita::calibration
