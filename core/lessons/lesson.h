// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/formats/flat_json.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace partita {

/// How a number stands in a lesson's text.
enum class ValueFormat { Number, Plain, Count, Percent, Bytes, Gigabytes, Seconds, Scaled };

template <> struct Names<ValueFormat> {
    static constexpr std::array table{
        Name<ValueFormat>{ValueFormat::Number, "number", "3 significant digits"},
        Name<ValueFormat>{ValueFormat::Plain, "plain", "at most 3 significant digits"},
        Name<ValueFormat>{ValueFormat::Count, "count", "a whole number"},
        Name<ValueFormat>{ValueFormat::Percent, "percent", "a share of one, in %"},
        Name<ValueFormat>{ValueFormat::Bytes, "bytes", "bytes, in binary units"},
        Name<ValueFormat>{ValueFormat::Gigabytes, "gigabytes", "bytes, in 10^9 bytes"},
        Name<ValueFormat>{ValueFormat::Seconds, "seconds", "seconds, in the unit that fits"},
        Name<ValueFormat>{ValueFormat::Scaled, "scaled", "with K, M, B or T"},
    };
};

std::string formatValue(double value, ValueFormat format);

/// A number that a lesson's texts show as {name}, and that its expressions know by name.
struct LessonValue {
    std::string name;
    std::string value; ///< expression
    ValueFormat format = ValueFormat::Number;
    std::optional<FieldValues> with; ///< of the lesson's own scenario with these fields; nothing = of the current one
    std::optional<double> states; ///< what its author says it is, within 1 %

    bool operator==(const LessonValue&) const = default;
};

/// Something to find out by moving what may be moved.
struct LessonTask {
    std::string question;
    std::string answer; ///< expression that holds once it is found
    std::vector<std::string> hints; ///< from a nudge to nearly the answer
    FieldValues solution; ///< fields with which it holds, from the lesson's scenario
    std::string solved; ///< what there is to see now

    bool operator==(const LessonTask&) const = default;
};

struct LessonPage {
    std::string text; ///< Markdown; {expression|format}, {expression|count stage/stages} and {name} are live numbers
    std::string chart; ///< id of the one to look at; empty = as before
    std::optional<LessonTask> task;

    bool operator==(const LessonPage&) const = default;
};

/// A few pages on one idea, read beside the charts of a scenario. Numbers in texts are placeholders (writtenNumbers()):
/// what a lesson states, the core has computed.
struct Lesson {
    std::string id; ///< the file's stem
    std::string title;
    std::string summary;
    int minutes = 5;
    Scenario scenario; ///< to begin with
    std::vector<std::string> touch; ///< fields that may be moved: "layout.global_batch"
    std::vector<LessonValue> values;
    std::vector<LessonPage> pages;
    std::vector<std::string> sources;

    bool operator==(const Lesson&) const = default;
};

/// Charts a lesson may point at.
inline constexpr std::array<std::string_view, 17> lessonCharts{
    "memory",       "step-time",     "gantt",         "heatmap",         "problems",      "search",
    "compare",      "scaling",       "sensitivity",   "placement",       "advice",        "published-runs",
    "serving-room", "serving-token", "serving-curve", "serving-layouts", "serving-widths"};

/// What a lesson may have moved: settings that have a control in the window.
inline constexpr std::array<std::string_view, 37> lessonFields{
    // clang-format off
    "model", "model.hidden", "model.vocabulary", "cluster", "cluster.accelerator", "cluster.nodes",
    "cluster.devices_per_node", "cluster.levels", "stack", "layout.tp", "layout.cp", "layout.pp", "layout.vpp",
    "layout.dp", "layout.ep", "layout.etp", "layout.micro_batch", "layout.global_batch", "layout.schedule",
    "layout.recompute", "layout.zero_stage", "layout.sequence_parallel", "workload.sequence_length",
    "workload.precision", "workload.weights", "workload.gradients", "workload.optimizer", "workload.training",
    "workload.adapter_rank", "workload.training_tokens", "serving.prompt", "serving.output", "serving.batch",
    "serving.batching", "serving.weights", "serving.quantised", "serving.key_values"
    // clang-format on
};

/// A lesson from its file's text; every problem of form at once. What only the core can say is checkLesson()'s.
Result<Lesson> readLesson(std::string_view text, const std::string& id, const Catalogue& catalogue);

/// All that keeps a file from being a lesson that is right and can be played: of its form and, as far as it can be
/// read, what checkLesson() finds.
Problems checkLessonFile(std::string_view text, const std::string& id, const Catalogue& catalogue);

struct LoadedLessons {
    std::vector<Lesson> lessons; ///< in the order of their files' names; of equal names the later folder's
    Problems problems;
};

/// The folders lessons of preset folders.
LoadedLessons loadLessons(const std::vector<std::filesystem::path>& presetFolders, const Catalogue& catalogue);

/// What keeps a lesson from being right and playable: a scenario that is not legal, expressions that cannot be worked
/// out, stated numbers the core does not find, numbers written by hand, tasks that are solved from the start, or not by
/// their own solution, or by moving what may not be moved.
Problems checkLesson(const Lesson& lesson, const Catalogue& catalogue);

} // namespace partita
