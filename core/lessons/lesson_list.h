// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lessons/lesson.h"

namespace partita {

/// What `partita lessons` prints, for people and as JSON: id, title, summary, minutes, pages, tasks; problems of files
/// that are none.
std::string lessonListText(const LoadedLessons& loaded);
std::string writeLessonList(const LoadedLessons& loaded);

} // namespace partita
