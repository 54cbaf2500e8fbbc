// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/search/layout_figures.h"
#include "core/search/search.h"

#include <functional>
#include <vector>

namespace partita {

/// What throughput is weighed against.
enum class FrontAgainst { Memory, Devices, Cost };

template <> struct Names<FrontAgainst> {
    static constexpr std::array table{
        Name<FrontAgainst>{FrontAgainst::Memory, "memory", "memory"},
        Name<FrontAgainst>{FrontAgainst::Devices, "devices", "devices"},
        Name<FrontAgainst>{FrontAgainst::Cost, "cost", "cost of tokens"},
    };
};

/// What a layout takes: bytes on the fullest device, devices, or device-hours for a billion tokens.
double takenBy(const LayoutFigures& figures, FrontAgainst against);

/// What a billion tokens take of so many devices that make so many tokens a second together.
double deviceHoursPerBillionTokens(double devices, double tokensPerSecond);

/// The layouts that no other beats in both throughput and what it takes; what takes least first.
std::vector<LayoutFigures> frontOf(std::vector<LayoutFigures> layouts, FrontAgainst against);

/// The scenario on as many nodes as a layout of its cluster has devices for.
Scenario onDevicesOf(Scenario scenario, const Layout& layout);

/// The fastest layouts that fit of the scenario's nodes, of half of them, a quarter ... at the same global batch, down
/// to where none fits: options.top of each size, the largest first. `whole`: what a search of the scenario has found,
/// fastest first. `progress` is told after every size.
std::vector<LayoutFigures> fastestBySize(const Scenario& scenario, const SearchSpace& space,
                                         const std::vector<FoundLayout>& whole, const SearchOptions& options,
                                         const std::function<bool()>& stop,
                                         const std::function<void(const std::vector<LayoutFigures>&)>& progress);

} // namespace partita
