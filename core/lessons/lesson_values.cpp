// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/lesson_values.h"

#include "core/explain/formula.h"
#include "core/explain/joint_explainer.h"
#include "core/explain/ledger.h"
#include "core/lessons/expression_names.h"
#include "core/lessons/letters.h"
#include "core/lessons/named_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace partita {

namespace {

constexpr std::string_view servingKeys = "serving.";

Measure measureOf(ValueFormat format)
{
    switch (format) {
    case ValueFormat::Count:
        return Measure::Count;
    case ValueFormat::Percent:
        return Measure::Share;
    case ValueFormat::Bytes:
    case ValueFormat::Gigabytes:
        return Measure::Bytes;
    case ValueFormat::Seconds:
        return Measure::Seconds;
    case ValueFormat::Number:
    case ValueFormat::Plain:
    case ValueFormat::Scaled:
        break;
    }
    return Measure::Plain;
}

bool isName(std::string_view expression)
{
    const std::vector<NamedPart> parts = namedParts(expression);
    return parts.size() == 1 && !parts.front().call && parts.front().text == expression;
}

/// "start.m" is m of the first scenario, "m" of the one that is current.
std::pair<std::string_view, std::string_view> placed(std::string_view place, std::string_view name)
{
    return isName(name) && name.size() > startPlace.size() + 1 && name.substr(0, startPlace.size()) == startPlace
            && name[startPlace.size()] == '.'
        ? std::pair{startPlace, name.substr(startPlace.size() + 1)}
        : std::pair{place, name};
}

std::string prefixOf(std::string_view place)
{
    return place == nowPlace || place == startPlace ? fmt::format("{}.", place) : fmt::format("with.{}.", place);
}

bool isSymbol(const std::string& text)
{
    const Result<Expression> read = parseFormula(text);
    return read && read->kind == Expression::Kind::Symbol;
}

/// Of "layout.global_batch" gb, of "memory.peak_bytes" pb, of "layout.tp" tp.
std::string initials(std::string_view name)
{
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (last.size() <= 3 && isSymbol(std::string(last))) {
        return std::string(last);
    }
    std::string letters;
    for (std::size_t i = 0; i < last.size() && letters.size() < 3; ++i) {
        if (startsName(last[i]) && last[i] != '_' && (i == 0 || last[i - 1] == '_')) {
            letters += last[i];
        }
    }
    return isSymbol(letters) ? letters : "x";
}

std::string inWords(std::string_view name)
{
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

/// What stands for a symbol of an expression: another number of the ledger, or a setting of the scenario.
struct Symbol {
    std::string symbol;
    std::string path;
    std::string name;
    double value = 0;
};

class LessonLedger {
public:
    LessonLedger(const LessonPlay& play, const std::vector<ComparableRun>& runs)
        : m_play(play)
        , m_joint(std::make_shared<JointExplainer>())
    {
        addPart(nowPlace, runs);
        addPart(startPlace, runs);
        for (const LessonValue& value : play.lesson().values) {
            if (value.with) {
                addPart(value.name, runs);
            }
        }
    }

    std::shared_ptr<const ExplainedValues> make()
    {
        for (const LessonPage& page : m_play.lesson().pages) {
            addText(page.text);
            if (page.task) {
                addText(page.task->question);
                addText(page.task->solved);
                for (const std::string& hint : page.task->hints) {
                    addText(hint);
                }
            }
        }
        return std::move(m_joint);
    }

private:
    bool servesSomewhere() const
    {
        const Lesson& lesson = m_play.lesson();
        const auto names = [](const std::string& text) { return text.find(servingKeys) != std::string::npos; };
        return std::any_of(lesson.values.begin(), lesson.values.end(),
                           [&](const LessonValue& value) { return names(value.value); })
            || std::any_of(lesson.pages.begin(), lesson.pages.end(), [&](const LessonPage& page) {
                   return names(page.text)
                       || (page.task
                           && (names(page.task->question) || names(page.task->solved)
                               || std::any_of(page.task->hints.begin(), page.task->hints.end(), names)));
               });
    }

    void addPart(std::string_view place, const std::vector<ComparableRun>& runs)
    {
        if (const Scenario* scenario = m_play.scenarioIn(place)) {
            m_scenarios[std::string(place)] = std::make_shared<const Scenario>(*scenario);
            m_joint->addPart(
                prefixOf(place),
                evaluated(*scenario, runs,
                          servesSomewhere() ? Explainer::Scope::TrainingAndServing : Explainer::Scope::Training));
        }
    }

    void addText(std::string_view written)
    {
        forEachPart(
            written, [](std::string_view) {},
            [this](std::string_view placeholder) {
                const auto [place, expression] = placed(nowPlace, expressionOf(placeholder));
                const Result<ValueFormat> format = m_play.formatOf(placeholder);
                if (!format || !m_play.numberIn(place, expression)) {
                    return;
                }
                if (const LessonValue* value = valueIn(place, expression)) {
                    enterValue(place, *value);
                } else if (!isName(expression)) {
                    enter(prefixOf(place) + std::string(expression), std::string(expression), measureOf(*format), place,
                          expression);
                } else if (m_joint->find(prefixOf(place) + std::string(expression)) == nullptr) {
                    enterSetting(place, expression, measureOf(*format));
                }
            });
    }

    /// A number that a scenario states and no report derives.
    void enterSetting(std::string_view place, std::string_view key, Measure measure)
    {
        const std::string path = prefixOf(place) + std::string(key);
        if (m_entered.insert(path).second) {
            m_joint->ledger().add(path, std::string(key), measure, *m_play.numberIn(place, key),
                                  [key = std::string(key)](Derivation& d) {
                                      d.assumptions.push_back(fmt::format("A setting of the scenario: {}.", key));
                                  });
        }
    }

    /// Keys of reports and scenarios come before values.
    const LessonValue* valueIn(std::string_view place, std::string_view name) const
    {
        return m_play.isReported(name, place) ? nullptr : m_play.valueNamed(name);
    }

    std::string enterValue(std::string_view place, const LessonValue& value)
    {
        const std::string path = prefixOf(place) + value.name;
        enter(path, inWords(value.name), measureOf(value.format), value.with ? std::string_view(value.name) : place,
              value.value);
        return path;
    }

    void enter(const std::string& path, const std::string& name, Measure measure, std::string_view place,
               std::string_view expression)
    {
        const Result<double> number = m_play.numberIn(place, expression);
        if (!number || !m_entered.insert(path).second) {
            return;
        }
        std::string formula;
        std::vector<Symbol> symbols = symbolsOf(place, expression, formula);
        const bool hasFormula = parseFormula(formula).value.has_value();
        std::vector<std::string> remarks;
        if (!hasFormula || symbols.empty()) {
            remarks.push_back(hasFormula ? "Numbers that the lesson states."
                                         : fmt::format("Worked out by the lesson as {}.", expression));
        }
        if (const LessonValue* value = m_play.valueNamed(place); value != nullptr && value->with) {
            for (const auto& [field, setting] : *value->with) {
                remarks.push_back(fmt::format("Of the lesson's scenario with {} = {}.", field, setting));
            }
        }
        if (!hasFormula || (symbols.empty() && formula.find_first_of("+-*/") == std::string::npos)) {
            formula.clear();
            symbols.clear();
        }
        m_joint->ledger().add(path, name, measure, *number,
                              [joint = m_joint.get(), formula, symbols, remarks](Derivation& d) {
                                  d.formula = formula;
                                  d.assumptions = remarks;
                                  for (const Symbol& symbol : symbols) {
                                      d.terms.push_back(joint->find(symbol.path) != nullptr
                                                            ? joint->ledger().term(symbol.symbol, symbol.path)
                                                            : given(symbol.symbol, symbol.name, Measure::Plain,
                                                                    symbol.value, symbol.name));
                                  }
                              });
    }

    /// Puts symbols in the place of names; what they stand for is entered.
    std::vector<Symbol> symbolsOf(std::string_view place, std::string_view expression, std::string& formula)
    {
        std::vector<Symbol> symbols;
        std::size_t done = 0;
        for (const NamedPart& part : namedParts(expression)) {
            Symbol symbol = symbolFor(place, part);
            const auto same = std::find_if(symbols.begin(), symbols.end(),
                                           [&](const Symbol& each) { return each.path == symbol.path; });
            const std::size_t at = static_cast<std::size_t>(part.text.data() - expression.data());
            formula += expression.substr(done, at - done);
            done = at + part.text.size();
            if (same != symbols.end()) {
                formula += same->symbol;
                continue;
            }
            const std::string stem = symbol.symbol;
            for (int i = 2; std::any_of(symbols.begin(), symbols.end(),
                                        [&](const Symbol& each) { return each.symbol == symbol.symbol; });
                 ++i) {
                symbol.symbol = fmt::format("{}{}", stem, i);
            }
            formula += symbol.symbol;
            symbols.push_back(std::move(symbol));
        }
        formula += expression.substr(done);
        return symbols;
    }

    Symbol symbolFor(std::string_view place, const NamedPart& part)
    {
        const auto [where, name] = placed(place, part.name);
        Symbol symbol;
        symbol.name = std::string(part.text);
        symbol.path = prefixOf(where) + std::string(part.call ? part.text : name);
        symbol.value = m_play.numberIn(place, part.text).value.value_or(0);
        const LessonValue* value = part.call ? nullptr : valueIn(where, name);
        if (part.call) {
            symbol.symbol = "c";
            enterExchange(symbol.path, place, part);
        } else if (value != nullptr) {
            symbol.symbol = isSymbol(value->name) ? value->name : initials(name);
            symbol.path = enterValue(where, *value);
        } else {
            symbol.symbol = initials(name);
        }
        return symbol;
    }

    void enterExchange(const std::string& path, std::string_view place, const NamedPart& call)
    {
        std::vector<double> numbers;
        for (const std::string_view argument : call.arguments) {
            numbers.push_back(m_play.numberIn(place, argument).value.value_or(std::nan("")));
        }
        const auto scenario = m_scenarios.find(place);
        if (scenario == m_scenarios.end()) {
            return;
        }
        const std::optional<CollectiveWork> work = namedExchange(scenario->second->cluster, call.name, numbers);
        if (work && m_entered.insert(path).second) {
            m_joint->ledger().add(path, fmt::format("{} over {} devices", labelOf(work->kind), work->span.size()),
                                  Measure::Seconds, timeOf(scenario->second->cluster, *work),
                                  [scenario = scenario->second, work = *work](Derivation& d) {
                                      deriveCollective(d, scenario->cluster, work);
                                  });
        }
    }

    const LessonPlay& m_play;
    std::shared_ptr<JointExplainer> m_joint;
    std::map<std::string, std::shared_ptr<const Scenario>, std::less<>> m_scenarios; ///< by place
    std::set<std::string, std::less<>> m_entered;
};

} // namespace

std::string_view expressionOf(std::string_view placeholder)
{
    return placeholder.substr(0, placeholder.rfind('|'));
}

std::string pathOfPlaceholder(std::string_view placeholder)
{
    const auto [place, expression] = placed(nowPlace, expressionOf(placeholder));
    return prefixOf(place) + std::string(expression);
}

std::shared_ptr<const ExplainedValues> explainLesson(const LessonPlay& play, const std::vector<ComparableRun>& runs)
{
    return LessonLedger(play, runs).make();
}

} // namespace partita
