// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/kernel_time.h"

#include <cstddef>
#include <vector>

namespace partita {

/// gemmTime() of one accelerator, which remembers many of the products it was asked for: layouts of a search share
/// most of theirs.
class GemmTimes {
public:
    GemmTimes();

    /// s; always of the same accelerator.
    double operator()(const GemmShape& shape, DataType operands, const Accelerator& accelerator);

private:
    struct Known {
        GemmShape shape;
        DataType operands = DataType::Bf16;
        double seconds = 0;
    };
    std::vector<Known> m_known; ///< a place for each of many hashes; the last asked for takes it
};

} // namespace partita
