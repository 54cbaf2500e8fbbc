// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_input.h"
#include "app/scenario_options.h"
#include "app/schedule_text.h"
#include "app/write_file.h"
#include "core/base/format.h"
#include "core/formats/files.h"
#include "core/formats/timeline_json.h"
#include "core/formats/timeline_trace.h"
#include "core/pipeline/schedule.h"
#include "core/runs/trace_comparison.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace partita::cli {

namespace {

constexpr double mostChunkRuns = 1 << 22; // of one kind, counting the micro-batches orders are drawn up with

/// What a schedule drawn up from numbers is told; a scenario tells it itself.
constexpr std::array numberOptions{
    Option{"--name", "NAME", "schedule, one of those above"},
    Option{"--stages", "P", "pipeline ranks"},
    Option{"--micro-batches", "M", "of a step"},
    Option{"--chunks", "V", "model chunks per rank; what the schedule needs when left out"},
    Option{"--forward", "T", "time of a whole stage per micro-batch, split evenly over its chunks (1)"},
    Option{"--backward", "T", "its input gradient (1)"},
    Option{"--weight", "T", "its weight gradient (1); joined with the former where they are not split"},
    Option{"--p2p", "T", "time on the wire between two ranks (0)"},
    Option{"--overlapped", "T", "time of a forward beside a whole backward; their sum when left out"},
};

/// What the numbers on the command line ask for.
struct Wanted {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    int stages = 0;
    int microBatches = 0;
    int chunks = 0;
    double forward = 1;
    double backward = 1;
    double weight = 1;
    double transfer = 0;
    double overlapped = 0;
};

std::vector<std::string_view> scheduleNames()
{
    std::vector<std::string_view> keys;
    for (const Name<ScheduleKind>& each : Names<ScheduleKind>::table) {
        keys.push_back(each.key);
    }
    return keys;
}

Wanted wantedBy(OptionReader& reader)
{
    constexpr double longestTime = 1e9;
    constexpr std::int64_t highestCount = std::int64_t{1} << 24; // what is too small the schedule's rules explain
    Wanted wanted;
    reader.require("--name", fmt::format("one of {}", fmt::join(scheduleNames(), ", ")));
    reader.require("--stages", "--stages P");
    reader.require("--micro-batches", "--micro-batches M");
    reader.choice("--name", wanted.kind);
    const ScheduleFacts facts = describe(wanted.kind);
    wanted.chunks = facts.chunks != 0 ? facts.chunks : facts.minChunks;
    reader.integer("--stages", wanted.stages, -highestCount, highestCount);
    reader.integer("--micro-batches", wanted.microBatches, -highestCount, highestCount);
    reader.integer("--chunks", wanted.chunks, -highestCount, highestCount);
    reader.number("--forward", wanted.forward, 0, longestTime);
    reader.number("--backward", wanted.backward, 0, longestTime);
    reader.number("--weight", wanted.weight, 0, longestTime);
    reader.number("--p2p", wanted.transfer, 0, longestTime);
    reader.number("--overlapped", wanted.overlapped, 0, longestTime);
    return wanted;
}

/// Problems name options here, not fields of a scenario.
Problems asOptions(Problems problems)
{
    for (Problem& problem : problems) {
        for (const auto& [field, option] : {std::pair{"layout.pp", "--stages"}, std::pair{"layout.vpp", "--chunks"},
                                            std::pair{"layout.global_batch", "--micro-batches"}}) {
            if (problem.field == field) {
                problem.field = option;
            }
        }
    }
    return problems;
}

Result<Timeline> simulateWanted(const Wanted& wanted)
{
    if (Problems problems = checkSchedule(wanted.kind, wanted.stages, wanted.microBatches, wanted.chunks);
        !problems.empty()) {
        return asOptions(std::move(problems));
    }
    // Some orders are drawn up with two micro-batches a stage at least and then cut.
    const double runs =
        double(wanted.stages) * wanted.chunks * std::max<double>(wanted.microBatches, 2.0 * wanted.stages);
    if (runs > mostChunkRuns) {
        return Problem{
            "--micro-batches", fmt::to_string(wanted.microBatches),
            fmt::format("with {} stages of {} chunks is too much to draw up here", wanted.stages, wanted.chunks),
            "fewer stages, chunks or micro-batches"};
    }
    const Result<Schedule> schedule = makeSchedule(wanted.kind, wanted.stages, wanted.microBatches, wanted.chunks);
    if (!schedule) {
        return asOptions(schedule.problems);
    }
    StageTimes times = equalStageTimes(schedule->placement, wanted.forward, wanted.backward, wanted.weight);
    times.transfer = wanted.transfer;
    times.overlapped = wanted.overlapped;
    return simulate(*schedule, times);
}

/// What there is to tell of.
struct Answer {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    Timeline timeline;
};

std::optional<Answer> answerFromNumbers(OptionReader& reader)
{
    const Wanted wanted = wantedBy(reader);
    if (!reader.fine()) {
        return std::nullopt;
    }
    Result<Timeline> timeline = simulateWanted(wanted);
    if (!timeline) {
        reader.refuse(NotLegal, timeline.problems);
        return std::nullopt;
    }
    return Answer{wanted.kind, *std::move(timeline)};
}

std::optional<Answer> answerFromScenario(OptionReader& reader)
{
    for (const Option& option : numberOptions) {
        reader.idle(option.name, "is told by the scenario");
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const std::optional<Scenario> scenario = readScenarioFile(reader, reader.arguments().positional.front(), catalogue);
    if (!scenario || !reader.fine()) {
        return std::nullopt;
    }
    Report report = evaluate(*scenario);
    if (!report.legal()) {
        reader.refuse(NotLegal, report.problems);
        return std::nullopt;
    }
    return Answer{scenario->layout.schedule, std::move(report.timeline)};
}

void writeTrace(OptionReader& reader, const Timeline& timeline)
{
    if (const std::optional<std::string> path = reader.arguments().valueOf("--trace")) {
        const QString failure =
            ui::writeFile(QString::fromStdString(*path), QByteArray::fromStdString(timelineTrace(timeline)));
        if (!failure.isEmpty()) {
            reader.refuse(FileTrouble, {"--trace", *path, failure.toStdString(), {}});
        }
    }
}

/// What `--measured` prints instead of the schedule itself.
int printComparison(const Arguments& arguments, const std::string& path, const Timeline& predicted)
{
    const Input input = readInput(path, mostTraceBytes);
    if (input.exitCode != Done) {
        return refuse(arguments, input.problems, input.exitCode);
    }
    const Result<ImportedTrace> trace = readTrace(input.text);
    const Result<MeasuredTimeline> measured =
        trace ? measuredTimeline(*trace) : Result<MeasuredTimeline>(trace.problems);
    if (!measured) {
        return refuse(arguments, within(inputName(path), measured.problems), NotLegal);
    }
    const TraceComparison comparison = compareWithTrace(predicted, *measured);
    fmt::print("{}", arguments.has("--json") ? writeTraceComparison(comparison) : traceText(comparison));
    return Done;
}

std::string plainTime(double time)
{
    return formatSignificant(time, 6);
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    reader.notWith("--ops", "--measured");
    const bool fromScenario = !arguments.positional.empty();
    const std::optional<Answer> answer = fromScenario ? answerFromScenario(reader) : answerFromNumbers(reader);
    if (answer) {
        writeTrace(reader, answer->timeline);
    }
    if (!answer || !reader.fine()) {
        return reader.refusal();
    }
    if (const std::optional<std::string> measured = arguments.valueOf("--measured")) {
        return printComparison(arguments, *measured, answer->timeline);
    }
    const bool ops = arguments.has("--ops");
    fmt::print("{}",
               ops || arguments.has("--json")
                   ? writeTimeline(answer->timeline, answer->kind, fromScenario ? "s" : "as given", ops)
                   : scheduleText(answer->timeline, answer->kind, fromScenario ? formatSeconds : plainTime));
    return Done;
}

} // namespace

Verb scheduleVerb()
{
    std::vector<Option> options(numberOptions.begin(), numberOptions.end());
    options.push_back({"--json", "", "print as JSON"});
    options.push_back({"--ops", "", "print as JSON, with every op"});
    options.push_back({"--measured", "FILE", "compare with the pipeline lanes of a Chrome trace; its times are in s"});
    options.push_back({"--trace", "FILE", "write a Chrome trace, which Perfetto opens; a unit of time is 1 s"});
    return {fmt::format("partita schedule --name NAME --stages P --micro-batches M [options]\n"
                        "       partita schedule SCENARIO|- [--json] [--ops] [--trace FILE] [--measured FILE]\n\n"
                        "Times are in any unit; those of a scenario are in s.\n"
                        "makespan is {}.\n"
                        "bubble_fraction is {}.\n\nnames: {}",
                        makespanDefinition, bubbleDefinition, fmt::join(scheduleNames(), " ")),
            std::move(options), 1, run};
}

} // namespace partita::cli
