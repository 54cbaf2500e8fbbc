// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/explainer.h"

#include "core/explain/context.h"
#include "core/explain/served_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita {

namespace {

void addVerdict(Ledger& ledger, const ExplainContext& context)
{
    const Report& report = context.report;
    ledger.add("fits", "whether the layout fits", Measure::Truth, report.legal() && report.fits ? 1 : 0,
               [&](Derivation& d) {
                   if (!report.legal()) {
                       d.assumptions.emplace_back("An illegal layout never fits.");
                       for (const Problem& problem : report.problems) {
                           d.assumptions.push_back(describe(problem));
                       }
                       return;
                   }
                   d.formula = "M <= C";
                   d.terms = {ledger.term("M", "memory.peak_bytes"), ledger.term("C", "memory.limit_bytes")};
               });
}

void addWarnings(Ledger& ledger, std::string_view path, const std::vector<std::string>& warnings)
{
    for (std::size_t i = 0; i < warnings.size(); ++i) {
        ledger.addText(indexed(path, i), "warning", warnings[i], [](Derivation& d) {
            d.assumptions.emplace_back(
                "The layout is legal; the rule that speaks here calls it unwise or says what the "
                "model leaves out.");
        });
    }
}

void deriveBand(Derivation& d, const Ledger& ledger, const std::vector<NearRun>& runs, double share)
{
    std::vector<double> predicted, measured;
    std::vector<std::string> names;
    for (const NearRun& run : runs) {
        predicted.push_back(run.predicted);
        measured.push_back(run.measured);
        names.push_back(run.id);
    }
    d.formula = fmt::format("T*percentile(p/m, {})", share);
    d.terms = {ledger.term("T", "step_time_s"),
               givenList("p", "predicted rate of the nearest runs", Measure::TokensPerSecond, predicted, names,
                         "evaluated from what the source states"),
               givenList("m", "measured rate of the nearest runs", Measure::TokensPerSecond, measured, names,
                         "published run")};
    d.assumptions.emplace_back(
        "Measured over predicted step times of the runs nearest in kind, at most half of them of "
        "one source.");
}

void addBand(Ledger& ledger, const ExplainContext& context, const std::vector<NearRun>& runs,
             const std::optional<ErrorBand>& band)
{
    if (!band) {
        return;
    }
    const double step = context.report.stepTime;
    ledger.add("step_time_band_s[0]", "short end of the step time's band", Measure::Seconds, step * band->low,
               [&ledger, &runs](Derivation& d) { deriveBand(d, ledger, runs, 0.1); });
    ledger.add("step_time_band_s[1]", "long end of the step time's band", Measure::Seconds, step * band->high,
               [&ledger, &runs](Derivation& d) { deriveBand(d, ledger, runs, 0.9); });
    for (std::size_t i = 0; i < runs.size(); ++i) {
        ledger.addText(
            indexed("nearest_runs", i), "a published run near in kind", runs[i].id, [&run = runs[i]](Derivation& d) {
                d.assumptions.push_back(
                    fmt::format("Distance {}: a stack or a device generation apart counts 1, experts 1.5, a doubling "
                                "of the model 0.25.",
                                formatMeasure(run.distance, Measure::Plain)));
                d.assumptions.push_back(fmt::format("Measured {} a device, predicted {}.",
                                                    formatMeasure(run.measured, Measure::TokensPerSecond),
                                                    formatMeasure(run.predicted, Measure::TokensPerSecond)));
                d.sources.push_back(run.where);
            });
    }
}

/// Edits between two words, for what a mistyped path may have meant.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t corner = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = corner + (a[i] == b[j] ? 0 : 1);
            corner = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string nearestPaths(const Ledger& ledger, std::string_view path)
{
    constexpr std::size_t most = 3;
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const LedgerEntry& entry : ledger.entries()) {
        // A name from the middle or the end of a path is near, too.
        const bool inside = path.size() > 2 && entry.path.find(path) != std::string::npos;
        if (entry.reported || inside) {
            near.emplace_back(inside ? 0 : editDistance(path, entry.path), entry.path);
        }
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    for (std::size_t i = 0; i < std::min(most, near.size()); ++i) {
        text += (text.empty() ? "" : ", ") + std::string(near[i].second);
    }
    return text.empty() ? text : "nearest: " + text;
}

} // namespace

Explainer::Explainer(const Scenario& scenario, const Report& report, const std::vector<ComparableRun>& runs,
                     Scope scope)
    : m_context(std::make_unique<ExplainContext>(scenario, report))
    , m_ledger(std::make_unique<Ledger>())
{
    const auto reported = [&](auto&& family) {
        m_ledger->setReported(true);
        family(*m_ledger, *m_context);
        m_ledger->setReported(false);
    };
    reported(addVerdict);
    if (report.legal()) {
        reported(addStepValues);
        reported(addRateValues);
        reported(addPipelineValues);
        reported(addMemoryValues);
        reported(addStageValues);
        addFlopValues(*m_ledger, *m_context);
        addChunkValues(*m_ledger, *m_context);
        addBlockValues(*m_ledger, *m_context);
        addExchangeValues(*m_ledger, *m_context);
        if (const std::optional<ErrorBand> band = errorBand(scenario, runs)) {
            const RunKind kind(scenario);
            for (const std::size_t i : band->runs) {
                const ComparableRun& run = runs[i];
                const double predicted = predictedRate(run);
                m_nearest.push_back({run.id, run.where, run.measured, predicted, distanceInKind(kind, run.kind)});
            }
            m_ledger->setReported(true);
            addBand(*m_ledger, *m_context, m_nearest, band);
        }
    }
    if (report.parameters.active > 0) {
        reported(addParameterValues);
    }
    m_ledger->setReported(true);
    addWarnings(*m_ledger, "warnings", report.warnings);
    if (scope == Scope::TrainingAndServing) {
        addServing();
    }
}

void Explainer::addServing()
{
    m_served = std::make_unique<ServedContext>(m_context->scenario);
    if (!m_served->report.legal()) {
        return;
    }
    addServingRates(*m_ledger, *m_served);
    addServingTimes(*m_ledger, *m_served);
    addServingRoom(*m_ledger, *m_served);
    addServingKeys(*m_ledger, *m_served);
    addServingWeights(*m_ledger, *m_served);
    addServingLayout(*m_ledger, *m_served);
    addWarnings(*m_ledger, servingPath("warnings"), m_served->report.warnings);
    m_ledger->setReported(false);
    addServingSteps(*m_ledger, *m_served);
}

Explainer::~Explainer() = default;

std::vector<std::string> Explainer::reportedValues() const
{
    std::vector<std::string> paths;
    for (const LedgerEntry& entry : m_ledger->entries()) {
        if (entry.reported) {
            paths.push_back(entry.path);
        }
    }
    return paths;
}

std::vector<std::string> Explainer::allValues() const
{
    std::vector<std::string> paths;
    for (const LedgerEntry& entry : m_ledger->entries()) {
        paths.push_back(entry.path);
    }
    return paths;
}

Result<Derivation> Explainer::explain(std::string_view path) const
{
    const LedgerEntry* entry = m_ledger->find(path);
    if (entry == nullptr) {
        const bool ofServing = m_served && path.substr(0, servingPath({}).size()) == servingPath({});
        if (ofServing && !m_served->report.legal()) {
            return m_served->report.problems;
        }
        if (!ofServing && !m_context->report.legal()) {
            return m_context->report.problems;
        }
        return Problem{"--value", std::string(path), "nothing of this name is computed for the scenario",
                       nearestPaths(*m_ledger, path)};
    }
    Derivation derivation;
    derivation.path = entry->path;
    derivation.name = entry->name;
    derivation.measure = entry->measure;
    derivation.value = entry->value;
    derivation.text = entry->text;
    entry->derive(derivation);
    closeGap(derivation);
    return derivation;
}

void closeGap(Derivation& derivation)
{
    if (derivation.formula.empty()) {
        return;
    }
    const Result<double> answer = recompute(derivation);
    // Rounding is relative to what is added up, not to a small difference of large terms.
    double size = std::abs(derivation.value);
    for (const Term& term : derivation.terms) {
        for (const Quantity& quantity : term.values) {
            size = term.measure == derivation.measure ? std::max(size, std::abs(quantity.value)) : size;
        }
    }
    const double gap = answer ? derivation.value - *answer : derivation.value;
    if (answer && std::abs(gap) <= 1e-9 * std::abs(derivation.value) + 1e-12 * size) {
        return;
    }
    derivation.rest = gap;
    derivation.formula = answer ? "(" + derivation.formula + ") + rest" : "rest";
    derivation.terms.push_back(given("rest", "what this derivation does not cover", derivation.measure, gap,
                                     "computed, but not broken down here"));
}

} // namespace partita
