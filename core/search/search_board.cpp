// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/search_board.h"

#include <algorithm>
#include <tuple>

namespace partita {

namespace {

/// A bound and the time it bounds are added up in different orders: what is slower by less may be equal.
constexpr double rounding = 1e-9;

auto rankOf(const PlacedLayout& layout)
{
    return std::tuple(layout.found.stepTime, layout.found.peakMemory, layout.place);
}

bool faster(const PlacedLayout& a, const PlacedLayout& b)
{
    return rankOf(a) < rankOf(b);
}

/// At least as good in both, and the better of equals.
bool beats(const PlacedLayout& a, const PlacedLayout& b)
{
    const bool neverWorse = a.found.stepTime <= b.found.stepTime && a.found.peakMemory <= b.found.peakMemory;
    return neverWorse && faster(a, b);
}

bool leaner(const PlacedLayout& a, const PlacedLayout& b)
{
    return std::tie(a.found.peakMemory, a.place) < std::tie(b.found.peakMemory, b.place);
}

std::vector<FoundLayout> withoutPlaces(const std::vector<PlacedLayout>& layouts)
{
    std::vector<FoundLayout> found;
    found.reserve(layouts.size());
    for (const PlacedLayout& layout : layouts) {
        found.push_back(layout.found);
    }
    return found;
}

void add(SearchCounts& to, const SearchCounts& counts)
{
    to.legal += counts.legal;
    to.fit += counts.fit;
    to.evaluated += counts.evaluated;
    to.pruned += counts.pruned;
    to.unseen += counts.unseen;
}

} // namespace

SearchBoard::SearchBoard(const SearchOptions& options, const LayoutCount& space, double memoryLimit,
                         const std::function<void(const SearchResult&)>& progress)
    : m_options(options)
    , m_progress(progress)
{
    m_result.counts.enumerated = space.layouts;
    m_result.counts.counted = !space.atLeast;
    m_result.memoryLimit = memoryLimit;
}

void SearchBoard::expect(double memory, double stepTime)
{
    if (memory <= memoryLimit()) {
        m_somethingFits = true;
        m_slowestThatCounts = std::min(m_slowestThatCounts.load(), stepTime);
    } else {
        m_leastExpected = std::min(m_leastExpected, memory);
    }
}

void SearchBoard::dropSlowerThan(double stepTime)
{
    m_slowestThatCounts = std::min(m_slowestThatCounts.load(), stepTime);
}

double SearchBoard::View::slowestThatCounts(double memory)
{
    const double best = m_board.m_slowestThatCounts.load(std::memory_order_relaxed) * (1 + rounding);
    if (!m_board.m_options.front) {
        return best;
    }
    if (m_board.m_frontVersion.load(std::memory_order_relaxed) != m_frontVersion) {
        const std::lock_guard lock(m_board.m_mutex);
        m_frontVersion = m_board.m_frontVersion;
        m_front.clear();
        for (const PlacedLayout& layout : m_board.m_front) {
            m_front.push_back({layout.found.stepTime, layout.found.peakMemory});
        }
    }
    // Of the corners that need no more memory the last is the fastest.
    const auto above = std::upper_bound(m_front.begin(), m_front.end(), memory,
                                        [](double bytes, const Corner& corner) { return bytes < corner.memory; });
    const double unbeaten =
        above == m_front.begin() ? std::numeric_limits<double>::infinity() : (above - 1)->time * (1 + rounding);
    return std::max(best, unbeaten);
}

double SearchBoard::View::mostWorthNoting() const
{
    const bool leanestCounts = !m_board.m_somethingFits.load(std::memory_order_relaxed);
    const double leanest = std::min(m_leastMemory, m_board.m_leastExpected);
    return std::max(m_board.memoryLimit(), leanestCounts ? leanest : 0) * (1 + rounding);
}

void SearchBoard::View::noteTooLarge(const Layout& layout, double memory, const SearchPlace& place)
{
    // Parts come to a thread in ascending order, so that the first of equals stays.
    if (memory < m_leastMemory) {
        m_leastMemory = memory;
        m_leanest = {{layout, 0, memory}, place};
    }
}

bool SearchBoard::addToBest(const PlacedLayout& layout)
{
    const auto most = static_cast<std::size_t>(std::max(1, m_options.top));
    const auto at = std::upper_bound(m_best.begin(), m_best.end(), layout, faster);
    if (at == m_best.end() && m_best.size() == most) {
        return false;
    }
    m_best.insert(at, layout);
    m_best.resize(std::min(m_best.size(), most));
    if (m_best.size() == most) {
        m_slowestThatCounts = m_best.back().found.stepTime;
    }
    return true;
}

bool SearchBoard::addToFront(const PlacedLayout& layout)
{
    const auto beaten = [&](const PlacedLayout& other) { return beats(layout, other); };
    if (std::any_of(m_front.begin(), m_front.end(), [&](const PlacedLayout& other) { return beats(other, layout); })) {
        return false;
    }
    m_front.erase(std::remove_if(m_front.begin(), m_front.end(), beaten), m_front.end());
    m_front.insert(std::upper_bound(m_front.begin(), m_front.end(), layout, leaner), layout);
    ++m_frontVersion;
    return true;
}

void SearchBoard::offer(View& view, const PlacedLayout& layout)
{
    const std::lock_guard lock(m_mutex);
    m_somethingFits = true;
    const bool onFront = m_options.front && addToFront(layout);
    if (addToBest(layout) || onFront) {
        takeFrom(view);
        tell();
    }
}

void SearchBoard::takeFrom(View& view)
{
    add(m_result.counts, view.counts);
    view.counts = {};
    if (view.m_leastMemory < std::numeric_limits<double>::infinity()
        && (!m_leanest || leaner(view.m_leanest, *m_leanest))) {
        m_leanest = view.m_leanest;
    }
}

void SearchBoard::finishPart(View& view)
{
    const std::lock_guard lock(m_mutex);
    takeFrom(view);
    tell();
}

void SearchBoard::tell()
{
    if (m_progress) {
        SearchResult soFar = m_result;
        soFar.best = withoutPlaces(m_best);
        soFar.front = withoutPlaces(m_front);
        m_progress(soFar);
    }
}

SearchResult SearchBoard::result(bool complete) const
{
    const std::lock_guard lock(m_mutex);
    SearchResult all = m_result;
    all.best = withoutPlaces(m_best);
    all.front = withoutPlaces(m_front);
    if (all.best.empty() && m_leanest) {
        all.leanest = m_leanest->found;
    }
    all.complete = complete;
    return all;
}

} // namespace partita
