// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/derivation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr std::size_t shownValues = 12; ///< of a list
constexpr std::size_t shownRuns = 5;

std::string symbolOf(const Term& term, std::size_t element)
{
    return term.list ? fmt::format("{}[{}]", term.symbol, element) : term.symbol;
}

void addTerms(std::string& text, const Explainer& explainer, const Derivation& derivation, int depth, int indent)
{
    for (const Term& term : derivation.terms) {
        std::size_t shown = 0;
        for (std::size_t i = 0; i < term.values.size(); ++i) {
            const Quantity& quantity = term.values[i];
            if (term.list && (quantity.value == 0 || shown == shownValues)) {
                continue; // what takes no part in a sum
            }
            ++shown;
            text += fmt::format("{:{}}{} = {}  {}", "", indent, symbolOf(term, i),
                                formatMeasure(quantity.value, term.measure), quantity.name);
            text += quantity.path.empty() ? fmt::format("  [{}]\n", quantity.origin)
                                          : fmt::format("  <{}>\n", quantity.path);
            if (quantity.path.empty() || depth <= 0) {
                continue;
            }
            if (const Result<Derivation> inner = explainer.explain(quantity.path); inner && !inner->formula.empty()) {
                text += fmt::format("{:{}}  = {}\n", "", indent, inner->plain());
                addTerms(text, explainer, *inner, depth - 1, indent + 4);
            }
        }
        if (shown == shownValues && term.values.size() > shown) {
            text += fmt::format("{:{}}… {} in all\n", "", indent, term.values.size());
        }
    }
}

void addList(std::string& text, std::string_view title, const std::vector<std::string>& lines)
{
    if (!lines.empty()) {
        text += fmt::format("\n{}\n", title);
    }
    for (const std::string& line : lines) {
        text += fmt::format("  {}\n", line);
    }
}

} // namespace

std::string derivationText(const Explainer& explainer, const Derivation& derivation, int depth)
{
    std::string text = fmt::format("{}: {}\n", derivation.name, derivation.valueText());
    if (!derivation.formula.empty()) {
        text += fmt::format("\n  = {}\n  = {}\n\nwith\n", derivation.plain(), derivation.substituted());
    }
    addTerms(text, explainer, derivation, depth, 2);
    addList(text, "assumptions", derivation.assumptions);
    addList(text, "sources", derivation.sources);
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < std::min(shownRuns, explainer.nearestRuns().size()); ++i) {
        const NearRun& run = explainer.nearestRuns()[i];
        runs.push_back(fmt::format("{}: measured {} a device, predicted {} ({:+.1f} %); {}", run.id,
                                   formatMeasure(run.measured, Measure::TokensPerSecond),
                                   formatMeasure(run.predicted, Measure::TokensPerSecond),
                                   (run.predicted / run.measured - 1) * 100, run.where));
    }
    addList(text, "nearest published runs", runs);
    return text;
}

} // namespace partita
