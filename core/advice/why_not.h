// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/reliefs.h"
#include "core/base/problem.h"
#include "core/search/difference.h"

#include <optional>
#include <string>

namespace partita {

enum class Verdict { Illegal, OutOfMemory, Slower, Same, Faster };

template <> struct Names<Verdict> {
    static constexpr std::array table{
        Name<Verdict>{Verdict::Illegal, "illegal", "illegal"},
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
    std::optional<LayoutCost> nearestLegal; ///< Illegal: with the least changed; its batch may have to change
    MemoryKind category = MemoryKind::Weights; ///< OutOfMemory: the largest on the stage that lacks most
    std::optional<Relief> cheapestFix; ///< OutOfMemory: the fastest single change after which it fits
    TimeDifference time; ///< of the step, from reference to wanted; empty when either is illegal
    std::string text; ///< all of this in sentences

    bool operator==(const WhyNot&) const = default;
};

/// The scenario's layout is the reference.
WhyNot whyNot(const Scenario& scenario, const Layout& wanted);

} // namespace partita
