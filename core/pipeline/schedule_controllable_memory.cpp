// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/orders.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace partita::orders {

namespace {

// Qi et al. 2024, "Pipeline parallelism with controllable memory", arXiv:2405.15362: a building block says in which
// slot each rank runs a micro-batch's passes, and is repeated every 6 slots; passes take one slot each (F = B = W of a
// chunk). The repeated block leaves 2 of 6 slots to the weight gradients. Then the fill and the drain are squeezed
// without holding more than the block holds.

constexpr int period = 6;
constexpr int passes = 4; ///< in the order a micro-batch meets them: F chunk 0, F chunk 1, B chunk 1, B chunk 0
constexpr int weightGradient = passes;
constexpr int emptySlot = -1;

constexpr std::array<OpKind, passes> kinds{OpKind::Forward, OpKind::Forward, OpKind::BackwardInput,
                                           OpKind::BackwardInput};
constexpr std::array<int, passes> chunks{0, 1, 1, 0};

constexpr bool isForward(int pass)
{
    return pass < 2;
}

/// Slot of each pass of micro-batch 0 on a rank.
using Block = std::array<int, passes>;

/// Passes follow one another without a gap on the way through the ranks: a third of the memory of 1F1B.
Block vMinBlock(int stages, int rank)
{
    const int shift = stages % 3 == 0 ? 2 : 0; // keeps passes out of one another's slots
    return {rank, 2 * stages - 1 - rank, 2 * stages + shift + rank, 4 * stages + shift - 1 - rank};
}

/// Passes of chunk 0's forward and chunk 1's backward move on every second slot: half of the memory of 1F1B.
Block vHalfBlock(int stages, int rank)
{
    const int shift = stages % 2 == 0 ? 3 : 0;
    return {2 * rank, 3 * stages - 2 - rank, 3 * stages - 1 + shift + 2 * rank, 6 * stages + shift - 2 - rank};
}

/// What a rank holds after each slot. Blocks of slots keep their maximum, so that a range changes, and the last full
/// slot is found, without a walk through all of it.
class HeldMemory {
public:
    explicit HeldMemory(int slots)
        : m_held(static_cast<std::size_t>(slots), 0)
        , m_blocks(m_held.size() / blockSize + 1)
    {
    }

    void add(int from, int to, int change)
    {
        for (int slot = from; slot < to;) {
            Block& block = m_blocks[blockOf(slot)];
            const int end = blockEnd(slot);
            if (slot % blockSize == 0 && end <= to) {
                block.added += change;
                block.most += change;
            } else {
                addInBlock(slot, std::min(end, to), change);
            }
            slot = end;
        }
    }

    /// Last slot in [from, to) after which at least `held` is held; from - 1 when there is none.
    int lastHolding(int from, int to, int held) const
    {
        for (int slot = to - 1; slot >= from;) {
            const Block& block = m_blocks[blockOf(slot)];
            const int begin = slot - slot % blockSize;
            for (; block.most >= held && slot >= std::max(begin, from); --slot) {
                if (m_held[static_cast<std::size_t>(slot)] + block.added >= held) {
                    return slot;
                }
            }
            slot = std::min(slot, begin - 1);
        }
        return from - 1;
    }

private:
    static constexpr int blockSize = 64;
    struct Block {
        int added = 0; ///< to all of its slots
        int most = 0;
    };
    static std::size_t blockOf(int slot) { return static_cast<std::size_t>(slot / blockSize); }
    static int blockEnd(int slot) { return slot - slot % blockSize + blockSize; }

    void addInBlock(int from, int to, int change)
    {
        Block& block = m_blocks[blockOf(from)];
        const auto at = [this](int slot) { return m_held.begin() + slot; };
        std::for_each(at(from), at(to), [change](int& held) { held += change; });
        const int begin = from - from % blockSize;
        const int end = std::min(begin + blockSize, static_cast<int>(m_held.size()));
        block.most = block.added + *std::max_element(at(begin), at(end));
    }

    std::vector<int> m_held;
    std::vector<Block> m_blocks;
};

/// Slots of a rank nothing runs in. A slot that is taken points on, so that the next free one is found at once.
class FreeSlots {
public:
    explicit FreeSlots(int slots)
        : m_next(static_cast<std::size_t>(slots) + 1)
    {
        std::iota(m_next.begin(), m_next.end(), 0);
    }

    void take(int slot) { m_next[static_cast<std::size_t>(slot)] = slot + 1; }

    int firstFrom(int slot)
    {
        int free = slot;
        while (m_next[static_cast<std::size_t>(free)] != free) {
            int& next = m_next[static_cast<std::size_t>(free)];
            next = m_next[static_cast<std::size_t>(next)];
            free = next;
        }
        return free;
    }

private:
    std::vector<int> m_next;
};

/// What every rank does in every slot. A cell is pass * microBatches + micro-batch, weight gradients counted through.
class Timetable {
public:
    template <class MakeBlock> Timetable(int stages, int microBatches, MakeBlock makeBlock);

    /// Moves what fills the pipeline as early as its inputs and the memory held allow.
    void squeezeFill();

    /// The programs: as in the table until the last micro-batch enters, then whatever can run, longest due first.
    Programs drain() const;

private:
    struct Pass {
        int pass = 0;
        int microBatch = 0;
    };
    struct RankState;

    std::size_t cellAt(int rank, int slot) const { return index(rank, slot, m_slots); }
    std::size_t passAt(int rank, int pass, int microBatch) const
    {
        return index(rank * passes + pass, microBatch, m_microBatches);
    }
    static std::size_t index(int row, int column, int columns)
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
    }
    int lastEntry() const { return period * (m_microBatches - 1); } ///< slot in which the last micro-batch enters

    void placeWeightGradients(int rank);
    int earliest(int rank, Pass pass) const;
    template <class Done> bool inputsDone(int rank, Pass pass, Done done) const;
    void pull(int rank, int slot);

    int m_stages;
    int m_microBatches;
    int m_slots = 0;
    int m_mostHeld = 0; ///< chunk micro-batches a rank holds at most, until their weight gradient has run
    std::vector<int> m_cells; ///< [rank][slot]
    std::vector<HeldMemory> m_held; ///< [rank]
    std::vector<FreeSlots> m_free; ///< [rank] of the fill, as far as it is squeezed
    std::vector<int> m_slotOf; ///< [rank][pass][micro-batch]
    std::vector<std::vector<int>> m_gradientSlots; ///< [rank] of the input gradients, in time
    std::vector<std::vector<int>> m_weightSlots; ///< [rank]
};

template <class MakeBlock>
Timetable::Timetable(int stages, int microBatches, MakeBlock makeBlock)
    : m_stages(stages)
    , m_microBatches(microBatches)
    , m_gradientSlots(static_cast<std::size_t>(stages))
    , m_weightSlots(static_cast<std::size_t>(stages))
{
    for (int rank = 0; rank < stages; ++rank) {
        m_slots = std::max(m_slots, makeBlock(stages, rank)[passes - 1] + 1);
    }
    m_slots += lastEntry() + 2 * microBatches; // room for the weight gradients
    m_cells.assign(index(stages, 0, m_slots), emptySlot);
    m_held.assign(static_cast<std::size_t>(stages), HeldMemory(m_slots));
    m_slotOf.resize(index(stages * passes, 0, microBatches));
    for (int rank = 0; rank < stages; ++rank) {
        const Block block = makeBlock(stages, rank);
        for (int pass = 0; pass < passes; ++pass) {
            for (int microBatch = 0; microBatch < microBatches; ++microBatch) {
                const int slot = block[static_cast<std::size_t>(pass)] + period * microBatch;
                m_slotOf[passAt(rank, pass, microBatch)] = slot;
                m_cells[cellAt(rank, slot)] = pass * microBatches + microBatch;
            }
        }
        placeWeightGradients(rank);
    }
}

/// Weight gradients take the free slots, in the order of their input gradients.
void Timetable::placeWeightGradients(int rank)
{
    std::vector<int>& gradients = m_gradientSlots[static_cast<std::size_t>(rank)];
    std::vector<int>& weights = m_weightSlots[static_cast<std::size_t>(rank)];
    HeldMemory& memory = m_held[static_cast<std::size_t>(rank)];
    int held = 0;
    for (int slot = 0; slot < m_slots; ++slot) {
        int& cell = m_cells[cellAt(rank, slot)];
        if (cell == emptySlot && weights.size() < gradients.size()) {
            cell = weightGradient * m_microBatches + static_cast<int>(weights.size());
            weights.push_back(slot);
            --held;
        } else if (cell != emptySlot && isForward(cell / m_microBatches)) {
            ++held;
        } else if (cell != emptySlot) {
            gradients.push_back(slot);
        }
        memory.add(slot, slot + 1, held);
        m_mostHeld = std::max(m_mostHeld, held);
    }
}

/// First slot after all inputs of a pass, and after the same pass of the micro-batch before.
int Timetable::earliest(int rank, Pass pass) const
{
    int last = -1;
    const int before = pass.pass % 2 == 0 ? rank - 1 : rank + 1;
    if (before >= 0 && before < m_stages) {
        last = m_slotOf[passAt(before, pass.pass, pass.microBatch)];
    }
    if (pass.pass > 0) {
        last = std::max(last, m_slotOf[passAt(rank, pass.pass - 1, pass.microBatch)]);
    }
    if (pass.microBatch > 0) {
        last = std::max(last, m_slotOf[passAt(rank, pass.pass, pass.microBatch - 1)]);
    }
    return last + 1;
}

void Timetable::squeezeFill()
{
    const int fillEnd = std::min(m_slotOf[passAt(0, passes - 1, 0)], lastEntry());
    m_free.assign(static_cast<std::size_t>(m_stages), FreeSlots(fillEnd));
    for (int slot = 0; slot < fillEnd; ++slot) {
        for (int rank = 0; rank < m_stages; ++rank) {
            if (m_cells[cellAt(rank, slot)] != emptySlot) {
                pull(rank, slot);
            }
        }
    }
}

/// Moves one cell to the earliest free slot it may use. A forward may not pass a slot in which the rank is full.
void Timetable::pull(int rank, int slot)
{
    const int cell = m_cells[cellAt(rank, slot)];
    const int pass = cell / m_microBatches;
    std::vector<int>& weights = m_weightSlots[static_cast<std::size_t>(rank)];
    const auto weight = static_cast<std::size_t>(cell - weightGradient * m_microBatches);
    int first = 0;
    if (pass < weightGradient) {
        first = earliest(rank, {pass, cell % m_microBatches});
    } else {
        first = m_gradientSlots[static_cast<std::size_t>(rank)][weight] + 1;
        first = weight > 0 ? std::max(first, weights[weight - 1] + 1) : first;
    }
    HeldMemory& memory = m_held[static_cast<std::size_t>(rank)];
    FreeSlots& free = m_free[static_cast<std::size_t>(rank)];
    if (isForward(pass)) {
        first = memory.lastHolding(first, slot, m_mostHeld) + 1;
    }
    const int best = std::min(first < slot ? free.firstFrom(first) : slot, slot);
    free.take(best);
    if (best == slot) {
        return;
    }
    std::swap(m_cells[cellAt(rank, slot)], m_cells[cellAt(rank, best)]);
    if (pass >= weightGradient) {
        weights[weight] = best;
        memory.add(best, slot, -1);
        return;
    }
    m_slotOf[passAt(rank, pass, cell % m_microBatches)] = best;
    if (isForward(pass)) {
        return memory.add(best, slot, 1);
    }
    std::vector<int>& gradients = m_gradientSlots[static_cast<std::size_t>(rank)];
    const auto moved = std::lower_bound(gradients.begin(), gradients.end(), slot);
    const auto place = std::lower_bound(gradients.begin(), moved, best);
    std::rotate(place, moved, moved + 1);
    *place = best;
}

/// done(rank, pass, micro-batch) must hold for all inputs of a pass.
template <class Done> bool Timetable::inputsDone(int rank, Pass pass, Done done) const
{
    const int before = pass.pass % 2 == 0 ? rank - 1 : rank + 1;
    return (before < 0 || before >= m_stages || done(before, pass.pass, pass.microBatch))
        && (pass.pass == 0 || done(rank, pass.pass - 1, pass.microBatch));
}

struct Timetable::RankState {
    std::array<int, passes> next{}; ///< micro-batch of each pass to run next
    Program weights; ///< weight gradients owed, in order
    std::size_t nextWeight = 0;
    int held = 0;
    Program program;
};

Programs Timetable::drain() const
{
    std::vector<RankState> ranks(static_cast<std::size_t>(m_stages));
    std::vector<int> ranIn(m_slotOf.size(), -1);
    int slot = 0;
    const auto done = [&](int rank, int pass, int microBatch) {
        const int ran = ranIn[passAt(rank, pass, microBatch)];
        return ran >= 0 && ran < slot;
    };
    const auto due = [&](int rank, bool mayHoldMore) {
        const RankState& state = ranks[static_cast<std::size_t>(rank)];
        Pass found{-1, 0};
        int foundSlot = m_slots;
        for (int pass = 0; pass < passes; ++pass) {
            const int microBatch = state.next[static_cast<std::size_t>(pass)];
            const bool allowed =
                microBatch < m_microBatches && (!isForward(pass) || mayHoldMore || state.held < m_mostHeld);
            if (allowed && m_slotOf[passAt(rank, pass, microBatch)] < foundSlot
                && inputsDone(rank, {pass, microBatch}, done)) {
                found = {pass, microBatch};
                foundSlot = m_slotOf[passAt(rank, pass, microBatch)];
            }
        }
        return found;
    };
    const auto run = [&](int rank, Pass pass) {
        RankState& state = ranks[static_cast<std::size_t>(rank)];
        const auto kind = static_cast<std::size_t>(pass.pass);
        ranIn[passAt(rank, pass.pass, pass.microBatch)] = slot;
        ++state.next[kind];
        state.program.push_back(op(kinds[kind], pass.microBatch, chunks[kind]));
        if (isForward(pass.pass)) {
            ++state.held;
        } else {
            state.weights.push_back(op(OpKind::BackwardWeight, pass.microBatch, chunks[kind]));
        }
    };
    bool stuck = false; // nothing ran in the last slot: memory has to give way
    for (std::size_t left = ranIn.size() / passes * period; left > 0; ++slot) {
        const std::size_t before = left;
        for (int rank = 0; rank < m_stages; ++rank) {
            RankState& state = ranks[static_cast<std::size_t>(rank)];
            Pass pass{-1, 0};
            if (slot >= lastEntry()) {
                pass = due(rank, stuck);
            } else if (const int cell = m_cells[cellAt(rank, slot)];
                       cell >= 0 && cell < weightGradient * m_microBatches) {
                pass = {cell / m_microBatches, cell % m_microBatches};
            }
            if (pass.pass >= 0) {
                run(rank, pass);
                --left;
            } else if (state.nextWeight < state.weights.size()) {
                state.program.push_back(state.weights[state.nextWeight++]);
                --state.held;
                --left;
            }
        }
        stuck = left == before && slot >= lastEntry();
    }
    Programs programs;
    for (RankState& state : ranks) {
        programs.push_back(std::move(state.program));
    }
    return programs;
}

template <class MakeBlock> Programs squeezed(int stages, int microBatches, MakeBlock makeBlock)
{
    Timetable timetable(stages, microBatches, makeBlock);
    timetable.squeezeFill();
    return timetable.drain();
}

} // namespace

Programs vHalf(int stages, int microBatches)
{
    return squeezed(stages, microBatches, vHalfBlock);
}

Programs vMin(int stages, int microBatches)
{
    return squeezed(stages, microBatches, vMinBlock);
}

} // namespace partita::orders
