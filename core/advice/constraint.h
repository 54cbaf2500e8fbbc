// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"
#include "core/base/names.h"
#include "core/search/difference.h"

#include <array>
#include <string>

namespace partita {

/// What keeps a layout from running, or from running faster.
enum class Constraint {
    None, ///< nothing that pays to change
    Batch, ///< too few sequences for the replicas
    Illegal, ///< a rule forbids the layout
    ModelStates, ///< weights, gradients and optimizer states
    Activations,
    HeadAndLoss,
    Compute, ///< kernels of unfavourable shape, host launches
    Recompute,
    Communication,
    Bubble,
    Optimizer,
    ServiceTarget ///< latency or throughput asked of a served model
};

template <> struct Names<Constraint> {
    static constexpr std::array table{
        Name<Constraint>{Constraint::None, "none", "nothing"},
        Name<Constraint>{Constraint::Batch, "batch", "the batch"},
        Name<Constraint>{Constraint::Illegal, "illegal", "a rule"},
        Name<Constraint>{Constraint::ModelStates, "model_states", "model states"},
        Name<Constraint>{Constraint::Activations, "activations", "activations"},
        Name<Constraint>{Constraint::HeadAndLoss, "head_and_loss", "head and loss"},
        Name<Constraint>{Constraint::Compute, "compute", "compute"},
        Name<Constraint>{Constraint::Recompute, "recompute", "recomputation"},
        Name<Constraint>{Constraint::Communication, "communication", "communication"},
        Name<Constraint>{Constraint::Bubble, "bubble", "the pipeline bubble"},
        Name<Constraint>{Constraint::Optimizer, "optimizer", "the optimizer step"},
        Name<Constraint>{Constraint::ServiceTarget, "service_target", "what is asked of the service"},
    };
};

struct Binding {
    Constraint kind = Constraint::None;
    std::string text; ///< a sentence with numbers

    bool operator==(const Binding&) const = default;
};

/// Why a layout cannot run as it is. Needs one that is illegal or does not fit.
Binding obstacle(const LayoutCost& cost, const Scenario& scenario);

/// What binds the step time of a layout: the kind of time that the best change takes most of.
Binding brake(const LayoutCost& cost, const LayoutCost& better);

} // namespace partita
