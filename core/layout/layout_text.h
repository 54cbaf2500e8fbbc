// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/layout.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// A layout on one line, what is not split left out: "tp 8 · pp 4 · vpp 2 · dp 2 · ZeRO-1 · Interleaved 1F1B".
std::string layoutText(const Layout& layout);

/// "tp-cp-ep-dp-pp", innermost first.
std::string rankOrderText(const std::array<Axis, 5>& order);

/// One field that two layouts do not share.
struct LayoutChange {
    std::string_view field; ///< as scenario files spell it
    std::string_view label;
    std::string before;
    std::string after;

    bool operator==(const LayoutChange&) const = default;
};

/// In the order of the struct.
std::vector<LayoutChange> layoutChanges(const Layout& before, const Layout& after);

/// "tp 1 → 8, dp 64 → 8, recompute none → full"; "no change".
std::string describe(const std::vector<LayoutChange>& changes);

} // namespace partita
