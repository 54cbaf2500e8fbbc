// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/joint_explainer.h"

#include "core/explain/ledger.h"
#include "core/explain/linked_values.h"
#include "core/training/evaluate.h"

#include <algorithm>

namespace partita {

/// A scenario's values, once they have been asked for.
struct JointExplainer::Part {
    std::string prefix;
    Make make;
    bool listed = false;
    mutable std::shared_ptr<const ExplainedValues> values;

    const ExplainedValues& made() const
    {
        if (!values) {
            values = make();
        }
        return *values;
    }
};

namespace {

std::size_t commonLength(std::string_view a, std::string_view b)
{
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

/// Of a report, a value of the same kind.
std::string_view alikeInReport(const LedgerEntry& entry)
{
    switch (entry.measure) {
    case Measure::Bytes:
        return "memory.peak_bytes";
    case Measure::Seconds:
    case Measure::Days:
        return "step_time_s";
    case Measure::Share:
        return entry.path.find("mfu") != std::string::npos ? "mfu.causal" : "";
    default:
        return {};
    }
}

Derivation withPrefix(Derivation derivation, const std::string& prefix)
{
    derivation.path = prefix + derivation.path;
    for (Term& term : derivation.terms) {
        for (Quantity& quantity : term.values) {
            if (!quantity.path.empty()) {
                quantity.path = prefix + quantity.path;
            }
        }
    }
    return derivation;
}

} // namespace

JointExplainer::JointExplainer()
    : m_ledger(std::make_unique<Ledger>())
{
    m_ledger->lookAlso([this](std::string_view path) { return find(path); });
    m_ledger->setReported(true);
}

JointExplainer::~JointExplainer() = default;

void JointExplainer::addPart(std::string prefix, Make make, bool listed)
{
    m_parts.push_back(std::make_unique<Part>(Part{std::move(prefix), std::move(make), listed, nullptr}));
}

const JointExplainer::Part* JointExplainer::partOf(std::string_view path) const
{
    const auto found = std::find_if(m_parts.begin(), m_parts.end(), [&](const std::unique_ptr<Part>& part) {
        return path.substr(0, part->prefix.size()) == part->prefix;
    });
    return found == m_parts.end() ? nullptr : found->get();
}

std::vector<std::string> JointExplainer::reportedValues() const
{
    std::vector<std::string> paths = m_ledger->paths(true);
    for (const std::unique_ptr<Part>& part : m_parts) {
        if (part->listed) {
            for (const std::string& path : part->made().reportedValues()) {
                paths.push_back(part->prefix + path);
            }
        }
    }
    return paths;
}

std::vector<std::string> JointExplainer::allValues() const
{
    std::vector<std::string> paths = m_ledger->paths(false);
    for (const std::unique_ptr<Part>& part : m_parts) {
        if (part->values) {
            for (const std::string& path : part->values->allValues()) {
                paths.push_back(part->prefix + path);
            }
        }
    }
    return paths;
}

Result<Derivation> JointExplainer::explain(std::string_view path) const
{
    if (std::optional<Derivation> derivation = m_ledger->derive(path)) {
        return throughLink(*this, *std::move(derivation));
    }
    const Part* part = partOf(path);
    if (part == nullptr) {
        return m_ledger->unknown(path);
    }
    Result<Derivation> derivation = part->made().explain(path.substr(part->prefix.size()));
    return derivation ? Result<Derivation>(withPrefix(*std::move(derivation), part->prefix)) : derivation;
}

const NearRuns& JointExplainer::nearestRuns(std::string_view path) const
{
    static const NearRuns none;
    const auto nearest = std::max_element(m_parts.begin(), m_parts.end(),
                                          [&](const std::unique_ptr<Part>& a, const std::unique_ptr<Part>& b) {
                                              return commonLength(a->prefix, path) < commonLength(b->prefix, path);
                                          });
    if (nearest == m_parts.end()) {
        return none;
    }
    const std::string& prefix = (*nearest)->prefix;
    if (path.substr(0, prefix.size()) == prefix) {
        return (*nearest)->made().nearestRuns(path.substr(prefix.size()));
    }
    const LedgerEntry* entry = m_ledger->find(path);
    return (*nearest)->made().nearestRuns(entry != nullptr ? alikeInReport(*entry) : std::string_view());
}

const LedgerEntry* JointExplainer::find(std::string_view path) const
{
    if (const LedgerEntry* entry = m_ledger->find(path)) {
        return entry;
    }
    const Part* part = partOf(path);
    return part == nullptr ? nullptr : part->made().find(path.substr(part->prefix.size()));
}

JointExplainer::Make evaluated(Scenario scenario, const std::vector<ComparableRun>& runs, Explainer::Scope scope)
{
    return [scenario = std::move(scenario), &runs, scope] {
        return std::make_shared<const Explainer>(scenario, evaluate(scenario), runs, scope);
    };
}

} // namespace partita
