// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/check_model.h"

#include "core/model/weights.h"

#include <fmt/format.h>

namespace partita {

namespace {

using Bounds = ModelBounds;

/// Collects the problems of one object, whose path stands in front of every field.
class Checker {
public:
    Checker(Problems& problems, std::string path)
        : m_problems(problems)
        , m_path(std::move(path))
    {
    }

    void range(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high)
    {
        if (value < low) {
            report(field, value, fmt::format("must be at least {}", low), "");
        } else if (value > high) {
            report(field, value, fmt::format("must be at most {}", high), "");
        }
    }
    /// `what` must go into `value` without a rest, as in "16 query heads over 3 key-value heads".
    void divides(std::string_view field, std::int64_t value, std::int64_t whole, std::string_view wholeName)
    {
        if (value > 0 && whole > 0 && whole % value != 0) {
            report(field, value, fmt::format("does not divide {} {}", whole, wholeName), "a divisor of it");
        }
    }
    void atMost(std::string_view field, std::int64_t value, std::int64_t limit, std::string_view limitName)
    {
        if (limit > 0 && value > limit) {
            report(field, value, fmt::format("is more than the {} {}", limit, limitName),
                   fmt::format("at most {}", limit));
        }
    }
    void report(std::string_view field, std::int64_t value, std::string message, std::string suggestion)
    {
        m_problems.push_back(
            {m_path + std::string(field), fmt::to_string(value), std::move(message), std::move(suggestion)});
    }

private:
    Problems& m_problems;
    std::string m_path;
};

void check(Checker&, std::monostate) { }

void check(Checker& c, const Attention& a)
{
    c.range("heads", a.heads, 1, Bounds::heads);
    c.range("kvHeads", a.kvHeads, 1, Bounds::heads);
    c.divides("kvHeads", a.kvHeads, a.heads, "query heads");
    c.range("headDim", a.headDim, 1, Bounds::width);
    c.range("valueHeadDim", a.valueHeadDim, 0, Bounds::width);
    c.range("window", a.window, 0, Bounds::tokens);
}

void check(Checker& c, const LatentAttention& a)
{
    c.range("heads", a.heads, 1, Bounds::heads);
    c.range("queryRank", a.queryRank, 0, Bounds::width);
    c.range("kvRank", a.kvRank, 1, Bounds::width);
    c.range("nopeHeadDim", a.nopeHeadDim, 1, Bounds::width);
    c.range("ropeHeadDim", a.ropeHeadDim, 0, Bounds::width);
    c.range("valueHeadDim", a.valueHeadDim, 1, Bounds::width);
    c.range("indexHeads", a.indexHeads, 0, Bounds::heads);
    if (a.indexHeads > 0) {
        c.range("indexHeadDim", a.indexHeadDim, 1, Bounds::width);
        c.range("indexTopK", a.indexTopK, 1, Bounds::tokens);
    }
}

void check(Checker& c, const Mamba1& m)
{
    c.range("innerWidth", m.innerWidth, 1, Bounds::width);
    c.range("stateSize", m.stateSize, 1, Bounds::width);
    c.range("convWidth", m.convWidth, 1, Bounds::width);
    c.range("stepRank", m.stepRank, 1, Bounds::width);
}

void check(Checker& c, const Mamba2& m)
{
    c.range("heads", m.heads, 1, Bounds::heads);
    c.range("headDim", m.headDim, 1, Bounds::width);
    c.range("groups", m.groups, 1, Bounds::heads);
    c.divides("groups", m.groups, m.heads, "heads");
    c.range("stateSize", m.stateSize, 1, Bounds::width);
    c.range("convWidth", m.convWidth, 1, Bounds::width);
    c.range("chunk", m.chunk, 1, Bounds::tokens);
}

void check(Checker& c, const GatedDelta& d)
{
    c.range("keyHeads", d.keyHeads, 1, Bounds::heads);
    c.range("valueHeads", d.valueHeads, 1, Bounds::heads);
    c.divides("keyHeads", d.keyHeads, d.valueHeads, "value heads");
    c.range("keyHeadDim", d.keyHeadDim, 1, Bounds::width);
    c.range("valueHeadDim", d.valueHeadDim, 1, Bounds::width);
    c.range("convWidth", d.convWidth, 1, Bounds::width);
    c.range("chunk", d.chunk, 1, Bounds::tokens);
}

void check(Checker& c, const DenseFfn& f)
{
    c.range("width", f.width, 1, Bounds::width);
}

void check(Checker& c, const MoeFfn& f)
{
    c.range("experts", f.experts, 1, Bounds::experts);
    c.range("topK", f.topK, 1, Bounds::experts);
    c.atMost("topK", f.topK, f.experts, "experts");
    c.range("expertWidth", f.expertWidth, 1, Bounds::width);
    c.range("sharedWidth", f.sharedWidth, 0, Bounds::width);
    c.range("latentWidth", f.latentWidth, 0, Bounds::width);
    c.range("routingGroups", f.routingGroups, 1, Bounds::experts);
    c.divides("routingGroups", f.routingGroups, f.experts, "experts");
    c.range("routedGroups", f.routedGroups, 1, Bounds::experts);
    c.atMost("routedGroups", f.routedGroups, f.routingGroups, "routing groups");
}

void checkDimensions(Problems& problems, const Model& model)
{
    Checker c(problems, "");
    c.range("hidden", model.hidden, 1, Bounds::width);
    c.range("vocabulary", model.vocabulary, 1, Bounds::vocabulary);
    c.range("maxPositions", model.maxPositions, 0, Bounds::tokens);
    c.range("learnedPositions", model.learnedPositions, 0, Bounds::tokens);
    c.range("embeddingWidth", model.embeddingWidth, 0, Bounds::width);
    c.range("multiTokenPrediction", model.multiTokenPrediction, 0, Bounds::predictionModules);
    c.range("layers", static_cast<std::int64_t>(model.layers.size()), 1, Bounds::layers);
    c.range("kinds", static_cast<std::int64_t>(model.kinds.size()), 1, Bounds::kinds);
}

/// Whether the counts stay exact. Called once the dimensions are in bounds, so that no factor is itself too large.
void checkSize(Problems& problems, const Model& model)
{
    const auto add = [](const WeightList& weights) {
        double sum = 0;
        for (const Weight& weight : weights) {
            sum += weight.approximateCount();
        }
        return sum;
    };
    std::vector<double> ofKind;
    for (const LayerKind& kind : model.kinds) {
        ofKind.push_back(add(weightsOf(kind, model)));
    }
    double total = add(embeddingWeights(model)) + add(headWeights(model))
        + model.multiTokenPrediction * add(predictionModuleWeights(model));
    for (const int kind : model.layers) {
        total += ofKind[static_cast<std::size_t>(kind)];
    }
    for (const double kind : ofKind) {
        total += kind; // a kind without a layer is counted too when someone asks for it
    }
    if (total > Bounds::parameters) {
        problems.push_back({"", fmt::format("{:.3g}", total),
                            fmt::format("more parameters than the {:.0e} that can be costed", Bounds::parameters), ""});
    }
}

} // namespace

Problems checkModel(const Model& model)
{
    Problems problems;
    checkDimensions(problems, model);
    for (std::size_t i = 0; i < model.kinds.size() && i < std::size_t{Bounds::kinds}; ++i) {
        const LayerKind& kind = model.kinds[i];
        Checker mixer(problems, fmt::format("kinds[{}].mixer.", i));
        std::visit([&](const auto& m) { check(mixer, m); }, kind.mixer);
        Checker feedForward(problems, fmt::format("kinds[{}].feedForward.", i));
        std::visit([&](const auto& f) { check(feedForward, f); }, kind.feedForward);
        Checker(problems, fmt::format("kinds[{}].", i)).range("norms", kind.norms, 0, 8);
    }
    for (std::size_t i = 0; i < model.layers.size() && i < std::size_t{Bounds::layers}; ++i) {
        const int kind = model.layers[i];
        if (kind < 0 || static_cast<std::size_t>(kind) >= model.kinds.size()) {
            problems.push_back({fmt::format("layers[{}]", i), fmt::to_string(kind),
                                "names a layer kind that does not exist",
                                fmt::format("0 to {}", static_cast<std::int64_t>(model.kinds.size()) - 1)});
        }
    }
    if (problems.empty()) {
        checkSize(problems, model);
    }
    return problems;
}

} // namespace partita
