// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/best_with.h"
#include "core/advice/reliefs.h"
#include "core/base/problem.h"
#include "core/search/difference.h"
#include "core/search/search_space.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

enum class Verdict { Illegal, OutsideLimits, NotOffered, OutOfMemory, Slower, Same, Faster };

template <> struct Names<Verdict> {
    static constexpr std::array table{
        Name<Verdict>{Verdict::Illegal, "illegal", "illegal"},
        Name<Verdict>{Verdict::OutsideLimits, "outside_limits", "outside your limits"},
        Name<Verdict>{Verdict::NotOffered, "not_offered", "not offered by the stack"},
        Name<Verdict>{Verdict::OutOfMemory, "out_of_memory", "out of memory"},
        Name<Verdict>{Verdict::Slower, "slower", "slower"},
        Name<Verdict>{Verdict::Same, "same", "as fast"},
        Name<Verdict>{Verdict::Faster, "faster", "faster"},
    };
};

/// Why one would not take a layout, against another.
struct WhyNot {
    Verdict verdict = Verdict::Same;
    LayoutCost reference;
    LayoutCost wanted;
    Problems problems; ///< Illegal: every rule it breaks
    std::vector<std::string> broken; ///< OutsideLimits, NotOffered: what of them it breaks
    std::optional<LayoutCost> nearest; ///< Illegal, OutsideLimits, NotOffered: legal, within limits, with the least
                                       ///< changed
    std::optional<LayoutCost> nearestThatFits; ///< where the nearest does not
    MemoryKind category = MemoryKind::Weights; ///< where it does not fit: the largest on the stage that lacks most
    std::optional<Relief> cheapestFix; ///< OutOfMemory: the fastest single change within limits after which it fits
    TimeDifference time; ///< from reference to wanted, for the reference's sequences; empty when either is illegal
    std::optional<BestWith> bestWith; ///< of a question that names some of a layout: the best that keeps them
    std::string readAs; ///< how a typed question was understood (formats/typed_layout.h)
    std::string text; ///< all of this in sentences

    bool operator==(const WhyNot&) const = default;
};

/// "Out of memory: stage 0 lacks 12.3 GiB. Largest there: activations, 41.2 GiB.", of a layout that does not fit.
std::string shortfallText(const LayoutCost& cost);
/// "Cheapest single change that fits: ...", or that there is none; empty where it was not looked for.
std::string fixText(const WhyNot& answer);

/// The scenario's layout is the reference. Limits do not hinder a layout from being costed; what is proposed instead is
/// within them. Of batches of another size the times of as many sequences are compared. named: the fields, as scenario
/// files spell them, that were asked for by name.
WhyNot whyNot(const Scenario& scenario, const Layout& wanted, const SearchSpace& limits = {},
              const std::vector<std::string>& named = {});

} // namespace partita
