// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scenario_edit.h"

#include <algorithm>
#include <limits>

namespace partita::ui {

namespace {

template <class L> auto* degreeOf(L& layout, LayoutField field)
{
    switch (field) {
    case LayoutField::Cp:
        return &layout.cp;
    case LayoutField::Pp:
        return &layout.pp;
    case LayoutField::Vpp:
        return &layout.vpp;
    case LayoutField::Dp:
        return &layout.dp;
    case LayoutField::Ep:
        return &layout.ep;
    case LayoutField::Etp:
        return &layout.etp;
    case LayoutField::Tp:
    case LayoutField::MicroBatch:
    case LayoutField::GlobalBatch:
        break;
    }
    return &layout.tp;
}

bool isDegreeOfProduct(LayoutField field)
{
    return field == LayoutField::Tp || field == LayoutField::Cp || field == LayoutField::Pp || field == LayoutField::Dp;
}

int toInt(std::int64_t value)
{
    return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
}

/// The layout with the solved degree set to what balances the devices, if a whole number does.
Layout balanced(Layout layout, std::int64_t devices, LayoutField solved)
{
    const std::int64_t own = valueOf(layout, solved);
    const std::int64_t others = own > 0 ? layout.devices() / own : 0;
    if (others > 0 && devices > 0 && devices % others == 0) {
        setValueOf(layout, solved, devices / others);
    }
    return layout;
}

} // namespace

std::int64_t valueOf(const Layout& layout, LayoutField field)
{
    if (field == LayoutField::MicroBatch) {
        return layout.microBatch;
    }
    return field == LayoutField::GlobalBatch ? layout.globalBatch : *degreeOf(layout, field);
}

void setValueOf(Layout& layout, LayoutField field, std::int64_t value)
{
    if (field == LayoutField::MicroBatch) {
        layout.microBatch = value;
    } else if (field == LayoutField::GlobalBatch) {
        layout.globalBatch = value;
    } else {
        *degreeOf(layout, field) = toInt(value);
    }
}

Scenario withLayoutField(const Scenario& scenario, LayoutField field, std::int64_t value, LayoutField solved)
{
    Scenario next = scenario;
    if (solved == LayoutField::Dp) {
        next.layout = withField(scenario, field, value);
        return next;
    }
    setValueOf(next.layout, field, value);
    if (isDegreeOfProduct(field) && field != solved) {
        next.layout = balanced(next.layout, next.cluster.devices(), solved);
    }
    return next;
}

Scenario withSolvedDegree(const Scenario& scenario, LayoutField solved)
{
    Scenario next = scenario;
    next.layout = balanced(next.layout, next.cluster.devices(), solved);
    return next;
}

std::vector<std::int64_t> stopsOf(const Scenario& scenario, LayoutField field, LayoutField solved)
{
    if (solved == LayoutField::Dp || field == solved || !isDegreeOfProduct(field)) {
        return legalStops(scenario, field);
    }
    const std::int64_t free = valueOf(scenario.layout, field) * valueOf(scenario.layout, solved);
    const std::int64_t kept = free > 0 ? scenario.layout.devices() / free : 0;
    const std::int64_t most = kept > 0 ? scenario.cluster.devices() / kept : 0;
    std::vector<std::int64_t> stops;
    for (std::int64_t value = 1; value <= most; ++value) {
        if (most % value == 0 && checkLayout(withLayoutField(scenario, field, value, solved)).empty()) {
            stops.push_back(value);
        }
    }
    return stops;
}

std::vector<FieldChange> changesBetween(const Layout& before, const Layout& after)
{
    std::vector<FieldChange> changes;
    for (const Name<LayoutField>& name : Names<LayoutField>::table) {
        const std::int64_t from = valueOf(before, name.value);
        const std::int64_t to = valueOf(after, name.value);
        if (from != to) {
            changes.push_back({name.value, from, to});
        }
    }
    return changes;
}

std::optional<UniformSizes> uniformSizes(const Model& model)
{
    const bool alike =
        std::all_of(model.layers.begin(), model.layers.end(), [&](int kind) { return kind == model.layers.front(); });
    if (model.layers.empty() || !alike) {
        return std::nullopt;
    }
    const LayerKind& kind = model.layer(0);
    const auto* attention = std::get_if<Attention>(&kind.mixer);
    const auto* dense = std::get_if<DenseFfn>(&kind.feedForward);
    const auto* moe = std::get_if<MoeFfn>(&kind.feedForward);
    if (!attention || (!dense && !moe)) {
        return std::nullopt;
    }
    UniformSizes sizes;
    sizes.layers = model.layerCount();
    sizes.hidden = model.hidden;
    sizes.heads = attention->heads;
    sizes.kvHeads = attention->kvHeads;
    sizes.headDim = attention->headDim;
    sizes.ffn = dense ? dense->width : moe->expertWidth;
    sizes.vocabulary = model.vocabulary;
    sizes.experts = moe ? moe->experts : 0;
    sizes.topK = moe ? moe->topK : 0;
    return sizes;
}

Model withSizes(const Model& model, const UniformSizes& sizes)
{
    Model next = model;
    const int kindIndex = model.layers.front();
    LayerKind& kind = next.kinds[static_cast<std::size_t>(kindIndex)];
    next.layers.assign(static_cast<std::size_t>(sizes.layers), kindIndex);
    next.hidden = sizes.hidden;
    next.vocabulary = sizes.vocabulary;
    auto& attention = std::get<Attention>(kind.mixer);
    attention.heads = toInt(sizes.heads);
    attention.kvHeads = toInt(sizes.kvHeads);
    attention.headDim = toInt(sizes.headDim);
    if (auto* dense = std::get_if<DenseFfn>(&kind.feedForward)) {
        dense->width = sizes.ffn;
    } else {
        auto& moe = std::get<MoeFfn>(kind.feedForward);
        moe.expertWidth = sizes.ffn;
        moe.experts = toInt(sizes.experts);
        moe.topK = toInt(sizes.topK);
    }
    return next;
}

bool hasExperts(const Model& model)
{
    return std::any_of(model.kinds.begin(), model.kinds.end(),
                       [](const LayerKind& kind) { return std::holds_alternative<MoeFfn>(kind.feedForward); });
}

} // namespace partita::ui
