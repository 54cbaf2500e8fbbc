// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_input.h"
#include "app/cli_options.h"
#include "app/default_scenario.h"
#include "app/schedule_text.h"
#include "app/write_file.h"
#include "core/base/format.h"
#include "core/formats/report_json.h"
#include "core/formats/scenario_file.h"
#include "core/formats/timeline_json.h"
#include "core/formats/timeline_trace.h"
#include "core/pipeline/schedule.h"
#include "core/runs/trace_comparison.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace partita::cli {

namespace {

constexpr double longestTime = 1e9;
constexpr std::int64_t highestCount = std::int64_t{1} << 24;
constexpr double mostChunkRuns = 1 << 22; // of one kind, counting the micro-batches orders are drawn up with

const std::vector<Option>& scheduleOptions()
{
    static const std::vector<Option> options{
        {"--name", "NAME", "schedule, one of those below"},
        {"--stages", "P", "pipeline ranks"},
        {"--micro-batches", "M", "of a step"},
        {"--chunks", "V", "model chunks per rank; what the schedule needs when left out"},
        {"--forward", "T", "time of a whole stage per micro-batch, split evenly over its chunks (1)"},
        {"--backward", "T", "its input gradient (1)"},
        {"--weight", "T", "its weight gradient (1); joined with the former where they are not split"},
        {"--p2p", "T", "time on the wire between two ranks (0)"},
        {"--overlapped", "T", "time of a forward beside a whole backward; their sum when left out"},
        {"--json", "", "print as JSON"},
        {"--ops", "", "in JSON, list every op"},
        {"--measured", "FILE", "compare with the pipeline lanes of a Chrome trace; its times are in s"},
        {"--trace", "FILE", "write a Chrome trace, which Perfetto opens; a unit of time is 1 s"},
        {"--help", "", "print this"},
    };
    return options;
}

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

std::vector<std::string> scheduleNames()
{
    std::vector<std::string> keys;
    for (const Name<ScheduleKind>& each : Names<ScheduleKind>::table) {
        keys.emplace_back(each.key);
    }
    return keys;
}

/// Takes options one by one and collects everything that is wrong with them.
class WantedReader {
public:
    explicit WantedReader(const Arguments& arguments)
        : m_arguments(arguments)
    {
    }

    /// Of what read() found wrong: numbers out of range alone are not a matter of usage.
    int exitCode() const { return m_usage ? Usage : NotLegal; }

    Result<Wanted> read()
    {
        name();
        const ScheduleFacts facts = describe(m_wanted.kind);
        m_wanted.chunks = facts.chunks != 0 ? facts.chunks : facts.minChunks;
        count("--stages", m_wanted.stages, true);
        count("--micro-batches", m_wanted.microBatches, true);
        count("--chunks", m_wanted.chunks, false);
        time("--forward", m_wanted.forward);
        time("--backward", m_wanted.backward);
        time("--weight", m_wanted.weight);
        time("--p2p", m_wanted.transfer);
        time("--overlapped", m_wanted.overlapped);
        return m_problems.empty() ? Result<Wanted>(m_wanted) : Result<Wanted>(m_problems);
    }

private:
    void refuse(std::string_view option, std::string value, std::string message, std::string suggestion)
    {
        m_usage = true;
        m_problems.push_back({std::string(option), std::move(value), std::move(message), std::move(suggestion)});
    }

    void name()
    {
        const std::optional<std::string> text = m_arguments.valueOf("--name");
        const std::vector<std::string> keys = scheduleNames();
        if (!text) {
            refuse("--name", {}, "is missing", fmt::format("one of {}", fmt::join(keys, ", ")));
        } else if (const std::optional<ScheduleKind> kind = fromKey<ScheduleKind>(*text)) {
            m_wanted.kind = *kind;
        } else {
            const std::string meant = nearestWord(*text, keys);
            refuse("--name", *text, "no such schedule",
                   meant.empty() ? fmt::format("one of {}", fmt::join(keys, ", "))
                                 : fmt::format("did you mean {}?", meant));
        }
    }

    void count(std::string_view option, int& field, bool required)
    {
        const std::optional<std::string> text = m_arguments.valueOf(option);
        if (!text) {
            if (required) {
                refuse(option, {}, "is missing", fmt::format("{} N", option));
            }
            return;
        }
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (error == std::errc::invalid_argument || end != text->data() + text->size()) {
            refuse(option, *text, "must be a whole number", {});
        } else if (error != std::errc() || value > highestCount || value < -highestCount) {
            m_problems.push_back(
                {std::string(option), *text, "is out of range", fmt::format("at most {}", highestCount)});
        } else {
            field = static_cast<int>(value);
        }
    }

    void time(std::string_view option, double& field)
    {
        const std::optional<std::string> text = m_arguments.valueOf(option);
        if (!text) {
            return;
        }
        double value = -1;
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (error != std::errc() || end != text->data() + text->size() || !(value >= 0 && value <= longestTime)) {
            refuse(option, *text, fmt::format("must be a number from 0 to {}", longestTime), {});
        } else {
            field = value;
        }
    }

    const Arguments& m_arguments;
    Wanted m_wanted;
    Problems m_problems;
    bool m_usage = false;
};

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

/// What there is to tell, or why not and the exit code that says so.
struct Answer {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    Timeline timeline;
    Problems problems;
    int exitCode = Done;
};

Answer answerFromNumbers(const Arguments& arguments)
{
    WantedReader reader(arguments);
    const Result<Wanted> wanted = reader.read();
    if (!wanted) {
        return {{}, {}, wanted.problems, reader.exitCode()};
    }
    Result<Timeline> timeline = simulateWanted(*wanted);
    if (!timeline) {
        return {{}, {}, timeline.problems, NotLegal};
    }
    return {wanted->kind, *std::move(timeline), {}, Done};
}

Answer answerFromScenario(const Arguments& arguments)
{
    Problems problems;
    for (const auto& [name, value] : arguments.options) {
        const auto option = std::find_if(scheduleOptions().begin(), scheduleOptions().end(),
                                         [&name = name](const Option& each) { return each.name == name; });
        if (!option->argument.empty() && name != "--trace" && name != "--measured") {
            problems.push_back({name, value, "is told by the scenario", "leave out one of them"});
        }
    }
    if (!problems.empty()) {
        return {{}, {}, problems, Usage};
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const Input input = readInput(arguments.positional.front());
    if (input.exitCode != Done) {
        return {{}, {}, input.problems, input.exitCode};
    }
    const Result<Scenario> scenario = readScenario(input.text, catalogue);
    if (!scenario) {
        return {{}, {}, scenario.problems, NotLegal};
    }
    Report report = evaluate(*scenario);
    if (!report.legal()) {
        return {{}, {}, report.problems, NotLegal};
    }
    return {scenario->layout.schedule, std::move(report.timeline), {}, Done};
}

/// Empty when it went well.
Problems writeTrace(const Arguments& arguments, const Timeline& timeline)
{
    const std::optional<std::string> path = arguments.valueOf("--trace");
    if (!path) {
        return {};
    }
    const QString failure =
        ui::writeFile(QString::fromStdString(*path), QByteArray::fromStdString(timelineTrace(timeline)));
    return failure.isEmpty() ? Problems{} : Problems{{"--trace", *path, failure.toStdString(), {}}};
}

/// What `--measured` prints instead of the schedule itself.
int printComparison(const std::string& path, const Timeline& predicted, bool asJson)
{
    const Input input = readInput(path, mostTraceBytes);
    int code = input.exitCode;
    Problems problems = input.problems;
    if (code == Done) {
        const Result<ImportedTrace> trace = readTrace(input.text);
        const Result<MeasuredTimeline> measured =
            trace ? measuredTimeline(*trace) : Result<MeasuredTimeline>(trace.problems);
        if (measured) {
            const TraceComparison comparison = compareWithTrace(predicted, *measured);
            fmt::print("{}", asJson ? writeTraceComparison(comparison) : traceText(comparison));
            return Done;
        }
        problems = measured.problems;
        code = NotLegal;
    }
    printProblems(problems);
    if (asJson) {
        fmt::print("{}", writeProblems(problems));
    }
    return code;
}

std::string plainTime(double time)
{
    return formatSignificant(time, 6);
}

} // namespace

int scheduleVerb(const Words& words)
{
    const Result<Arguments> arguments = parseArguments(words, scheduleOptions(), 1);
    if (!arguments) {
        return usageError(arguments.problems, "schedule");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita schedule --name NAME --stages P --micro-batches M [options]\n"
                   "       partita schedule SCENARIO|- [--json] [--ops] [--trace FILE] [--measured FILE]\n\n"
                   "Times are in any unit; those of a scenario are in s.\n"
                   "makespan is {}.\n"
                   "bubble_fraction is {}.\n\n{}\nnames: {}\n",
                   makespanDefinition, bubbleDefinition, describeOptions(scheduleOptions()),
                   fmt::join(scheduleNames(), " "));
        return Done;
    }
    const bool fromScenario = !arguments->positional.empty();
    const bool asJson = arguments->has("--json") || arguments->has("--ops");
    Answer answer = fromScenario ? answerFromScenario(*arguments) : answerFromNumbers(*arguments);
    if (answer.exitCode == Usage) {
        return usageError(answer.problems, "schedule");
    }
    if (answer.exitCode == Done) {
        answer.problems = writeTrace(*arguments, answer.timeline);
        answer.exitCode = answer.problems.empty() ? Done : FileTrouble;
    }
    if (answer.exitCode != Done) {
        printProblems(answer.problems);
        if (asJson) {
            fmt::print("{}", writeProblems(answer.problems));
        }
        return answer.exitCode;
    }
    if (const std::optional<std::string> measured = arguments->valueOf("--measured")) {
        return printComparison(*measured, answer.timeline, asJson);
    }
    fmt::print(
        "{}",
        asJson ? writeTimeline(answer.timeline, answer.kind, fromScenario ? "s" : "as given", arguments->has("--ops"))
               : scheduleText(answer.timeline, answer.kind, fromScenario ? formatSeconds : plainTime));
    return Done;
}

} // namespace partita::cli
