// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/derivation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace partita {

namespace {

constexpr std::size_t shownValues = 12; ///< of a list
constexpr std::size_t shownRuns = 5;

std::string symbolOf(const Term& term, std::size_t element)
{
    return term.list ? fmt::format("{}[{}]", term.symbol, element) : term.symbol;
}

/// Writes terms below each other, what they are made of further in.
class TermWriter {
public:
    TermWriter(std::string& text, const ExplainedValues& values)
        : m_text(text)
        , m_values(values)
    {
    }

    void write(const Derivation& derivation, int depth, int indent)
    {
        for (const Term& term : derivation.terms) {
            std::size_t shown = 0;
            for (std::size_t i = 0; i < term.values.size(); ++i) {
                const Quantity& quantity = term.values[i];
                if (term.list && (quantity.value == 0 || shown == shownValues)) {
                    continue; // what takes no part in a sum
                }
                ++shown;
                m_text += fmt::format("{:{}}{} = {}  {}", "", indent, symbolOf(term, i),
                                      formatMeasure(quantity.value, term.measure), quantity.name);
                if (quantity.path.empty()) {
                    m_text += fmt::format("  [{}]\n", quantity.origin);
                } else {
                    unfold(quantity.path, depth, indent);
                }
            }
            if (shown == shownValues && term.values.size() > shown) {
                m_text += fmt::format("{:{}}… {} in all\n", "", indent, term.values.size());
            }
        }
    }

private:
    void unfold(const std::string& path, int depth, int indent)
    {
        const Result<Derivation> inner = depth > 0 ? m_values.explain(path) : Result<Derivation>(Problems{});
        const bool hasFormula = inner && !inner->formula.empty();
        int& before = m_unfolded[path];
        const bool repeated = hasFormula && before >= depth;
        m_text += fmt::format("  <{}>{}\n", path, repeated ? "  see above" : "");
        if (!hasFormula || repeated) {
            return;
        }
        before = depth;
        m_text += fmt::format("{:{}}  = {}\n", "", indent, inner->plain());
        write(*inner, depth - 1, indent + 4);
    }

    std::string& m_text;
    const ExplainedValues& m_values;
    std::map<std::string, int, std::less<>> m_unfolded; ///< how many levels deep
};

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

std::string derivationText(const ExplainedValues& values, const Derivation& derivation, int depth)
{
    std::string text = fmt::format("{}: {}\n", derivation.name, derivation.valueText());
    if (!derivation.formula.empty()) {
        text += fmt::format("\n  = {}\n  = {}\n\nwith\n", derivation.plain(), derivation.substituted());
    }
    TermWriter(text, values).write(derivation, depth, 2);
    addList(text, "assumptions", derivation.assumptions);
    addList(text, "sources", derivation.sources);
    const NearRuns& near = values.nearestRuns(derivation.path);
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < std::min(shownRuns, near.runs.size()); ++i) {
        const NearRun& run = near.runs[i];
        runs.push_back(fmt::format("{}: {}; {}", run.id, describe(run, near.quantity), run.where));
    }
    addList(text, fmt::format("nearest published runs, {}", labelOf(near.quantity)), runs);
    return text;
}

} // namespace partita
