// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/in_threads.h"

#include <system_error>
#include <thread>
#include <vector>

namespace partita {

void inThreads(int threads, const std::function<void()>& work)
{
    std::vector<std::thread> others;
    try {
        for (int i = 1; i < threads; ++i) {
            others.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // No more threads to be had: those there are do the work.
    }
    work();
    for (std::thread& other : others) {
        other.join();
    }
}

} // namespace partita
