// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/search/fast_model.h"
#include "core/search/search_space.h"
#include "core/training/report.h"

#include <map>
#include <string>

namespace partita {

/// What a layout costs, reduced to what advice compares.
struct LayoutCost {
    Layout layout;
    std::string objection; ///< why it is illegal; empty when it is legal
    bool fits = false;
    double stepTime = 0; ///< s
    double mfu = 0; ///< causal
    double memoryLimit = 0; ///< bytes a device has
    MemoryBreakdown memory; ///< of the fullest stage
    int peakStage = 0;
    double inFlight = 0; ///< micro-batches of activations the fullest stage holds
    TimeBreakdown time;
    std::string figures; ///< told in place of step time, MFU and memory where a layout serves; then times are a token's

    bool legal() const { return objection.empty(); }
    double lacks() const { return legal() && !fits ? memory.total() - memoryLimit : 0; } ///< bytes
    double spare() const { return fits ? memoryLimit - memory.total() : 0; } ///< bytes
    bool operator==(const LayoutCost&) const = default;
};

LayoutCost costOf(const Layout& layout, const Report& report);

/// Fitting layouts by step time, before those that do not fit by what they lack, before illegal ones.
bool isBetter(const LayoutCost& a, const LayoutCost& b);

/// Just enough of a layout's cost to compare it with others.
struct LayoutEstimate {
    Layout layout;
    bool legal = false;
    bool fits = false;
    double stepTime = 0; ///< s; 0 unless it fits
    double lacks = 0; ///< bytes
};

bool isBetter(const LayoutEstimate& a, const LayoutEstimate& b);

/// The costs of layouts of one scenario, each worked out once. A layout outside the limits counts as illegal, memory
/// that has to stay free as missing.
class LayoutCosts {
public:
    explicit LayoutCosts(const Scenario& scenario, const SearchSpace& limits = {});

    const LayoutCost& of(const Layout& layout);
    /// The same, far faster, of layouts that may be forgotten. A step time of `enough` or more may come back as
    /// infinite.
    LayoutEstimate estimate(const Layout& layout, double enough);
    /// The best of a layout's splits of layers within limits: as even as possible, or balanced as a search of any split
    /// has them. Stated layers are left out.
    LayoutEstimate estimateBestSplit(const Layout& layout, double enough);
    /// False where no layout fits that shares the degrees, the micro-batch and the rank order of this one.
    bool mayFit(const Layout& layout);
    const Scenario& scenario() const { return m_scenario; }
    const SearchSpace& limits() const { return m_limits; } ///< in full, see withinStack()
    std::size_t evaluated() const { return m_known.size() + m_estimated; } ///< layouts; repeated estimates count again

private:
    struct Order {
        bool operator()(const Layout& a, const Layout& b) const;
    };

    Scenario m_scenario; ///< its layout is scratch
    SearchSpace m_limits;
    FastModel m_fast;
    std::size_t m_estimated = 0;
    std::map<Layout, LayoutCost, Order> m_known;
};

} // namespace partita
