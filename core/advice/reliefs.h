// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"
#include "core/advice/settings_choice.h"
#include "core/base/names.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace partita {

/// What a change of a layout turns: one setting, one degree, or two degrees together.
enum class ReliefKind {
    Sharding,
    Recompute,
    MicroBatch,
    Schedule,
    SequenceParallel,
    Settings,
    Tensor,
    Context,
    Pipeline,
    Expert,
    ExpertTensor,
    TensorContext,
    TensorPipeline,
    ContextPipeline,
    TensorExpert,
    ContextExpert,
    PipelineExpert,
    ExpertPair,
    Degrees,
    Split,
    Restart,
    StageSplit,
    RankOrder
};

template <> struct Names<ReliefKind> {
    static constexpr std::array table{
        Name<ReliefKind>{ReliefKind::Sharding, "zero", "ZeRO sharding"},
        Name<ReliefKind>{ReliefKind::Recompute, "recompute", "recomputation"},
        Name<ReliefKind>{ReliefKind::MicroBatch, "micro-batch", "micro-batch"},
        Name<ReliefKind>{ReliefKind::Schedule, "schedule", "pipeline schedule"},
        Name<ReliefKind>{ReliefKind::SequenceParallel, "sequence-parallel", "sequence parallelism"},
        Name<ReliefKind>{ReliefKind::Settings, "settings", "sharding, recomputation and micro-batch"},
        Name<ReliefKind>{ReliefKind::Tensor, "tp", "tensor parallelism"},
        Name<ReliefKind>{ReliefKind::Context, "cp", "context parallelism"},
        Name<ReliefKind>{ReliefKind::Pipeline, "pp", "pipeline parallelism"},
        Name<ReliefKind>{ReliefKind::Expert, "ep", "expert parallelism"},
        Name<ReliefKind>{ReliefKind::ExpertTensor, "etp", "tensor parallelism inside experts"},
        Name<ReliefKind>{ReliefKind::TensorContext, "tp-cp", "TP and CP together"},
        Name<ReliefKind>{ReliefKind::TensorPipeline, "tp-pp", "TP and PP together"},
        Name<ReliefKind>{ReliefKind::ContextPipeline, "cp-pp", "CP and PP together"},
        Name<ReliefKind>{ReliefKind::TensorExpert, "tp-ep", "TP and EP together"},
        Name<ReliefKind>{ReliefKind::ContextExpert, "cp-ep", "CP and EP together"},
        Name<ReliefKind>{ReliefKind::PipelineExpert, "pp-ep", "PP and EP together"},
        Name<ReliefKind>{ReliefKind::ExpertPair, "ep-etp", "EP and tensor parallelism inside experts together"},
        Name<ReliefKind>{ReliefKind::Degrees, "tp-cp-pp", "TP, CP and PP together"},
        Name<ReliefKind>{ReliefKind::Split, "split", "the model split anew"},
        Name<ReliefKind>{ReliefKind::Restart, "restart", "any degrees that fit"},
        Name<ReliefKind>{ReliefKind::StageSplit, "layers", "layers moved between stages"},
        Name<ReliefKind>{ReliefKind::RankOrder, "rank-order", "rank order"},
    };
};

/// What a layout splits a model and its sequences into; dp follows.
struct Degrees {
    int tp = 1;
    int cp = 1;
    int pp = 1;
    int ep = 1;
    int etp = 1;

    int& of(Axis axis); ///< ep for Axis::Dp
};

Degrees degreesOf(const Layout& layout);

struct Relief {
    ReliefKind kind = ReliefKind::Sharding;
    LayoutCost cost; ///< of the layout after it

    bool operator==(const Relief&) const = default;
};

/// Best first; of those that lead to the same layout the one named first.
std::vector<Relief> bestFirst(std::vector<Relief> reliefs);

/// Finds what can be changed about layouts of one scenario. Devices and global batch stay; dp follows the degrees.
class ReliefFinder {
public:
    using Stop = std::function<bool()>;

    /// costs must outlive the finder. After stop says so, lists come back short.
    ReliefFinder(LayoutCosts& costs, Stop stop);

    /// The best change of each kind that turns one degree, or settings alone; best first. After a change of a degree
    /// sharding, recomputation, micro-batch and schedule are chosen anew.
    std::vector<Relief> singles(const LayoutCost& from);
    /// The same for two degrees, each moved by at most two stops, TP and PP by any number.
    std::vector<Relief> pairs(const LayoutCost& from);
    /// Where the other school leads: not replicas that gather their weights and recompute, but the least splits that
    /// hold model and sequence without either, and from the fastest of those downhill by one degree at a time. The best
    /// end; the same whatever the layout, which only must not be it.
    std::vector<Relief> splits(const LayoutCost& from);
    /// What fits of these reliefs, in the rank order that suits each best.
    std::vector<Relief> placed(const LayoutCost& from, const std::vector<Relief>& reliefs);
    /// Where changes lead to nothing that fits: of all degrees those that fit with the settings that suit them, the
    /// fastest; where none do, what lacks least.
    std::vector<Relief> restarts(const LayoutCost& from);
    /// The same where there are few degrees at all, as where a batch feeds no more than some replicas: then most single
    /// changes are not legal, and those that trade one degree for another pass through layouts that are slower.
    std::vector<Relief> restartsOfFew(const LayoutCost& from);
    /// For a batch that cannot feed pure data parallelism: the smallest splits of the model that it can feed, the best
    /// of each kind, best first.
    std::vector<Relief> feedingSplits(const Layout& like);
    /// Changes of one field and nothing else but the dp that follows: the best of each field, best first.
    std::vector<Relief> plainChanges(const LayoutCost& from);

    /// A layout with these degrees and otherwise the settings of another, as far as they go with them. Nothing when
    /// devices, batch or experts do not divide.
    std::optional<Layout> layoutWith(const Degrees& degrees, const Layout& like) const;
    /// How settings within limits are chosen.
    const SettingsChoice& settings() const { return m_settings; }
    /// The least split within limits, nothing sharded or recomputed that need not be: pure data parallelism where there
    /// are no limits.
    Layout plainest() const;

    /// Degrees that the model, the sequence, the devices and the limits allow by themselves, ascending.
    const std::vector<std::int64_t>& stops(Axis axis) const { return m_stops[static_cast<std::size_t>(axis)]; }
    const std::vector<std::int64_t>& expertTensorStops() const { return m_expertTensorStops; }
    /// No degree of some kind is allowed.
    bool stuck() const;

private:
    class Choices;
    /// One degree changed.
    struct Turn {
        ReliefKind kind;
        Degrees degrees;
    };

    void offerSettled(Choices& choices, ReliefKind kind, const Degrees& degrees, const Layout& like);
    /// The degrees, and where a stage gets more devices, with the experts of its layers spread over more of them.
    std::vector<Degrees> withExperts(const Degrees& degrees, const Layout& like) const;
    // split_roads.cpp
    const std::vector<LayoutEstimate>& roads();
    std::vector<LayoutEstimate> leastSplits(Recompute recompute) const;
    LayoutEstimate downhill(LayoutEstimate at);

    void everyDegrees(const std::function<void(const Degrees&)>& consider) const;
    const std::vector<Layout>& everyStart();
    std::vector<Turn> turns(const Degrees& from) const;
    void offerSettings(Choices& choices, const Layout& from);
    void offerPlacements(Choices& choices, const LayoutCost& from);

    LayoutCosts& m_costs;
    SettingsChoice m_settings;
    std::optional<std::vector<LayoutEstimate>>
        m_roads; ///< where the fastest of the least splits lead to; once asked for
    std::optional<std::vector<Layout>> m_starts; ///< plain layouts of all degrees that are possible; once asked for
    Stop m_stop;
    std::int64_t m_devices;
    std::array<std::vector<std::int64_t>, Names<Axis>::table.size()> m_stops; ///< by Axis
    std::vector<std::int64_t> m_expertTensorStops;
};

} // namespace partita
