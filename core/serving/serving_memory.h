// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/serving/weight_bytes.h"

#include <array>

namespace partita {

/// What a serving device's memory is held for. The order is the order of the stacked bar.
enum class RoomKind { Weights, Activations, Graphs, Framework, Communicators, KeyValues, Unused };

template <> struct Names<RoomKind> {
    static constexpr std::array table{
        Name<RoomKind>{RoomKind::Weights, "weights", "weights"},
        Name<RoomKind>{RoomKind::Activations, "activations", "activations"},
        Name<RoomKind>{RoomKind::Graphs, "graphs", "graphs"},
        Name<RoomKind>{RoomKind::Framework, "framework", "framework"},
        Name<RoomKind>{RoomKind::Communicators, "communicators", "communicators"},
        Name<RoomKind>{RoomKind::KeyValues, "key_values", "KV cache"},
        Name<RoomKind>{RoomKind::Unused, "unused", "left free"},
    };
};

/// Bytes of one device. They sum to its memory; where the rest leaves no room, KeyValues and Unused are 0 and the sum
/// is larger.
struct Room {
    std::array<double, Names<RoomKind>::table.size()> bytes{};

    double& operator[](RoomKind kind) { return bytes[static_cast<std::size_t>(kind)]; }
    double operator[](RoomKind kind) const { return bytes[static_cast<std::size_t>(kind)]; }
    double total() const;
    bool operator==(const Room&) const = default;
};

/// What activations of the largest step are made of: residual stream, norm and the widest layer's inner tensors in 16
/// bits, and logits of every sequence in 32 bits.
struct StepActivations {
    double tokens = 0; ///< of the largest step
    double widest = 0; ///< elements a token has inside the widest layer, on one tensor rank
    double sequences = 0; ///< that have logits
    double hidden = 0;
    double vocabulary = 0;

    double bytes() const { return 2 * tokens * (4 * hidden + widest) + 4 * sequences * vocabulary; }
};

StepActivations stepActivations(const Scenario& scenario);
/// Groups of a device that have buffers for collectives.
int communicators(const ServingLayout& layout);

/// A device of a pipeline stage.
struct StageRoom {
    Room room;
    double longestBytes = 0; ///< of a sequence of prompt + output tokens
    double meanBytes = 0; ///< of one between start and end, as it is in steady state
    double requests = 0; ///< of the longest at once, over the attention ranks of a replica
    double steadyRequests = 0; ///< of the mean ones
};

std::vector<StageRoom> stageRooms(const Scenario& scenario, const ServingLayout& layout, const ServingStages& stages);

/// How many sequences and tokens a replica's cache takes, by the stage that fills first.
struct CacheRoom {
    Room room; ///< of the device that fills first
    int stage = 0;
    double tokens = 0; ///< of sequences of prompt + output tokens, in one replica; infinite where a token adds nothing
    double requests = 0; ///< sequences of prompt + output tokens at once in one replica
    double steadyRequests = 0; ///< the same of sequences between start and end, as they are in steady state

    bool operator==(const CacheRoom&) const = default;
};

/// vLLM, SGLang: share * memory less what weights, activations and graphs take; TensorRT-LLM: share of what these
/// leave. A cache is allotted in pages to whole sequences.
CacheRoom cacheRoom(const Scenario& scenario, const ServingLayout& layout, const ServingStages& stages);

/// Mean tokens of a request in flight: length-biased, so that long outputs weigh more where they differ.
double meanHeldTokens(const Serving& serving);

} // namespace partita
