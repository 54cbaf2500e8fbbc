// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the CPU time of a batch × TP × PP × EP sweep of one model, dense and with experts. Aim: under 200 ms.
#include "core/formats/catalogue.h"
#include "core/serving/serving_search.h"

#include <ctime>
#include <fmt/format.h>

using namespace partita;

int main()
{
    const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    for (const char* model : {"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "mixtral-8x7b", "deepseek-v3"}) {
        for (const std::int64_t nodes : {1, 8}) {
            Scenario scenario;
            scenario.model = *catalogue.model(model);
            scenario.stack = *catalogue.stack("vllm");
            scenario.cluster = makeCluster(*catalogue.accelerator("h200-sxm-141gb"), nodes, 8, catalogue);
            const std::clock_t start = std::clock();
            const ServingSearch search = searchServing(scenario);
            fmt::print("{:<16}{:>4} devices {:>5} layouts {:>6} points {:8.1f} ms\n", model, 8 * nodes, search.layouts,
                       search.points.size(), 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        }
    }
}
