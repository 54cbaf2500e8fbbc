// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/explainer.h"

#include "core/explain/context.h"
#include "core/explain/linked_values.h"
#include "core/explain/served_context.h"

#include <fmt/format.h>

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

} // namespace

Explainer::Explainer(const Scenario& scenario, const Report& report, const std::vector<ComparableRun>& runs,
                     Scope scope)
    : m_context(std::make_unique<ExplainContext>(scenario, report))
    , m_ledger(std::make_unique<Ledger>())
{
    m_ledger->lookAlso([this](std::string_view path) { return find(path); });
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
            addNearest(runs, *band);
            m_ledger->setReported(true);
            addBand(*m_ledger, *m_context, m_nearest.front().runs, band);
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

void Explainer::addNearest(const std::vector<ComparableRun>& runs, const ErrorBand& band)
{
    constexpr std::size_t most = 10; // of those that have to be evaluated once more
    const RunKind kind(m_context->scenario);
    const auto add = [&](RunQuantity quantity, const ComparableRun& run, double measured, double predicted) {
        NearRuns& near = m_nearest[static_cast<std::size_t>(quantity)];
        near.runs.push_back({run.id, run.where, measured, predicted, distanceInKind(kind, run.kind)});
    };
    for (const RunQuantity quantity :
         {RunQuantity::TokensPerDevice, RunQuantity::StepTime, RunQuantity::Mfu, RunQuantity::PeakMemory}) {
        m_nearest[static_cast<std::size_t>(quantity)].quantity = quantity;
    }
    for (std::size_t i = 0; i < band.runs.size(); ++i) {
        const ComparableRun& run = runs[band.runs[i]];
        const double predicted = predictedRate(run);
        const double share = static_cast<double>(run.scenario.layout.globalBatch)
            * static_cast<double>(run.scenario.workload.sequenceLength)
            / static_cast<double>(run.scenario.layout.devices()); // tokens of a step and device
        add(RunQuantity::TokensPerDevice, run, run.measured, predicted);
        add(RunQuantity::StepTime, run, share / run.measured, share / predicted);
        if (i < most) {
            const double mfu = predictedFigures(run).mfu;
            add(RunQuantity::Mfu, run, mfu * run.measured / predicted, mfu);
        }
    }
    const auto weighed = [](const ComparableRun& run) { return run.measuredMemory.value_or(0) > 0; };
    for (const std::size_t i : partita::nearestRuns(m_context->scenario, runs, most, weighed)) {
        add(RunQuantity::PeakMemory, runs[i], *runs[i].measuredMemory, predictedFigures(runs[i]).memory);
    }
}

const NearRuns& Explainer::nearestRuns(std::string_view path) const
{
    static const NearRuns none;
    const LedgerEntry* entry = find(path);
    if (path.substr(0, servingPath({}).size()) == servingPath({})) {
        return none; // what was published of training says nothing of it
    }
    const auto isOf = [&](std::string_view family) { return path.substr(0, family.size()) == family; };
    RunQuantity quantity = RunQuantity::TokensPerDevice;
    if (isOf("mfu.") || isOf("hfu.")) {
        quantity = RunQuantity::Mfu;
    } else if (entry != nullptr && entry->measure == Measure::Bytes) {
        quantity = RunQuantity::PeakMemory;
    } else if (entry != nullptr && (entry->measure == Measure::Seconds || entry->measure == Measure::Days)) {
        quantity = RunQuantity::StepTime;
    }
    const NearRuns& found = m_nearest[static_cast<std::size_t>(quantity)];
    return found.runs.empty() ? m_nearest.front() : found;
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
    return m_ledger->paths(true);
}

std::vector<std::string> Explainer::allValues() const
{
    return m_ledger->paths(false);
}

const LedgerEntry* Explainer::find(std::string_view path) const
{
    const LedgerEntry* entry = m_ledger->find(path);
    const bool entered =
        entry == nullptr && m_context->report.legal() && addOperationValue(*m_ledger, *m_context, path);
    return entered ? m_ledger->find(path) : entry;
}

Result<Derivation> Explainer::explain(std::string_view path) const
{
    find(path); // enters what is entered when it is asked for
    if (std::optional<Derivation> derivation = m_ledger->derive(path)) {
        return throughLink(*this, *std::move(derivation));
    }
    const bool ofServing = m_served && path.substr(0, servingPath({}).size()) == servingPath({});
    if (ofServing && !m_served->report.legal()) {
        return m_served->report.problems;
    }
    if (!ofServing && !m_context->report.legal()) {
        return m_context->report.problems;
    }
    return m_ledger->unknown(path);
}

} // namespace partita
