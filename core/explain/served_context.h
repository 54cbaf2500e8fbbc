// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What derivations of a served scenario are read off, and the families that enter them. Internal to core/explain.

#include "core/explain/ledger.h"
#include "core/serving/key_values.h"
#include "core/serving/serve.h"
#include "core/serving/step_time.h"

#include <optional>
#include <utility>

namespace partita {

/// A step as it was priced, kernel by kernel.
struct PricedStep {
    std::string path; ///< "serving.steps.decode"
    std::string name;
    StepWork work; ///< as it was asked for
    StepTime time;
    StepRecord record;
};

struct ServedContext {
    explicit ServedContext(const Scenario& scenario);

    const Scenario scenario;
    ServingTerms terms;
    ServingReport report;
    // The rest is empty where the scenario cannot be served.
    std::optional<StepModel> steps;
    std::vector<StageRoom> rooms;
    std::vector<PricedStep> priced; ///< decode, prompt; and those of a mixed step
    std::vector<std::vector<double>> layers; ///< [stage][layer kind], how many

    bool isStatic() const { return scenario.serving.batching == Batching::Static; }
    bool apart() const { return !isStatic() && scenario.serving.prefillReplicas > 0; }
    bool mixes() const { return terms.carrying > 0; }
    /// How many layers of each kind the model has.
    std::vector<double> layersOfKinds() const;
};

// A family enters its values; derivations keep references to both, which must outlive them.
void addServingRates(Ledger& ledger, const ServedContext& served);
void addServingTimes(Ledger& ledger, const ServedContext& served);
void addServingRoom(Ledger& ledger, const ServedContext& served);
void addServingKeys(Ledger& ledger, const ServedContext& served);
void addServingWeights(Ledger& ledger, const ServedContext& served);
void addServingLayout(Ledger& ledger, const ServedContext& served);
void addServingSteps(Ledger& ledger, const ServedContext& served);

/// What the families share: short names of what they read off, and of how they enter it.
class ServedValues {
protected:
    ServedValues(Ledger& ledger, const ServedContext& served)
        : m_ledger(ledger)
        , m_served(served)
    {
    }

    const Model& model() const { return m_served.scenario.model; }
    const Serving& serving() const { return m_served.scenario.serving; }
    const Engine& engine() const { return m_served.scenario.stack.engine; }
    const ServingReport& report() const { return m_served.report; }
    const ServingLayout& layout() const { return report().layout; }
    const CacheRoom& cache() const { return report().cache; }
    std::size_t fullest() const { return static_cast<std::size_t>(cache().stage); }
    std::string engineOrigin(std::string_view what) const;
    Term term(std::string_view symbol, std::string_view key) const;
    /// Of every kind of layer.
    Term kinds(std::string_view symbol, std::string_view name, std::string_view what) const;
    void add(std::string_view key, std::string_view name, Measure measure, double value, Derive derive) const;
    void bytes(std::string_view key, std::string_view name, double value, Derive derive) const
    {
        add(key, name, Measure::Bytes, value, std::move(derive));
    }
    void plain(std::string_view key, std::string_view name, double value, Derive derive) const
    {
        add(key, name, Measure::Plain, value, std::move(derive));
    }

    Ledger& m_ledger;
    const ServedContext& m_served;
};

/// A family that names what is reported, and what lies between.
template <class Family> void addServingFamily(Ledger& ledger, const ServedContext& served)
{
    const Family family(ledger, served);
    family.addReported();
    ledger.setReported(false);
    family.addIntermediate();
    ledger.setReported(true);
}

/// What `serve --json` calls it: "serving.tpot_s".
std::string servingPath(std::string_view key);
/// "serving.stages[1].weights", "serving.layer_kinds[0].weights".
std::string stagePath(std::size_t stage, std::string_view what);
std::string kindPath(std::size_t kind, std::string_view what);
/// Bytes of a query that reads the keys of one layer and sees so many tokens; share: on this rank. The formula is
/// "s*(b*a + i*t + 2*c)".
void deriveKeysRead(Derivation& d, const LayerCache& cache, Term share, double tokens, std::string_view origin);

} // namespace partita
