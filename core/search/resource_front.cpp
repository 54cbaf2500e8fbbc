// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/resource_front.h"

#include <algorithm>

namespace partita {

double deviceHoursPerBillionTokens(double devices, double tokensPerSecond)
{
    constexpr double secondsPerHour = 3600;
    return devices / secondsPerHour * 1e9 / tokensPerSecond;
}

double takenBy(const LayoutFigures& figures, FrontAgainst against)
{
    const auto devices = static_cast<double>(figures.layout.devices());
    switch (against) {
    case FrontAgainst::Memory:
        return figures.peakMemory;
    case FrontAgainst::Devices:
        return devices;
    case FrontAgainst::Cost:
        break;
    }
    return deviceHoursPerBillionTokens(devices, figures.tokensPerSecond);
}

std::vector<LayoutFigures> frontOf(std::vector<LayoutFigures> layouts, FrontAgainst against)
{
    const auto taken = [&](const LayoutFigures& figures) { return takenBy(figures, against); };
    std::stable_sort(layouts.begin(), layouts.end(), [&](const LayoutFigures& a, const LayoutFigures& b) {
        return taken(a) != taken(b) ? taken(a) < taken(b) : a.tokensPerSecond > b.tokensPerSecond;
    });
    std::vector<LayoutFigures> front;
    for (LayoutFigures& figures : layouts) {
        if (front.empty() || figures.tokensPerSecond > front.back().tokensPerSecond) {
            front.push_back(std::move(figures));
        }
    }
    return front;
}

Scenario onDevicesOf(Scenario scenario, const Layout& layout)
{
    scenario.cluster.nodes = static_cast<decltype(scenario.cluster.nodes)>(
        std::max<std::int64_t>(1, layout.devices() / std::max<std::int64_t>(1, scenario.cluster.devicesPerNode)));
    scenario.layout = layout;
    return scenario;
}

std::vector<LayoutFigures> fastestBySize(const Scenario& scenario, const SearchSpace& space,
                                         const std::vector<FoundLayout>& whole, const SearchOptions& options,
                                         const std::function<bool()>& stop,
                                         const std::function<void(const std::vector<LayoutFigures>&)>& progress)
{
    SearchOptions each = options;
    each.front = false;
    each.countFitsUpTo = 0;
    std::vector<LayoutFigures> layouts;
    Scenario sized = scenario;
    const auto take = [&](const std::vector<FoundLayout>& found) {
        for (std::size_t i = 0; i < found.size() && i < static_cast<std::size_t>(std::max(1, options.top)); ++i) {
            layouts.push_back(figuresOf(sized, found[i].layout));
        }
        if (progress) {
            progress(layouts);
        }
    };
    take(whole);
    for (sized.cluster.nodes /= 2; !layouts.empty() && sized.cluster.nodes >= 1 && !stop(); sized.cluster.nodes /= 2) {
        const Result<SearchResult> found = searchLayouts(sized, space, each, stop, nullptr);
        if (!found) {
            continue; // so many devices have no legal layout; fewer may
        }
        if (found->best.empty() || !found->complete) { // nothing fits, or a best that is not known to be one
            break;
        }
        take(found->best);
    }
    return layouts;
}

} // namespace partita
