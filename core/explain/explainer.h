// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/derivation.h"
#include "core/runs/error_band.h"
#include "core/training/report.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

struct ExplainContext;
struct ServedContext;
class Ledger;

/// A measured run beside its prediction, and how near it is in kind (see distanceInKind()).
struct NearRun {
    std::string id;
    std::string where; ///< title and place of the source
    double measured = 0; ///< tokens per second and device
    double predicted = 0;
    double distance = 0;
};

/// Derives the numbers of one scenario's report, each from others of its derivations down to what the scenario and its
/// presets state. A path is that of the report's JSON ("memory.stages[0].activations"), or of an intermediate value
/// that a derivation names.
class Explainer {
public:
    enum class Scope { Training, TrainingAndServing };

    /// report: evaluate(scenario). runs: those the report's band is made from; may be empty. With serving, what `serve
    /// --json` reports is derived, too, under "serving.": "serving.tpot_s".
    Explainer(const Scenario& scenario, const Report& report, const std::vector<ComparableRun>& runs = {},
              Scope scope = Scope::Training);
    ~Explainer();
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    /// What `evaluate --json` reports of this scenario, in its order, then what `serve --json` does.
    std::vector<std::string> reportedValues() const;
    /// Those and every intermediate value.
    std::vector<std::string> allValues() const;
    /// An unknown path is a Problem that names the nearest ones; so is everything but parameters of an illegal layout,
    /// and everything of one that cannot be served.
    Result<Derivation> explain(std::string_view path) const;
    /// Nearest first, as many as the band is made from.
    const std::vector<NearRun>& nearestRuns() const { return m_nearest; }

private:
    void addServing();

    std::unique_ptr<ExplainContext> m_context;
    std::unique_ptr<ServedContext> m_served; ///< null when only training is explained
    std::unique_ptr<Ledger> m_ledger;
    std::vector<NearRun> m_nearest;
};

/// What derives the time of an operation of a stage.
std::string operationPath(std::size_t stage, const TimelineOp& op);

/// Where a formula and its terms do not reach the value (within rounding), a term "rest" is added that says by how
/// much: a derivation never shows a sum that is not one.
void closeGap(Derivation& derivation);

} // namespace partita
