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
    /// The accelerator must outlive it.
    explicit GemmTimes(const Accelerator& accelerator);

    double operator()(const GemmShape& shape, DataType operands); ///< s

private:
    struct Known {
        GemmShape shape;
        DataType operands = DataType::Bf16;
        double seconds = -1; ///< none yet
    };
    const Accelerator& m_accelerator;
    std::vector<Known> m_known; ///< a place for each of many hashes; the last asked for takes it
};

} // namespace partita
