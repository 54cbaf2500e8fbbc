// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/search/layout_figures.h"
#include "core/search/search.h"

#include <cstdint>
#include <functional>
#include <string>
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

/// What was found on devices of several numbers.
struct SizeSearch {
    std::vector<LayoutFigures> layouts; ///< that fit, the fastest of each size; the whole, its halves, then the others
    std::vector<std::int64_t> devices; ///< of the sizes that were searched, ascending

    bool operator==(const SizeSearch&) const = default;
};

/// The fastest layouts that fit of the scenario's nodes and of fewer, at the same global batch: options.top of each
/// number of nodes, or of 64 of them where there are more, down to the half of a half ... on which none fits.
/// `whole`: what a search of the scenario has found, fastest first. `progress` is told after every size.
SizeSearch fastestBySize(const Scenario& scenario, const SearchSpace& space, const std::vector<FoundLayout>& whole,
                         const SearchOptions& options, const std::function<bool()>& stop,
                         const std::function<void(const std::vector<LayoutFigures>&)>& progress);

/// "8, 16, 24 and 32 devices", "64 sizes from 16 to 1,024 devices, at most 16 apart".
std::string sizesText(const std::vector<std::int64_t>& devices);

} // namespace partita
