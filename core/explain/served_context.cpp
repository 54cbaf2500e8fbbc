// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/served_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace partita {

namespace {

PricedStep pricedStep(const StepModel& model, std::string_view key, std::string_view name, const StepWork& work)
{
    PricedStep step;
    step.path = servingPath("steps." + std::string(key));
    step.name = std::string(name);
    step.work = work;
    step.time = model.time(work, &step.record);
    return step;
}

} // namespace

std::string ServedValues::engineOrigin(std::string_view what) const
{
    return fmt::format("stack {}: {}", m_served.scenario.stack.name, what);
}

Term ServedValues::term(std::string_view symbol, std::string_view key) const
{
    return m_ledger.term(symbol, servingPath(key));
}

Term ServedValues::kinds(std::string_view symbol, std::string_view name, std::string_view what) const
{
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < model().kinds.size(); ++i) {
        paths.push_back(kindPath(i, what));
    }
    return m_ledger.list(symbol, name, paths);
}

void ServedValues::add(std::string_view key, std::string_view name, Measure measure, double value, Derive derive) const
{
    m_ledger.add(servingPath(key), std::string(name), measure, value, std::move(derive));
}

std::string servingPath(std::string_view key)
{
    return "serving." + std::string(key);
}

std::string stagePath(std::size_t stage, std::string_view what)
{
    return servingPath(fmt::format("stages[{}].{}", stage, what));
}

std::string kindPath(std::size_t kind, std::string_view what)
{
    return servingPath(fmt::format("layer_kinds[{}].{}", kind, what));
}

void deriveKeysRead(Derivation& d, const LayerCache& cache, Term share, double tokens, std::string_view origin)
{
    share.symbol = "s";
    d.formula = "s*(b*a + i*t + 2*c)";
    d.terms = {std::move(share),
               given("b", "of a token", Measure::Bytes, cache.perToken, "model, serving.key_values"),
               given("a", "tokens attended: all, a window, or those an indexer chooses", Measure::Tokens,
                     cache.attended(tokens), "model; stack: keeps_windows"),
               given("i", "of a token in the indexer", Measure::Bytes, cache.indexPerToken, "model"),
               given("t", "tokens seen", Measure::Tokens, tokens, origin),
               given("c", "states of a recurrence, read and written back", Measure::Bytes, cache.perSequence, "model")};
}

ServedContext::ServedContext(const Scenario& s)
    : scenario(s)
    , report(serve(scenario, &terms))
{
    if (!report.legal()) {
        return;
    }
    steps.emplace(scenario);
    rooms = stageRooms(scenario, steps->layout(), steps->stages());
    priced.push_back(pricedStep(*steps, "decode", "a step that only decodes", terms.decode));
    priced.push_back(pricedStep(*steps, "prompt", "a step of one chunk of prompts", terms.prompt));
    if (mixes()) {
        priced.push_back(pricedStep(*steps, "mixed_prompt", "the prompts of a mixed step alone", terms.mixedPrompt));
        priced.push_back(pricedStep(*steps, "mixed", "a step that decodes and takes prompts in", terms.mixed));
    }
    auto layer = scenario.model.layers.begin();
    for (const int count : steps->stages().layers) {
        layers.emplace_back(scenario.model.kinds.size(), 0);
        for (int i = 0; i < count; ++i) {
            ++layers.back()[static_cast<std::size_t>(*layer++)];
        }
    }
}

std::vector<double> ServedContext::layersOfKinds() const
{
    std::vector<double> all(scenario.model.kinds.size(), 0);
    for (const std::vector<double>& stage : layers) {
        std::transform(all.begin(), all.end(), stage.begin(), all.begin(), std::plus<>());
    }
    return all;
}

} // namespace partita
