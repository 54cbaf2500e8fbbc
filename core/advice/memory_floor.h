// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/training/memory.h"

#include <string>

namespace partita {

/// The least that training states take of a device: every byte of them spread evenly over all devices, no activations.
struct MemoryFloor {
    std::int64_t parameters = 0;
    std::int64_t devices = 1;
    StateBytes perParameter; ///< as far as they stay on devices
    double bytes = 0; ///< a device
    double limit = 0; ///< bytes a device has

    bool fits() const { return bytes <= limit; }
    std::int64_t leastDevices() const; ///< that could hold the states; 0 = unknown
};

MemoryFloor memoryFloor(const Scenario& scenario);

/// "18 bytes × 70,553,706,496 parameters / 8 devices = 148 GiB of 79.6 GiB: no layout fits; 15 devices could hold the
/// states.": the whole arithmetic.
std::string describe(const MemoryFloor& floor);

} // namespace partita
