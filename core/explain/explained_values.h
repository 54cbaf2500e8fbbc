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
    double measured = 0; ///< in the unit of the NearRuns it is of
    double predicted = 0;
    double distance = 0;

    double error() const { return predicted / measured - 1; }
};

/// What published runs are compared in.
enum class RunQuantity { TokensPerDevice, StepTime, Mfu, PeakMemory };

template <> struct Names<RunQuantity> {
    static constexpr std::array table{
        Name<RunQuantity>{RunQuantity::TokensPerDevice, "tokens_per_s_per_device", "tokens/s of a device"},
        Name<RunQuantity>{RunQuantity::StepTime, "step_time_s", "step time, from the published rate"},
        Name<RunQuantity>{RunQuantity::Mfu, "mfu", "MFU (causal attention), from the published rate"},
        Name<RunQuantity>{RunQuantity::PeakMemory, "peak_memory_bytes",
                          "peak memory of a device, as the run's own meter counts it"},
    };
};

Measure measureOf(RunQuantity quantity);

/// Published runs nearest in kind, nearest first.
struct NearRuns {
    RunQuantity quantity = RunQuantity::TokensPerDevice;
    std::vector<NearRun> runs;
};

/// "941 tokens/s measured, 787 tokens/s predicted (-16.4 %)"
std::string describe(const NearRun& run, RunQuantity quantity);

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
    /// Published runs nearest in kind to what a path is of, in what they can be compared in with it: memory with
    /// memory, times with step times, MFU with MFU, all else in tokens per second. None for serving.
    virtual const NearRuns& nearestRuns(std::string_view path) const = 0;
    /// Name, unit and value without the derivation; null where the path is not known. Internal to core/explain.
    virtual const LedgerEntry* find(std::string_view path) const = 0;
};

} // namespace partita
