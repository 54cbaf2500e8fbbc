// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kernel_time.h"

namespace partita {

double memoryPassTime(double bytes, const Accelerator& accelerator)
{
    return bytes > 0 && accelerator.memoryBandwidth > 0
        ? bytes / (accelerator.memoryBandwidth * accelerator.kernels.memoryEfficiency)
        : 0;
}

} // namespace partita
