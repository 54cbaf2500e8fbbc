// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/lesson_play.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

/// A page in full: what a reader sees has no placeholder left but one that is not closed.
void requireNoPlaceholder(const std::string& shown)
{
    const std::size_t open = shown.find('{');
    if (open != std::string::npos && shown.find('}', open) != std::string::npos) {
        std::abort();
    }
}

} // namespace

/// Whatever the bytes: a lesson whose pages can be shown and that is right or has at least one reason not to be; or at
/// least one reason why it is none.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const partita::Catalogue catalogue = partita::loadCatalogue({PARTITA_PRESETS_DIR});
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const partita::Result<partita::Lesson> lesson = partita::readLesson(text, "fuzz", catalogue);
    if (lesson.value.has_value() == !lesson.problems.empty()) {
        std::abort();
    }
    const partita::Problems problems = partita::checkLessonFile(text, "fuzz", catalogue);
    if (problems.size() < lesson.problems.size()) {
        std::abort(); // what is no lesson is not right either
    }
    for (const partita::Problem& problem : problems) {
        if (problem.message.empty()) {
            std::abort();
        }
    }
    if (!lesson) {
        return 0;
    }
    const partita::LessonPlay play(*lesson, catalogue);
    for (const partita::LessonPage& page : lesson->pages) {
        requireNoPlaceholder(play.text(page.text));
    }
    return 0;
}
