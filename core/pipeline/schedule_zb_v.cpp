// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/orders.h"

#include <algorithm>
#include <array>

namespace partita::orders {

namespace {

/// A rank's program on the V: chunk 0 on the way down, chunk 1 on the way back.
class VProgram {
public:
    void forward(int chunk) { add(OpKind::Forward, m_forwards, chunk); }
    void inputGradient(int chunk) { add(OpKind::BackwardInput, m_inputGradients, chunk); }
    void weightGradient(int chunk) { add(OpKind::BackwardWeight, m_weightGradients, chunk); }
    void backward(int chunk)
    {
        inputGradient(chunk);
        weightGradient(chunk);
    }
    void remainingWeightGradients(int chunk)
    {
        while (m_weightGradients[at(chunk)] < m_inputGradients[at(chunk)]) {
            weightGradient(chunk);
        }
    }
    int forwards(int chunk) const { return m_forwards[at(chunk)]; }
    Program take() { return std::move(m_program); }

private:
    using Counts = std::array<int, 2>;
    static std::size_t at(int chunk) { return static_cast<std::size_t>(chunk); }
    void add(OpKind kind, Counts& counts, int chunk) { m_program.push_back(op(kind, counts[at(chunk)]++, chunk)); }

    Program m_program;
    Counts m_forwards{};
    Counts m_inputGradients{};
    Counts m_weightGradients{};
};

/// The handcrafted ZB-V of arXiv:2401.10241 (section 6), for at least 2 p - 1 micro-batches.
Program zbVRank(int stages, int microBatches, int rank)
{
    const int before = stages - rank; // ranks from this one to the turn
    VProgram program;
    for (int i = 0; i < 2 * before - 1; ++i) {
        program.forward(0);
    }
    for (int i = 0; i < rank; ++i) {
        program.forward(1);
        program.forward(0);
    }
    for (int i = 0; i < before; ++i) {
        program.forward(1);
        program.backward(1);
    }
    while (program.forwards(1) < microBatches) {
        if (program.forwards(0) < microBatches) {
            program.forward(0);
        }
        program.backward(0);
        program.forward(1);
        program.backward(1);
    }
    for (int i = 0; i < rank; ++i) {
        program.inputGradient(0);
        program.inputGradient(1);
    }
    for (int i = 0; i < before; ++i) {
        program.inputGradient(0);
        program.weightGradient(0);
    }
    program.remainingWeightGradients(1);
    program.remainingWeightGradients(0);
    return program.take();
}

} // namespace

Programs zbV(int stages, int microBatches)
{
    const int drawn = std::max(microBatches, 2 * stages - 1);
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        programs.push_back(zbVRank(stages, drawn, rank));
        dropFrom(microBatches, programs.back());
    }
    return programs;
}

} // namespace partita::orders
