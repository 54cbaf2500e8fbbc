// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/why_not.h"

#include "core/advice/advise.h"
#include "core/advice/nearest_layout.h"
#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/model/check_model.h"
#include "core/scenario/split_limits.h"
#include "core/scenario/stack_offer.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace partita {

namespace {

MemoryKind largestCategory(const MemoryBreakdown& memory)
{
    const auto largest = std::max_element(
        Names<MemoryKind>::table.begin(), Names<MemoryKind>::table.end(),
        [&](const Name<MemoryKind>& a, const Name<MemoryKind>& b) { return memory[a.value] < memory[b.value]; });
    return largest->value;
}

std::string changesTo(const LayoutCost& from, const LayoutCost& to)
{
    return describe(layoutChanges(from.layout, to.layout));
}

/// What is limited where nothing is but by the user.
SearchSpace beyondStack(SearchSpace limits)
{
    limits.beyondStack = true;
    return limits;
}

/// Costs of any legal layout: nothing limits them but the memory left free.
SearchSpace memoryLimitOf(const SearchSpace& limits)
{
    SearchSpace open;
    open.beyondStack = true;
    open.headRoom = limits.headRoom;
    return open;
}

std::string limitText(const SearchSpace& limits, std::string_view key)
{
    for (const NamedLimit& limit : namedLimits(limits)) {
        if (limit.key == key) {
            return limit.text;
        }
    }
    return std::string(key);
}

std::vector<std::string> brokenByUser(const Scenario& scenario, const SearchSpace& limits, const LayoutCost& wanted)
{
    std::vector<std::string> broken;
    for (SearchSpace rest = limits;;) {
        const std::string_view key = brokenLimit(withinStack(beyondStack(rest), scenario), wanted.layout, scenario);
        const SearchSpace next = without(rest, key);
        if (key.empty() || next == rest) {
            break;
        }
        broken.push_back(limitText(limits, key));
        rest = next;
    }
    const double needed = wanted.memory.total();
    if (!wanted.fits && limits.headRoom > 0 && needed <= scenario.cluster.accelerator.memoryBytes) {
        broken.push_back(fmt::format("head-room {}: stage {} needs {} of the {} that it leaves",
                                     formatPercent(limits.headRoom), wanted.peakStage, formatBytes(needed),
                                     formatBytes(wanted.memoryLimit)));
    }
    return broken;
}

std::vector<std::string> brokenByStack(Scenario scenario, const SearchSpace& limits, const Layout& wanted)
{
    const std::string_view key = brokenLimit(withinStack(limits, scenario), wanted, scenario);
    if (key.empty()) {
        return {};
    }
    scenario.layout = wanted;
    std::vector<std::string> broken = beyondOffer(scenario);
    if (broken.empty()) {
        broken.push_back(fmt::format("{} does not offer its {}.", scenario.stack.name, key));
    }
    return broken;
}

/// The cost of what does not fit, and the cheapest way out.
std::string memoryText(const WhyNot& answer, const Scenario& scenario)
{
    const std::string fix = fixText(answer);
    return fmt::format("{} {}\n{}", shortfallText(answer.wanted), obstacle(answer.wanted, scenario).text,
                       fix.empty() ? fix : fix + "\n");
}

std::string timeText(const WhyNot& answer)
{
    const double change = answer.time.change();
    const bool same = sameButForRounding(answer.time.before, answer.time.after);
    const std::int64_t sequences = answer.reference.layout.globalBatch;
    const std::string per = answer.wanted.layout.globalBatch == sequences
        ? std::string()
        : fmt::format("a step of {} sequences instead of {}; for as many tokens ",
                      formatCount(answer.wanted.layout.globalBatch), formatCount(sequences));
    return fmt::format("{}: {}, {}{}.\n",
                       same             ? "As fast"
                           : change > 0 ? "Slower"
                                        : "Faster",
                       describe(answer.wanted), per, describe(answer.time, answer.time.terms.size()));
}

std::string costText(const WhyNot& answer, const Scenario& scenario)
{
    if (!answer.wanted.fits) {
        return memoryText(answer, scenario);
    }
    return answer.time.before > 0 ? timeText(answer) : fmt::format("It takes {}.\n", describe(answer.wanted));
}

std::string whyText(const WhyNot& answer, const Scenario& scenario)
{
    std::string text;
    switch (answer.verdict) {
    case Verdict::Illegal:
        for (const Problem& problem : answer.problems) {
            text += fmt::format("Illegal: {}.\n", describe(problem));
        }
        break;
    case Verdict::OutsideLimits:
        text = fmt::format("Outside your limits: {}.\n", fmt::join(answer.broken, "; ")) + costText(answer, scenario);
        break;
    case Verdict::NotOffered:
        text =
            fmt::format("Not offered by the stack: {}\n", fmt::join(answer.broken, " ")) + costText(answer, scenario);
        break;
    case Verdict::OutOfMemory:
    case Verdict::Slower:
    case Verdict::Same:
    case Verdict::Faster:
        text = costText(answer, scenario);
        break;
    }
    const std::string_view kind = answer.verdict == Verdict::Illegal ? "legal" : "within the limits";
    const auto propose = [&](std::string_view what, const LayoutCost& cost) {
        text += fmt::format("Nearest {}{}: {} ({}): {}.\n", kind, what, layoutText(cost.layout),
                            changesTo(answer.wanted, cost), describe(cost));
    };
    if (answer.nearest) {
        propose("", *answer.nearest);
    }
    if (answer.nearestThatFits) {
        propose(" that fits", *answer.nearestThatFits);
    } else if (answer.nearest && !answer.nearest->fits) {
        text += fmt::format("None {} that fits is found near it.\n", kind);
    }
    return text;
}

Verdict verdictOn(const WhyNot& answer)
{
    if (!answer.wanted.fits) {
        return Verdict::OutOfMemory;
    }
    if (!answer.reference.fits) {
        return Verdict::Faster;
    }
    if (sameButForRounding(answer.time.before, answer.time.after)) {
        return Verdict::Same;
    }
    return answer.time.change() > 0 ? Verdict::Slower : Verdict::Faster;
}

/// The wanted layout's step, had it as many sequences as the reference's.
TimeBreakdown forAsManySequences(const WhyNot& answer)
{
    const std::int64_t had = answer.wanted.layout.globalBatch;
    const std::int64_t asked = answer.reference.layout.globalBatch;
    return had == asked ? answer.wanted.time
                        : answer.wanted.time.scaled(static_cast<double>(asked) / static_cast<double>(had));
}

/// Whether changes of a layout can be looked for at all.
bool searchable(const Scenario& scenario, const Layout& wanted)
{
    const std::int64_t devices = deviceCount(scenario.cluster);
    return checkModel(scenario.model).empty() && devices > 0 && devices <= mostDevices && wanted.globalBatch > 0
        && wanted.microBatch > 0 && std::min({wanted.tp, wanted.cp, wanted.pp, wanted.ep, wanted.etp, wanted.vpp}) > 0;
}

} // namespace

std::string shortfallText(const LayoutCost& cost)
{
    const MemoryKind most = largestCategory(cost.memory);
    return fmt::format("Out of memory: stage {} lacks {}. Largest there: {}, {}.", cost.peakStage,
                       formatBytes(cost.lacks()), labelOf(most), formatBytes(cost.memory[most]));
}

std::string fixText(const WhyNot& answer)
{
    if (answer.cheapestFix) {
        return fmt::format("Cheapest single change that fits: {}.", describe(*answer.cheapestFix, answer.wanted));
    }
    return answer.verdict == Verdict::OutOfMemory ? "No single change makes it fit." : std::string();
}

WhyNot whyNot(const Scenario& scenario, const Layout& wanted, const SearchSpace& limits,
              const std::vector<std::string>& named)
{
    WhyNot answer;
    LayoutCosts open(scenario, memoryLimitOf(limits));
    answer.reference = open.of(scenario.layout);
    answer.wanted = open.of(wanted);
    if (!answer.wanted.legal()) {
        answer.verdict = Verdict::Illegal;
        Scenario illegal = scenario;
        illegal.layout = wanted;
        answer.problems = evaluate(illegal).problems;
    } else {
        if (answer.reference.legal()) {
            answer.time = difference(answer.reference.time, forAsManySequences(answer));
        }
        answer.category = largestCategory(answer.wanted.memory);
        answer.verdict = verdictOn(answer);
        answer.broken = brokenByUser(scenario, limits, answer.wanted);
        if (!answer.broken.empty()) {
            answer.verdict = Verdict::OutsideLimits;
        } else if (answer.broken = brokenByStack(scenario, limits, wanted); !answer.broken.empty()) {
            answer.verdict = Verdict::NotOffered;
        }
    }
    const bool turnedDown = answer.verdict == Verdict::Illegal || !answer.broken.empty();
    if (searchable(scenario, wanted) && (turnedDown || answer.verdict == Verdict::OutOfMemory)) {
        Scenario asked = scenario; // its batch may be another
        asked.layout = wanted;
        LayoutCosts within(asked, limits);
        ReliefFinder finder(within, [] { return false; });
        if (turnedDown) {
            NearestLayouts nearest = nearestLayouts(within, finder, wanted, named);
            answer.nearest = std::move(nearest.legal);
            answer.nearestThatFits = std::move(nearest.fits);
        } else if (const std::vector<Relief> changes = finder.plainChanges(answer.wanted);
                   !changes.empty() && changes.front().cost.fits) {
            answer.cheapestFix = changes.front();
        }
    }
    answer.text = whyText(answer, withHeadRoom(scenario, limits));
    return answer;
}

} // namespace partita
