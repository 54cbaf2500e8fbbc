// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/empty_space.h"

#include "core/base/format.h"
#include "core/scenario/stack_offer.h"
#include "core/search/layout_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
