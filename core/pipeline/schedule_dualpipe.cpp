// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/orders.h"

#include <algorithm>
#include <array>

namespace partita::orders {

namespace {

/// Builds a rank's program of two streams of micro-batches, each run in order. Stream s uses chunk slot m_slot[s] and
/// starts at micro-batch m_first[slot].
class TwoStreams {
public:
    TwoStreams(std::array<int, 2> slot, std::array<int, 2> first)
        : m_slot(slot)
        , m_forward{first[static_cast<std::size_t>(slot[0])], first[static_cast<std::size_t>(slot[1])]}
        , m_backward(m_forward)
    {
    }

    void forward(std::size_t stream) { m_program.push_back(op(OpKind::Forward, m_forward[stream]++, m_slot[stream])); }
    void backward(std::size_t stream)
    {
        m_program.push_back(op(OpKind::Backward, m_backward[stream]++, m_slot[stream]));
    }
    void inputGradient(std::size_t stream)
    {
        m_program.push_back(op(OpKind::BackwardInput, m_backward[stream], m_slot[stream]));
        m_weights.push_back(op(OpKind::BackwardWeight, m_backward[stream]++, m_slot[stream]));
    }
    /// The weight gradient put off longest.
    void weightGradient() { m_program.push_back(m_weights[m_nextWeight++]); }
    void both(std::size_t forwardStream, std::size_t backwardStream)
    {
        m_program.push_back(pair(m_forward[forwardStream]++, m_slot[forwardStream], m_backward[backwardStream]++,
                                 m_slot[backwardStream]));
    }
    Program take() { return std::move(m_program); }

private:
    std::array<int, 2> m_slot;
    std::array<int, 2> m_forward;
    std::array<int, 2> m_backward;
    Program m_program;
    Program m_weights;
    std::size_t m_nextWeight = 0;
};

/// The eight steps of DualPipe and DualPipeV (DeepSeek-V3 report, arXiv:2412.19437 section 3.2.1;
/// deepseek-ai/DualPipe). depth counts ranks from the end of the pipeline where stream 0 enters, half is the number of
/// such ranks, rounds the pairs of pairs in the middle. turn: this rank is where stream 0 turns into stream 1, so that
/// its first backward has nothing to run beside.
Program eightSteps(TwoStreams streams, int depth, int half, int rounds, bool turn)
{
    const int before = half - depth - 1; // ranks between this one and the turn
    for (int i = 0; i < 2 * before; ++i) {
        streams.forward(0);
    }
    for (int i = 0; i < depth + 1; ++i) {
        streams.forward(0);
        streams.forward(1);
    }
    for (int i = 0; i < before; ++i) {
        streams.inputGradient(1);
        streams.weightGradient();
        streams.forward(1);
    }
    for (int i = 0; i < rounds; ++i) {
        if (i == 0 && turn) {
            streams.forward(0);
            streams.backward(1);
        } else {
            streams.both(0, 1);
        }
        streams.both(1, 0);
    }
    for (int i = 0; i < before; ++i) {
        streams.backward(1);
        streams.both(1, 0);
    }
    // Of these 2 (depth + 1) backwards the second half leaves its weight gradients for the end.
    for (int i = 0; i < 2 * (depth + 1); ++i) {
        const std::size_t stream = i % 2 == 0 ? 1 : 0;
        if (i < depth + 1) {
            streams.backward(stream);
        } else {
            streams.inputGradient(stream);
        }
    }
    for (int i = 0; i < before; ++i) {
        streams.weightGradient();
        streams.inputGradient(0);
    }
    for (int i = 0; i < depth + 1; ++i) {
        streams.weightGradient();
    }
    return streams.take();
}

} // namespace

Programs dualPipe(int stages, int microBatches)
{
    const int half = stages / 2;
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        const bool secondHalf = rank >= half;
        const int depth = std::min(rank, stages - 1 - rank);
        const std::array<int, 2> slot{secondHalf ? 1 : 0, secondHalf ? 0 : 1};
        const TwoStreams streams(slot, {0, microBatches / 2});
        programs.push_back(eightSteps(streams, depth, half, microBatches / 2 - stages + depth + 1, depth == half - 1));
    }
    return programs;
}

Programs dualPipeV(int stages, int microBatches)
{
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        const TwoStreams streams({0, 1}, {0, 0});
        programs.push_back(eightSteps(streams, rank, stages, microBatches - 2 * stages + rank + 1, rank == stages - 1));
    }
    return programs;
}

} // namespace partita::orders
