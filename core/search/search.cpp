// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/search.h"

#include "core/model/check_model.h"
#include "core/scenario/rules.h"
#include "core/scenario/split_limits.h"
#include "core/search/empty_space.h"
#include "core/search/fast_model.h"
#include "core/search/in_threads.h"
#include "core/search/layout_space.h"
#include "core/search/search_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace partita {

namespace {

/// The ways to recompute that may lead to a layout that counts.
class RecomputeChoice {
public:
    explicit RecomputeChoice(const std::vector<Recompute>& all)
        : m_all(&all)
    {
    }

    void open() { m_states.fill(State::Open); }
    /// evenSlow: slow layouts are to be counted, too.
    template <class FloorOf> void narrow(const FloorOf& floorOf, SearchBoard::View& view, bool evenSlow)
    {
        const double most = view.mostWorthNoting();
        for (const Recompute recompute : *m_all) {
            State& state = m_states[static_cast<std::size_t>(recompute)];
            if (state != State::Open) {
                continue;
            }
            const FastModel::Floor floor = floorOf(recompute);
            if (floor.memory > most) {
                state = State::TooLarge;
            } else if (!evenSlow && floor.time > view.slowestThatCounts(floor.memory)) {
                state = State::TooSlow;
            }
        }
    }
    bool some(Recompute recompute) const { return is(recompute, State::Open); }
    bool some() const
    {
        return std::any_of(m_all->begin(), m_all->end(), [this](Recompute each) { return some(each); });
    }
    bool tooLarge(Recompute recompute) const { return is(recompute, State::TooLarge); }
    bool allTooLarge() const
    {
        return std::all_of(m_all->begin(), m_all->end(), [this](Recompute each) { return tooLarge(each); });
    }

private:
    enum class State { Open, TooSlow, TooLarge };

    bool is(Recompute recompute, State state) const { return m_states[static_cast<std::size_t>(recompute)] == state; }

    const std::vector<Recompute>* m_all;
    std::array<State, Names<Recompute>::table.size()> m_states{};
};

constexpr double infinity = std::numeric_limits<double>::infinity();

class Search {
public:
    Search(const Scenario& scenario, const LayoutSpace& space, SearchBoard& board, const std::function<bool()>& stop,
           bool countFits)
        : m_scenario(scenario)
        , m_space(space)
        , m_board(board)
        , m_stop(stop)
        , m_countFits(countFits)
        , m_anySplit(m_space.limits().stageSplit == StageSplit::Any)
        , m_finished(space.deviceSplits().size(), 0)
    {
    }

    void run(const SearchOptions& options)
    {
        if (options.model != nullptr) {
            work(*options.model);
            return;
        }
        inThreads(std::max(1, options.threads), [this] {
            FastModel model(m_scenario);
            work(model);
        });
    }

    bool stopped() const { return m_stopped; }

    /// s that layouts of the parts that were not finished take at least: their layers up to the experts.
    double boundOfTheRest(int threads) const
    {
        std::map<std::pair<int, int>, std::vector<DeviceSplit>> groups; // with the same layers, up to the experts
        for (std::size_t part = 0; part < m_finished.size(); ++part) {
            if (m_finished[part] == 0) {
                const DeviceSplit& split = m_space.deviceSplits()[part];
                groups[{split.tp, split.cp}].push_back(split);
            }
        }
        std::mutex mutex; // of the next two
        double least = infinity;
        auto next = groups.cbegin();
        const auto take = [&] {
            const std::lock_guard lock(mutex);
            return next == groups.cend() ? next : next++;
        };
        inThreads(threads, [&] {
            double own = infinity;
            LayoutSpace space = m_space;
            FastModel model(m_scenario);
            for (auto group = take(); group != groups.cend(); group = take()) {
                for (const DeviceSplit& split : group->second) {
                    space.visitWithoutExperts(split, [&](const Layout& layout) {
                        own = std::min(own, model.timeFloor(Family::Kernels, layout, 0, {}));
                    });
                }
            }
            const std::lock_guard lock(mutex);
            least = std::min(least, own);
        });
        return least;
    }

private:
    /// Takes one device split after the other until none is left.
    void work(FastModel& model)
    {
        LayoutSpace space = m_space;
        SearchBoard::View view(m_board);
        const std::vector<DeviceSplit>& splits = space.deviceSplits();
        for (std::size_t i = m_next++; i < splits.size() && !stopNow(); i = m_next++) {
            searchPart(space, i, model, view);
            m_finished[i] = m_stopped ? 0 : 1;
            m_board.finishPart(view);
        }
    }

    void searchPart(LayoutSpace& space, std::size_t part, FastModel& model, SearchBoard::View& view)
    {
        std::int64_t sequence = 0;
        double floor = 0; // bytes, of the families entered
        const auto skip = [&](std::int64_t members, bool tooLarge) {
            view.counts.legal += members;
            view.counts.pruned += members;
            view.counts.unseen += tooLarge ? 0 : members;
            sequence += members;
            return false;
        };
        std::optional<FastModel::StatesByZero> leanest; // with experts split in any way
        FastModel::Common common;
        FastModel::GroupFloors floors;
        FastModel::StatesByZero states; // of the kernels entered
        const Pipelines* commonOf = nullptr;
        bool loadsKnown = false;
        RecomputeChoice groups(m_space.limits().recompute); // ways to recompute that may be worth a look
        RecomputeChoice kernels = groups;
        const auto enterGroup = [&](const LayoutGroup& group) {
            if (stopNow()) {
                return false;
            }
            if (commonOf != &group.pipelines) {
                commonOf = &group.pipelines;
                common = FastModel::common(group);
                loadsKnown = m_anySplit;
            }
            groups.open();
            const bool timed = !m_countFits && view.slowestThatCounts(0) < infinity; // else nothing is too slow
            if (timed && model.timeFloor(group, common) > view.slowestThatCounts(0)) {
                return skip(group.members, false);
            }
            if (!timed) { // nothing is priced for groups whose states alone are too large
                leanest = leanest ? leanest : model.leastStates(group, common);
                const FastModel::GroupFloors bare = FastModel::statesAlone(group);
                if (model.floor(bare, *leanest, Recompute::None, common).memory > view.mostWorthNoting()) {
                    return skip(group.members, true);
                }
            }
            floors = model.groupFloors(group, m_space.limits().recompute, common);
            leanest = leanest ? leanest : model.leastStates(group, common);
            const auto floorOf = [&](Recompute each) { return model.floor(floors, *leanest, each, common); };
            groups.narrow(floorOf, view, m_countFits);
            if (groups.some() && !loadsKnown) {
                model.addLoads(group, common);
                loadsKnown = true;
                groups.narrow(floorOf, view, m_countFits);
            }
            return groups.some() || skip(group.members, groups.allTooLarge());
        };
        const auto leanestFits = [&](Layout layout) {
            layout.zeroStage = layout.zeroStage == 3 ? 3 : common.zeroStage;
            return model.peakMemory(layout) <= view.mostWorthNoting();
        };
        const auto enterKernels = [&](const Layout& layout, std::int64_t members) {
            kernels = groups;
            states = model.states(layout, common);
            kernels.narrow([&](Recompute each) { return model.floor(floors, states, each, common); }, view,
                           m_countFits);
            if (kernels.some() && !m_countFits) {
                const FastModel::Routed& experts = model.routed(layout);
                kernels.narrow(
                    [&](Recompute each) { return model.floor(floors, states, experts, layout, each, common); }, view,
                    m_countFits);
            }
            return kernels.some() || skip(members, kernels.allTooLarge());
        };
        const auto enter = [&](Family family, const Layout& layout, std::int64_t members) {
            if (stopNow()) {
                return false;
            }
            if (family == Family::Kernels) {
                return enterKernels(layout, members);
            }
            if (family == Family::Passes) {
                if (!kernels.some(layout.recompute)) {
                    return skip(members, kernels.tooLarge(layout.recompute));
                }
                floor = model.memoryFloor(family, floors, states, layout, common);
                if (floor <= view.mostWorthNoting()) {
                    floor = model.memoryFloor(family, layout, common);
                }
            }
            const double held = family == Family::Stages && !m_anySplit && !m_countFits
                ? std::max(floor, model.memoryFloor(family, floors, states, layout, common))
                : floor;
            const bool tooLarge = held > view.mostWorthNoting();
            const bool mustCount = m_countFits && !tooLarge;
            const double slowest = tooLarge || mustCount ? 0 : view.slowestThatCounts(held);
            const auto floorOfTime = [&] {
                return m_anySplit && family == Family::Stages ? model.anySplitFloor(layout)
                                                              : model.timeFloor(family, layout, slowest, common);
            };
            if (!mustCount && (tooLarge || (slowest < infinity && floorOfTime() > slowest))) {
                return skip(members, tooLarge);
            }
            const bool some =
                family != Family::Stages || m_anySplit || mustCount || members == 1 || leanestFits(layout);
            return some || skip(members, true);
        };
        const auto take = [&](const Layout& layout) {
            if (!m_stopped) {
                look(model, view, layout, {part, sequence++});
            }
        };
        space.visit(space.deviceSplits()[part], {enterGroup, enter, take});
    }

    bool stopNow()
    {
        if (!m_stopped && m_stop()) {
            m_stopped = true;
        }
        return m_stopped;
    }

    struct Look {
        bool fits = false;
        bool timed = false;
    };

    void look(FastModel& model, SearchBoard::View& view, const Layout& layout, const SearchPlace& place)
    {
        SearchCounts& counts = view.counts;
        ++counts.legal;
        Look seen = lookAt(model, view, layout, place);
        if (m_anySplit && layout.pp > 1) {
            lookAtSplits(model, view, layout, place, seen);
        }
        counts.fit += seen.fits ? 1 : 0;
        counts.evaluated += seen.timed ? 1 : 0;
        counts.pruned += seen.timed ? 0 : 1;
    }

    Look lookAt(FastModel& model, SearchBoard::View& view, const Layout& layout, const SearchPlace& place)
    {
        const double memory = model.peakMemory(layout);
        if (memory > m_board.memoryLimit()) {
            view.noteTooLarge(layout, memory, place);
            return {};
        }
        const double slowest = view.slowestThatCounts(memory);
        if (model.stepTimeBound(layout, slowest) > slowest) {
            return {true, false};
        }
        const double time = model.stepTime(layout);
        if (time <= slowest) {
            m_board.offer(view, {{layout, time, memory}, place});
        }
        return {true, true};
    }

    /// The layout with its layers moved between stages.
    void lookAtSplits(FastModel& model, SearchBoard::View& view, const Layout& layout, const SearchPlace& place,
                      Look& seen)
    {
        const double slowest = view.slowestThatCounts(model.memoryFloor(Family::Passes, layout, {}));
        if (model.anySplitFloor(layout) > slowest) {
            view.counts.unseen += seen.fits ? 0 : 1;
            return;
        }
        Layout moved = layout;
        for (const std::vector<int>& split : model.balancedSplits(m_board.memoryLimit(), layout)) {
            moved.layersPerStage = split;
            const Look look = lookAt(model, view, moved, place);
            seen.fits = seen.fits || look.fits;
            seen.timed = seen.timed || look.timed;
        }
    }

    const Scenario& m_scenario;
    const LayoutSpace& m_space;
    SearchBoard& m_board;
    const std::function<bool()>& m_stop;
    bool m_countFits;
    bool m_anySplit; ///< layers are balanced, too
    std::vector<char> m_finished; ///< by device split, of which each is one thread's
    std::atomic<std::size_t> m_next = 0;
    std::atomic<bool> m_stopped = false;
};

/// What is slower than a layout of the space cannot be the best.
void useKnown(const Scenario& scenario, LayoutSpace& layouts, const SearchOptions& options, SearchBoard& board)
{
    if (options.top != 1 || options.front) {
        return;
    }
    std::optional<FastModel> own;
    FastModel& model = options.model != nullptr ? *options.model : own.emplace(scenario);
    for (const Layout& layout : options.known) {
        if (layouts.holds(layout)) {
            const double memory = model.peakMemory(layout);
            board.expect(memory, memory <= board.memoryLimit() ? model.stepTime(layout) : 0);
        }
    }
}

} // namespace

Problems searchProblems(const Scenario& scenario)
{
    Problems problems = checkModel(scenario.model);
    const std::int64_t devices = deviceCount(scenario.cluster);
    if (devices < 1 || devices > mostDevices) {
        problems.push_back({"cluster.nodes", fmt::format("{}", scenario.cluster.nodes),
                            fmt::format("give {} devices", devices), "try 1"});
    }
    Scenario unsplit = scenario;
    unsplit.layout = Layout();
    for (Problem& problem : checkLayout(unsplit)) {
        if (problem.field.rfind("workload.", 0) == 0) {
            problems.push_back(std::move(problem));
        }
    }
    if (scenario.layout.globalBatch < 1) {
        problems.push_back(
            {"layout.global_batch", fmt::format("{}", scenario.layout.globalBatch), "must be at least 1", "try 1"});
    }
    return problems;
}

Result<SearchResult> searchLayouts(const Scenario& scenario, const SearchSpace& space, const SearchOptions& options,
                                   const std::function<bool()>& stop,
                                   const std::function<void(const SearchResult&)>& progress)
{
    if (Problems problems = searchProblems(scenario); !problems.empty()) {
        return problems;
    }
    LayoutSpace layouts(scenario, space);
    const LayoutCount size = options.countSpace ? layouts.size(stop) : LayoutCount{};
    if (options.countSpace ? size.layouts == 0 : layouts.empty()) {
        return noLayout(scenario, space);
    }
    SearchBoard board(options, size, scenario.cluster.accelerator.memoryBytes * (1 - space.headRoom), progress);
    board.dropSlowerThan(options.enough);
    useKnown(scenario, layouts, options, board);
    Search search(scenario, layouts, board, stop, options.countSpace && size.layouts <= options.countFitsUpTo);
    search.run(options);
    SearchResult result = board.result(!search.stopped());
    if (search.stopped() && options.wantsBound && options.wantsBound()) {
        result.bound = search.boundOfTheRest(std::max(1, options.threads));
    }
    return result;
}

} // namespace partita
