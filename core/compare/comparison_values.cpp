// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/comparison_values.h"

#include "core/explain/linked_values.h"
#include "core/search/plane.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

constexpr std::array quantityMeasures{Measure::Seconds, Measure::Bytes, Measure::Share};

char letter(std::size_t layout)
{
    return static_cast<char>(letterOf(layout) - u'A' + 'a');
}

/// The values of a comparison of two layouts.
class PairOf {
public:
    PairOf(Ledger& ledger, const std::vector<ComparedLayout>& layouts, std::size_t from, std::size_t to)
        : m_ledger(ledger)
        , m_layouts(layouts)
        , m_from(from)
        , m_to(to)
    {
    }

    void add() const
    {
        for (const Name<ComparedQuantity>& name : Names<ComparedQuantity>::table) {
            addWaterfall(name.value, waterfall(name.value, report(m_from), report(m_to)));
        }
    }

private:
    const Report& report(std::size_t layout) const { return *m_layouts[layout].report; }
    std::string a(std::string_view key) const { return comparedPath(m_from, key); }
    std::string b(std::string_view key) const { return comparedPath(m_to, key); }

    void addWaterfall(ComparedQuantity quantity, const Waterfall& waterfall) const
    {
        const std::string at = waterfallPath(m_from, m_to, quantity);
        const Measure measure = quantityMeasures[static_cast<std::size_t>(quantity)];
        const std::string label(labelOf(quantity));
        addLinked(m_ledger, at + "before", label + " before", measure, waterfall.before, a(pathOf(quantity)));
        addLinked(m_ledger, at + "after", label + " after", measure, waterfall.after, b(pathOf(quantity)));
        if (quantity == ComparedQuantity::Mfu) {
            addUseful(at);
        }
        std::vector<std::string> changes;
        std::string reached = at + "before";
        for (std::size_t i = 0; i < waterfall.steps.size(); ++i) {
            const WaterfallStep& step = waterfall.steps[i];
            const std::string path = fmt::format("{}steps[{}].", at, i);
            addLinked(m_ledger, path + "from", fmt::format("{} before {} changes", label, step.label), measure,
                      step.from, reached);
            addTo(quantity, path, i, step, fmt::format("{} after {} has changed", label, step.label), measure,
                  i + 1 == waterfall.steps.size());
            addDifference(m_ledger, path + "change", fmt::format("{}: what {} changes", label, step.label), measure,
                          step.change(), path + "from", path + "to");
            changes.push_back(path + "change");
            reached = path + "to";
        }
        m_ledger.add(at + "change", "change of the " + label, measure, waterfall.after - waterfall.before,
                     [&ledger = m_ledger, changes](Derivation& d) {
                         d.formula = "sum(x)";
                         d.terms = {ledger.list("x", "what each part changes", changes)};
                         d.assumptions.emplace_back("One part after the other, in the order of the breakdown.");
                     });
    }

    /// s of a step that a peak rate would take.
    void addUseful(const std::string& at) const
    {
        const Report& before = report(m_from);
        m_ledger.add(at + "useful_s", "useful time of the step, before", Measure::Seconds,
                     before.mfu.causal * before.stepTime, [this_ = *this](Derivation& d) {
                         d.formula = "m*T";
                         d.terms = {this_.m_ledger.term("m", this_.a("mfu.causal")),
                                    this_.m_ledger.term("T", this_.a("step_time_s"))};
                     });
    }

    void addTo(ComparedQuantity quantity, const std::string& path, std::size_t index, const WaterfallStep& step,
               const std::string& name, Measure measure, bool last) const
    {
        if (step.category < 0 || (last && quantity == ComparedQuantity::Mfu)) {
            addLinked(m_ledger, path + "to", name, measure, step.to, b(pathOf(quantity)));
        } else if (quantity == ComparedQuantity::Mfu) {
            const std::string useful = waterfallPath(m_from, m_to, quantity) + "useful_s";
            const std::string time =
                fmt::format("{}steps[{}].to", waterfallPath(m_from, m_to, ComparedQuantity::StepTime), index);
            m_ledger.add(path + "to", name, measure, step.to, [&ledger = m_ledger, useful, time](Derivation& d) {
                d.formula = "U/T";
                d.terms = {ledger.term("U", useful), ledger.term("T", time)};
            });
        } else {
            addStepOn(m_ledger, path + "to", name, measure, step.to,
                      {path + "from", a(partPath(quantity, step.category, report(m_from))),
                       b(partPath(quantity, step.category, report(m_to)))});
        }
    }

    Ledger& m_ledger;
    const std::vector<ComparedLayout>& m_layouts;
    std::size_t m_from;
    std::size_t m_to;
};

} // namespace

std::string_view pathOf(ComparedQuantity quantity)
{
    constexpr std::array same{PlaneQuantity::StepTime, PlaneQuantity::PeakMemory, PlaneQuantity::Mfu};
    return pathOf(same[static_cast<std::size_t>(quantity)], false);
}

std::string partPath(ComparedQuantity quantity, int category, const Report& report)
{
    return quantity == ComparedQuantity::Memory
        ? fmt::format("memory.stages[{}].{}", report.peakStage, keyOf(static_cast<MemoryKind>(category)))
        : fmt::format("time.parts.{}", keyOf(static_cast<TimeKind>(category)));
}

std::string comparedPath(std::size_t layout, std::string_view key)
{
    return fmt::format("{}.{}", letter(layout), key);
}

std::string waterfallPath(std::size_t from, std::size_t to, ComparedQuantity quantity)
{
    std::string key(keyOf(quantity));
    std::replace(key.begin(), key.end(), '-', '_');
    return fmt::format("{}{}.waterfall.{}.", letter(from), letter(to), key);
}

std::unique_ptr<JointExplainer> explainComparison(const std::vector<ComparedLayout>& layouts,
                                                  const std::vector<ComparisonRow>& rows,
                                                  const std::vector<ComparableRun>& runs)
{
    auto explainer = std::make_unique<JointExplainer>();
    Ledger& ledger = explainer->ledger();
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        explainer->addPart(comparedPath(i, {}), [layout = layouts[i], &runs] {
            return std::make_shared<const Explainer>(layout.scenario, *layout.report, runs);
        });
        for (const ComparisonRow& row : rows) {
            if (!row.isFigure && !row.values[i].empty()) {
                addStated(ledger, comparedPath(i, row.key), row.label, row.values[i], "A setting of the scenario.");
            }
        }
    }
    for (std::size_t from = 0; from < layouts.size(); ++from) {
        for (std::size_t to = 0; to < layouts.size(); ++to) {
            if (from == to) {
                continue;
            }
            PairOf(ledger, layouts, from, to).add();
            for (const ComparisonRow& row : rows) {
                const std::string a = comparedPath(from, row.key);
                const std::string b = comparedPath(to, row.key);
                if (const LedgerEntry* of = row.isFigure ? explainer->find(a) : nullptr,
                    *then = of != nullptr ? explainer->find(b) : nullptr;
                    then != nullptr) {
                    addDifference(ledger, fmt::format("{}{}.{}", letter(from), letter(to), row.key),
                                  "change of the " + row.label, of->measure, then->value - of->value, a, b);
                }
            }
        }
    }
    return explainer;
}

} // namespace partita
