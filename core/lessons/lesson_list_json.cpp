// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_fields.h"
#include "core/formats/report_parts.h"
#include "core/lessons/lesson_list.h"

#include <algorithm>
#include <fmt/format.h>

namespace partita {

std::string lessonListText(const LoadedLessons& loaded)
{
    std::string text;
    for (const Lesson& lesson : loaded.lessons) {
        text += fmt::format("  {:<26}{:>3} min  {}\n{:>37}{}\n", lesson.id, lesson.minutes, lesson.title, "",
                            lesson.summary);
    }
    return text;
}

std::string writeLessonList(const LoadedLessons& loaded)
{
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    json["lessons"] = nlohmann::ordered_json::array();
    for (const Lesson& lesson : loaded.lessons) {
        const auto tasks = std::count_if(lesson.pages.begin(), lesson.pages.end(),
                                         [](const LessonPage& page) { return page.task.has_value(); });
        json["lessons"].push_back({{"id", lesson.id},
                                   {"title", lesson.title},
                                   {"summary", lesson.summary},
                                   {"minutes", lesson.minutes},
                                   {"pages", lesson.pages.size()},
                                   {"tasks", tasks}});
    }
    json["problems"] = problemList(loaded.problems);
    return jsonText(json);
}

} // namespace partita
