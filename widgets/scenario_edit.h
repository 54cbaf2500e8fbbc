// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/scenario/rules.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

template <> struct Names<LayoutField> {
    static constexpr std::array table{
        Name<LayoutField>{LayoutField::Tp, "tp", "Tensor parallel"},
        Name<LayoutField>{LayoutField::Cp, "cp", "Context parallel"},
        Name<LayoutField>{LayoutField::Pp, "pp", "Pipeline parallel"},
        Name<LayoutField>{LayoutField::Vpp, "vpp", "Virtual stages"},
        Name<LayoutField>{LayoutField::Dp, "dp", "Data parallel"},
        Name<LayoutField>{LayoutField::Ep, "ep", "Expert parallel"},
        Name<LayoutField>{LayoutField::Etp, "etp", "Expert tensor parallel"},
        Name<LayoutField>{LayoutField::MicroBatch, "microBatch", "Micro-batch"},
        Name<LayoutField>{LayoutField::GlobalBatch, "globalBatch", "Global batch"},
    };
};

} // namespace partita

namespace partita::ui {

std::int64_t valueOf(const Layout& layout, LayoutField field);
void setValueOf(Layout& layout, LayoutField field, std::int64_t value);

/// The scenario with one field of its layout set. solved: the degree (Tp, Cp, Pp or Dp) that follows from the others,
/// so that tp * cp * pp * dp = devices; left as it is where no whole number does that. Dp is solved by the core's
/// withField.
Scenario withLayoutField(const Scenario& scenario, LayoutField field, std::int64_t value, LayoutField solved);
/// The same after something else than the layout has changed.
Scenario withSolvedDegree(const Scenario& scenario, LayoutField solved);
/// Ascending legal values of a field under that solved degree; for the solved degree itself the values it may come to.
std::vector<std::int64_t> stopsOf(const Scenario& scenario, LayoutField field, LayoutField solved);

struct FieldChange {
    LayoutField field = LayoutField::Tp;
    std::int64_t before = 0;
    std::int64_t after = 0;

    bool operator==(const FieldChange&) const = default;
};

/// Fields that differ between two layouts, in the order of Names<LayoutField>.
std::vector<FieldChange> changesBetween(const Layout& before, const Layout& after);

/// Sizes of a model whose layers are all alike: attention and a dense or expert feed-forward.
struct UniformSizes {
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t ffn = 0; ///< of one expert where there are experts
    std::int64_t vocabulary = 0;
    std::int64_t experts = 0; ///< 0 = dense
    std::int64_t topK = 0;

    bool operator==(const UniformSizes&) const = default;
};

/// Nothing for hybrids, latent attention and state-space models.
std::optional<UniformSizes> uniformSizes(const Model& model);
/// A model with other sizes and all else kept. The model must have uniformSizes().
Model withSizes(const Model& model, const UniformSizes& sizes);
bool hasExperts(const Model& model);

} // namespace partita::ui
