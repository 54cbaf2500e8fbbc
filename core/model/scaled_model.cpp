// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/scaled_model.h"

#include "core/base/format.h"
#include "core/model/check_model.h"
#include "core/model/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {

namespace {

constexpr int whole = 8; // factors are eighths
constexpr std::array eighths{4, 5, 6, 7, 8, 10, 12, 14, 16};

/// Multiplies sizes by a factor and remembers whether all of them stayed whole.
class Scaling {
public:
    explicit Scaling(int factor)
        : m_factor(factor)
    {
    }

    bool exact() const { return m_exact; }

    template <class I> void scale(I& size)
    {
        m_exact = m_exact && size % whole * m_factor % whole == 0;
        size = static_cast<I>(size / whole * m_factor + size % whole * m_factor / whole);
    }

    /// What `of` is shared by: kept where it still divides them, as families of models do.
    template <class I> void scaleShared(I& groups, I before, I after)
    {
        if (groups == before || groups <= 0 || after % groups != 0) {
            scale(groups);
        }
    }

    void mixer(std::monostate&) { }
    void mixer(Attention& attention)
    {
        const int before = attention.heads;
        scale(attention.heads);
        scaleShared(attention.kvHeads, before, attention.heads);
    }
    void mixer(LatentAttention& attention) { scale(attention.heads); }
    void mixer(Mamba1& mamba)
    {
        scale(mamba.innerWidth);
        scale(mamba.stepRank);
    }
    void mixer(Mamba2& mamba)
    {
        const int before = mamba.heads;
        scale(mamba.heads);
        scaleShared(mamba.groups, before, mamba.heads);
    }
    void mixer(GatedDelta& delta)
    {
        scale(delta.keyHeads);
        scale(delta.valueHeads);
    }

    void feedForward(std::monostate&) { }
    void feedForward(DenseFfn& ffn) { scale(ffn.width); }
    void feedForward(MoeFfn& ffn)
    {
        scale(ffn.expertWidth);
        scale(ffn.sharedWidth);
        scale(ffn.latentWidth);
    }

private:
    int m_factor;
    bool m_exact = true;
};

/// The order begins as the model's; a longer one repeats its end. As many layers of every power of two as divided them
/// before, so that pipelines still split them evenly.
std::vector<int> scaledLayers(const std::vector<int>& layers, int factor)
{
    const std::size_t step = layers.size() % 8 == 0 ? 8 : layers.size() % 4 == 0 ? 4 : layers.size() % 2 == 0 ? 2 : 1;
    const std::size_t wanted = layers.size() * static_cast<std::size_t>(factor) / whole;
    const std::size_t count = std::max(step, (wanted + step / 2) / step * step);
    std::vector<int> scaled(layers.begin(),
                            layers.begin() + static_cast<std::ptrdiff_t>(std::min(count, layers.size())));
    while (scaled.size() < count) {
        const std::size_t missing = std::min(count - scaled.size(), layers.size());
        scaled.insert(scaled.end(), layers.end() - static_cast<std::ptrdiff_t>(missing), layers.end());
    }
    return scaled;
}

/// "Llama 3 8B scaled to 16.1 B": a model that was scaled before is named once.
std::string scaledText(const std::string& text, std::string_view mark, const std::string& size)
{
    return fmt::format("{}{}{}", text.substr(0, text.rfind(mark)), mark, size);
}

} // namespace

std::vector<Model> scaledModels(const Model& model)
{
    std::vector<Model> family;
    for (const int factor : eighths) {
        Model scaled = model;
        if (factor != whole) {
            Scaling scaling(factor);
            scaling.scale(scaled.hidden);
            scaling.scale(scaled.embeddingWidth);
            for (LayerKind& kind : scaled.kinds) {
                std::visit([&](auto& mixer) { scaling.mixer(mixer); }, kind.mixer);
                std::visit([&](auto& ffn) { scaling.feedForward(ffn); }, kind.feedForward);
            }
            scaled.layers = scaledLayers(model.layers, factor);
            if (!scaling.exact() || !checkModel(scaled).empty()) {
                continue;
            }
            const std::int64_t total = parameters(scaled).total();
            scaled.id = scaledText(model.id, "-scaled-", fmt::format("{}", total));
            scaled.name = scaledText(model.name, " scaled to ", formatScaled(static_cast<double>(total)));
        }
        family.push_back(std::move(scaled));
    }
    return family;
}

} // namespace partita
