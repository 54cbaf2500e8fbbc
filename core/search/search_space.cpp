// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/search_space.h"

#include "core/base/format.h"
#include "core/base/words.h"
#include "core/layout/layout_text.h"
#include "core/layout/layout_words.h"
#include "core/scenario/scenario.h"
#include "core/scenario/split_limits.h"
#include "core/training/stage_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace partita {

namespace {

struct BoundedField {
    std::string_view key;
    Bounds SearchSpace::*bounds;
    std::int64_t (*valueIn)(const Layout&);
};

constexpr std::array boundedFields{
    BoundedField{"tp", &SearchSpace::tp, [](const Layout& l) -> std::int64_t { return l.tp; }},
    BoundedField{"cp", &SearchSpace::cp, [](const Layout& l) -> std::int64_t { return l.cp; }},
    BoundedField{"pp", &SearchSpace::pp, [](const Layout& l) -> std::int64_t { return l.pp; }},
    BoundedField{"vpp", &SearchSpace::vpp, [](const Layout& l) -> std::int64_t { return l.vpp; }},
    BoundedField{"dp", &SearchSpace::dp, [](const Layout& l) -> std::int64_t { return l.dp; }},
    BoundedField{"ep", &SearchSpace::ep, [](const Layout& l) -> std::int64_t { return l.ep; }},
    BoundedField{"etp", &SearchSpace::etp, [](const Layout& l) -> std::int64_t { return l.etp; }},
    BoundedField{"micro_batch", &SearchSpace::microBatch, [](const Layout& l) { return l.microBatch; }},
    BoundedField{"micro_batches", &SearchSpace::microBatches, [](const Layout& l) { return l.microBatches(); }},
};

constexpr std::array chosenFields{
    std::string_view("zero_stage"), std::string_view("sequence_parallel"), std::string_view("recompute"),
    std::string_view("schedule"),   std::string_view("rank_order"),        std::string_view("split"),
};

constexpr std::string_view tensorInsideNodeKey = "tp_in_node";

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    constexpr std::int64_t largest = std::int64_t{1} << 30;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value >= 0 && value <= largest ? std::optional(value) : std::nullopt;
}

/// What a list such as "none|full" names, by `read`; what is not known goes to problems.
template <class T, class Read>
std::vector<T> choices(std::string_view key, std::string_view text, Problems& problems, std::string known, Read read)
{
    std::vector<T> values;
    if (text.empty()) {
        problems.push_back({std::string(key), {}, "needs a value", "one of " + known});
        return values;
    }
    for (const std::string_view word : splitAt(text, "|")) {
        if (const std::optional<T> value = read(word)) {
            values.push_back(*value);
        } else {
            problems.push_back({std::string(key), std::string(word), "not known", "one of " + known});
        }
    }
    return values;
}

template <class E> std::vector<E> namedChoices(std::string_view key, std::string_view text, Problems& problems)
{
    std::vector<std::string_view> keys;
    for (const Name<E>& name : Names<E>::table) {
        keys.push_back(name.key);
    }
    return choices<E>(key, text, problems, fmt::format("{}", fmt::join(keys, ", ")),
                      [](std::string_view word) { return fromKey<E>(word); });
}

void chooseOrders(SearchSpace& space, std::string_view key, std::string_view text, Problems& problems)
{
    if (text == "any") {
        space.rankOrders = true;
        return;
    }
    space.orders = choices<std::array<Axis, 5>>(
        key, text, problems, fmt::format("any, or every axis once as {}", rankOrderText(Layout().rankOrder)),
        [](std::string_view word) { return readRankOrder(word).value; });
}

void chooseSplit(SearchSpace& space, std::string_view key, std::string_view text, Problems& problems)
{
    const std::vector<StageSplit> splits = namedChoices<StageSplit>(key, text, problems);
    if (splits.size() > 1) {
        problems.push_back({std::string(key), std::string(text), "takes one word only", {}});
    } else if (!splits.empty()) {
        space.stageSplit = splits.front();
    }
}

void choose(SearchSpace& space, std::string_view key, std::string_view text, Problems& problems)
{
    if (key == "zero_stage") {
        space.zeroStages = choices<int>(key, text, problems, "0, 1, 2, 3", [](std::string_view word) {
            const std::optional<std::int64_t> stage = wholeNumber(word);
            return stage && *stage <= 3 ? std::optional(static_cast<int>(*stage)) : std::nullopt;
        });
    } else if (key == "sequence_parallel") {
        space.sequenceParallel = choices<bool>(key, text, problems, "on, off", [](std::string_view word) {
            return word == "on" || word == "off" ? std::optional(word == "on") : std::nullopt;
        });
    } else if (key == "recompute") {
        space.recompute = namedChoices<Recompute>(key, text, problems);
    } else if (key == "rank_order") {
        chooseOrders(space, key, text, problems);
    } else if (key == "split") {
        chooseSplit(space, key, text, problems);
    } else {
        space.schedules = namedChoices<ScheduleKind>(key, text, problems);
    }
}

void bound(Bounds& bounds, Limit limit, std::string_view key, std::string_view text, Problems& problems)
{
    const std::optional<std::int64_t> value = wholeNumber(text);
    if (!value || *value < 1) {
        problems.push_back({std::string(key), std::string(text), "must be a whole number of at least 1", {}});
        return;
    }
    const auto otherwise = [&](std::int64_t side, std::int64_t unlimited) {
        return side != unlimited && side != *value;
    };
    const bool least = limit != Limit::Most;
    const bool most = limit != Limit::Least;
    if ((least && otherwise(bounds.least, Bounds().least)) || (most && otherwise(bounds.most, Bounds().most))) {
        problems.push_back(
            {std::string(key), std::string(text), "is limited to another value, too", "one limit a side"});
        return;
    }
    bounds.least = least ? *value : bounds.least;
    bounds.most = most ? *value : bounds.most;
}

std::string knownKeys(Limit limit)
{
    std::vector<std::string_view> keys;
    for (const BoundedField& field : boundedFields) {
        keys.push_back(field.key);
    }
    if (limit == Limit::Fix) {
        keys.insert(keys.end(), chosenFields.begin(), chosenFields.end());
    }
    return fmt::format("one of {}", fmt::join(keys, ", "));
}

void apply(SearchSpace& space, Limit limit, std::string_view name, std::string_view text, Problems& problems)
{
    const std::string_view value = trimmed(text);
    const std::string key = layoutKey(trimmed(name));
    const auto bounded = std::find_if(boundedFields.begin(), boundedFields.end(),
                                      [&](const BoundedField& field) { return field.key == key; });
    if (bounded != boundedFields.end()) {
        bound(space.*(bounded->bounds), limit, key, value, problems);
    } else if (limit == Limit::Fix && std::find(chosenFields.begin(), chosenFields.end(), key) != chosenFields.end()) {
        choose(space, key, value, problems);
    } else {
        problems.push_back({key, std::string(value), "cannot be limited", knownKeys(limit)});
    }
}

std::string boundsText(std::string_view key, const Bounds& bounds)
{
    const Bounds free;
    if (bounds.fixed()) {
        return fmt::format("{} = {}", key, bounds.least);
    }
    if (bounds.most == free.most) {
        return fmt::format("{} ≥ {}", key, bounds.least);
    }
    return bounds.least == free.least ? fmt::format("{} ≤ {}", key, bounds.most)
                                      : fmt::format("{} ≤ {} ≤ {}", bounds.least, key, bounds.most);
}

/// "schedule = 1f1b|zb-h1".
template <class T, class Text> std::string listText(std::string_view key, const std::vector<T>& list, Text text)
{
    std::vector<std::string> words;
    for (const T value : list) {
        words.push_back(std::string(text(value)));
    }
    return fmt::format("{} = {}", key, fmt::join(words, "|"));
}

template <class E> std::string namesText(std::string_view key, const std::vector<E>& list)
{
    return listText(key, list, [](E value) { return keyOf(value); });
}

constexpr int endUnits = 2; // embedding and head

} // namespace

int mostChunks(int layers, int pp)
{
    return (layers + endUnits) / pp;
}

bool splitsEvenly(int layers, int pp, int vpp)
{
    const std::int64_t chunks = std::int64_t{pp} * vpp;
    return layers % chunks == 0 || (layers + endUnits) % chunks == 0;
}

bool shardsStates(const Model& model, const Layout& layout)
{
    return denseShards(layout) > 1 || (isMoe(model) && expertShards(layout) > 1);
}

std::string_view brokenLimit(const SearchSpace& space, const Layout& layout, const Scenario& scenario)
{
    for (const BoundedField& field : boundedFields) {
        if (!(space.*(field.bounds)).hold(field.valueIn(layout))) {
            return field.key;
        }
    }
    if (space.tensorInsideNode && scenario.cluster.devicesPerNode % layout.tp != 0) {
        return tensorInsideNodeKey;
    }
    const auto has = [](const auto& list, auto value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    const bool shards = shardsStates(scenario.model, layout);
    const bool tooHigh = layout.pp > 1 && layout.zeroStage > space.pipelineZeroStage;
    if (shards && (tooHigh || !has(space.zeroStages, layout.zeroStage))) {
        return "zero_stage";
    }
    if (layout.tp > 1 && !has(space.sequenceParallel, layout.sequenceParallel)) {
        return "sequence_parallel";
    }
    if (!has(space.recompute, layout.recompute)) {
        return "recompute";
    }
    if (layout.pp > 1 && !has(space.schedules, layout.schedule)) {
        return "schedule";
    }
    if (!space.rankOrders && !space.orders.empty() && !has(space.orders, layout.rankOrder)) {
        return "rank_order";
    }
    const std::vector<int>& given = layout.layersPerStage;
    const bool even = given.empty() ? splitsEvenly(scenario.model.layerCount(), layout.pp, layout.vpp)
                                    : std::count(given.begin(), given.end(), given.front()) == std::ssize(given);
    return space.stageSplit == StageSplit::Even && !even ? "split" : std::string_view();
}

std::vector<NamedLimit> namedLimits(const SearchSpace& space)
{
    std::vector<NamedLimit> limits;
    for (const BoundedField& field : boundedFields) {
        if (const Bounds& bounds = space.*(field.bounds); bounds != Bounds()) {
            limits.push_back({field.key, boundsText(field.key, bounds)});
        }
    }
    if (space.tensorInsideNode) {
        limits.push_back({tensorInsideNodeKey, "tp inside a node"});
    }
    const auto add = [&](std::string_view key, bool limited, std::string text) {
        if (limited) {
            limits.push_back({key, std::move(text)});
        }
    };
    const auto narrows = [](const auto& list, std::size_t known) { return !list.empty() && list.size() < known; };
    add("zero_stage", narrows(space.zeroStages, 4),
        listText("zero_stage", space.zeroStages, [](int stage) { return fmt::to_string(stage); }));
    add("sequence_parallel", narrows(space.sequenceParallel, 2),
        listText("sequence_parallel", space.sequenceParallel, [](bool on) { return on ? "on" : "off"; }));
    add("recompute", narrows(space.recompute, Names<Recompute>::table.size()), namesText("recompute", space.recompute));
    add("schedule", narrows(space.schedules, Names<ScheduleKind>::table.size()),
        namesText("schedule", space.schedules));
    add("rank_order", !space.rankOrders && !space.orders.empty(), listText("rank_order", space.orders, rankOrderText));
    add("split", space.stageSplit == StageSplit::Even, fmt::format("split = {}", keyOf(StageSplit::Even)));
    return limits;
}

std::string describe(const SearchSpace& space)
{
    std::string text;
    const auto add = [&](const std::string& limit) { text += (text.empty() ? "" : "; ") + limit; };
    for (const NamedLimit& limit : namedLimits(space)) {
        add(limit.text);
    }
    if (space.headRoom > 0) {
        add("head-room " + formatPercent(space.headRoom));
    }
    return text;
}

std::vector<Unvaried> unvaried(const SearchSpace& space)
{
    std::vector<Unvaried> all;
    if (!space.rankOrders && space.orders.empty()) {
        all.push_back({"other orders of ranks", "rank_order"});
    }
    if (space.stageSplit == StageSplit::UnevenWhereNeeded) {
        all.push_back({"stages balanced by time or memory where they could be even", "split"});
    }
    return all;
}

SearchSpace without(SearchSpace space, std::string_view key)
{
    const SearchSpace free;
    for (const BoundedField& field : boundedFields) {
        if (field.key == key) {
            space.*(field.bounds) = free.*(field.bounds);
        }
    }
    if (key == tensorInsideNodeKey) {
        space.tensorInsideNode = false;
    } else if (key == "zero_stage") {
        space.zeroStages.clear();
        space.pipelineZeroStage = free.pipelineZeroStage;
    } else if (key == "sequence_parallel") {
        space.sequenceParallel.clear();
    } else if (key == "recompute") {
        space.recompute.clear();
    } else if (key == "schedule") {
        space.schedules.clear();
    } else if (key == "rank_order") {
        space.orders.clear();
    } else if (key == "split") {
        space.stageSplit = free.stageSplit;
    }
    return space;
}

bool hasBounds(std::string_view key)
{
    return std::any_of(boundedFields.begin(), boundedFields.end(),
                       [key](const BoundedField& field) { return field.key == key; });
}

Problems narrow(SearchSpace& space, Limit limit, std::string_view text)
{
    Problems problems;
    for (const std::string_view word : splitAt(text, ",")) {
        if (word.empty()) {
            continue;
        }
        const std::size_t equals = std::min(word.find('='), word.size());
        apply(space, limit, word.substr(0, equals), word.substr(std::min(equals + 1, word.size())), problems);
    }
    return problems;
}

Problems narrow(SearchSpace& space, std::string_view text)
{
    Problems problems;
    for (const std::string_view word : splitAt(text, ",")) {
        if (word.empty()) {
            continue; // what is still being typed
        }
        const std::size_t sign = std::min(word.find_first_of("<>="), word.size());
        const std::size_t value = std::min(word.find_first_not_of("<>=", sign), word.size());
        const std::string_view relation = word.substr(sign, value - sign);
        const std::array known{std::pair{std::string_view("="), Limit::Fix},
                               std::pair{std::string_view("<="), Limit::Most},
                               std::pair{std::string_view(">="), Limit::Least}};
        const auto limit =
            std::find_if(known.begin(), known.end(), [&](const auto& pair) { return pair.first == relation; });
        if (limit == known.end()) {
            problems.push_back({std::string(word), {}, "is no limit", "write tp=8, tp<=8 or tp>=2"});
        } else {
            apply(space, limit->second, word.substr(0, sign), word.substr(value), problems);
        }
    }
    return problems;
}

} // namespace partita
