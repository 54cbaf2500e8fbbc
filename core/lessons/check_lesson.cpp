// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/words.h"
#include "core/lessons/expression_names.h"
#include "core/lessons/lesson_play.h"
#include "core/lessons/written_numbers.h"
#include "core/scenario/stack_offer.h"
#include "core/training/evaluate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace partita {

namespace {

constexpr double statedWithin = 0.01; ///< of what the core finds
constexpr std::size_t fewestHints = 2;

/// A placeholder or a formula that is opened and not closed swallows the rest of a text.
std::string_view unclosed(std::string_view written)
{
    char closing = 0;
    for (const char c : written) {
        if (closing != 0) {
            closing = c == closing ? 0 : closing;
        } else if (c == '}') {
            return "}";
        } else if (c == '{' || c == '`') {
            closing = c == '{' ? '}' : c;
        }
    }
    return closing == 0 ? "" : closing == '}' ? "{" : "`";
}

class Checker {
public:
    Checker(const Lesson& lesson, const Catalogue& catalogue)
        : m_lesson(lesson)
        , m_catalogue(catalogue)
        , m_play(lesson, catalogue)
    {
    }

    Problems check()
    {
        const Report report = evaluate(m_lesson.scenario);
        for (Problem problem : report.problems) {
            problem.field = "scenario." + problem.field;
            m_problems.push_back(std::move(problem));
        }
        m_legal = report.legal();
        checkName(m_lesson.title, "title");
        checkName(m_lesson.summary, "summary");
        if (m_legal) {
            checkOffer(m_lesson.scenario, "scenario.stack");
        }
        for (std::size_t i = 0; i < m_lesson.values.size(); ++i) {
            checkValue(m_lesson.values[i], fmt::format("values[{}]", i));
        }
        for (std::size_t i = 0; i < m_lesson.pages.size(); ++i) {
            const LessonPage& page = m_lesson.pages[i];
            const std::string field = fmt::format("pages[{}]", i);
            checkText(page.text, field + ".text");
            if (page.task) {
                checkTask(*page.task, field + ".task");
            }
        }
        if (std::none_of(m_lesson.pages.begin(), m_lesson.pages.end(),
                         [](const LessonPage& page) { return page.task.has_value(); })) {
            add("pages", {}, "have no task", "a question with an answer that can be found");
        }
        return std::move(m_problems);
    }

private:
    void add(std::string field, std::string value, std::string message, std::string suggestion = {})
    {
        m_problems.push_back({std::move(field), std::move(value), std::move(message), std::move(suggestion)});
    }

    void addAll(const Problems& problems, const std::string& field)
    {
        for (Problem problem : problems) {
            problem.field = field + ": " + problem.field;
            m_problems.push_back(std::move(problem));
        }
    }

    /// What is taught must be possible where it is shown.
    void checkOffer(const Scenario& scenario, const std::string& field)
    {
        for (std::string& beyond : beyondOffer(scenario)) {
            add(field, {}, std::move(beyond), "a stack that offers it, or \"ideal\"");
        }
    }

    void checkValue(const LessonValue& value, const std::string& field)
    {
        if (m_play.isReported(value.name) || !m_names.insert(value.name).second) {
            add(field + ".name", value.name, "names something else already", "another name");
        }
        if (!canNameValue(value.name)) {
            add(field + ".name", elided(value.name, 60), "cannot be the name of a value",
                "letters, digits and underscores; no word or function of expressions, not now or start");
            return;
        }
        if (!m_legal) {
            return;
        }
        if (value.with) {
            const Result<Scenario> other = withFields(m_lesson.scenario, *value.with, m_catalogue);
            addAll(other.problems, field + ".with");
            if (!other) {
                return;
            }
        }
        const Result<double> number = m_play.number(value.name);
        if (!number) {
            add(field, value.name, "cannot be worked out from its expression and scenario", value.value);
        } else if (value.states
                   && std::abs(*number - *value.states) > statedWithin * std::max(std::abs(*number), 1e-12)) {
            add(field + ".states", fmt::format("{}", *value.states), "is not what the core finds",
                fmt::format("{}", *number));
        }
    }

    void checkText(const std::string& text, const std::string& field)
    {
        const Problems problems = m_legal ? m_play.check(text, field) : Problems();
        m_problems.insert(m_problems.end(), problems.begin(), problems.end());
        if (const std::string_view open = unclosed(text); !open.empty()) {
            add(field, std::string(open), "has no other half");
        }
        for (std::string& number : writtenNumbers(text)) {
            add(field, std::move(number), "is written by hand, so nothing checks it", "a placeholder of a value");
        }
    }

    /// Where there are no placeholders, since menus and lists show it outside of any scenario.
    void checkName(const std::string& text, const std::string& field)
    {
        for (std::string& number : writtenNumbers(text)) {
            add(field, std::move(number), "is a number, which only pages can check", "words without one");
        }
        if (text.find_first_of("{}\n") != std::string::npos) {
            add(field, elided(text, 60), "is one line without placeholders");
        }
    }

    void checkTask(const LessonTask& task, const std::string& field)
    {
        checkText(task.question, field + ".question");
        checkText(task.solved, field + ".solved");
        for (const std::string& hint : task.hints) {
            checkText(hint, field + ".hints");
        }
        if (task.hints.size() < fewestHints) {
            add(field + ".hints", fmt::to_string(task.hints.size()), "are too few", "two or more");
        }
        if (m_legal) {
            checkAnswer(task, field);
        }
    }

    void checkAnswer(const LessonTask& task, const std::string& field)
    {
        const Result<double> holds = m_play.number(task.answer);
        if (!holds) {
            return addAll(holds.problems, field + ".answer");
        }
        if (*holds != 0) {
            add(field + ".answer", task.answer, "holds before anything is moved",
                "what does not hold of the lesson's scenario");
        } else if (m_before && m_before->solves(task)) {
            add(field + ".answer", task.answer, "holds as the question before is left",
                "what does not hold with the solution of the one before");
        }
        const Result<Scenario> solution = withFields(m_lesson.scenario, task.solution, m_catalogue);
        if (!solution) {
            return addAll(solution.problems, field + ".solution");
        }
        const Report report = evaluate(*solution);
        addAll(report.problems, field + ".solution");
        checkOffer(*solution, field + ".solution");
        LessonPlay play(m_lesson, m_catalogue);
        play.setScenario(*solution, report);
        for (const std::string& moved : play.movedElsewhere()) {
            add(field + ".solution", moved, "is moved, but may not be touched", "name it in touch");
        }
        if (report.legal() && play.movedElsewhere().empty() && !play.solves(task)) {
            add(field + ".solution", task.answer, "does not hold with it", "fields with which the answer holds");
        }
        m_before.emplace(std::move(play));
    }

    const Lesson& m_lesson;
    const Catalogue& m_catalogue;
    LessonPlay m_play;
    std::optional<LessonPlay> m_before; ///< as the question before is solved
    bool m_legal = true; ///< else nothing can be worked out
    std::set<std::string> m_names; ///< of values seen so far
    Problems m_problems;
};

} // namespace

Problems checkLesson(const Lesson& lesson, const Catalogue& catalogue)
{
    return Checker(lesson, catalogue).check();
}

} // namespace partita
