// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lessons/expression.h"
#include "core/lessons/expression_names.h"
#include "core/lessons/lesson.h"
#include "core/training/report.h"

namespace partita {

/// A lesson beside a scenario: what its texts say now and which tasks are solved. Keeps references; both must outlive
/// it.
class LessonPlay {
public:
    /// Starts on the lesson's own scenario.
    LessonPlay(const Lesson& lesson, const Catalogue& catalogue);

    const Lesson& lesson() const { return m_lesson; }
    void setScenario(const Scenario& scenario, const Report& report);

    /// The text with its placeholders worked out; what cannot be is an em dash.
    std::string text(std::string_view written) const { return text(written, nullptr); }
    /// The same with what is worked out written anew, where Markdown may: not in formulas between backticks.
    using Rewrite = std::function<std::string(std::string_view placeholder, const std::string& shown)>;
    std::string text(std::string_view written, const Rewrite& rewrite) const;
    /// Whether the answer holds and nothing but what may be moved was moved.
    bool solves(const LessonTask& task) const;
    /// Fields that were moved though the lesson keeps them.
    std::vector<std::string> movedElsewhere() const;

    /// An expression of the current scenario. Names: keys of the report, of what `serve --json` reports as "serving.…",
    /// of the scenario with its presets written out ("cluster.devices_per_node"), the lesson's values, and any of them
    /// of the first scenario as "start.…". Functions: all_reduce, direct_all_reduce, all_gather, reduce_scatter and
    /// all_to_all, in s, of (devices, bytes).
    Result<double> number(std::string_view expression) const;
    /// Whether the report or the scenario has a key of that name, which a value of that name would not be seen beside.
    bool isReported(std::string_view name, std::string_view place = nowPlace) const;

    /// Scenarios that names are looked up in: nowPlace, startPlace, and by its name that of a value with fields; null:
    /// none.
    const Scenario* scenarioIn(std::string_view place) const;
    Result<double> numberIn(std::string_view place, std::string_view expression) const;
    const LessonValue* valueNamed(std::string_view name) const; ///< null: none
    /// Of "expression|format", or of a value by its name; a count may name what it counts: "m|count stage/stages".
    Result<ValueFormat> formatOf(std::string_view placeholder) const;
    /// Every placeholder that cannot be worked out.
    Problems check(std::string_view written, const std::string& field) const;

private:
    struct Values {
        FlatJson flat;
        Scenario scenario;
    };

    static Values valuesOf(const Scenario& scenario, const Report& report, const Catalogue& catalogue);
    const Values* valuesIn(std::string_view place) const;
    ExpressionNames names(const Values& values, int depth) const;
    std::optional<ExpressionValue> named(std::string_view name, const Values& values, int depth) const;
    /// The placeholder's number and how it is written.
    Result<std::string> shown(std::string_view placeholder) const;

    const Lesson& m_lesson;
    const Catalogue& m_catalogue;
    Values m_start;
    Values m_now;
    std::map<std::string, Values, std::less<>> m_with; ///< by the name of the value
};

/// Calls text(written) and placeholder(inner) for the parts of a text in turn.
template <class Text, class Placeholder> void forEachPart(std::string_view written, Text text, Placeholder placeholder)
{
    while (!written.empty()) {
        const std::size_t open = written.find('{');
        const std::size_t close = open == std::string_view::npos ? open : written.find('}', open);
        if (close == std::string_view::npos) {
            return text(written);
        }
        text(written.substr(0, open));
        placeholder(written.substr(open + 1, close - open - 1));
        written.remove_prefix(close + 1);
    }
}

} // namespace partita
