// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/placement.h"

namespace partita {

namespace {

/// Chains the slots in the order of `sites`, the whole model once.
void chain(Placement& placement, const std::vector<ChunkSite>& sites)
{
    for (std::size_t i = 0; i < sites.size(); ++i) {
        ChunkLink& link = placement.links[placement.slot(sites[i])];
        link.modelChunk = static_cast<std::int32_t>(i);
        link.previous = i > 0 ? sites[i - 1] : ChunkSite{};
        link.next = i + 1 < sites.size() ? sites[i + 1] : ChunkSite{};
    }
}

Placement emptyPlacement(int stages, int chunks, int modelChunks)
{
    Placement placement;
    placement.stages = stages;
    placement.chunks = chunks;
    placement.modelChunks = modelChunks;
    placement.links.resize(static_cast<std::size_t>(stages) * static_cast<std::size_t>(chunks));
    return placement;
}

void addRanks(std::vector<ChunkSite>& sites, int stages, int chunk, bool upwards)
{
    for (int i = 0; i < stages; ++i) {
        sites.push_back({upwards ? stages - 1 - i : i, static_cast<std::int16_t>(chunk)});
    }
}

} // namespace

Placement loopedPlacement(int stages, int chunks)
{
    Placement placement = emptyPlacement(stages, chunks, stages * chunks);
    std::vector<ChunkSite> sites;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        addRanks(sites, stages, chunk, false);
    }
    chain(placement, sites);
    return placement;
}

Placement vPlacement(int stages)
{
    Placement placement = emptyPlacement(stages, 2, 2 * stages);
    std::vector<ChunkSite> sites;
    addRanks(sites, stages, 0, false);
    addRanks(sites, stages, 1, true);
    chain(placement, sites);
    return placement;
}

Placement bidirectionalPlacement(int stages)
{
    Placement placement = emptyPlacement(stages, 2, stages);
    for (int chunk = 0; chunk < 2; ++chunk) {
        std::vector<ChunkSite> sites;
        addRanks(sites, stages, chunk, chunk == 1);
        chain(placement, sites);
    }
    return placement;
}

} // namespace partita
