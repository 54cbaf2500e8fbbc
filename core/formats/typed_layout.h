// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/why_not.h"
#include "core/base/problem.h"
#include "core/layout/layout.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// A layout as somebody typed it, and how what they left open was filled in.
struct TypedLayout {
    Layout layout;
    std::string kept; ///< what was named, as limits of a search: "tp=4,recompute=full"; empty for a whole layout
    std::vector<std::string> named; ///< fields, as scenario files spell them
    std::string readAs; ///< "Read as tp 8 · dp 8 · ZeRO-1: degrees not named are 1, ...", a sentence

    bool operator==(const TypedLayout&) const = default;
};

/// Reads "tp=4, pp=2, recompute=full" (keys and values as scenario files spell them, hyphens for underscores, zero and
/// sp for short, numbers of a list joined by |) and what layoutText() prints, "tp 4 · pp 2". Where two or more of tp,
/// cp, pp, dp, ep and etp are named the others are 1, and so are chunks; where one is, the others are the base's. dp
/// follows from the devices unless it is named, chunks from the schedule that is named, the schedule from the chunks,
/// and ZeRO in a pipeline is no more than the stack has there. Where that is not legal, degrees that are not named give
/// way, as few as can: "dp=64" on 64 devices is no other split. A schedule of stages and
/// chunks have at least two of them. All else
/// is the base's, or, for a whole printed line, what such a line leaves out. Where nothing legal keeps what is named
/// the layout is not legal either.
Result<TypedLayout> readTypedLayout(std::string_view text, const Layout& base, const Scenario& scenario);

/// Why not the layout typed, against the one picked, and where no whole layout is typed, what the best is that keeps
/// what was: the answer of window and command line. `stop` ends the search for it.
Result<WhyNot> whyNotTyped(const Scenario& scenario, const Layout& pick, const SearchSpace& limits,
                           std::string_view text, int threads, const std::function<bool()>& stop);

} // namespace partita
