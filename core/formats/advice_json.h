// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/advise.h"
#include "core/advice/optimum.h"
#include "core/advice/why_not.h"

#include <optional>
#include <string>

namespace partita {

/// What `partita advise --json` prints: {"voice", "complete", "evaluated", "fits", "pick", "steps": [{"constraint",
/// "text", "before", "reliefs": [], "chosen", "reason"}], "notes", "optimum": {"best", "gap", ...}, "why_not"}, base
/// units. chosen is an index into reliefs or null.
std::string writeAdvice(const Advice& advice, const std::optional<Optimum>& optimum = std::nullopt,
                        const std::optional<WhyNot>& whyNot = std::nullopt);

} // namespace partita
