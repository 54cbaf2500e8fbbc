// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/cluster/cluster.h"
#include "core/model/model.h"
#include "core/scenario/stack.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// What an accelerator is usually built into. The last level joins nodes (domain 0 = all of them).
struct NodeType {
    std::int64_t devicesPerNode = 8;
    std::vector<Level> levels; ///< innermost first
    std::string source;

    bool operator==(const NodeType&) const = default;
};

/// What a source's published recipe chose that its rows leave out, for the runs it fits: empty lists fit all.
struct RunRecipe {
    std::string stack; ///< id of the stack the run would have
    std::vector<std::string> models, accelerators; ///< ids
    std::vector<std::string> precisions; ///< keys
    std::vector<std::string> tables; ///< part of the words for where a row stands
    std::string runsAs; ///< id of the stack that it has instead; empty = the same
    std::string recompute; ///< key, where a row states none; empty = the stack's habit
    int predictionModules = -1; ///< multi-token prediction modules; negative = the model's
    std::string source;
};

/// What published sources call presets: their spelling, lower-case with dashes for blanks and underscores, to the id.
struct RunNames {
    std::map<std::string, std::string, std::less<>> models, accelerators, stacks;
    /// Stacks by a part of the source's address, or of the words a run gives for its schedule.
    std::map<std::string, std::string, std::less<>> sources, schedules;
    /// Words that a source of serving points is known by, to the stack that served: the longest that is contained
    /// counts. "A; B; C": B must begin the row's notes, and C be contained in its hardware.
    std::map<std::string, std::string, std::less<>> engines;
    std::vector<RunRecipe> recipes; ///< each that fits fills what it states; all that they name is known
};

/// Every preset, sorted by id.
struct Catalogue {
    std::vector<Model> models;
    std::vector<Link> links; ///< what levels of clusters and nodeTypes were made of
    std::vector<Accelerator> accelerators;
    std::vector<Cluster> clusters;
    std::vector<Stack> stacks;
    std::map<std::string, NodeType, std::less<>> nodeTypes; ///< by accelerator id
    std::map<std::string, std::int64_t, std::less<>>
        publishedParameters; ///< by model id, where the publisher gives an exact total
    RunNames runNames;
    Problems problems; ///< files that were skipped and why; field is the file, then the field in it

    /// nullptr when there is none.
    const Model* model(std::string_view id) const;
    const Link* link(std::string_view id) const;
    const Accelerator* accelerator(std::string_view id) const;
    const Cluster* cluster(std::string_view id) const;
    const Stack* stack(std::string_view id) const;
};

/// Reads models/, links/, accelerators/, clusters/ and stacks/ (files *.json) and run_names.json of each folder. A
/// preset of a later folder replaces one of the same id of an earlier folder, also where presets of earlier folders
/// name it: the program's presets first, the user's own last. A folder that does not exist is empty; a file that cannot
/// be used is skipped and named in problems.
Catalogue loadCatalogue(const std::vector<std::filesystem::path>& folders);

/// Devices in the nodes they usually come in; PCIe boxes on 100 Gb/s Ethernet where the catalogue does not know better
/// (of the links pcie-4-no-peer and ethernet-100, as far as it has them).
Cluster makeCluster(const Accelerator& accelerator, std::int64_t nodes, std::int64_t devicesPerNode,
                    const Catalogue& catalogue);
/// Devices in a node of the accelerator as it usually comes.
std::int64_t typicalDevicesPerNode(const Accelerator& accelerator, const Catalogue& catalogue);

} // namespace partita
