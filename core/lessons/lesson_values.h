// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/explained_values.h"
#include "core/lessons/lesson_play.h"
#include "core/runs/error_band.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// Where the numbers in a lesson's texts are from: each placeholder's expression is a formula, its names are numbers of
/// the lesson or of the reports of its scenarios. runs must outlive the result; play need not.
std::shared_ptr<const ExplainedValues> explainLesson(const LessonPlay& play, const std::vector<ComparableRun>& runs);

/// The path of a placeholder's number there: "now.bubble_fraction", "start.m".
std::string pathOfPlaceholder(std::string_view placeholder);

/// "bubble_fraction" of "bubble_fraction|percent".
std::string_view expressionOf(std::string_view placeholder);

} // namespace partita
