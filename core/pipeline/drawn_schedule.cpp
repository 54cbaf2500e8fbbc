// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/drawn_schedule.h"

#include "core/pipeline/op_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace partita {

namespace {

/// Micro-batches that go by while a schedule fills and drains, from the fewest that may do to enough; none where that
/// is not known to work: what runs all forwards first does not repeat.
std::vector<int> microBatchesToFill(ScheduleKind kind, int stages)
{
    switch (kind) {
    case ScheduleKind::GPipe:
    case ScheduleKind::BreadthFirst:
        return {};
    case ScheduleKind::Interleaved:
    case ScheduleKind::OneFOneBOverlap:
        return {2 * stages, 3 * stages, 4 * stages};
    case ScheduleKind::DualPipe:
    case ScheduleKind::DualPipeV:
        return {2 * stages + 4, 3 * stages + 4, 4 * stages + 4};
    default:
        return {stages + 4, 3 * stages / 2 + 4, 2 * stages + 4};
    }
}

/// Micro-batches in which groups of ranks, or the two ends of a pipeline, take turns.
int periodOf(ScheduleKind kind, int stages)
{
    return kind == ScheduleKind::Interleaved || kind == ScheduleKind::OneFOneBOverlap ? stages : 2;
}

} // namespace

/// Puts the ops of all ranks into one order in which every op comes after what it needs: as if all took equally long,
/// so that what repeats itself on the ranks does so in the order, too.
class DrawnSchedule::Sorter {
public:
    Sorter(DrawnSchedule& drawn, const Schedule& schedule)
        : m_drawn(drawn)
        , m_schedule(schedule)
        , m_placement(schedule.placement)
        , m_microBatches(static_cast<std::size_t>(schedule.microBatches))
        , m_chunks(static_cast<std::size_t>(m_placement.chunks))
        , m_sortsOfRank((plainKinds + (describe(schedule.kind).pairsForwardBackward ? m_chunks : 0)) * m_chunks)
        , m_sorts(schedule.order.size() * m_sortsOfRank)
        , m_kinds(static_cast<std::size_t>(drawn.m_rows) * m_sortsOfRank, none)
        , m_next(schedule.order.size(), 0)
    {
        const std::size_t results = m_placement.links.size() * m_microBatches;
        m_forward.assign(results, 0);
        m_backward.assign(results, 0);
    }

    void run()
    {
        std::size_t ops = 1;
        for (const std::vector<ScheduleOp>& program : m_schedule.order) {
            ops += program.size();
        }
        m_drawn.m_ops.reserve(ops);
        m_drawn.m_beforeSends.reserve(ops);
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t rank = 0; rank < m_next.size(); ++rank) {
                moved = advance(rank) || moved;
            }
        }
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t plainKinds = 4; ///< of ops that are no pairs, which come first in OpKind

    /// What ops of a rank have in common whatever their micro-batch is. Slots as in Placement.
    struct Sort {
        std::uint32_t kind = none; ///< none = not looked up yet
        std::uint32_t forwardFrom = none; ///< slot of another rank, whose output they need
        std::uint32_t backwardFrom = none; ///< slot of another rank, whose input gradient they need
        std::uint32_t forwardOf = none; ///< slot whose output they give
        std::uint32_t backwardOf = none; ///< slot whose input gradient they give
        bool sends = false; ///< to another rank
        bool enters = false; ///< brings a new micro-batch in
    };

    /// Place among a rank's sorts.
    std::size_t place(const ScheduleOp& op) const
    {
        const auto chunk = static_cast<std::size_t>(op.chunk);
        return op.kind == OpKind::ForwardBackward
            ? (plainKinds + chunk) * m_chunks + static_cast<std::size_t>(op.partnerChunk)
            : static_cast<std::size_t>(op.kind) * m_chunks + chunk;
    }

    const Sort& sortOf(std::size_t rank, const ScheduleOp& op)
    {
        const std::size_t at = place(op);
        Sort& sort = m_sorts[rank * m_sortsOfRank + at];
        if (sort.kind == none) {
            lookUp(static_cast<std::int32_t>(rank), op, sort);
            const int row = m_drawn.m_rowOf[rank];
            std::uint32_t& kind = m_kinds[static_cast<std::size_t>(row) * m_sortsOfRank + at];
            if (kind == none) {
                kind = static_cast<std::uint32_t>(m_drawn.m_kinds.size());
                m_drawn.m_kinds.push_back({op, row});
            }
            sort.kind = kind;
        }
        return sort;
    }

    void lookUp(std::int32_t rank, const ScheduleOp& op, Sort& sort) const
    {
        const auto slot = [this](ChunkSite site) { return static_cast<std::uint32_t>(m_placement.slot(site)); };
        std::array<Need, 3> needs;
        const int count = needsOf(m_placement, rank, op, needs);
        for (int i = 0; i < count; ++i) {
            const Need& need = needs[static_cast<std::size_t>(i)];
            if (need.site.rank != rank) { // what the rank itself has given came before anyway
                (need.kind == OpKind::Forward ? sort.forwardFrom : sort.backwardFrom) = slot(need.site);
            }
        }
        if (hasForward(op.kind)) {
            sort.forwardOf = slot({rank, op.chunk});
            sort.enters = !m_placement.link(rank, op.chunk).previous;
        }
        if (hasInputGradient(op.kind)) {
            sort.backwardOf = slot({rank, backwardChunk(op)});
        }
        sort.sends = sendsResult(m_placement, rank, op);
    }

    std::size_t result(std::uint32_t slot, std::int32_t microBatch) const
    {
        return slot * m_microBatches + static_cast<std::size_t>(microBatch);
    }

    /// Runs a rank's next op unless an input is missing; whether it did.
    bool advance(std::size_t rank)
    {
        const std::vector<ScheduleOp>& program = m_schedule.order[rank];
        std::size_t& next = m_next[rank];
        if (next == program.size()) {
            return false;
        }
        const ScheduleOp& op = program[next];
        const Sort& sort = sortOf(rank, op);
        const auto index = static_cast<std::uint32_t>(m_drawn.m_ops.size());
        Op sorted;
        if (sort.forwardFrom != none) {
            const std::uint32_t giver = m_forward[result(sort.forwardFrom, op.microBatch)];
            if (giver == 0) {
                return false;
            }
            sorted.forward = index - giver;
        }
        if (sort.backwardFrom != none) {
            const std::uint32_t giver = m_backward[result(sort.backwardFrom, backwardMicroBatch(op))];
            if (giver == 0) {
                return false;
            }
            sorted.backward = index - giver;
        }
        const bool held = next > 0 && sortOf(rank, program[next - 1]).sends;
        sorted.before = index - static_cast<std::uint32_t>(m_drawn.m_last[rank]);
        sorted.seconds = sort.kind;
        append(rank, op, sort, sorted, held);
        ++next;
        return true;
    }

    void append(std::size_t rank, const ScheduleOp& op, const Sort& sort, const Op& sorted, bool held)
    {
        const std::size_t index = m_drawn.m_ops.size();
        m_drawn.m_ops.push_back(sorted);
        m_drawn.m_beforeSends.push_back(held ? 1 : 0);
        m_drawn.m_last[rank] = index;
        if (sort.forwardOf != none) {
            m_forward[result(sort.forwardOf, op.microBatch)] = static_cast<std::uint32_t>(index);
        }
        if (sort.backwardOf != none) {
            m_backward[result(sort.backwardOf, backwardMicroBatch(op))] = static_cast<std::uint32_t>(index);
        }
        if (sort.enters) {
            m_drawn.m_entries.push_back(index);
        }
    }

    DrawnSchedule& m_drawn;
    const Schedule& m_schedule;
    const Placement& m_placement;
    std::size_t m_microBatches;
    std::size_t m_chunks;
    std::size_t m_sortsOfRank;
    std::vector<Sort> m_sorts; ///< [rank][place]
    std::vector<std::uint32_t> m_kinds; ///< [row][place] in DrawnSchedule::m_kinds
    std::vector<std::size_t> m_next; ///< [rank]
    std::vector<std::uint32_t> m_forward; ///< [slot][micro-batch] who gives it; 0 = nobody yet
    std::vector<std::uint32_t> m_backward;
};

DrawnSchedule::DrawnSchedule(ScheduleKind kind, int stages, int microBatches, int chunks, const std::vector<int>& rows)
    : m_placement(placementOf(kind, stages, chunks))
    , m_rows(*std::max_element(rows.begin(), rows.end()) + 1)
    , m_rowOf(rows)
    , m_period(periodOf(kind, stages))
{
    const auto drawUp = [&](int count) {
        m_microBatches = count;
        if (const Result<Schedule> schedule = makeSchedule(kind, stages, count, chunks)) {
            draw(*schedule, rows);
        }
    };
    for (const int filled : microBatchesToFill(kind, stages)) {
        m_fewest = filled;
        if (microBatches < m_fewest) {
            break;
        }
        drawUp(filled + (microBatches - filled) % static_cast<int>(m_period));
        if (repeat()) {
            return;
        }
    }
    drawUp(microBatches);
}

bool DrawnSchedule::runs(std::int64_t microBatches) const
{
    return m_steady.block == 0 ? microBatches == m_microBatches
                               : microBatches >= m_fewest && (microBatches - m_microBatches) % m_period == 0;
}

void DrawnSchedule::draw(const Schedule& schedule, const std::vector<int>& rows)
{
    m_ops.assign(1, {}); // no op, which has ended at 0 and comes before the first ones
    m_beforeSends.assign(1, 0);
    m_kinds.clear();
    m_entries.clear();
    m_last.assign(rows.size(), 0);
    Sorter(*this, schedule).run();
    m_seconds.resize(m_kinds.size());
}

/// Whether in ops [from, to) so many micro-batches' worth of each kind of work is done: then ranks are as far after
/// them as before.
bool DrawnSchedule::passes(std::size_t from, std::size_t to, std::size_t microBatches) const
{
    std::size_t forwards = 0;
    std::size_t inputGradients = 0;
    std::size_t weightGradients = 0;
    for (std::size_t i = from; i < to; ++i) {
        const OpKind kind = m_kinds[m_ops[i].seconds].op.kind;
        forwards += hasForward(kind) ? 1U : 0U;
        inputGradients += hasInputGradient(kind) ? 1U : 0U;
        weightGradients += hasWeightGradient(kind) ? 1U : 0U;
    }
    const std::size_t all = microBatches * static_cast<std::size_t>(m_placement.modelChunks);
    return forwards == all && inputGradients == all && weightGradients == all;
}

/// Finds the block that more micro-batches repeat. False where there is none.
bool DrawnSchedule::repeat()
{
    for (const std::size_t from : {m_ops.size() / 2, m_ops.size() / 3}) {
        const auto begin = std::lower_bound(m_entries.begin(), m_entries.end(), from);
        const auto ahead = static_cast<std::size_t>(m_entries.end() - begin);
        for (const std::size_t entries : {std::size_t{1}, std::size_t{2}, m_last.size()}) {
            if (entries < ahead && static_cast<std::size_t>(m_period) % entries == 0
                && repeatFrom(*begin, begin[static_cast<std::ptrdiff_t>(entries)], entries)) {
                return true;
            }
        }
    }
    return false;
}

/// Whether ops repeat as they are in [begin, begin of the next block), in which so many micro-batches come in.
bool DrawnSchedule::repeatFrom(std::size_t begin, std::size_t next, std::size_t entries)
{
    const std::size_t block = next - begin;
    if (!passes(begin, next, entries)) {
        return false;
    }
    const auto same = [&](std::size_t i) {
        return m_ops[i] == m_ops[i + block] && m_beforeSends[i] == m_beforeSends[i + block];
    };
    std::size_t first = begin;
    while (first > 1 && same(first - 1)) {
        --first;
    }
    std::size_t last = begin;
    while (last + block < m_ops.size() && same(last)) {
        ++last;
    }
    const std::size_t end = std::min(last + block, *std::min_element(m_last.begin(), m_last.end())); // all drain
    if (end < first + 2 * block) {
        return false;
    }
    m_steady = {first, end, block, 0, static_cast<std::int64_t>(entries)};
    for (std::size_t i = end - block; i < m_ops.size(); ++i) {
        const std::size_t back = std::max({m_ops[i].before, m_ops[i].forward, m_ops[i].backward});
        const std::size_t drained = i < end ? 0 : i - end;
        m_steady.reach = std::max(m_steady.reach, back - std::min(back, drained));
    }
    dropRepeats();
    return true;
}

/// Leaves no more of the blocks than a period of them and what later ops look back at.
void DrawnSchedule::dropRepeats()
{
    const std::size_t kept = m_steady.begin + std::max(m_steady.block, m_steady.reach);
    const auto period = static_cast<std::size_t>(m_period / m_steady.entries) * m_steady.block;
    const std::size_t periods = m_steady.end > kept ? (m_steady.end - kept) / period : 0;
    const std::size_t dropped = periods * period;
    const auto drop = [&](auto& byOp) {
        const auto from = byOp.begin() + static_cast<std::ptrdiff_t>(kept);
        byOp.erase(from, from + static_cast<std::ptrdiff_t>(dropped));
    };
    drop(m_ops);
    drop(m_beforeSends);
    for (std::size_t& op : m_last) {
        op -= dropped;
    }
    m_steady.end -= dropped;
    m_microBatches -= static_cast<std::int64_t>(periods) * m_period;
}

/// Ops [from, to), whose ends go to m_ends from `at` on. An op that waits for nothing of a sort looks at itself, which
/// has not ended yet: no branch in a loop of a few nanoseconds.
void DrawnSchedule::run(const StageTimes& times, std::size_t from, std::size_t to, std::size_t at)
{
    const double* seconds = m_seconds.data();
    const double transfer = times.transfer;
    const std::array<double, 2> hold{0, times.blockingTransfer ? transfer : 0};
    constexpr double never = -std::numeric_limits<double>::infinity();
    double* end = m_ends.data() + at;
    for (std::size_t i = from; i < to; ++i, ++end) {
        const Op& op = m_ops[i];
        *end = never;
        const double free = *(end - op.before) + hold[m_beforeSends[i]];
        const double arrived = std::max(*(end - op.forward), *(end - op.backward)) + transfer;
        *end = std::max(free, arrived) + seconds[op.seconds];
    }
    if (!m_waits.empty()) {
        addWaits(times, from, to, at);
    }
}

/// Whether everything that ops from `at` on look back at has ended by the same later than a cycle before: then so does
/// all that follows.
bool DrawnSchedule::growsAlike(std::size_t at, std::size_t cycle) const
{
    const double* ends = m_ends.data();
    const double noise = tolerance(at);
    const double growth = ends[at - 1] - ends[at - 1 - cycle];
    for (std::size_t i = at - m_steady.reach; i < at; ++i) {
        if (std::abs(ends[i] - ends[i - cycle] - growth) > noise) {
            return false;
        }
    }
    return true;
}

/// Blocks for which every op goes on growing as in the block that ends at `at`; 0 where some will not.
std::int64_t DrawnSchedule::evenBlocks(const StageTimes& times, std::size_t at, std::int64_t left)
{
    const double* ends = m_ends.data();
    const std::size_t block = m_steady.block;
    const double noise = tolerance(at);
    for (std::size_t i = at - m_steady.reach + block; i < at; ++i) {
        if (std::abs((ends[i] - ends[i - block]) - (ends[i - block] - ends[i - 2 * block])) > noise) {
            return 0;
        }
    }
    const double hold = times.blockingTransfer ? times.transfer : 0;
    auto blocks = static_cast<double>(left);
    for (std::size_t step = 0; step < block; ++step) {
        const std::size_t back = 1 + (m_doubtful + step) % block;
        const std::size_t drawn = m_steady.end - back;
        const std::size_t self = at - back;
        const Op& op = m_ops[drawn];
        const double start = ends[self] - m_seconds[op.seconds];
        const double growth = ends[self] - ends[self - block];
        bool follows = false; // something that holds it up and will go on growing as it does
        const auto look = [&](std::uint32_t distance, double delay) {
            if (distance == 0) {
                return;
            }
            const std::size_t other = self - distance;
            const std::size_t last = other + block < at ? other + block : other;
            const double gains = (ends[last] - ends[last - block]) - growth; // on this op, per block
            const double spare = start - ends[other] - delay;
            if (gains > noise) {
                blocks = std::min(blocks, spare / gains);
            } else {
                follows = follows || (gains >= -noise && spare <= noise);
            }
        };
        look(op.before, hold * m_beforeSends[drawn]);
        look(op.forward, times.transfer);
        look(op.backward, times.transfer);
        if (!follows || blocks < 1) {
            m_doubtful = back - 1;
            return 0;
        }
    }
    return static_cast<std::int64_t>(blocks);
}

/// Puts what later ops look back at off by what so many blocks would, where all grow alike from cycle to cycle.
void DrawnSchedule::putOff(std::size_t at, std::int64_t blocks, std::int64_t left)
{
    const std::int64_t cycles = (left + blocks - 1) / blocks;
    const std::size_t earlier = static_cast<std::size_t>(cycles * blocks - left) * m_steady.block;
    const std::size_t cycle = static_cast<std::size_t>(blocks) * m_steady.block;
    const double delay = static_cast<double>(cycles) * (m_ends[at - 1] - m_ends[at - 1 - cycle]);
    for (std::size_t i = at; i-- > at - m_steady.reach;) {
        m_ends[i] = m_ends[i - earlier] + delay;
    }
}

/// Adds to the ends of what later ops look back at what blocks would; how many those are. Transfers that nothing hides
/// make a way down the pipeline and back the slowest cycle, which takes as many blocks as there are stages.
std::int64_t DrawnSchedule::jump(const StageTimes& times, std::size_t at, std::size_t known, std::int64_t left)
{
    const std::size_t block = m_steady.block;
    const std::size_t past = at - known; // of which blocks follow each other
    if (past < m_steady.reach + block) {
        return 0;
    }
    const std::int64_t longest = std::min({static_cast<std::int64_t>((past - m_steady.reach) / block),
                                           2 * static_cast<std::int64_t>(m_placement.stages), left});
    for (std::int64_t blocks = 1; blocks <= longest; ++blocks) {
        if (growsAlike(at, static_cast<std::size_t>(blocks) * block)) {
            if (!m_waits.empty()) {
                addWaitsAlike(times, at, blocks, left);
            }
            putOff(at, blocks, left);
            return left;
        }
    }
    const std::int64_t blocks = past >= 2 * block ? evenBlocks(times, at, left) : 0;
    if (blocks > 0) {
        if (!m_waits.empty()) {
            addWaitsEven(times, at, blocks);
        }
        for (std::size_t i = at; i-- > at - m_steady.reach;) {
            m_ends[i] += static_cast<double>(blocks) * (m_ends[i] - m_ends[i - block]);
        }
    }
    return blocks;
}

/// Runs the block so often again; where in m_ends it ends.
std::size_t DrawnSchedule::runSteady(const StageTimes& times, std::int64_t repeats)
{
    const std::size_t block = m_steady.block;
    std::size_t at = m_steady.end;
    std::size_t known = m_steady.begin; // from here on blocks follow each other
    std::int64_t left = repeats;
    while (left > 0) {
        if (const std::int64_t jumped = jump(times, at, known, left); jumped > 0) {
            left -= jumped;
            known = at - m_steady.reach;
            continue;
        }
        if (m_ends.size() < at + block) {
            m_ends.resize(2 * m_ends.size() + block);
        }
        run(times, m_steady.end - block, m_steady.end, at);
        at += block;
        --left;
    }
    return at;
}

void DrawnSchedule::ends(const StageTimes& times, std::int64_t microBatches, std::vector<double>& byRow)
{
    for (std::size_t i = 0; i < m_kinds.size(); ++i) {
        m_seconds[i] = secondsOf(times, static_cast<std::size_t>(m_kinds[i].row), m_placement, m_kinds[i].op);
    }
    m_ends.resize(std::max(m_ends.size(), m_ops.size()));
    std::size_t later = 0; // places in m_ends by which the ops after the steady ones are put off
    if (microBatches > m_microBatches) {
        run(times, 1, m_steady.end, 1);
        const std::size_t at = runSteady(times, (microBatches - m_microBatches) / m_steady.entries);
        later = at - m_steady.end;
        m_ends.resize(std::max(m_ends.size(), m_ops.size() + later));
        run(times, m_steady.end, m_ops.size(), at);
    } else {
        run(times, 1, m_ops.size(), 1);
    }
    byRow.assign(static_cast<std::size_t>(m_rows), 0);
    for (std::size_t rank = 0; rank < m_last.size(); ++rank) {
        double& latest = byRow[static_cast<std::size_t>(m_rowOf[rank])];
        latest = std::max(latest, m_ends[m_last[rank] + later]);
    }
}

void DrawnSchedule::ends(const StageTimes& times, std::int64_t microBatches, std::vector<double>& byRow,
                         std::vector<double>& room)
{
    m_ends.swap(room);
    ends(times, microBatches, byRow);
    m_ends.swap(room);
}

} // namespace partita
