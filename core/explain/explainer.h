// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/explained_values.h"
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

/// Derives the numbers of one scenario's report.
class Explainer final : public ExplainedValues {
public:
    enum class Scope { Training, TrainingAndServing };

    /// report: evaluate(scenario). runs: those the report's band is made from; may be empty. With serving, what `serve
    /// --json` reports is derived, too, under "serving.": "serving.tpot_s".
    Explainer(const Scenario& scenario, const Report& report, const std::vector<ComparableRun>& runs = {},
              Scope scope = Scope::Training);
    ~Explainer() override;

    /// What `evaluate --json` reports of this scenario, in its order, then what `serve --json` does.
    std::vector<std::string> reportedValues() const override;
    std::vector<std::string> allValues() const override;
    /// An unknown path is a Problem that names the nearest ones; so is everything but parameters of an illegal layout,
    /// and everything of one that cannot be served.
    Result<Derivation> explain(std::string_view path) const override;
    const NearRuns& nearestRuns(std::string_view path) const override;

    const LedgerEntry* find(std::string_view path) const override;

private:
    void addServing();
    void addNearest(const std::vector<ComparableRun>& runs, const ErrorBand& band);

    std::unique_ptr<ExplainContext> m_context;
    std::unique_ptr<ServedContext> m_served; ///< null when only training is explained
    std::unique_ptr<Ledger> m_ledger;
    std::array<NearRuns, Names<RunQuantity>::table.size()> m_nearest; ///< by RunQuantity; of rates those of the band
};

/// What derives the time of an operation of a stage.
std::string operationPath(std::size_t stage, const TimelineOp& op);
/// What derives the time of several, by their places among those of the stage (OpRef).
std::string operationsPath(std::size_t stage, std::size_t first, std::size_t last);
/// What derives the idle time before one; behind the last one of the stage: the stage's until the pipeline ends.
std::string idlePath(const Timeline& timeline, std::size_t stage, std::size_t index);
/// What derives the time that a stage computes.
std::string busyPath(std::size_t stage);

} // namespace partita
