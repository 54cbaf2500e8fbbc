// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/rules.h"

#include "core/scenario/split_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace partita {

namespace {

constexpr std::int64_t largestSearched = 1 << 16; ///< degrees tried for a suggestion

/// "try 4 or 8": the nearest values below and above that pass, within 1..largest.
template <class Passes> std::string nearest(std::int64_t value, std::int64_t largest, Passes passes)
{
    largest = std::min(largest, largestSearched);
    std::int64_t below = std::min(value - 1, largest);
    while (below >= 1 && !passes(below)) {
        --below;
    }
    std::int64_t above = std::max<std::int64_t>(1, std::min(value, largest) + 1);
    while (above <= largest && !passes(above)) {
        ++above;
    }
    if (below >= 1 && above <= largest && value >= 1) {
        return fmt::format("try {} or {}", below, above);
    }
    if (below >= 1 || above <= largest) {
        return fmt::format("try {}", below >= 1 ? below : above);
    }
    return {};
}

std::string nearestMultiple(std::int64_t value, std::int64_t unit)
{
    const std::int64_t below = value - value % unit;
    if (below < unit) {
        return fmt::format("try {}", unit);
    }
    return below > std::numeric_limits<std::int64_t>::max() - unit ? fmt::format("try {}", below)
                                                                   : fmt::format("try {} or {}", below, below + unit);
}

/// Collects the problems of one scenario's layout.
class Checker {
public:
    explicit Checker(const Scenario& scenario)
        : m_scenario(scenario)
        , m_layout(scenario.layout)
        , m_devices(deviceCount(scenario.cluster))
    {
    }

    Problems run()
    {
        if (checkPositive()) {
            if (checkDevices()) {
                checkProduct();
            }
            checkTensor();
            checkContext();
            checkPipeline();
            checkExperts();
            checkBatch();
            checkSharding();
        }
        return std::move(m_problems);
    }

private:
    void add(const char* field, std::int64_t value, std::string message, std::string suggestion)
    {
        m_problems.push_back({field, fmt::format("{}", value), std::move(message), std::move(suggestion)});
    }

    bool checkPositive()
    {
        const auto require = [this](const char* field, std::int64_t value) {
            if (value < 1) {
                add(field, value, "must be at least 1", "try 1");
            }
        };
        require("layout.tp", m_layout.tp);
        require("layout.cp", m_layout.cp);
        require("layout.pp", m_layout.pp);
        require("layout.vpp", m_layout.vpp);
        require("layout.dp", m_layout.dp);
        require("layout.ep", m_layout.ep);
        require("layout.etp", m_layout.etp);
        require("layout.micro_batch", m_layout.microBatch);
        require("layout.global_batch", m_layout.globalBatch);
        require("workload.sequence_length", m_scenario.workload.sequenceLength);
        require("workload.adapter_rank", m_scenario.workload.adapterRank);
        require("cluster.devices_per_node", m_scenario.cluster.devicesPerNode);
        require("cluster.nodes", m_scenario.cluster.nodes);
        return m_problems.empty();
    }

    bool checkDevices()
    {
        if (m_devices <= mostDevices) {
            return true;
        }
        const Cluster& cluster = m_scenario.cluster;
        const bool tooManyNodes = cluster.devicesPerNode <= mostDevices;
        add(tooManyNodes ? "cluster.nodes" : "cluster.devices_per_node",
            tooManyNodes ? cluster.nodes : cluster.devicesPerNode,
            fmt::format("give {} devices, more than the {} that can be costed", m_devices, mostDevices),
            fmt::format("try {}", tooManyNodes ? mostDevices / cluster.devicesPerNode : mostDevices));
        return false;
    }

    std::int64_t modelRanks() const { return boundedProduct(boundedProduct(m_layout.tp, m_layout.cp), m_layout.pp); }

    void checkProduct()
    {
        const std::int64_t model = modelRanks();
        const std::int64_t all = boundedProduct(model, m_layout.dp);
        if (all == m_devices) {
            return;
        }
        add("layout.dp", m_layout.dp,
            fmt::format("tp {} × cp {} × pp {} × dp {} = {} is not the {} devices of the cluster", m_layout.tp,
                        m_layout.cp, m_layout.pp, m_layout.dp, productText(all), m_devices),
            m_devices % model == 0 ? fmt::format("try {}", m_devices / model) : otherDegree());
    }

    /// The one degree besides dp whose nearest value lets the product divide the devices.
    std::string otherDegree() const
    {
        const auto attempt = [this](const char* name, std::int64_t degree, std::int64_t others) {
            const auto divides = [&](std::int64_t d) { return m_devices % boundedProduct(others, d) == 0; };
            const std::string found = m_devices % others == 0 ? nearest(degree, m_devices, divides) : std::string();
            return found.empty() ? found : fmt::format("{} for {}", found, name);
        };
        std::string text = attempt("pp", m_layout.pp, boundedProduct(m_layout.tp, m_layout.cp));
        if (text.empty()) {
            text = attempt("cp", m_layout.cp, boundedProduct(m_layout.tp, m_layout.pp));
        }
        if (text.empty()) {
            text = attempt("tp", m_layout.tp, boundedProduct(m_layout.cp, m_layout.pp));
        }
        return text.empty() ? "try 1 for tp, cp and pp" : text;
    }

    void checkTensor()
    {
        const Model& model = m_scenario.model;
        std::string objection = tensorObjection(model, m_layout.tp);
        if (!objection.empty()) {
            const auto fits = [&](std::int64_t tp) { return tensorObjection(model, tp).empty(); };
            add("layout.tp", m_layout.tp, std::move(objection), nearest(m_layout.tp, largestTensorDegree(model), fits));
        }
        objection = sequenceParallelObjection(m_scenario, m_layout.tp, m_layout.cp);
        if (!objection.empty()) {
            m_problems.push_back({"layout.sequence_parallel", "true", std::move(objection), "try false"});
        }
    }

    void checkContext()
    {
        std::string objection = contextObjection(m_scenario, m_layout.cp, m_layout.tp);
        if (!objection.empty()) {
            const auto fits = [this](std::int64_t cp) { return contextObjection(m_scenario, cp, m_layout.tp).empty(); };
            add("layout.cp", m_layout.cp, std::move(objection),
                nearest(m_layout.cp, m_scenario.workload.sequenceLength, fits));
        }
    }

    void checkPipeline()
    {
        constexpr std::int64_t endUnits = 2; // embedding and head can be a chunk each
        const std::int64_t layers = m_scenario.model.layerCount();
        const std::int64_t chunks = boundedProduct(m_layout.pp, m_layout.vpp);
        if (m_layout.pp == 1 && m_layout.vpp > 1) {
            add("layout.vpp", m_layout.vpp, "model chunks take a pipeline of several stages", "try 1, or pp 2");
        } else if (!m_layout.layersPerStage.empty()) {
            checkLayersPerStage(layers, chunks);
        } else if (m_layout.pp > layers) {
            add("layout.pp", m_layout.pp, fmt::format("is more stages than the {} layers", layers),
                layers > 0 ? fmt::format("try {}", layers) : std::string());
        } else if (chunks > layers + endUnits) {
            add("layout.vpp", m_layout.vpp,
                fmt::format("makes {} model chunks of {} layers", productText(chunks), layers),
                fmt::format("try {}", (layers + endUnits) / m_layout.pp));
        }
    }

    void checkLayersPerStage(std::int64_t layers, std::int64_t chunks)
    {
        const auto entries = static_cast<std::int64_t>(m_layout.layersPerStage.size());
        if (entries != chunks) {
            add("layout.layers_per_stage", entries,
                fmt::format("entries for pp {} × vpp {} = {} chunks", m_layout.pp, m_layout.vpp, chunks),
                fmt::format("give {} numbers, or none for an even split", chunks));
        }
        std::int64_t sum = 0;
        for (const int count : m_layout.layersPerStage) {
            sum += count;
            if (count < 0) {
                add("layout.layers_per_stage", count, "a chunk cannot hold fewer than 0 layers", "try 0");
            }
        }
        if (sum != layers) {
            add("layout.layers_per_stage", sum, fmt::format("layers in all, but the model has {}", layers),
                "change the numbers, or give none for an even split");
        }
    }

    void checkExperts()
    {
        const Model& model = m_scenario.model;
        if (m_layout.recompute == Recompute::Experts && !isMoe(model)) {
            m_problems.push_back({"layout.recompute", std::string(keyOf(m_layout.recompute)),
                                  "the model has no expert layers to compute again", "try none, selective or full"});
        }
        const std::int64_t ranks = boundedProduct(boundedProduct(m_layout.tp, m_layout.cp), m_layout.dp);
        std::string objection = expertObjection(model, m_layout.ep);
        const auto epFits = [&](std::int64_t ep) {
            return expertObjection(model, ep).empty() && ranks % boundedProduct(ep, m_layout.etp) == 0;
        };
        if (!objection.empty()) {
            add("layout.ep", m_layout.ep, std::move(objection), nearest(m_layout.ep, ranks, epFits));
            return;
        }
        objection = expertTensorObjection(model, m_layout.etp);
        if (!objection.empty()) {
            const auto fits = [&](std::int64_t etp) {
                return expertTensorObjection(model, etp).empty() && ranks % boundedProduct(etp, m_layout.ep) == 0;
            };
            add("layout.etp", m_layout.etp, std::move(objection), nearest(m_layout.etp, ranks, fits));
        } else if (!epFits(m_layout.ep)) {
            add("layout.ep", m_layout.ep,
                fmt::format("times etp {} does not divide tp × cp × dp = {}", m_layout.etp, productText(ranks)),
                nearest(m_layout.ep, ranks, epFits));
        }
    }

    void checkBatch()
    {
        const std::int64_t unit = boundedProduct(m_layout.microBatch, m_layout.dp);
        if (m_layout.globalBatch % unit != 0) {
            add("layout.global_batch", m_layout.globalBatch,
                fmt::format("is not a multiple of micro-batch {} × dp {} = {}", m_layout.microBatch, m_layout.dp,
                            productText(unit)),
                nearestMultiple(m_layout.globalBatch, unit));
        }
    }

    void checkSharding()
    {
        if (m_layout.zeroStage < 0 || m_layout.zeroStage > 3) {
            add("layout.zero_stage", m_layout.zeroStage, "is not a ZeRO stage",
                m_layout.zeroStage < 0 ? "try 0" : "try 3");
        }
        const std::int64_t replicas = boundedProduct(m_layout.dp, m_layout.cp);
        const std::int64_t group = m_layout.shardGroup;
        if (group < 0 || (group > 0 && replicas % group != 0)) {
            add("layout.shard_group", group, fmt::format("does not divide dp × cp = {}", productText(replicas)),
                nearest(group, replicas, [&](std::int64_t g) { return replicas % g == 0; }));
        }
    }

    const Scenario& m_scenario;
    const Layout& m_layout;
    std::int64_t m_devices;
    Problems m_problems;
};

} // namespace

Problems checkLayout(const Scenario& scenario)
{
    return Checker(scenario).run();
}

} // namespace partita
