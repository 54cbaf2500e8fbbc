// SPDX-License-Identifier: GPL-3.0-or-later
// By how much the advisor's picks fall short of the best of all layouts, over the cases of
// tests/core/advice/regret_cases.h. To be reached: median at most 2 %, worst at most 10 %.
// Usage: measure_regret [THREADS [TIGHT|small]]: the grid, or so many random cases with little memory, or those of few
// sequences a step. Takes minutes: every case is searched to the end.
#include "core/advice/regret_cases.h"
#include "core/layout/layout_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv)
{
    using namespace partita;
    const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
    const bool small = argc > 2 && std::string_view(argv[2]) == "small";
    const int tight = argc > 2 && !small ? std::max(1, std::atoi(argv[2])) : 0;
    std::vector<double> regrets;
    int disagreements = 0;
    int unfit = 0;
    for (const regret::Case& each : small ? regret::smallBatchCases()
             : tight > 0                  ? regret::tightCases(static_cast<std::size_t>(tight))
                                          : regret::grid()) {
        const regret::Outcome outcome = regret::measure(each.scenario, threads);
        fmt::print("{:>6.2f} %  {}\n", 100 * outcome.regret(), each.name);
        if (outcome.disagree()) {
            ++disagreements;
            fmt::print("          only {} fits\n", layoutText(outcome.bestTime > 0 ? outcome.best : outcome.advised));
        } else if (outcome.bestTime == 0) {
            ++unfit;
            fmt::print("          nothing fits\n");
        } else {
            regrets.push_back(outcome.regret());
            if (regrets.back() > 0.01) {
                fmt::print("          {} instead of {}\n", layoutText(outcome.advised), layoutText(outcome.best));
            }
        }
    }
    std::sort(regrets.begin(), regrets.end());
    if (!regrets.empty()) {
        fmt::print("{} cases: median {:.2f} %, 90th percentile {:.2f} %, worst {:.2f} %; nothing fits in {}, one sided "
                   "in {}\n",
                   regrets.size(), 100 * regrets[regrets.size() / 2], 100 * regrets[regrets.size() * 9 / 10],
                   100 * regrets.back(), unfit, disagreements);
    }
    return disagreements == 0 && !regrets.empty() && regrets.back() <= 0.1 && regrets[regrets.size() / 2] <= 0.02 ? 0
                                                                                                                  : 1;
}
