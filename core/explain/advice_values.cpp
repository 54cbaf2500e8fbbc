// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/layout_values.h"
#include "core/explain/linked_values.h"

#include <fmt/format.h>

namespace partita {

namespace {

/// The values of an advice, by the keys of `advise --json`.
class AdviceOf {
public:
    AdviceOf(JointExplainer& explainer, const Scenario& scenario, const Advice& advice,
             const std::vector<ComparableRun>& runs)
        : m_explainer(explainer)
        , m_ledger(explainer.ledger())
        , m_scenario(scenario)
        , m_advice(advice)
        , m_runs(runs)
    {
    }

    void addAdvice()
    {
        stated("voice", "rule to advise by", std::string(keyOf(m_advice.voice)), "Chosen.");
        count("evaluated", "layouts looked at", static_cast<double>(m_advice.evaluated), "Counted.");
        truth("complete", "whether the advice was not stopped", m_advice.complete, "It came to its end.");
        cost("pick", m_advice.pick);
        addLinked(m_ledger, "fits", "whether the pick fits", Measure::Truth, m_advice.pick.fits ? 1 : 0,
                  m_advice.pick.legal() ? "pick.fits" : "pick.legal");
        for (std::size_t i = 0; i < m_advice.steps.size(); ++i) {
            addStep(fmt::format("steps[{}]", i), m_advice.steps[i]);
        }
        for (std::size_t i = 0; i < m_advice.notes.size(); ++i) {
            stated(
                fmt::format("notes[{}]", i), "note", m_advice.notes[i],
                "A rule of thumb that the pick breaks, or why nothing fits; its numbers are those under pick.report.");
        }
    }

    void addOptimum(const Optimum& optimum)
    {
        truth("optimum.complete", "whether the best is proven", optimum.complete, "Every layout was looked at.");
        count("optimum.legal", "legal layouts", static_cast<double>(optimum.space), "Counted; see search.");
        if (optimum.best) {
            cost("optimum.best", *optimum.best);
        }
        m_ledger.add("optimum.gap", "share by which the advice is slower than the best", Measure::Share, optimum.gap(),
                     [&ledger = m_ledger, both = optimum.best && optimum.pick.fits](Derivation& d) {
                         if (!both) {
                             d.formula = "0";
                             d.assumptions.emplace_back("One of the two does not fit: there is nothing to compare.");
                             return;
                         }
                         d.formula = "p/b - 1";
                         d.terms = {ledger.term("p", "pick.step_time_s"), ledger.term("b", "optimum.best.step_time_s")};
                     });
    }

    void addWhyNot(const WhyNot& answer)
    {
        const std::string at = "why_not.";
        stated(at + "verdict", "verdict", std::string(keyOf(answer.verdict)),
               "See why_not.wanted beside why_not.reference.");
        stated(at + "text", "why not", answer.text, "Its numbers are those of why_not.wanted and why_not.reference.");
        cost(at + "wanted", answer.wanted);
        cost(at + "reference", answer.reference);
        stated(at + "read_as", "the question", answer.readAs, "What was typed, and what was filled in.");
        for (std::size_t i = 0; i < answer.broken.size(); ++i) {
            stated(fmt::format("{}broken[{}]", at, i), "limit", answer.broken[i],
                   "A limit given, or the stack's offer.");
        }
        if (answer.nearest) {
            cost(at + (answer.verdict == Verdict::Illegal ? "nearest_legal" : "nearest_within"), *answer.nearest);
        }
        if (answer.nearestThatFits) {
            cost(at + "nearest_that_fits", *answer.nearestThatFits);
        }
        if (answer.verdict == Verdict::OutOfMemory) {
            stated(at + "category", "what takes most", std::string(keyOf(answer.category)),
                   "The largest part of the stage that lacks most.");
            if (answer.cheapestFix) {
                addRelief(at + "cheapest_fix", *answer.cheapestFix, at + "wanted", answer.wanted);
            }
        }
        if (answer.bestWith) {
            addBestWith(at + "best_with.", at + "reference", *answer.bestWith);
        }
        if (!answer.time.terms.empty()) {
            addDifferenceTerms(at + "difference.", answer);
        }
    }

private:
    void stated(const std::string& path, std::string_view name, std::string text, std::string_view how)
    {
        addStated(m_ledger, path, name, std::move(text), how);
    }
    void count(const std::string& path, std::string_view name, double value, std::string_view how)
    {
        m_ledger.add(path, std::string(name), Measure::Count, value,
                     [how = std::string(how)](Derivation& d) { d.assumptions.push_back(how); });
    }
    void truth(const std::string& path, std::string_view name, bool value, std::string_view how)
    {
        m_ledger.add(path, std::string(name), Measure::Truth, value ? 1 : 0,
                     [how = std::string(how)](Derivation& d) { d.assumptions.push_back(how); });
    }

    void addBestWith(const std::string& at, const std::string& reference, const BestWith& best)
    {
        stated(at + "kept", "what is kept", best.kept, "What was typed.");
        truth(at + "complete", "whether the best is proven", best.complete,
              "Every layout that keeps it was looked at.");
        if (best.cost) {
            cost(at + "best", *best.cost);
        }
        if (best.gap) {
            m_ledger.add(at + "gap", "share by which it is slower than the advice", Measure::Share, *best.gap,
                         [&ledger = m_ledger, own = at + "best.", reference = reference + '.'](Derivation& d) {
                             d.formula = "(t/b) / (T/B) - 1";
                             d.terms = {ledger.term("t", own + "step_time_s"),
                                        ledger.term("b", own + "layout.global_batch"),
                                        ledger.term("T", reference + "step_time_s"),
                                        ledger.term("B", reference + "layout.global_batch")};
                         });
        }
    }

    void addStep(const std::string& path, const AdviceStep& step)
    {
        stated(path + ".constraint", "what binds", std::string(keyOf(step.binding.kind)),
               "The largest obstacle, or the part of the step that the best change takes most of.");
        stated(path + ".text", "what binds", step.binding.text,
               fmt::format("Its numbers are those of {}.before.", path));
        stated(path + ".reason", "why this was chosen", step.reason,
               fmt::format("Its numbers are those of {}.before and of its reliefs.", path));
        cost(path + ".before", step.before);
        for (std::size_t i = 0; i < step.reliefs.size(); ++i) {
            addRelief(fmt::format("{}.reliefs[{}]", path, i), step.reliefs[i], path + ".before", step.before);
        }
        if (step.chosen) {
            count(path + ".chosen", "the relief taken", static_cast<double>(*step.chosen), step.reason);
        }
    }

    void addRelief(const std::string& path, const Relief& relief, const std::string& beforePath,
                   const LayoutCost& before)
    {
        stated(path + ".relief", "what it turns", std::string(keyOf(relief.kind)), "A change of the layout.");
        stated(path + ".text", "what it does", describe(relief, before),
               fmt::format("Its numbers are those of {} and {}, and what lies between them.", path, beforePath));
        cost(path, relief.cost);
        if (!relief.cost.legal() || !before.legal()) {
            return;
        }
        constexpr std::array<std::string_view, 5> compared{"step_time_s", "mfu", "peak_memory_bytes", "lacks_bytes",
                                                           "time_per_token_s"};
        for (const std::string_view key : compared) {
            const LedgerEntry* from = m_ledger.find(fmt::format("{}.{}", beforePath, key));
            const LedgerEntry* to = m_ledger.find(fmt::format("{}.{}", path, key));
            if (from != nullptr && to != nullptr) {
                const double change = to->value - from->value;
                const Measure measure = to->measure;
                addDifference(m_ledger, fmt::format("{}.change.{}", path, key), "change of the " + to->name, measure,
                              change, fmt::format("{}.{}", beforePath, key), fmt::format("{}.{}", path, key));
            }
        }
    }

    /// The figures of a layout, as writeAdvice() has them.
    void cost(const std::string& path, const LayoutCost& cost)
    {
        addLayoutFields(m_ledger, path + ".layout.", cost.layout);
        truth(path + ".legal", "whether the layout is legal", cost.legal(),
              "Checked against the rules and the limits.");
        if (!cost.legal()) {
            stated(path + ".objection", "why it is illegal", cost.objection, "The rule or the limit that it breaks.");
            return;
        }
        Scenario scenario = m_scenario;
        scenario.layout = cost.layout;
        const bool served = !cost.figures.empty();
        const std::string report = path + ".report.";
        m_explainer.addPart(report,
                            evaluated(std::move(scenario), m_runs,
                                      served ? Explainer::Scope::TrainingAndServing : Explainer::Scope::Training));
        const auto linked = [&](std::string_view key, std::string_view name, Measure measure, double value,
                                std::string_view inReport) {
            addLinked(m_ledger, fmt::format("{}.{}", path, key), name, measure, value, report + std::string(inReport));
        };
        if (served) {
            linked("fits", "whether there is room for a request", Measure::Truth, cost.fits ? 1 : 0, "serving.fits");
            stated(path + ".figures", "what is served", cost.figures,
                   fmt::format("Its numbers are those under {}serving.", report));
            linked("time_per_token_s", "time between tokens of a request", Measure::Seconds, cost.stepTime,
                   "serving.tpot_s");
            return;
        }
        linked("step_time_s", "step time", Measure::Seconds, cost.stepTime, "step_time_s");
        linked("mfu", "MFU", Measure::Share, cost.mfu, "mfu.causal");
        linked("peak_memory_bytes", "memory of the fullest device", Measure::Bytes, cost.memory.total(),
               "memory.peak_bytes");
        linked("peak_stage", "the fullest stage", Measure::Count, cost.peakStage, "memory.peak_stage");
        addMemoryVerdict(path, cost);
    }

    void addMemoryVerdict(const std::string& path, const LayoutCost& cost)
    {
        const Accelerator& accelerator = m_scenario.cluster.accelerator;
        const double headRoom = accelerator.memoryBytes > 0 ? 1 - cost.memoryLimit / accelerator.memoryBytes : 0;
        m_ledger.setReported(false);
        m_ledger.add(path + ".limit_bytes", "memory that the layout may take", Measure::Bytes, cost.memoryLimit,
                     [accelerator, headRoom](Derivation& d) { deriveLimit(d, accelerator, headRoom, "--head-room"); });
        m_ledger.setReported(true);
        const auto compare = [&](std::string_view key, std::string_view name, Measure measure, double value,
                                 std::string_view formula) {
            m_ledger.add(
                fmt::format("{}.{}", path, key), std::string(name), measure, value,
                [&ledger = m_ledger, path, formula](Derivation& d) {
                    d.formula = formula;
                    d.terms = {ledger.term("M", path + ".peak_memory_bytes"), ledger.term("L", path + ".limit_bytes")};
                });
        };
        compare("fits", "whether the layout fits", Measure::Truth, cost.fits ? 1 : 0, "M <= L");
        compare("lacks_bytes", "memory that is missing", Measure::Bytes, cost.lacks(), "max(0, M - L)");
    }

    /// What a report of the wanted layout says, for as many sequences as the reference has.
    void addScaled(const std::string& prefix, const std::string& key, double value)
    {
        m_ledger.add(prefix + key, "for the reference's sequences", Measure::Seconds, value,
                     [&ledger = m_ledger, key](Derivation& d) {
                         d.formula = "t*B/b";
                         d.terms = {ledger.term("t", "why_not.wanted.report." + key),
                                    ledger.term("B", "why_not.reference.layout.global_batch"),
                                    ledger.term("b", "why_not.wanted.layout.global_batch")};
                     });
    }

    /// The way from one step time to another, a kind of time after the other.
    void addDifferenceTerms(const std::string& at, const WhyNot& answer)
    {
        const TimeDifference& difference = answer.time;
        const std::string before = "why_not.reference.report.";
        std::string after = "why_not.wanted.report.";
        const auto asked = static_cast<double>(answer.reference.layout.globalBatch);
        if (answer.wanted.layout.globalBatch != answer.reference.layout.globalBatch) {
            const double scale = asked / static_cast<double>(answer.wanted.layout.globalBatch);
            after = at + "scaled.";
            addScaled(after, "step_time_s", answer.wanted.time.total() * scale);
            for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
                addScaled(after, fmt::format("time.parts.{}", kind.key), answer.wanted.time[kind.value] * scale);
            }
        }
        addLinked(m_ledger, at + "sequences", "sequences of the times compared", Measure::Count, asked,
                  "why_not.reference.layout.global_batch");
        addLinked(m_ledger, at + "before_s", "step time of the reference", Measure::Seconds, difference.before,
                  before + "step_time_s");
        addLinked(m_ledger, at + "after_s", "step time of what is wanted", Measure::Seconds, difference.after,
                  after + "step_time_s");
        std::string reached = at + "before_s";
        std::vector<std::string> from;
        std::vector<std::string> to;
        for (std::size_t i = 0; i < difference.terms.size(); ++i) {
            const DifferenceTerm<TimeKind>& term = difference.terms[i];
            const std::string path = fmt::format("{}terms[{}].", at, i);
            const std::string label(labelOf(term.kind));
            const std::string part = fmt::format("time.parts.{}", keyOf(term.kind));
            stated(path + "term", "what changes", std::string(keyOf(term.kind)), "A kind of time.");
            addLinked(m_ledger, path + "from_s", "step time before the change of " + label, Measure::Seconds, term.from,
                      reached);
            addStepOn(m_ledger, path + "to_s", "step time after the change of " + label, Measure::Seconds, term.to,
                      {path + "from_s", before + part, after + part});
            reached = path + "to_s";
            from.push_back(path + "from_s");
            to.push_back(path + "to_s");
        }
        m_ledger.setReported(false);
        m_ledger.add(at + "change_s", "change of the step time", Measure::Seconds, difference.after - difference.before,
                     [&ledger = m_ledger, from, to](Derivation& d) {
                         d.formula = "sum(b - a)";
                         d.terms = {ledger.list("b", "after a kind of time has changed", to),
                                    ledger.list("a", "before it changes", from)};
                         d.assumptions.emplace_back(
                             "One kind of time after the other; those not named stay as they are.");
                     });
        m_ledger.setReported(true);
    }

    JointExplainer& m_explainer;
    Ledger& m_ledger;
    const Scenario& m_scenario;
    const Advice& m_advice;
    const std::vector<ComparableRun>& m_runs;
};

} // namespace

std::string decidingPath(const WhyNot& answer)
{
    switch (answer.verdict) {
    case Verdict::Illegal:
        return "why_not.wanted.objection";
    case Verdict::OutsideLimits:
    case Verdict::NotOffered:
        return "why_not.broken[0]";
    case Verdict::OutOfMemory:
        return "why_not.wanted.lacks_bytes";
    case Verdict::Slower:
    case Verdict::Same:
    case Verdict::Faster:
        break;
    }
    return answer.time.terms.empty() ? "why_not.text" : "why_not.difference.change_s";
}

std::unique_ptr<JointExplainer> explainAdvice(const Scenario& scenario, const Advice& advice,
                                              const std::optional<Optimum>& optimum,
                                              const std::optional<WhyNot>& whyNot,
                                              const std::vector<ComparableRun>& runs)
{
    auto explainer = std::make_unique<JointExplainer>();
    AdviceOf values(*explainer, scenario, advice, runs);
    values.addAdvice();
    if (optimum) {
        values.addOptimum(*optimum);
    }
    if (whyNot) {
        values.addWhyNot(*whyNot);
    }
    return explainer;
}

} // namespace partita
