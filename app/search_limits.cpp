// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/search_limits.h"

#include "core/formats/files.h"

#include <algorithm>
#include <charconv>

namespace partita::cli {

namespace {

/// A number that a limit of numbers cannot be is understood; words are not.
int exitCodeOf(const Problem& problem)
{
    double number = 0;
    const char* end = problem.value.data() + problem.value.size();
    const bool isNumber = std::from_chars(problem.value.data(), end, number).ptr == end && !problem.value.empty();
    return isNumber && hasBounds(problem.field) ? NotLegal : Usage;
}

void narrowBy(OptionReader& reader, std::string_view option, Limit limit, SearchSpace& space)
{
    for (const std::string& text : reader.arguments().valuesOf(option)) {
        if (trimmed(text).empty()) {
            reader.refuse(Usage, Problem{std::string(option), {}, "names no limit", "tp=8"});
        }
        for (const Problem& problem : narrow(space, limit, text)) {
            reader.refuse(exitCodeOf(problem), within(option, {problem}));
        }
    }
}

} // namespace

const std::vector<Option>& limitOptions()
{
    static const std::vector<Option> options{
        {"--fix", "tp=8,pp=4,...",
         "values to keep; lists as recompute=none|full; rank_order=any or tp-pp-cp-ep-dp|..., split=any", Times::Often},
        {"--min", "dp=4,...", "least values of degrees and micro-batch", Times::Often},
        {"--max", "tp=8,...", "largest values of degrees and micro-batch", Times::Often},
        {"--tp-in-node", "", "keep tensor parallel groups inside a node"},
        {"--head-room", "PERCENT", "memory to leave free on every device"},
        {"--split", "even|needed|any", "layers of model chunks: needed = uneven where none are even"},
        {"--any-schedule", "", "also schedules that the stack does not offer"},
        {"--beyond-stack", "", "also everything else it does not offer: dimensions, ZeRO stages, recomputation"},
    };
    return options;
}

SearchSpace readLimits(OptionReader& reader)
{
    SearchSpace space;
    if (reader.arguments().has("--any-schedule")) {
        space.schedules = everyValue<ScheduleKind>();
    }
    space.beyondStack = reader.arguments().has("--beyond-stack");
    narrowBy(reader, "--fix", Limit::Fix, space);
    narrowBy(reader, "--min", Limit::Least, space);
    narrowBy(reader, "--max", Limit::Most, space);
    space.tensorInsideNode = reader.arguments().has("--tp-in-node");
    double percent = 0;
    reader.number("--head-room", percent, 0, 99);
    space.headRoom = percent / 100;
    if (reader.arguments().has("--split")) {
        StageSplit split = space.stageSplit;
        reader.choice("--split", split);
        const std::vector<std::string> fixed = reader.arguments().valuesOf("--fix");
        const bool isFixed = std::any_of(fixed.begin(), fixed.end(), [](const std::string& text) {
            return text.find("split=") != std::string::npos;
        });
        if (isFixed && space.stageSplit != split) {
            reader.refuse(
                Usage, Problem{"--split", std::string(keyOf(split)), "is limited by --fix split, too", "one of them"});
        }
        space.stageSplit = split;
    }
    return space;
}

} // namespace partita::cli
