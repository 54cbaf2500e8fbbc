// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/trace_import.h"

#include <array>
#include <string>
#include <vector>

namespace partita {

/// The pipeline of a measured step, and what of its trace was changed or left out to see it as one.
struct MeasuredTimeline {
    Timeline timeline; ///< a lane a stage; knows no dependencies: placement.links is empty
    std::vector<std::string> remarks;
};

/// Lanes without pipeline ops are left out; of several lanes of one stage the one with most ops is taken; lanes that
/// name no stage count through. A problem when no span is a pipeline op.
Result<MeasuredTimeline> measuredTimeline(const ImportedTrace& trace);

struct KindTimes {
    std::size_t count = 0;
    double seconds = 0; ///< of all of them

    double mean() const { return count > 0 ? seconds / static_cast<double>(count) : 0; }
};

/// One figure as it is simulated and as it was measured.
template <class T> struct PredictedMeasured {
    T predicted{};
    T measured{};
};

/// A measured step beside the predicted one. Times in s.
struct TraceComparison {
    struct Stage {
        PredictedMeasured<double> busy; ///< in pipeline ops
        PredictedMeasured<double> idle; ///< of the makespan
        PredictedMeasured<std::size_t> ops;
    };

    PredictedMeasured<double> makespan;
    PredictedMeasured<double> bubbleFraction;
    std::vector<Stage> stages; ///< as many as the longer of the two has
    std::array<PredictedMeasured<KindTimes>, Names<OpKind>::table.size()> kinds; ///< by OpKind
    std::vector<std::string> remarks; ///< what keeps the two from being alike
};

TraceComparison compareWithTrace(const Timeline& predicted, const MeasuredTimeline& measured);

/// measured / predicted - 1; 0 where there is no prediction.
double relativeError(const PredictedMeasured<double>& figure);

/// For people: what was measured beside what was predicted, a line a figure.
std::string traceText(const TraceComparison& comparison);
/// The same for programs.
std::string writeTraceComparison(const TraceComparison& comparison);
/// What a trace is understood to be: its lanes, ops by kind and what was left out. JSON or text.
std::string describeTrace(const ImportedTrace& trace, bool asJson);

} // namespace partita
