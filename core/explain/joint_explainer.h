// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/explainer.h"

#include <functional>
#include <memory>

namespace partita {

/// Numbers of several scenarios, and numbers made from them. Those of a scenario have its prefix before their path;
/// they are worked out when one of them is asked for.
class JointExplainer final : public ExplainedValues {
public:
    using Make = std::function<std::shared_ptr<const ExplainedValues>()>;

    JointExplainer();
    ~JointExplainer() override;

    /// prefix: "best[0].report."; none may begin with another. Listed: its values are among reportedValues().
    void addPart(std::string prefix, Make make, bool listed = false);
    /// For values made from those of parts: terms may name them.
    Ledger& ledger() { return *m_ledger; }

    std::vector<std::string> reportedValues() const override;
    /// Of parts only those that have been asked for.
    std::vector<std::string> allValues() const override;
    Result<Derivation> explain(std::string_view path) const override;
    /// Of the part that the path belongs to; of a value made from several, the part whose prefix is most like it, in
    /// what the value is made from there.
    const NearRuns& nearestRuns(std::string_view path) const override;
    const LedgerEntry* find(std::string_view path) const override;

private:
    struct Part;

    const Part* partOf(std::string_view path) const;

    std::vector<std::unique_ptr<Part>> m_parts;
    std::unique_ptr<Ledger> m_ledger;
};

/// A part for a scenario; it is evaluated when asked for. runs must outlive it.
JointExplainer::Make evaluated(Scenario scenario, const std::vector<ComparableRun>& runs,
                               Explainer::Scope scope = Explainer::Scope::Training);

} // namespace partita
