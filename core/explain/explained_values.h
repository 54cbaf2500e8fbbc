// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/derivation.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

struct LedgerEntry;

/// A measured run beside its prediction, and how near it is in kind (see distanceInKind()).
struct NearRun {
    std::string id;
    std::string where; ///< title and place of the source
    double measured = 0; ///< tokens per second and device
    double predicted = 0;
    double distance = 0;
};

/// Numbers that can be derived, each from others of them down to what scenarios and presets state. A path is that of a
/// JSON report ("memory.stages[0].activations"), or of an intermediate value that a derivation names.
class ExplainedValues {
public:
    ExplainedValues() = default;
    virtual ~ExplainedValues() = default;
    ExplainedValues(const ExplainedValues&) = delete;
    ExplainedValues& operator=(const ExplainedValues&) = delete;

    /// What is reported, in the order of the report.
    virtual std::vector<std::string> reportedValues() const = 0;
    /// Those and every intermediate value.
    virtual std::vector<std::string> allValues() const = 0;
    /// An unknown path is a Problem that names the nearest ones.
    virtual Result<Derivation> explain(std::string_view path) const = 0;
    /// Published runs nearest in kind to what a path is of, nearest first.
    virtual const std::vector<NearRun>& nearestRuns(std::string_view path) const = 0;
    /// Name, unit and value without the derivation; null where the path is not known. Internal to core/explain.
    virtual const LedgerEntry* find(std::string_view path) const = 0;
};

} // namespace partita
