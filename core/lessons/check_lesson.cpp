// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/lesson_play.h"
#include "core/scenario/stack_offer.h"
#include "core/training/evaluate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace partita {

namespace {

constexpr double statedWithin = 0.01; ///< of what the core finds
constexpr std::size_t fewestHints = 2;

/// Numbers that stand alone. Those in names ("1F1B", "ZeRO-1", "H100") have a letter or a hyphen beside them, those in
/// formulas stand between backticks.
std::vector<std::string> numbersByHand(std::string_view text)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto isNamePart = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    };
    std::vector<std::string> found;
    bool inFormula = false;
    for (std::size_t i = 0; i < text.size();) {
        inFormula = inFormula != (text[i] == '`');
        if (inFormula || !isDigit(text[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && (isDigit(text[end]) || text[end] == '.' || text[end] == ',')) {
            ++end;
        }
        const bool named = (i > 0 && isNamePart(text[i - 1])) || (end < text.size() && isNamePart(text[end]));
        if (!named) {
            found.emplace_back(text.substr(i, end - i));
        }
        i = end;
    }
    return found;
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
        if (!report.legal()) {
            return std::move(m_problems);
        }
        checkOffer(m_lesson.scenario, "scenario.stack");
        checkTouch();
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

    /// A field is known when the file of some scenario could hold it: when it can be set to what it is, or left out.
    void checkTouch()
    {
        for (const std::string& field : m_lesson.touch) {
            const bool known =
                field.find('.') == std::string::npos || withFields(m_lesson.scenario, {{field, "null"}}, m_catalogue);
            if (!known) {
                add("touch", field, "is no field of a scenario");
            }
        }
    }

    void checkValue(const LessonValue& value, const std::string& field)
    {
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
        const Problems problems = m_play.check(text, field);
        m_problems.insert(m_problems.end(), problems.begin(), problems.end());
        forEachPart(
            text,
            [&](std::string_view plain) {
                for (const std::string& number : numbersByHand(plain)) {
                    add(field, number, "is written by hand, so nothing checks it", "a placeholder, or a word");
                }
            },
            [](std::string_view) {});
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
        const Result<double> holds = m_play.number(task.answer);
        if (!holds) {
            return addAll(holds.problems, field + ".answer");
        }
        if (*holds != 0) {
            add(field + ".answer", task.answer, "holds before anything is moved");
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
            add(field + ".solution", task.answer, "does not hold with it");
        }
    }

    const Lesson& m_lesson;
    const Catalogue& m_catalogue;
    LessonPlay m_play;
    Problems m_problems;
};

} // namespace

Problems checkLesson(const Lesson& lesson, const Catalogue& catalogue)
{
    return Checker(lesson, catalogue).check();
}

} // namespace partita
