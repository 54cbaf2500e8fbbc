// SPDX-License-Identifier: GPL-3.0-or-later
// How long heatmaps take in which every cell is the fastest layout of what is not on an axis.
#include "core/formats/catalogue.h"
#include "core/search/plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <vector>

using namespace partita;

namespace {

struct Case {
    std::string name;
    std::string model;
    std::string cluster;
    std::int64_t nodes;
    std::int64_t batch;
    PlaneAxis rowAxis;
    std::vector<std::int64_t> rows;
    PlaneAxis columnAxis;
    std::vector<std::int64_t> columns;
    std::int64_t sequence = 8192;
};

/// Every value is `first` times a power of two.
std::vector<std::int64_t> doublings(std::int64_t first, int count)
{
    std::vector<std::int64_t> stops;
    for (int i = 0; i < count; ++i) {
        stops.push_back(first << i);
    }
    return stops;
}

const std::vector<Case> cases{
    {"70B, devices x global batch", "llama-3.1-70b", "hgx-h100", 8, 64, PlaneAxis::Devices, doublings(8, 12),
     PlaneAxis::GlobalBatch, doublings(8, 12)},
    {"405B on 4096, TP x PP", "llama-3.1-405b", "llama3-h100", 512, 2048, PlaneAxis::Tp, doublings(1, 12),
     PlaneAxis::Pp, doublings(1, 12)},
    {"8x7B on 256, EP x TP", "mixtral-8x7b", "hgx-h100", 32, 512, PlaneAxis::Ep, doublings(1, 12), PlaneAxis::Tp,
     doublings(1, 12)},
    {"DeepSeek-V3 on 2048, EP x TP", "deepseek-v3", "h800-2048", 256, 15360, PlaneAxis::Ep, doublings(1, 12),
     PlaneAxis::Tp, doublings(1, 12)},
    {"DeepSeek-V3, devices x global batch", "deepseek-v3", "h800-2048", 256, 15360, PlaneAxis::Devices,
     doublings(16, 12), PlaneAxis::GlobalBatch, doublings(120, 12), 4096},
    {"DeepSeek-V3, model size x devices",
     "deepseek-v3",
     "h800-2048",
     256,
     15360,
     PlaneAxis::ModelSize,
     {},
     PlaneAxis::Devices,
     doublings(16, 12),
     4096},
    {"DeepSeek-V3 on 2048, sequence x CP", "deepseek-v3", "h800-2048", 256, 15360, PlaneAxis::Sequence,
     doublings(512, 12), PlaneAxis::Cp, doublings(1, 12), 4096},
    {"8x7B, devices x global batch", "mixtral-8x7b", "hgx-h100", 32, 512, PlaneAxis::Devices, doublings(8, 12),
     PlaneAxis::GlobalBatch, doublings(8, 12)},
    {"405B, devices x global batch", "llama-3.1-405b", "llama3-h100", 2048, 2048, PlaneAxis::Devices, doublings(16, 12),
     PlaneAxis::GlobalBatch, doublings(16, 12)},
    {"405B on 4096, PP x micro-batches", "llama-3.1-405b", "llama3-h100", 512, 2048, PlaneAxis::Pp, doublings(1, 12),
     PlaneAxis::MicroBatches, doublings(1, 12)},
};

Scenario scenarioOf(const Case& wanted, const Catalogue& catalogue)
{
    Scenario scenario;
    scenario.model = *catalogue.model(wanted.model);
    scenario.cluster = *catalogue.cluster(wanted.cluster);
    scenario.cluster.nodes = wanted.nodes;
    scenario.stack = *catalogue.stack("megatron-core");
    scenario.workload.sequenceLength = wanted.sequence;
    scenario.layout.globalBatch = wanted.batch;
    return scenario;
}

} // namespace

int main(int argc, char** argv)
{
    const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    const std::string wanted = argc > 1 ? argv[1] : ""; // part of a name
    for (const Case& each : cases) {
        if (each.name.find(wanted) == std::string::npos) {
            continue;
        }
        const Scenario scenario = scenarioOf(each, catalogue);
        Plane plane = planeAround(scenario, each.rowAxis, each.columnAxis, PlaneRest::Searched);
        plane.rows = each.rows.empty() ? plane.rows : each.rows;
        plane.columns = each.columns.empty() ? plane.columns : each.columns;
        plane.cells.assign(plane.rows.size() * plane.columns.size(), {});
        const auto begun = std::chrono::steady_clock::now();
        const std::clock_t processorBegun = std::clock();
        int legal = 0;
        int fit = 0;
        sweep(
            scenario, plane, [] { return false; },
            [&](std::size_t, const PlaneCell& cell) {
                legal += cell.state == CellState::Illegal ? 0 : 1;
                fit += cell.state == CellState::Fits ? 1 : 0;
            },
            2);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
        fmt::print("{}: {} cells, {} legal, {} fit; {:.2f} s, {:.2f} s of processors\n", each.name, plane.cells.size(),
                   legal, fit, taken.count(), static_cast<double>(std::clock() - processorBegun) / CLOCKS_PER_SEC);
    }
    return 0;
}
