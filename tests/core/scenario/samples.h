// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/rules.h"

#include <algorithm>

namespace partita::samples {

/// A model of the shape of Llama 3 70B: 80 layers, 64 heads, 8 KV heads.
inline Model llama70b()
{
    Model model;
    model.hidden = 8192;
    model.vocabulary = 128256;
    model.maxPositions = 8192;
    Attention attention;
    attention.heads = 64;
    attention.kvHeads = 8;
    attention.headDim = 128;
    DenseFfn ffn;
    ffn.width = 28672;
    model.kinds = {{attention, ffn, 2}};
    model.layers.assign(80, 0);
    return model;
}

/// The same with 64 experts of 2048 in place of the feed-forward.
inline Model moe()
{
    Model model = llama70b();
    MoeFfn ffn;
    ffn.experts = 64;
    ffn.topK = 8;
    ffn.expertWidth = 2048;
    model.kinds[0].feedForward = ffn;
    return model;
}

/// Nodes of 8 on NVLink, InfiniBand between them.
inline Cluster nodesOfEight(std::int64_t nodes)
{
    Cluster cluster;
    cluster.devicesPerNode = 8;
    cluster.nodes = nodes;
    Level inside;
    inside.name = "NVLink 4";
    inside.domain = 8;
    inside.bandwidth = 450e9;
    Level outside;
    outside.name = "InfiniBand";
    outside.domain = 0;
    outside.bandwidth = 50e9;
    cluster.levels = {inside, outside};
    return cluster;
}

/// 70B on 64 devices, TP 8, PP 8, no problem anywhere.
inline Scenario legal()
{
    Scenario scenario;
    scenario.model = llama70b();
    scenario.cluster = nodesOfEight(8);
    scenario.layout.tp = 8;
    scenario.layout.pp = 8;
    scenario.layout.globalBatch = 64;
    scenario.workload.sequenceLength = 4096;
    return scenario;
}

inline const Problem* find(const Problems& problems, std::string_view field)
{
    const auto found =
        std::find_if(problems.begin(), problems.end(), [&](const Problem& p) { return p.field == field; });
    return found == problems.end() ? nullptr : &*found;
}

} // namespace partita::samples
