// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace partita {

inline constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0; ///< bytes; what devices' memory is sold in
inline constexpr double gigabyte = 1e9; ///< bytes

} // namespace partita
