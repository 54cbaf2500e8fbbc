// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/study_json.h"

#include <string>

namespace partita {

/// What `partita study` prints: a table a question.
std::string studyText(const Study& study);

} // namespace partita
