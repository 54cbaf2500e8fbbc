// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partita {

/// A chunk slot of a pipeline rank; rank -1 = none.
struct ChunkSite {
    std::int32_t rank = -1;
    std::int16_t chunk = -1;

    explicit operator bool() const { return rank >= 0; }
    bool operator==(const ChunkSite&) const = default;
};

/// Which part of the model a slot holds and where the parts before and after it live.
struct ChunkLink {
    std::int32_t modelChunk = 0; ///< 0 holds the embedding, modelChunks - 1 the head
    ChunkSite previous; ///< sends activations here; none for the first chunk of the model
    ChunkSite next; ///< sends gradients here; none for the last chunk of the model

    bool operator==(const ChunkLink&) const = default;
};

/// Where the chunks of the model live. A rank has `chunks` slots; a chain of slots holds the whole model once.
struct Placement {
    int stages = 1; ///< pipeline ranks
    int chunks = 1; ///< slots per rank
    int modelChunks = 1; ///< length of a chain: stages * chunks, or stages when each slot belongs to a chain of its own
    std::vector<ChunkLink> links; ///< [rank * chunks + chunk]

    std::size_t slot(std::int32_t rank, std::int32_t chunk) const
    {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(chunks) + static_cast<std::size_t>(chunk);
    }
    std::size_t slot(ChunkSite site) const { return slot(site.rank, site.chunk); }
    const ChunkLink& link(std::int32_t rank, std::int32_t chunk) const { return links[slot(rank, chunk)]; }

    /// What one slot is of a rank's stage: 1 / chunks, and 1 where the slots are copies (DualPipe).
    double stageShare() const { return static_cast<double>(stages) / static_cast<double>(modelChunks); }
    int weightCopies() const { return stages * chunks / modelChunks; }

    bool operator==(const Placement&) const = default;
};

/// Chunk c of rank i is model chunk c * stages + i: 1F1B, interleaved, breadth-first.
Placement loopedPlacement(int stages, int chunks);

/// Chunk 0 runs down the ranks and chunk 1 back up, so rank 0 holds both ends of the model.
Placement vPlacement(int stages);

/// Two copies of the model: slot 0 runs down the ranks, slot 1 is the other copy and runs up.
Placement bidirectionalPlacement(int stages);

} // namespace partita
