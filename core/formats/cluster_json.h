// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The fields of accelerators and clusters as files spell them. Internal to core/formats.

#include "core/cluster/cluster.h"
#include "core/formats/json_fields.h"

namespace partita {

template <class Fields> void describe(Fields& fields, Peaks& peak)
{
    constexpr NumberRange anyRate{0, 1e20};
    fields.quantity("bf16", peak.bf16, teraflops, anyRate, Presence::Rare);
    fields.quantity("fp16", peak.fp16, teraflops, anyRate, Presence::Rare);
    fields.quantity("fp8", peak.fp8, teraflops, anyRate, Presence::Rare);
    fields.quantity("fp4", peak.fp4, teraflops, anyRate, Presence::Rare);
    fields.quantity("tf32", peak.tf32, teraflops, anyRate, Presence::Rare);
    fields.quantity("vector", peak.vector, teraflops, anyRate, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, KernelConstants& kernels)
{
    constexpr NumberRange efficiency{0.001, 1};
    fields.number("gemm_efficiency", kernels.gemmEfficiency, efficiency);
    fields.number("fp8_efficiency", kernels.fp8Efficiency, efficiency);
    fields.number("fp4_efficiency", kernels.fp4Efficiency, efficiency);
    fields.integer("tile_m", kernels.tileM, {1, 1 << 16});
    fields.integer("tile_n", kernels.tileN, {1, 1 << 16});
    fields.number("gemm_k_half", kernels.gemmKHalf, {0, 1e6});
    fields.number("fp4_k_half", kernels.fp4KHalf, {0, 1e6});
    fields.number("gemm_tile_feed", kernels.gemmTileFeed, {0, 100});
    fields.number("gemm_wave_loss", kernels.gemmWaveLoss, share);
    fields.number("exposure", kernels.exposure, share);
    fields.number("attention_forward", kernels.attentionForward, efficiency);
    fields.number("attention_backward", kernels.attentionBackward, efficiency);
    fields.integer("attention_tile", kernels.attentionTile, {1, 1 << 16});
    fields.number("attention_head_half", kernels.attentionHeadHalf, {0, 1e6});
    fields.number("flash_2_speed", kernels.flash2Speed, {0.01, 1}, Presence::Rare, 1);
    fields.number("attention_half_length", kernels.attentionHalfLength, {0, 1e6});
    fields.number("scan_efficiency", kernels.scanEfficiency, efficiency);
    fields.number("memory_efficiency", kernels.memoryEfficiency, efficiency);
    fields.quantity("launch", kernels.launch, microseconds, {0, 1});
    fields.number("sustained", kernels.sustained, efficiency);
    fields.text("source", kernels.source, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, Accelerator& accelerator)
{
    fields.text("id", accelerator.id);
    fields.text("name", accelerator.name);
    fields.text("vendor", accelerator.vendor);
    fields.object("peak", accelerator.peak, Presence::Required);
    fields.quantity("memory", accelerator.memoryBytes, gibibytes, {1e6, 1e15}, Presence::Required);
    fields.quantity("memory_bandwidth", accelerator.memoryBandwidth, gigabytesPerSecond, {1e6, 1e16},
                    Presence::Required);
    fields.quantity("host_bandwidth", accelerator.hostBandwidth, gigabytesPerSecond, {1e6, 1e16});
    fields.integer("cores", accelerator.cores, {0, 1 << 20}, Presence::Rare);
    fields.quantity("l2", accelerator.l2Bytes, mebibytes, {0, 1e12}, Presence::Rare);
    fields.number("power_w", accelerator.power, {0, 1e6}, Presence::Rare);
    fields.number("price_per_hour_usd", accelerator.pricePerHour, {0, 1e6}, Presence::Rare);
    fields.object("kernels", accelerator.kernels, Presence::Rare);
    fields.texts("sources", accelerator.sources);
    fields.text("notes", accelerator.notes, Presence::Rare);
}

/// What a link says of a level: everything but the name and the domain.
template <class Fields> void describeConstants(Fields& fields, Level& level, Presence bandwidth)
{
    constexpr NumberRange anyTime{0, 10};
    fields.quantity("bandwidth", level.bandwidth, gigabytesPerSecond, {1e3, 1e16}, bandwidth);
    fields.quantity("latency", level.latency, microseconds, anyTime);
    fields.quantity("base_latency", level.baseLatency, microseconds, anyTime);
    fields.number("efficiency", level.efficiency, {0.001, 2});
    fields.number("all_to_all_efficiency", level.allToAllEfficiency, {0, 2}, Presence::Rare);
    fields.quantity("half_size", level.halfSize, mebibytes, {0, 1e15});
    fields.choice("fabric", level.fabric);
    fields.number("in_switch_reduction", level.inSwitchReduction, {0, 4}, Presence::Rare);
    fields.quantity("direct_latency", level.directLatency, microseconds, anyTime, Presence::Rare);
    fields.text("source", level.source, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, Level& level, Presence bandwidth = Presence::Required)
{
    fields.text("name", level.name);
    fields.integer("domain", level.domain, {0, 1 << 24});
    describeConstants(fields, level, bandwidth);
}

template <class Fields> void describe(Fields& fields, Link& link)
{
    fields.text("id", link.id);
    fields.text("name", link.level.name);
    describeConstants(fields, link.level, Presence::Required);
}

/// accelerator: describes the accelerator's member, an object or the id of a preset; levels: describes the levels.
template <class Fields, class AcceleratorMember, class LevelsMember>
void describe(Fields& fields, Cluster& cluster, AcceleratorMember accelerator, LevelsMember levels)
{
    fields.text("id", cluster.id);
    fields.text("name", cluster.name);
    accelerator(fields, cluster.accelerator);
    fields.integer("nodes", cluster.nodes, {1, 1 << 24}, Presence::Required);
    fields.integer("devices_per_node", cluster.devicesPerNode, {1, 1 << 16}, Presence::Required);
    levels(fields, cluster.levels);
    fields.texts("sources", cluster.sources);
    fields.text("notes", cluster.notes, Presence::Rare);
}

/// Contradictions among fields that are fine one by one: no peak at all, levels that shrink.
void checkAccelerator(FieldReader& reader, const Accelerator& accelerator);

/// The member "levels", checked. A level is whole or, where links is not null, {"link": id, "domain": n}, in which
/// other members replace those of the link. The levels are whole once they are read.
void readLevels(FieldReader& reader, std::vector<Level>& levels, const std::vector<Link>* links);

/// A cluster whose accelerator is an id or an object, and whose levels may name one of the links. Unknown keys are left
/// to the caller.
void readCluster(FieldReader& reader, Cluster& cluster, const std::vector<Accelerator>& accelerators,
                 const std::vector<Link>* links);
/// Levels are written whole: what a file says must not change with the presets.
void writeCluster(FieldWriter& writer, Cluster& cluster, const std::vector<Accelerator>& accelerators);

} // namespace partita
