// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/search_limits.h"

#include <fmt/format.h>

#include <charconv>

namespace partita::cli {

namespace {

void narrowBy(const Arguments& arguments, std::string_view option, Limit limit, SearchSpace& space, Problems& problems)
{
    for (const auto& [name, text] : arguments.options) {
        if (name == option) {
            for (Problem& problem : narrow(space, limit, text)) {
                problem.field = fmt::format("{} {}", option, problem.field);
                problems.push_back(std::move(problem));
            }
        }
    }
}

} // namespace

const std::vector<Option>& limitOptions()
{
    static const std::vector<Option> options{
        {"--fix", "tp=8,pp=4,...", "values to keep; lists as recompute=none|full"},
        {"--min", "dp=4,...", "least values of degrees and micro-batch"},
        {"--max", "tp=8,...", "largest values of degrees and micro-batch"},
        {"--tp-in-node", "", "keep tensor parallel groups inside a node"},
        {"--head-room", "PERCENT", "memory to leave free on every device"},
        {"--split", "even|needed|any", "layers of model chunks: needed = uneven where none are even"},
        {"--any-schedule", "", "also schedules that the stack does not offer"},
        {"--beyond-stack", "", "also everything else it does not offer: dimensions, ZeRO stages, recomputation"},
    };
    return options;
}

SearchSpace readLimits(const Arguments& arguments, Problems& problems)
{
    SearchSpace space;
    if (arguments.has("--any-schedule")) {
        space.schedules = everyValue<ScheduleKind>();
    }
    space.beyondStack = arguments.has("--beyond-stack");
    narrowBy(arguments, "--fix", Limit::Fix, space, problems);
    narrowBy(arguments, "--min", Limit::Least, space, problems);
    narrowBy(arguments, "--max", Limit::Most, space, problems);
    space.tensorInsideNode = arguments.has("--tp-in-node");
    constexpr std::int64_t mostHeadRoom = 99;
    space.headRoom = static_cast<double>(readCount(arguments, "--head-room", 0, mostHeadRoom, problems)) / 100;
    if (const std::optional<std::string> text = arguments.valueOf("--split")) {
        if (const std::optional<StageSplit> split = fromKey<StageSplit>(*text)) {
            space.stageSplit = *split;
        } else {
            problems.push_back({"--split", *text, "not known", "one of even, needed, any"});
        }
    }
    return space;
}

std::int64_t readCount(const Arguments& arguments, std::string_view option, std::int64_t otherwise, std::int64_t most,
                       Problems& problems)
{
    const std::optional<std::string> text = arguments.valueOf(option);
    if (!text) {
        return otherwise;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < 1 || value > most) {
        problems.push_back({std::string(option), *text, fmt::format("must be a whole number from 1 to {}", most), {}});
        return otherwise;
    }
    return value;
}

} // namespace partita::cli
