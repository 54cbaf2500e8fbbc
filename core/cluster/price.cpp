// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/price.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

constexpr std::string_view mark = "price: ";

bool isOrigin(const std::string& source)
{
    return source.compare(0, mark.size(), mark) == 0;
}

} // namespace

std::string priceOrigin(const Accelerator& accelerator)
{
    const auto origin = std::find_if(accelerator.sources.begin(), accelerator.sources.end(), isOrigin);
    return accelerator.pricePerHour > 0 && origin != accelerator.sources.end() ? origin->substr(mark.size())
                                                                               : std::string();
}

void setPrice(Accelerator& accelerator, double perHour, const std::string& origin)
{
    accelerator.pricePerHour = perHour;
    std::vector<std::string>& sources = accelerator.sources;
    sources.erase(std::remove_if(sources.begin(), sources.end(), isOrigin), sources.end());
    sources.push_back(std::string(mark) + origin);
}

std::string priceText(const Accelerator& accelerator)
{
    if (accelerator.pricePerHour <= 0) {
        return "no price of a device is known: cost is told in device-hours";
    }
    const std::string origin = priceOrigin(accelerator);
    return fmt::format("at ${} a device-hour{}", formatSignificant(accelerator.pricePerHour),
                       origin.empty() ? origin : fmt::format(" ({})", origin));
}

std::string_view costUnit(bool priced)
{
    return priced ? "USD/10⁹ tokens" : "device-hours/10⁹ tokens";
}

} // namespace partita
