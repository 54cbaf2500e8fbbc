// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/accelerator.h"

#include <string>
#include <string_view>

namespace partita {

/// Whose price a device's is and of which day: what its sources say after "price: ". Empty where none is known.
std::string priceOrigin(const Accelerator& accelerator);

/// Replaces the price, and its origin with it. USD per device and hour.
void setPrice(Accelerator& accelerator, double perHour, const std::string& origin);

/// "$3.20 a device-hour (Hyperstack, on demand, 2026-08-26)", or that there is no price.
std::string priceText(const Accelerator& accelerator);

/// Of what a billion tokens take: "USD/10⁹ tokens" where devices have a price, device-hours where they have none.
std::string_view costUnit(bool priced);

} // namespace partita
