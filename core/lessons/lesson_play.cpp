// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/lesson_play.h"

#include "core/base/format.h"
#include "core/formats/scenario_file.h"
#include "core/formats/serving_report_json.h"
#include "core/lessons/letters.h"
#include "core/lessons/named_exchange.h"
#include "core/serving/serve.h"
#include "core/training/evaluate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace partita {

namespace {

constexpr std::string_view ofStart = "start.";
constexpr std::string_view unknown = "—";
constexpr int deepestValue = 8; ///< values that are made of values

/// "stage/stages": what one is called, and several are. Nothing when there are more or fewer than these two.
std::optional<std::pair<std::string_view, std::string_view>> countedIn(std::string_view names)
{
    const std::size_t slash = std::min(names.find('/'), names.size());
    const std::string_view one = names.substr(0, slash);
    const std::string_view several = names.substr(std::min(slash + 1, names.size()));
    if (isBlank(one) || isBlank(several) || several.find('/') != std::string_view::npos) {
        return std::nullopt;
    }
    return std::pair{one, several};
}

/// "8.00" is 8, "11.5" stays.
std::string withoutZeros(std::string number)
{
    if (number.find('.') != std::string::npos && number.find_first_not_of("-.,0123456789") == std::string::npos) {
        number.erase(number.find_last_not_of('0') + 1);
        if (number.back() == '.') {
            number.pop_back();
        }
    }
    return number;
}

bool isInside(std::string_view field, std::string_view whole)
{
    return field == whole
        || (field.size() > whole.size() && field.substr(0, whole.size()) == whole
            && (field[whole.size()] == '.' || field[whole.size()] == '['));
}

} // namespace

std::string formatValue(double value, ValueFormat format)
{
    switch (format) {
    case ValueFormat::Number:
        break;
    case ValueFormat::Plain:
        return withoutZeros(formatSignificant(value));
    case ValueFormat::Count:
        return formatCount(std::llround(value));
    case ValueFormat::Percent:
        return formatPercent(value);
    case ValueFormat::Bytes:
        return formatBytes(value);
    case ValueFormat::Gigabytes:
        return formatSignificant(value / 1e9) + " GB";
    case ValueFormat::Seconds:
        return formatSeconds(value);
    case ValueFormat::Scaled:
        return formatScaled(value);
    }
    return formatSignificant(value);
}

LessonPlay::Values LessonPlay::valuesOf(const Scenario& scenario, const Report& report, const Catalogue& catalogue)
{
    FlatJson flat = flatten(report, scenario, catalogue);
    for (auto& [key, value] : flatten(writeServingReport(serve(scenario)))) {
        flat.insert_or_assign("serving." + key, value); // "serving.batch" is the batch there is room for
    }
    flat.merge(flatten(writeScenario(scenario, Catalogue())));
    return {std::move(flat), scenario};
}

LessonPlay::LessonPlay(const Lesson& lesson, const Catalogue& catalogue)
    : m_lesson(lesson)
    , m_catalogue(catalogue)
    , m_start(valuesOf(lesson.scenario, evaluate(lesson.scenario), catalogue))
    , m_now(m_start)
{
    for (const LessonValue& value : lesson.values) {
        if (!value.with) {
            continue;
        }
        if (const Result<Scenario> other = withFields(lesson.scenario, *value.with, catalogue)) {
            m_with[value.name] = valuesOf(*other, evaluate(*other), catalogue);
        }
    }
}

void LessonPlay::setScenario(const Scenario& scenario, const Report& report)
{
    m_now = valuesOf(scenario, report, m_catalogue);
}

std::optional<ExpressionValue> LessonPlay::named(std::string_view name, const Values& values, int depth) const
{
    if (name.substr(0, ofStart.size()) == ofStart) {
        return named(name.substr(ofStart.size()), m_start, depth);
    }
    if (const auto found = values.flat.find(name); found != values.flat.end()) {
        return found->second;
    }
    const LessonValue* value = valueNamed(name);
    const auto with = m_with.find(name);
    if (value == nullptr || depth >= deepestValue || (value->with && with == m_with.end())) {
        return std::nullopt;
    }
    const Result<double> number = evaluateNumber(value->value, names(value->with ? with->second : values, depth + 1));
    return number ? std::optional<ExpressionValue>(*number) : std::nullopt;
}

ExpressionNames LessonPlay::names(const Values& values, int depth) const
{
    ExpressionNames names;
    names.value = [this, &values, depth](std::string_view name) { return named(name, values, depth); };
    names.call = [&values](std::string_view name, const std::vector<double>& numbers) {
        const Cluster& cluster = values.scenario.cluster;
        const std::optional<CollectiveWork> work = namedExchange(cluster, name, numbers);
        return work ? std::optional(timeOf(cluster, *work)) : std::nullopt;
    };
    return names;
}

const LessonValue* LessonPlay::valueNamed(std::string_view name) const
{
    const auto found = std::find_if(m_lesson.values.begin(), m_lesson.values.end(),
                                    [name](const LessonValue& value) { return value.name == name; });
    return found == m_lesson.values.end() ? nullptr : &*found;
}

const LessonPlay::Values* LessonPlay::valuesIn(std::string_view place) const
{
    if (place == nowPlace || place == startPlace) {
        return place == nowPlace ? &m_now : &m_start;
    }
    const auto with = m_with.find(place);
    return with == m_with.end() ? nullptr : &with->second;
}

const Scenario* LessonPlay::scenarioIn(std::string_view place) const
{
    const Values* values = valuesIn(place);
    return values == nullptr ? nullptr : &values->scenario;
}

bool LessonPlay::isReported(std::string_view name, std::string_view place) const
{
    const Values* values = valuesIn(place);
    return values != nullptr && values->flat.find(name) != values->flat.end();
}

Result<double> LessonPlay::numberIn(std::string_view place, std::string_view expression) const
{
    const Values* values = valuesIn(place);
    if (values == nullptr) {
        return Problem{std::string(place), {}, "is no scenario of the lesson", {}};
    }
    return evaluateNumber(expression, names(*values, 0));
}

Result<double> LessonPlay::number(std::string_view expression) const
{
    return evaluateNumber(expression, names(m_now, 0));
}

Result<ValueFormat> LessonPlay::formatOf(std::string_view placeholder) const
{
    const std::size_t bar = placeholder.rfind('|');
    if (bar == std::string_view::npos) {
        if (placeholder.substr(0, ofStart.size()) == ofStart) {
            placeholder.remove_prefix(ofStart.size());
        }
        const LessonValue* value = valueNamed(placeholder);
        return value != nullptr ? value->format : ValueFormat::Number;
    }
    const std::string_view key = placeholder.substr(bar + 1);
    const std::size_t space = std::min(key.find(' '), key.size());
    const std::optional<ValueFormat> format = fromKey<ValueFormat>(key.substr(0, space));
    if (format && space == key.size()) {
        return *format;
    }
    if (format == ValueFormat::Count && countedIn(key.substr(space + 1))) {
        return *format;
    }
    if (format) {
        return Problem{std::string(placeholder), std::string(key),
                       "does not name what is counted in two forms, for one and for several", "count stage/stages"};
    }
    std::vector<std::string_view> keys;
    for (const Name<ValueFormat>& name : Names<ValueFormat>::table) {
        keys.push_back(name.key);
    }
    return Problem{std::string(placeholder), std::string(key), "is no format",
                   fmt::format("one of {}", fmt::join(keys, ", "))};
}

Result<std::string> LessonPlay::shown(std::string_view placeholder) const
{
    const Result<ValueFormat> format = formatOf(placeholder);
    const Result<double> value = number(placeholder.substr(0, placeholder.rfind('|')));
    if (!format || !value) {
        return format ? value.problems : format.problems;
    }
    const std::size_t space = placeholder.find(' ', std::min(placeholder.rfind('|'), placeholder.size()));
    if (space == std::string_view::npos) {
        return formatValue(*value, *format);
    }
    const auto [one, many] = *countedIn(placeholder.substr(space + 1));
    return fmt::format("{} {}", formatValue(*value, *format), std::llround(*value) == 1 ? one : many);
}

std::string LessonPlay::text(std::string_view written, const Rewrite& rewrite) const
{
    std::string all;
    bool formula = false;
    forEachPart(
        written,
        [&](std::string_view plain) {
            formula = formula != (std::count(plain.begin(), plain.end(), '`') % 2 != 0);
            all += plain;
        },
        [&](std::string_view placeholder) {
            const Result<std::string> value = shown(placeholder);
            const bool rewritten = value && rewrite && !formula;
            all += rewritten ? rewrite(placeholder, *value) : value ? *value : std::string(unknown);
        });
    return all;
}

Problems LessonPlay::check(std::string_view written, const std::string& field) const
{
    Problems problems;
    forEachPart(
        written, [](std::string_view) {},
        [&](std::string_view placeholder) {
            for (Problem problem : shown(placeholder).problems) {
                problem.field = field;
                problem.message = fmt::format("in {{{}}} {}", placeholder, problem.message);
                problems.push_back(std::move(problem));
            }
        });
    return problems;
}

std::vector<std::string> LessonPlay::movedElsewhere() const
{
    std::vector<std::string> moved = differingFields(m_lesson.scenario, m_now.scenario, m_catalogue);
    std::erase_if(moved, [this](const std::string& field) {
        return std::any_of(m_lesson.touch.begin(), m_lesson.touch.end(),
                           [&](const std::string& may) { return isInside(field, may); });
    });
    return moved;
}

bool LessonPlay::solves(const LessonTask& task) const
{
    const Result<double> holds = number(task.answer);
    return holds && *holds != 0 && movedElsewhere().empty();
}

} // namespace partita
