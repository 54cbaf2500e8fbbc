// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/constraint.h"
#include "core/advice/reliefs.h"
#include "core/base/problem.h"
#include "core/search/search_space.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace partita {

/// By which rule layouts are advised.
enum class Voice {
    ConstraintFirst, ///< start at the most data parallelism, relieve what binds at the least harm, stop when it no
                     ///< longer pays
    TopologyFirst, ///< tensor parallelism inside the fast domain, pipeline across it, data parallelism with the rest
    ServingRecipe ///< for scenario.serving: core/serving's rule of thumb
};

template <> struct Names<Voice> {
    static constexpr std::array table{
        Name<Voice>{Voice::ConstraintFirst, "constraint-first", "constraint first"},
        Name<Voice>{Voice::TopologyFirst, "topology-first", "topology first"},
        Name<Voice>{Voice::ServingRecipe, "serving-recipe", "serving recipe"},
    };
};

/// Whether a voice advises about training; its picks are layouts that a search of training layouts can be held against.
constexpr bool trains(Voice voice)
{
    return voice != Voice::ServingRecipe;
}

/// One decision: what binds (or is asked), what could be done about it, what was done.
struct AdviceStep {
    LayoutCost before;
    Binding binding;
    std::vector<Relief> reliefs; ///< best first; after the last step, what was tried in vain
    std::optional<std::size_t> chosen; ///< of reliefs; nothing when none pays
    std::string reason; ///< why it was chosen, or why none was: a sentence

    const LayoutCost& after() const { return chosen ? reliefs[*chosen].cost : before; }
    bool operator==(const AdviceStep&) const = default;
};

/// A layout and the way to it. Devices, model, batch and workload stay as the scenario has them.
struct Advice {
    Voice voice = Voice::ConstraintFirst;
    SearchSpace limits; ///< what it was allowed to look at
    Problems
        problems; ///< why there can be no advice (the model or the cluster cannot be used, the limits hold nothing)
    std::vector<AdviceStep> steps;
    LayoutCost pick; ///< after the last step; when it does not fit, nothing that was tried does
    std::vector<std::string> notes; ///< rules of thumb the pick breaks, and the arithmetic when nothing fits
    std::size_t evaluated = 0; ///< layouts
    bool complete = true; ///< false when stopped half-way
};

/// Deterministic. The scenario's layout gives global batch and nothing else. Every layout on the way but the first is
/// within the limits; rank orders and layers moved between stages are looked at unless the limits name orders or ask
/// for even stages. The serving recipe takes no limits.
Advice advise(
    const Scenario& scenario, Voice voice, const SearchSpace& limits,
    const std::function<bool()>& stop = [] { return false; });
Advice advise(
    const Scenario& scenario, Voice voice, const std::function<bool()>& stop = [] { return false; });

/// "fits with 10.7 GiB to spare: 4.41 s, MFU 44.1 %", "lacks 31 GiB on stage 0".
std::string describe(const LayoutCost& cost);
/// A layout as a voice speaks of it: one that serves has degrees alone.
std::string layoutLine(const Layout& layout, Voice voice);
/// What a relief changes and what it costs against the layout before it.
std::string describe(const Relief& relief, const LayoutCost& before);
/// The whole way as text, a paragraph a step.
std::string adviceText(const Advice& advice);

} // namespace partita
