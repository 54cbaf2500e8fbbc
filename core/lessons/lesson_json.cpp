// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/words.h"
#include "core/formats/files.h"
#include "core/formats/json_fields.h"
#include "core/formats/scenario_file.h"
#include "core/lessons/lesson.h"
#include "core/lessons/letters.h"

#include <fmt/format.h>

namespace partita {

namespace {

using nlohmann::json;

constexpr std::string_view lessonSchema = "partita-lesson";

/// Most bytes of a text, and most of a list: what a page, a menu and a reader can take.
constexpr std::size_t longestLine = 200;
constexpr std::size_t longestText = 4000;
constexpr std::size_t mostPages = 200;
constexpr std::size_t mostValues = 200; // each may be a scenario to work out
constexpr std::size_t mostLines = 50;

void readText(FieldReader& fields, std::string_view key, std::string& text, std::size_t most,
              Presence presence = Presence::Required)
{
    const json* value = fields.member(key, presence);
    if (value == nullptr) {
        return;
    }
    fields.text(key, text, presence);
    if (value->is_string() && isBlank(text)) {
        fields.problem(key, text, "is blank", "words, or a number that is worked out");
    }
    if (text.size() > most) {
        fields.problem(key, fmt::format("{} bytes", text.size()), "is too long", fmt::format("at most {} bytes", most));
        text.clear();
    }
}

template <class T> void limit(FieldReader& fields, std::string_view key, std::vector<T>& list, std::size_t most)
{
    if (list.size() > most) {
        fields.problem(key, fmt::format("{} of them", list.size()), "are too many", fmt::format("at most {}", most));
        list.clear();
    }
}

void readLines(FieldReader& fields, std::string_view key, std::vector<std::string>& lines, std::size_t longest)
{
    fields.texts(key, lines, Presence::Required);
    limit(fields, key, lines, mostLines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string element = elementPath(std::string(key), i);
        const auto end = lines.begin() + static_cast<std::ptrdiff_t>(i);
        if (lines[i].size() > longest) {
            fields.problem(element, fmt::format("{} bytes", lines[i].size()), "is too long",
                           fmt::format("at most {} bytes", longest));
        } else if (isBlank(lines[i])) {
            fields.problem(element, lines[i], "is blank", "words, or nothing in the list");
        } else if (std::find(lines.begin(), end, lines[i]) != end) {
            fields.problem(element, elided(lines[i], 60), "is there already", "each once");
        }
    }
}

/// The one that may have been meant, or all.
std::string nearestOf(std::string_view word, const std::vector<std::string_view>& known)
{
    const std::string nearest = suggestKey(word, known);
    return nearest.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : nearest;
}

/// Settings whose controls the lesson leads to, and whose move counts.
void readTouch(FieldReader& fields, std::vector<std::string>& touch)
{
    readLines(fields, "touch", touch, longestLine);
    const std::vector<std::string_view> known(lessonFields.begin(), lessonFields.end());
    for (std::size_t i = 0; i < touch.size(); ++i) {
        if (!isBlank(touch[i]) && std::find(known.begin(), known.end(), touch[i]) == known.end()) {
            fields.problem(elementPath("touch", i), elided(touch[i], 60), "is no setting that has a control",
                           nearestOf(touch[i], known));
        }
    }
}

/// Fields of a scenario and their values; these stay JSON, since any type may stand there.
std::optional<FieldValues> readFields(FieldReader& fields, std::string_view key)
{
    const json* value = fields.member(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!value->is_object()) {
        fields.problem(key, shown(*value), "must be an object of fields and values");
        return std::nullopt;
    }
    FieldValues read;
    for (const auto& [field, member] : value->items()) {
        read[field] = member.dump();
    }
    return read;
}

void readValue(FieldReader& fields, LessonValue& value)
{
    readText(fields, "name", value.name, longestLine);
    readText(fields, "value", value.value, longestText);
    fields.choice("as", value.format);
    value.with = readFields(fields, "with");
    if (const json* states = fields.member("states")) {
        value.states = readNumber(*states, memberPath(fields.path(), "states"), {-1e30, 1e30}, fields.problems());
    }
}

void readTask(FieldReader& fields, LessonTask& task)
{
    readText(fields, "question", task.question, longestText);
    readText(fields, "answer", task.answer, longestText);
    readLines(fields, "hints", task.hints, longestText);
    readText(fields, "solved", task.solved, longestText);
    task.solution = readFields(fields, "solution").value_or(FieldValues());
    if (task.solution.empty()) {
        fields.problem("solution", {}, "is missing", "the fields with which the answer holds");
    }
}

void readPage(FieldReader& fields, LessonPage& page)
{
    readText(fields, "text", page.text, longestText);
    readText(fields, "chart", page.chart, longestLine, Presence::Stated);
    const std::vector<std::string_view> charts(lessonCharts.begin(), lessonCharts.end());
    if (!isBlank(page.chart) && std::find(charts.begin(), charts.end(), page.chart) == charts.end()) {
        fields.problem("chart", page.chart, "is no chart", nearestOf(page.chart, charts));
    }
    if (const json* value = fields.member("task")) {
        FieldReader reader(*value, memberPath(fields.path(), "task"), fields.problems());
        readTask(reader, page.task.emplace());
        reader.rejectUnknownKeys();
    }
}

void readScenarioMember(FieldReader& fields, Scenario& scenario, const Catalogue& catalogue)
{
    const json* value = fields.member("scenario", Presence::Required);
    if (value == nullptr) {
        return;
    }
    if (!value->is_object()) {
        fields.problem("scenario", shown(*value), "must be a scenario");
        return;
    }
    json file = *value;
    file["$schema"] = scenarioSchema;
    file["version"] = 1;
    Result<Scenario> read = readScenario(file.dump(), catalogue);
    for (Problem problem : read.problems) {
        problem.field = memberPath("scenario", problem.field);
        fields.problems().push_back(std::move(problem));
    }
    scenario = std::move(read.value).value_or(Scenario());
}

/// As much of a lesson as there is in its file.
struct PartlyRead {
    Lesson lesson;
    Problems problems;
    bool isLesson = false;
};

PartlyRead readPartly(std::string_view text, const std::string& id, const Catalogue& catalogue)
{
    PartlyRead read;
    const Result<json> file = parseJson(text);
    if (!file) {
        read.problems = file.problems;
        return read;
    }
    Lesson& lesson = read.lesson;
    lesson.id = id;
    FieldReader fields(*file, {}, read.problems);
    std::string schema;
    fields.text("$schema", schema, Presence::Required);
    if (schema != lessonSchema) {
        fields.problem("$schema", elided(schema, 60), "is not a lesson", std::string(lessonSchema));
        return read;
    }
    read.isLesson = true;
    int version = 0;
    fields.integer("version", version, {1, 1}, Presence::Required);
    readText(fields, "title", lesson.title, longestLine);
    readText(fields, "summary", lesson.summary, longestLine);
    fields.integer("minutes", lesson.minutes, {1, 240});
    readScenarioMember(fields, lesson.scenario, catalogue);
    readTouch(fields, lesson.touch);
    fields.objects("values", lesson.values, Presence::Stated, readValue);
    fields.objects("pages", lesson.pages, Presence::Required, readPage);
    readLines(fields, "sources", lesson.sources, longestLine);
    fields.rejectUnknownKeys();
    if (lesson.pages.empty()) {
        fields.problem("pages", {}, "is empty", "at least one page");
    }
    limit(fields, "values", lesson.values, mostValues);
    limit(fields, "pages", lesson.pages, mostPages);
    return read;
}

/// Whether one that was not read explains a problem with what stands in its place.
bool explains(const Problem& unread, const Problem& found)
{
    const std::string whole = unread.field.substr(0, unread.field.find('.'));
    return found.field.compare(0, unread.field.size(), unread.field) == 0
        || (whole == "scenario" && found.field.compare(0, whole.size(), whole) == 0);
}

} // namespace

Result<Lesson> readLesson(std::string_view text, const std::string& id, const Catalogue& catalogue)
{
    PartlyRead read = readPartly(text, id, catalogue);
    return read.problems.empty() ? Result<Lesson>(std::move(read.lesson)) : Result<Lesson>(std::move(read.problems));
}

Problems checkLessonFile(std::string_view text, const std::string& id, const Catalogue& catalogue)
{
    PartlyRead read = readPartly(text, id, catalogue);
    Problems problems = read.problems;
    if (!read.isLesson) {
        return problems;
    }
    for (Problem& found : checkLesson(read.lesson, catalogue)) {
        if (std::none_of(read.problems.begin(), read.problems.end(),
                         [&](const Problem& unread) { return explains(unread, found); })) {
            problems.push_back(std::move(found));
        }
    }
    return problems;
}

LoadedLessons loadLessons(const std::vector<std::filesystem::path>& presetFolders, const Catalogue& catalogue)
{
    std::map<std::string, std::filesystem::path> paths;
    for (const std::filesystem::path& folder : presetFolders) {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(folder / "lessons", error)) {
            if (entry.path().extension() == ".json") {
                paths[entry.path().stem().string()] = entry.path();
            }
        }
    }
    LoadedLessons loaded;
    for (const auto& [id, path] : paths) {
        const Result<std::string> text = readFile(path);
        Result<Lesson> lesson = text ? readLesson(*text, id, catalogue) : Result<Lesson>(text.problems);
        if (lesson) {
            loaded.lessons.push_back(*std::move(lesson));
        }
        const Problems named = within(path.string(), lesson.problems);
        loaded.problems.insert(loaded.problems.end(), named.begin(), named.end());
    }
    return loaded;
}

} // namespace partita
