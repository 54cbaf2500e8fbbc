// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace partita {

/// How a software stack serves: what it adds to the device's own time, and how it divides the memory. Rates are shares
/// of what the accelerator's kernels reach. The defaults are those of an engine of today that is not named.
struct Engine {
    bool graphs = true; ///< decode steps are replayed graphs: the host enqueues one thing instead of every kernel
    double graphGap = 0.7; ///< launch gap between kernels of a replayed graph over the accelerator's own
    double kernelGap = 1; ///< the same between kernels launched one by one
    double hostPerKernel =
        5e-6; ///< s of host time to enqueue a kernel outside graphs; a step is never faster than that
    double hostPerStep = 0.3e-3; ///< s between steps in which the device waits: scheduling, sampling
    double hostPerSequence = 3e-6; ///< s of a step for each sequence: detokenising, block tables
    double hostPerPrefill = 0.5e-3; ///< s of a step that carries prompts: building it, and no graph for it

    double weightRate = 1; ///< memory rate at which 16-bit and 8-bit floating-point weights are read
    double int8Rate = 0.9; ///< the same of integer weights widened on the way
    double int4Rate = 0.77;
    double keyValueRate = 0.85; ///< and of keys and values in the decode core
    double keyValueSharing = 1; ///< 1: heads of a group read their keys once; 0: once each
    double narrowSharing = 1; ///< the same of keys in 8 bits
    bool keepsWindows = true; ///< layers with a window drop what lies outside it; else they keep and read everything
    double efficiency = 1; ///< factor on the rate of products
    double prefillEfficiency = 1; ///< further factor on that of steps that carry prompts, their attention included

    bool directAllReduce = true; ///< custom one- and two-shot kernels for small messages
    double communication = 1; ///< factor on the time of collectives

    bool splitsBatch = true; ///< a pipeline has a batch in flight for every stage; else stages wait for each other
    bool overlapsStages = true; ///< batches in flight are on different stages at once; else one after the other
    bool mixedSteps = true; ///< prompts share steps with decoding sequences, in chunks
    std::int64_t stepTokens = 8192; ///< prompt and decode tokens of a step at most
    std::int64_t mostSequences = 1024; ///< of a replica

    bool quantisesHead = false; ///< integer weights are made when a model is loaded, the output matrix among them

    double memoryShare = 0.9; ///< of the device's memory the engine takes
    bool shareOfFree = false; ///< the share is of what weights and activations leave (TensorRT-LLM)
    double graphBytes = 1e9; ///< of captured graphs
    bool reservesOutput = false; ///< a request is admitted only with room for its whole output (no eviction)
    std::int64_t pageTokens = 16; ///< keys and values are allotted in blocks of so many

    bool operator==(const Engine&) const = default;
};

} // namespace partita
