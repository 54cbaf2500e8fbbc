// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace partita {

/// Runs `work` in so many threads, the caller's among them, and waits; in fewer where there are no more to be had.
void inThreads(int threads, const std::function<void()>& work);

} // namespace partita
