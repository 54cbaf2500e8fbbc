// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/resource_front.h"

#include "core/base/format.h"

#include <fmt/format.h>

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

namespace {

constexpr std::int64_t mostSizes = 64;

/// Numbers of nodes below a whole, evenly chosen where there are many; most first.
std::vector<std::int64_t> fewerNodes(std::int64_t whole, std::int64_t least)
{
    const std::int64_t step = (whole + mostSizes - 1) / mostSizes;
    std::vector<std::int64_t> counts;
    for (std::int64_t nodes = whole - step; nodes >= least; nodes -= step) {
        counts.push_back(nodes);
    }
    return counts;
}

} // namespace

SizeSearch fastestBySize(const Scenario& scenario, const SearchSpace& space, const std::vector<FoundLayout>& whole,
                         const SearchOptions& options, const std::function<bool()>& stop,
                         const std::function<void(const std::vector<LayoutFigures>&)>& progress)
{
    SearchOptions each = options;
    each.front = false;
    each.countFitsUpTo = 0;
    SizeSearch sizes;
    Scenario sized = scenario;
    const auto take = [&](const std::vector<FoundLayout>& found) {
        for (std::size_t i = 0; i < found.size() && i < static_cast<std::size_t>(std::max(1, options.top)); ++i) {
            sizes.layouts.push_back(figuresOf(sized, found[i].layout));
        }
        if (progress) {
            progress(sizes.layouts);
        }
    };
    /// Whether smaller sizes are worth a look.
    const auto search = [&](std::int64_t nodes) {
        sized.cluster.nodes = nodes;
        const Result<SearchResult> found = searchLayouts(sized, space, each, stop, nullptr);
        if (found && !found->complete) { // a best that is not known to be one
            return false;
        }
        sizes.devices.push_back(sized.cluster.devices());
        if (!found) {
            return true; // so many devices have no legal layout; fewer may
        }
        if (!found->best.empty()) {
            take(found->best);
        }
        return !found->best.empty();
    };
    sizes.devices.push_back(scenario.cluster.devices());
    take(whole);
    std::int64_t half = scenario.cluster.nodes / 2;
    while (!sizes.layouts.empty() && half >= 1 && !stop() && search(half)) {
        half /= 2;
    }
    if (!sizes.layouts.empty()) {
        for (const std::int64_t nodes : fewerNodes(scenario.cluster.nodes, half + 1)) {
            const std::int64_t devices = nodes * scenario.cluster.devicesPerNode;
            const bool known = std::find(sizes.devices.begin(), sizes.devices.end(), devices) != sizes.devices.end();
            if (stop()) {
                break;
            }
            if (!known) {
                search(nodes);
            }
        }
    }
    std::sort(sizes.devices.begin(), sizes.devices.end());
    return sizes;
}

std::string sizesText(const std::vector<std::int64_t>& devices)
{
    constexpr std::size_t mostNamed = 8;
    std::string text;
    if (devices.size() <= mostNamed) {
        for (std::size_t i = 0; i < devices.size(); ++i) {
            text += i == 0 ? "" : i + 1 == devices.size() ? " and " : ", ";
            text += formatCount(devices[i]);
        }
        return text + " devices";
    }
    std::int64_t apart = 0;
    for (std::size_t i = 1; i < devices.size(); ++i) {
        apart = std::max(apart, devices[i] - devices[i - 1]);
    }
    return fmt::format("{} sizes from {} to {} devices, at most {} apart", devices.size(), formatCount(devices.front()),
                       formatCount(devices.back()), formatCount(apart));
}

} // namespace partita
