// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/accelerator.h"

#include <cstdint>

namespace partita {

enum class Fabric {
    Switched, ///< every device reaches the full rate to any peer
    Mesh, ///< bandwidth belongs to a pair: two devices get one link (MI300X, Ascend HCCS, Gaudi)
    Ring, ///< torus or chain: two neighbours (TPU)
    SharedBus ///< PCIe behind a root complex: peers share it
};

template <> struct Names<Fabric> {
    static constexpr std::array table{
        Name<Fabric>{Fabric::Switched, "switched", "switched"},
        Name<Fabric>{Fabric::Mesh, "mesh", "mesh"},
        Name<Fabric>{Fabric::Ring, "ring", "ring"},
        Name<Fabric>{Fabric::SharedBus, "shared-bus", "shared bus"},
    };
};

/// Devices that can be costed; keeps every degree and product of degrees exact.
inline constexpr std::int64_t mostDevices = 1 << 24;

/// One level of the network, innermost first. A level joins `domain` devices; the last level joins all.
struct Level {
    std::string name; ///< "NVLink 4", "InfiniBand NDR 400"
    std::int64_t domain = 1; ///< devices that this level joins; 0 = all of the cluster
    double bandwidth = 0; ///< bytes/s per device per direction, every link or NIC of the device in use
    double latency = 0; ///< s per message step (alpha)
    double baseLatency = 0; ///< s once per collective: launch and protocol
    double efficiency = 0.8; ///< share of the bandwidth that a large collective reaches
    double allToAllEfficiency = 0; ///< the same for all-to-all and point to point; 0 = efficiency
    double halfSize =
        0; ///< bytes on the wire per device below which protocols trade bandwidth for latency; see wireTime()
    Fabric fabric = Fabric::Switched;
    double inSwitchReduction =
        0; ///< all-reduce bus bandwidth of a large group over bandwidth when the switch reduces; 0 = none
    double directLatency = 0; ///< s of one round of reads of all peers by custom all-reduce kernels; 0 = none exist
    std::string source;

    bool operator==(const Level&) const = default;
};

/// A kind of link with its constants, which levels of many clusters share.
struct Link {
    std::string id;
    Level level; ///< without a domain: how many devices it joins is the cluster's to say

    bool operator==(const Link&) const = default;
};

/// Devices and the levels that join them. Half-populated nodes, PCIe boxes and NVL72 racks are level values.
struct Cluster {
    std::string id;
    std::string name;
    Accelerator accelerator;
    std::int64_t devicesPerNode = 8;
    std::int64_t nodes = 1;
    std::vector<Level> levels; ///< innermost first; levels[0].domain is usually devicesPerNode
    std::vector<std::string> sources;
    std::string notes;

    std::int64_t devices() const { return devicesPerNode * nodes; }
    bool operator==(const Cluster&) const = default;
};

} // namespace partita
