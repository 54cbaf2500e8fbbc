// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace partita {

/// What a serving point measures; what it does not is absent. Seconds, tokens generated.
struct ServingFigures {
    std::optional<double> tpot, ttft, tokensPerSecond, tokensPerSecondPerDevice;
};

/// One run beside its prediction; a skipped one says why.
struct ScoredRun {
    std::string id;
    std::string source; ///< the run file's stem; STEM/PART in a file of several sources
    std::string group; ///< sweep it belongs to: source, model, devices, sequence
    std::string skipped; ///< reason; empty when scored
    std::vector<std::string> assumptions; ///< fields the source does not state, and what was taken
    std::optional<double> predictedTokens, measuredTokens; ///< per second and device
    std::optional<double> predictedMemoryGib, measuredMemoryGib;
    std::string memoryKind;
    std::optional<bool> predictedFits, measuredFits;
    bool serves = false; ///< a serving point: the figures below, and tokens as of a training run
    ServingFigures predictedServing, measuredServing;
    std::string layout; ///< of a serving point: the degrees, which alone differ within its group
};

/// Relative errors (predicted - measured) / measured of a set of rows.
struct ErrorStatistics {
    int count = 0;
    double mape = 0; ///< mean of absolute values
    double median = 0; ///< of absolute values
    double within10 = 0; ///< share of absolute values up to 0.10
    double within20 = 0;
    double bias = 0; ///< mean

    bool operator==(const ErrorStatistics&) const = default;
};

ErrorStatistics errorStatistics(std::vector<double> relativeErrors);

/// Rows predicted to fit and not, against what happened.
struct FitConfusion {
    int fitsRight = 0, fitsWrong = 0; ///< ran, predicted to fit or not
    int failsRight = 0, failsWrong = 0; ///< ran out of memory, predicted so or not

    int count() const { return fitsRight + fitsWrong + failsRight + failsWrong; }
    double right() const { return count() == 0 ? 0 : static_cast<double>(fitsRight + failsRight) / count(); }
    double balanced() const; ///< mean of the two classes' shares
};

struct SourceScore {
    std::string source;
    int rows = 0;
    std::map<std::string, int> skipped; ///< reason, rows
    ErrorStatistics time;
    std::map<std::string, ErrorStatistics> memory; ///< by memory kind
    FitConfusion fit;
    int rankGroups = 0; ///< sweeps of six or more rows
    double rankCorrelation = 0; ///< mean Spearman coefficient over them

    ErrorStatistics tpot; ///< of serving points
    ErrorStatistics ttft;
    int layoutPairs = 0; ///< serving points of a group whose layouts differ, and their rates by more than a tenth
    int layoutPairsRight = 0; ///< of these, predicted in the right order

    int usable() const; ///< rows not skipped
};

struct Score {
    std::vector<SourceScore> sources; ///< by name
    SourceScore overall; ///< over rows
    double meanSourceMape = 0; ///< over sources with scored rows, each counted once
};

Score scoreRuns(const std::vector<ScoredRun>& rows);

/// Spearman's rank correlation; ties share the mean rank. 0 for fewer than two points.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

} // namespace partita
