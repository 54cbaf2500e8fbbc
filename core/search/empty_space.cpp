// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/empty_space.h"

#include "core/base/format.h"
#include "core/scenario/rules.h"
#include "core/scenario/stack_offer.h"
#include "core/search/layout_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace partita {

namespace {

bool holdsSome(const Scenario& scenario, const SearchSpace& space)
{
    return !LayoutSpace(scenario, space).empty();
}

std::string offerText(const Scenario& scenario)
{
    return fmt::format("what {} offers", scenario.stack.name);
}

struct Degree {
    std::string_view key; ///< of its NamedLimit
    LayoutField field;
    Bounds SearchSpace::*bounds;
};

constexpr std::array degrees{
    Degree{"tp", LayoutField::Tp, &SearchSpace::tp},
    Degree{"cp", LayoutField::Cp, &SearchSpace::cp},
    Degree{"pp", LayoutField::Pp, &SearchSpace::pp},
    Degree{"dp", LayoutField::Dp, &SearchSpace::dp},
    Degree{"ep", LayoutField::Ep, &SearchSpace::ep},
    Degree{"etp", LayoutField::Etp, &SearchSpace::etp},
    Degree{"micro_batch", LayoutField::MicroBatch, &SearchSpace::microBatch},
    Degree{"micro_batches", LayoutField::GlobalBatch, &SearchSpace::microBatches},
};

/// What no layout can have of a limit whatever the others are; nothing where it is not that limit alone.
std::optional<Problem> ruleAgainst(const Scenario& scenario, const SearchSpace& space, const NamedLimit& limit)
{
    const auto degree =
        std::find_if(degrees.begin(), degrees.end(), [&](const Degree& each) { return each.key == limit.key; });
    if (degree == degrees.end()) {
        return std::nullopt;
    }
    const std::int64_t value = (space.*(degree->bounds)).least;
    const std::int64_t sequences = scenario.layout.globalBatch;
    if (degree->field == LayoutField::MicroBatch || degree->field == LayoutField::GlobalBatch) {
        return value <= sequences
            ? std::nullopt
            : std::optional(Problem{"search", limit.text,
                                    fmt::format("a step has {} sequences", formatCount(sequences)),
                                    fmt::format("at most {}", sequences)});
    }
    const std::int64_t devices = scenario.cluster.devices();
    if (value > devices) {
        return Problem{"search", limit.text, fmt::format("there are {} devices", formatCount(devices)),
                       fmt::format("at most {}", devices)};
    }
    if (!(space.*(degree->bounds)).fixed()) {
        return std::nullopt;
    }
    if (devices % value != 0 && degree->field == LayoutField::Dp) {
        return Problem{"search", limit.text, fmt::format("does not divide {} devices", formatCount(devices)),
                       fmt::format("a divisor of {}", devices)};
    }
    Scenario probe = scenario;
    probe.layout = Layout();
    probe.layout.globalBatch = sequences;
    probe.layout.dp = static_cast<int>(devices);
    probe.layout = withField(probe, degree->field, value);
    const std::string field = fmt::format("layout.{}", limit.key);
    for (Problem& problem : checkLayout(probe)) {
        if (problem.field == field) {
            return Problem{"search", limit.text, std::move(problem.message), std::move(problem.suggestion)};
        }
    }
    return std::nullopt;
}

Problem alone(const std::vector<std::string>& causes, std::string suggestion)
{
    return {"search", fmt::format("{}", fmt::join(causes, "; ")),
            causes.size() == 1 ? "leaves no legal layout" : "leave no legal layout, each beside the others",
            std::move(suggestion)};
}

} // namespace

Problem noLayout(const Scenario& scenario, const SearchSpace& space)
{
    const std::vector<NamedLimit> limits = namedLimits(space);
    std::vector<std::string> causes;
    for (const NamedLimit& limit : limits) {
        if (holdsSome(scenario, without(space, limit.key))) {
            causes.push_back(limit.text);
        }
    }
    SearchSpace beyond = space;
    beyond.beyondStack = true;
    const bool offers = !space.beyondStack && holdsSome(scenario, beyond);
    if (offers) {
        causes.push_back(offerText(scenario));
    }
    if (causes.size() == 1 && !offers) {
        const auto only = std::find_if(limits.begin(), limits.end(),
                                       [&](const NamedLimit& limit) { return limit.text == causes.front(); });
        if (std::optional<Problem> rule = ruleAgainst(scenario, space, *only)) {
            return *std::move(rule);
        }
    }
    if (!causes.empty()) {
        return alone(causes, causes.size() > 1 ? "loosen one of them" : offers ? "look beyond the stack" : "loosen it");
    }
    std::vector<std::string> all;
    for (const NamedLimit& limit : limits) {
        all.push_back(limit.text);
    }
    SearchSpace any;
    any.beyondStack = true;
    if (all.empty() || !holdsSome(scenario, any)) {
        return {"search",
                fmt::format("{} sequences on {} devices", formatCount(scenario.layout.globalBatch),
                            formatCount(scenario.cluster.devices())),
                "no layout of this model is legal, whatever the limits", "change the batch or the devices"};
    }
    return {"search", fmt::format("{}", fmt::join(all, "; ")),
            "no legal layout satisfies the limits, nor would one with any of them lifted", "loosen several"};
}

} // namespace partita
