// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace partita::calibration {

struct Table {
    std::string system; ///< as in the names of the files
    std::string file;
    std::string rackLog; ///< all-reduces over the whole domain
};

/// A link inside a node and what was measured of it.
struct Inside {
    std::string id; ///< of the preset
    bool reduces; ///< the switch can reduce (NVLS: from Hopper on)
    std::int64_t domain;
    std::vector<Table> tables;
};

/// A link of the same kind without a measurement of its own.
struct Relative {
    std::string id;
    std::string reason;
};

/// A log of collectives between nodes and the link it measures.
struct Between {
    std::string id; ///< of the preset; none where another log measures that link better
    std::string name;
    std::string file;
    std::string inside; ///< link inside the nodes
    std::int64_t domain; ///< devices in a node
    std::int64_t devices;
    double bandwidth; ///< bytes/s, NICs of a device
    std::string latencies; ///< link fitted before whose latencies are taken: the log's large messages hide them
    std::vector<Relative> relatives;
};

/// The links fitted inside nodes, then those between nodes; latencies name a link that comes before.
std::vector<Inside> insideLinks();
std::vector<Between> betweenLinks();

} // namespace partita::calibration
