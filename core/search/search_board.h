// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/layout_space.h"
#include "core/search/search.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

namespace partita {

/// Where a layout stands in the order of the space; decides between equals, so that threads do not.
struct SearchPlace {
    std::size_t part = 0;
    std::int64_t sequence = 0;

    auto operator<=>(const SearchPlace&) const = default;
};

struct PlacedLayout {
    FoundLayout found;
    SearchPlace place;
};

/// What the threads of a search share: the best so far, and with it how good a layout must be to matter.
class SearchBoard {
public:
    SearchBoard(const SearchOptions& options, const LayoutCount& space, double memoryLimit,
                const std::function<void(const SearchResult&)>& progress);

    /// One thread's own copy of what must be asked for every layout.
    class View {
    public:
        explicit View(SearchBoard& board)
            : m_board(board)
        {
        }
        /// The longest a layout of so much memory may take to end up in the result, with room for rounding.
        double slowestThatCounts(double memory);
        /// Bytes above which a layout neither fits nor is the leanest of those that do not.
        double mostWorthNoting() const;
        void noteTooLarge(const Layout& layout, double memory, const SearchPlace& place);

        SearchCounts counts; ///< since the part was begun

    private:
        friend class SearchBoard;
        struct Corner {
            double time = 0;
            double memory = 0;
        };
        SearchBoard& m_board;
        std::vector<Corner> m_front; ///< least memory first, as of m_frontVersion
        std::uint64_t m_frontVersion = 0;
        PlacedLayout m_leanest;
        double m_leastMemory = std::numeric_limits<double>::infinity();
    };

    double memoryLimit() const { return m_result.memoryLimit; }
    /// Before the search: a layout of so much memory is among those to come, and if it fits, so fast.
    void expect(double memory, double stepTime);
    /// Slower layouts are of no interest.
    void dropSlowerThan(double stepTime);
    void offer(View& view, const PlacedLayout& layout);
    void finishPart(View& view);
    /// To be called when no thread works any more.
    SearchResult result(bool complete) const;

private:
    bool addToBest(const PlacedLayout& layout);
    bool addToFront(const PlacedLayout& layout);
    void takeFrom(View& view);
    void tell();

    const SearchOptions m_options;
    const std::function<void(const SearchResult&)>& m_progress;
    std::atomic<double> m_slowestThatCounts = std::numeric_limits<double>::infinity();
    std::atomic<std::uint64_t> m_frontVersion = 0;
    std::atomic<bool> m_somethingFits = false;
    double m_leastExpected = std::numeric_limits<double>::infinity(); ///< bytes, where it does not fit
    mutable std::mutex m_mutex; ///< of everything below
    std::vector<PlacedLayout> m_best;
    std::vector<PlacedLayout> m_front;
    std::optional<PlacedLayout> m_leanest;
    SearchResult m_result; ///< counts and limits; the lists are filled when asked for
};

} // namespace partita
