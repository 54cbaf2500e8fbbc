// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/served_context.h"

#include <fmt/format.h>

#include <cmath>

namespace partita {

namespace {

/// A number, or that there is no limit.
void addFinite(Ledger& ledger, const std::string& path, std::string name, Measure measure, double value, Derive derive)
{
    if (std::isfinite(value)) {
        ledger.add(path, std::move(name), measure, value, std::move(derive));
    } else {
        ledger.addText(path, std::move(name), "unlimited", [](Derivation& d) {
            d.assumptions.emplace_back("A token adds nothing to what a device keeps.");
        });
    }
}

/// Keys and values: what a token, a sequence and all of a device's room are.
class KeysOf : public ServedValues {
public:
    KeysOf(Ledger& ledger, const ServedContext& served)
        : ServedValues(ledger, served)
    {
    }

    void addReported() const
    {
        const ServingReport& report = m_served.report;
        addFinite(m_ledger, servingPath("kv.tokens"), "tokens a replica's caches hold", Measure::Tokens, cache().tokens,
                  [this_ = *this](Derivation& d) {
                      d.formula = "a*K*t/w";
                      d.terms = {this_.ranks(), this_.term("K", "memory.key_values"), this_.tokens("t"),
                                 this_.m_ledger.term("w", stagePath(this_.fullest(), "sequence_bytes"))};
                  });
        bytes("kv.bytes_per_token", "keys and values of a token, all layers", report.keyValueBytesPerToken,
              [this_ = *this](Derivation& d) {
                  d.formula = "sum(n*b)";
                  d.terms = {this_.layers(), this_.kinds("b", "of one layer", "bytes_per_token")};
                  d.assumptions.emplace_back("While a sequence is shorter than any window.");
              });
        bytes("kv.bytes_per_token_per_device", "keys and values of a token on the device that fills first",
              report.keyValueBytesPerTokenPerDevice, [this_ = *this](Derivation& d) {
                  if (!std::isfinite(this_.cache().tokens) || !(this_.cache().tokens > 0)) {
                      d.assumptions.emplace_back("There is no room for any, or no limit.");
                      return;
                  }
                  d.formula = "K*a/T";
                  d.terms = {this_.term("K", "memory.key_values"), this_.ranks(), this_.term("T", "kv.tokens")};
              });
        m_ledger.add(servingPath("kv.copies"), "copies of keys among tensor ranks", Measure::Plain,
                     report.keyValueCopies, [this_ = *this](Derivation& d) {
                         d.formula = "max(1, max(t*s))";
                         d.terms = {this_.term("t", "layout.tp"),
                                    this_.kinds("s", "share of a layer's keys on a rank", "key_share")};
                     });
        bytes("kv.room_bytes", "room for keys and values", cache().room[RoomKind::KeyValues],
              [this_ = *this](Derivation& d) {
                  d.formula = "K";
                  d.terms = {this_.term("K", "memory.key_values")};
              });
        m_ledger.addText(
            servingPath("kv.eviction"), "what happens when the cache is full", report.eviction,
            [this_ = *this](Derivation& d) { d.assumptions.push_back(this_.engineOrigin("reserves_output")); });
    }

    void addIntermediate() const
    {
        for (std::size_t i = 0; i < model().kinds.size(); ++i) {
            addShare(i);
            addCache(i, "sequence_bytes", "a whole sequence", allotted(longest()));
            addCache(i, "mean_bytes", "a sequence in steady state", allotted(mean()));
            addCachePerToken(i);
            if (m_served.apart()) {
                addPrompt(i);
            }
        }
    }

private:
    double longest() const { return static_cast<double>(serving().prompt + serving().output); }
    double mean() const { return std::min(longest(), meanHeldTokens(serving())); }
    double page() const { return static_cast<double>(std::max<std::int64_t>(1, engine().pageTokens)); }
    double allotted(double tokens) const { return std::ceil(tokens / page()) * page(); }
    Term layers() const
    {
        return givenList("n", "layers of a kind", Measure::Count, m_served.layersOfKinds(), {}, "model");
    }
    Term ranks() const { return term("a", "layout.attention_dp"); }
    Term tokens(std::string_view symbol) const
    {
        return given(symbol, "prompt and output", Measure::Tokens, longest(), "serving.prompt + serving.output");
    }

    void addShare(std::size_t kind) const
    {
        m_ledger.add(
            kindPath(kind, "key_share"), fmt::format("share of a rank in the keys of a layer of kind {}", kind),
            Measure::Share, deviceShare(model().kinds[kind], layout()), [this_ = *this, kind](Derivation& d) {
                const LayerKind& layer = this_.model().kinds[kind];
                const auto* attention = std::get_if<Attention>(&layer.mixer);
                const bool latent = std::holds_alternative<LatentAttention>(layer.mixer);
                if (attention == nullptr && !latent) {
                    d.formula = "1/t";
                    d.terms = {this_.term("t", "layout.tp")};
                    return;
                }
                d.formula = "1/d";
                d.terms = {this_.term("d", "layout.decode_context")};
                if (latent) {
                    d.assumptions.emplace_back("A latent is on every tensor rank.");
                    return;
                }
                d.formula = "max(1, ceil(h/t))/h/d";
                d.terms.push_back(this_.term("t", "layout.tp"));
                d.terms.push_back(given("h", "K/V heads", Measure::Count, std::max(1, attention->kvHeads), "model"));
                d.assumptions.emplace_back("Whole heads, one at least: beyond the K/V heads they are copied.");
            });
    }

    void addCache(std::size_t kind, std::string_view key, std::string_view name, double tokens) const
    {
        const LayerCache kept = layerCache(model().kinds[kind], serving().keyValues, engine().keepsWindows);
        const double share = deviceShare(model().kinds[kind], layout());
        m_ledger.add(kindPath(kind, key),
                     fmt::format("keys and values of {}, one layer of kind {} on a device", name, kind), Measure::Bytes,
                     kept.bytes(tokens) * share, [this_ = *this, kind, kept, tokens](Derivation& d) {
                         this_.deriveKept(d, kind, kept, tokens,
                                          "serving.prompt, serving.output, in whole pages; "
                                              + this_.engineOrigin("page_tokens"));
                         d.formula = fmt::format("s*({})", d.formula);
                         d.terms.push_back(this_.m_ledger.term("s", kindPath(kind, "key_share")));
                     });
    }

    /// Whole, as it crosses the network to the replica that decodes.
    void addPrompt(std::size_t kind) const
    {
        const LayerCache kept = layerCache(model().kinds[kind], serving().keyValues);
        const auto prompt = static_cast<double>(serving().prompt);
        bytes(fmt::format("layer_kinds[{}].prompt_bytes", kind),
              fmt::format("keys and values of a prompt, one layer of kind {}", kind), kept.bytes(prompt),
              [this_ = *this, kind, kept, prompt](Derivation& d) {
                  this_.deriveKept(d, kind, kept, prompt, "serving.prompt");
              });
    }

    /// "b*t + i*t + c"
    void deriveKept(Derivation& d, std::size_t kind, const LayerCache& kept, double tokens,
                    std::string_view origin) const
    {
        d.formula = kept.window > 0 ? "b*min(t, w) + i*t + c" : "b*t + i*t + c";
        d.terms = {m_ledger.term("b", kindPath(kind, "key_bytes")),
                   given("t", "tokens", Measure::Tokens, tokens, origin),
                   given("i", "of a token in the indexer", Measure::Bytes, kept.indexPerToken, "model"),
                   given("c", "states of a recurrence", Measure::Bytes, kept.perSequence, "model")};
        if (kept.window > 0) {
            d.terms.push_back(given("w", "window", Measure::Tokens, kept.window, "model"));
        }
    }

    void addCachePerToken(std::size_t kind) const
    {
        const LayerCache kept = layerCache(model().kinds[kind], serving().keyValues);
        bytes(fmt::format("layer_kinds[{}].bytes_per_token", kind),
              fmt::format("kept of a token, one layer of kind {}", kind), kept.perToken + kept.indexPerToken,
              [this_ = *this, kind, kept](Derivation& d) {
                  d.formula = "b + i";
                  d.terms = {this_.m_ledger.term("b", kindPath(kind, "key_bytes")),
                             given("i", "keys of an indexer: FP8 with an FP32 scale", Measure::Bytes,
                                   kept.indexPerToken, "model")};
              });
        bytes(fmt::format("layer_kinds[{}].key_bytes", kind),
              fmt::format("keys and values of a token, one layer of kind {}", kind), kept.perToken,
              [this_ = *this, kind](Derivation& d) {
                  std::visit([&](const auto& mixer) { this_.deriveToken(d, mixer); }, this_.model().kinds[kind].mixer);
              });
    }

    Term elementBytes() const
    {
        return given("e", "bytes of an element", Measure::Bytes, bytesPerElement(serving().keyValues),
                     "serving.key_values");
    }
    void deriveToken(Derivation& d, const Attention& attention) const
    {
        d.formula = "g*(k + v)*e";
        d.terms = {given("g", "K/V heads", Measure::Count, attention.kvHeads, "model"),
                   given("k", "size of a key", Measure::Count, attention.headDim, "model"),
                   given("v", "size of a value", Measure::Count, attention.valueDim(), "model"), elementBytes()};
    }
    void deriveToken(Derivation& d, const LatentAttention& mla) const
    {
        d.formula = "(c + r)*e";
        d.terms = {given("c", "size of the latent", Measure::Count, mla.kvRank, "model"),
                   given("r", "rotary part of a key", Measure::Count, mla.ropeHeadDim, "model")};
        if (serving().keyValues == KeyValueFormat::Fp8Latent) {
            d.formula = "c*(1 + 4/128) + 2*r";
            d.assumptions.emplace_back("FP8 latent with an FP32 scale for 128 of it, rotary part in 16 bits.");
            d.sources.emplace_back("vLLM: fp8_ds_mla cache, 656 bytes for 512 + 64");
        } else {
            d.terms.push_back(elementBytes());
        }
    }
    template <class Mixer> void deriveToken(Derivation& d, const Mixer&) const
    {
        d.formula = "0";
        d.assumptions.emplace_back("A recurrence keeps states, whatever the tokens.");
    }
};

} // namespace

void addServingKeys(Ledger& ledger, const ServedContext& served)
{
    addServingFamily<KeysOf>(ledger, served);
}

} // namespace partita
