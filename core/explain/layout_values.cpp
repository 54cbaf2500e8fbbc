// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/layout_values.h"

#include "core/explain/linked_values.h"

#include <fmt/format.h>

namespace partita {

namespace {

/// A figure of a row, and where the report of its layout has it.
struct RowFigure {
    std::string_view key; ///< as `search --json` has it
    std::string_view inReport;
    std::string_view name;
    Measure measure = Measure::Plain;
    double (*value)(const LayoutFigures&);
    bool optional = false; ///< left out where it is 0
};

constexpr std::array rowFigures{
    RowFigure{"fits", "fits", "whether the layout fits", Measure::Truth,
              [](const LayoutFigures& row) { return row.fits ? 1. : 0.; }},
    RowFigure{"step_time_s", "step_time_s", "step time", Measure::Seconds,
              [](const LayoutFigures& row) { return row.stepTime; }},
    RowFigure{"tokens_per_s", "tokens_per_s", "tokens per second", Measure::TokensPerSecond,
              [](const LayoutFigures& row) { return row.tokensPerSecond; }},
    RowFigure{"mfu", "mfu.causal", "MFU", Measure::Share, [](const LayoutFigures& row) { return row.mfu; }},
    RowFigure{"peak_memory_bytes", "memory.peak_bytes", "memory of the fullest device", Measure::Bytes,
              [](const LayoutFigures& row) { return row.peakMemory; }},
    RowFigure{"peak_stage", "memory.peak_stage", "the fullest stage", Measure::Count,
              [](const LayoutFigures& row) { return static_cast<double>(row.peakStage); }},
    RowFigure{"bubble_fraction", "bubble_fraction", "idle share of the pipeline", Measure::Share,
              [](const LayoutFigures& row) { return row.bubble; }},
    RowFigure{"exposed_communication_s", "exposed_communication_s", "communication that nothing hides",
              Measure::Seconds, [](const LayoutFigures& row) { return row.exposed; }},
    RowFigure{"training_days", "training_days", "days for the token budget", Measure::Days,
              [](const LayoutFigures& row) { return row.trainingDays; }, true},
    RowFigure{"training_cost_usd", "training_cost_usd", "cost of the token budget", Measure::Dollars,
              [](const LayoutFigures& row) { return row.trainingCost; }, true},
};

void addCount(Ledger& ledger, const std::string& path, std::string_view name, double value, std::string_view how)
{
    ledger.add(path, std::string(name), Measure::Count, value,
               [how = std::string(how)](Derivation& d) { d.assumptions.push_back(how); });
}

void addCounts(JointExplainer& explainer, const SearchAnswer& answer)
{
    Ledger& ledger = explainer.ledger();
    const SearchCounts& counts = answer.result.counts;
    const auto count = [&](std::string_view key, std::string_view name, std::int64_t value, std::string_view how) {
        addCount(ledger, fmt::format("counts.{}", key), name, static_cast<double>(value), how);
    };
    count("enumerated", "layouts of the space", counts.enumerated,
          counts.counted ? "Counted; only legal layouts are made, so that all of them are legal."
                         : "The search was stopped while these were counted.");
    ledger.add("counts.counted", "whether all layouts were counted", Measure::Truth, counts.counted ? 1 : 0,
               [](Derivation& d) { d.assumptions.emplace_back("Else it was stopped before."); });
    count("legal", "layouts looked at", counts.legal, "Counted as they were looked at.");
    count("fit", "layouts in memory", counts.fit,
          "Counted; whole groups proven too slow are left out where `unseen` is not 0.");
    count("evaluated", "layouts whose step was timed", counts.evaluated,
          "Counted as they were timed: the sooner something fast is found, the fewer, so that threads change it.");
    if (answer.result.complete) {
        ledger.add("counts.pruned", "layouts left out", Measure::Count, static_cast<double>(counts.pruned),
                   [&ledger](Derivation& d) {
                       d.formula = "l - e";
                       d.terms = {ledger.term("l", "counts.legal"), ledger.term("e", "counts.evaluated")};
                       d.assumptions.emplace_back("Too large for memory, or proven slower than what was found.");
                   });
    } else {
        count("pruned", "layouts left out", counts.pruned, "Counted: too large for memory, or proven slower.");
    }
    count("unseen", "of them, whose memory was not looked at", counts.unseen, "Counted by groups.");
    if (answer.beyondStack) {
        count("beyond_stack", "layouts that the stack does not offer", *answer.beyondStack, "Counted.");
    }
    ledger.add("counts.seconds", "time the search took", Measure::Seconds, answer.seconds,
               [](Derivation& d) { d.assumptions.emplace_back("Measured while searching."); });
    ledger.add("complete", "whether nothing is left to look at", Measure::Truth, answer.result.complete ? 1 : 0,
               [](Derivation& d) { d.assumptions.emplace_back("The search was not stopped."); });
}

Scenario withLayout(Scenario scenario, const Layout& layout)
{
    scenario.layout = layout;
    return scenario;
}

} // namespace

void addLayoutRow(JointExplainer& explainer, const std::string& path, const Scenario& scenario,
                  const LayoutFigures& figures, const std::vector<ComparableRun>& runs)
{
    const std::string report = path + ".report.";
    explainer.addPart(report, evaluated(scenario, runs));
    addLayoutFields(explainer.ledger(), path + ".layout.", figures.layout);
    for (const RowFigure& figure : rowFigures) {
        const double value = figure.value(figures);
        if (value > 0 || !figure.optional) {
            addLinked(explainer.ledger(), fmt::format("{}.{}", path, figure.key), figure.name, figure.measure, value,
                      report + std::string(figure.inReport));
        }
    }
    if (figures.stepTime > 0) {
        explainer.ledger().add(path + ".exposed_share", "share of the step that waits for communication",
                               Measure::Share, figures.exposed / figures.stepTime, [&explainer, path](Derivation& d) {
                                   d.formula = "x/T";
                                   d.terms = {explainer.ledger().term("x", path + ".exposed_communication_s"),
                                              explainer.ledger().term("T", path + ".step_time_s")};
                               });
    }
}

void addTaken(JointExplainer& explainer, const std::string& path, const Scenario& scenario,
              const LayoutFigures& figures)
{
    Ledger& ledger = explainer.ledger();
    const Layout& layout = figures.layout;
    const auto devices = static_cast<double>(layout.devices());
    ledger.add(path + ".devices", "devices", Measure::Count, devices, [layout](Derivation& d) {
        d.formula = "t*c*p*d";
        d.terms = {given("t", "tensor parallel", Measure::Count, layout.tp, "layout.tp"),
                   given("c", "context parallel", Measure::Count, layout.cp, "layout.cp"),
                   given("p", "pipeline stages", Measure::Count, layout.pp, "layout.pp"),
                   given("d", "data parallel", Measure::Count, layout.dp, "layout.dp")};
    });
    const double hours = takenBy(figures, FrontAgainst::Cost);
    ledger.add(path + ".device_hours_per_billion_tokens", "device-hours for a billion tokens", Measure::Plain, hours,
               [&ledger, path](Derivation& d) {
                   d.formula = "N/3600*1000000000/R";
                   d.terms = {ledger.term("N", path + ".devices"), ledger.term("R", path + ".tokens_per_s")};
               });
    if (figures.trainingDays > 0) {
        ledger.add(path + ".device_days", "device-days for the token budget", Measure::Plain,
                   figures.trainingDays * devices, [&ledger, path](Derivation& d) {
                       d.formula = "t*N";
                       d.terms = {ledger.term("t", path + ".training_days"), ledger.term("N", path + ".devices")};
                   });
    }
    const Accelerator& accelerator = scenario.cluster.accelerator;
    if (accelerator.pricePerHour > 0) {
        ledger.add(
            path + ".usd_per_billion_tokens", "cost of a billion tokens", Measure::Dollars,
            hours * accelerator.pricePerHour, [&ledger, path, accelerator](Derivation& d) {
                d.formula = "h*p";
                d.terms = {ledger.term("h", path + ".device_hours_per_billion_tokens"), devicePrice(accelerator)};
            });
    }
}

void addChange(JointExplainer& explainer, const std::string& path, const LayoutFigures& figures,
               const std::string& otherPath, const LayoutFigures& other)
{
    for (const RowFigure& figure : rowFigures) {
        if (figure.measure == Measure::Truth || figure.measure == Measure::Count) {
            continue;
        }
        addDifference(explainer.ledger(), fmt::format("{}.change.{}", path, figure.key),
                      fmt::format("change of the {}", figure.name), figure.measure,
                      figure.value(figures) - figure.value(other), fmt::format("{}.{}", otherPath, figure.key),
                      fmt::format("{}.{}", path, figure.key));
    }
}

std::unique_ptr<JointExplainer> explainSearch(const Scenario& scenario, const SearchAnswer& answer, double headRoom,
                                              const std::vector<ComparableRun>& runs)
{
    auto explainer = std::make_unique<JointExplainer>();
    for (std::size_t i = 0; i < answer.best.size(); ++i) {
        const std::string path = fmt::format("best[{}]", i);
        addLayoutRow(*explainer, path, withLayout(scenario, answer.best[i].layout), answer.best[i], runs);
        addTaken(*explainer, path, scenario, answer.best[i]);
    }
    for (std::size_t i = 0; answer.against && i < answer.front.size(); ++i) {
        const std::string path = fmt::format("front[{}]", i);
        const Scenario sized = onDevicesOf(scenario, answer.front[i].layout);
        addLayoutRow(*explainer, path, sized, answer.front[i], runs);
        addTaken(*explainer, path, sized, answer.front[i]);
    }
    addCounts(*explainer, answer);
    Ledger& ledger = explainer->ledger();
    for (std::size_t i = 0; i < answer.frontDevices.size(); ++i) {
        ledger.add(fmt::format("front_devices[{}]", i), "devices searched for the front", Measure::Count,
                   static_cast<double>(answer.frontDevices[i]),
                   [](Derivation& d) { d.assumptions.emplace_back("The scenario's nodes, or fewer of them."); });
    }
    if (answer.pricePerHour > 0) {
        ledger.add("price.usd_per_device_hour", "price of a device", Measure::DollarsPerHour, answer.pricePerHour,
                   [accelerator = scenario.cluster.accelerator](Derivation& d) {
                       d.formula = "p";
                       d.terms = {devicePrice(accelerator)};
                   });
        addStated(ledger, "price.origin", "whose price it is", answer.priceOrigin, "From the accelerator's sources.");
    }
    if (answer.result.bound > 0) {
        ledger.add("unfinished_step_time_at_least_s", "what nothing unseen is faster than", Measure::Seconds,
                   answer.result.bound, [](Derivation& d) {
                       d.assumptions.emplace_back("The least time that the layers take without their experts, over the "
                                                  "parts of the space that were not finished.");
                   });
    }
    ledger.add("memory_limit_bytes", "memory that a layout may take", Measure::Bytes, answer.result.memoryLimit,
               [headRoom, accelerator = scenario.cluster.accelerator](Derivation& d) {
                   deriveLimit(d, accelerator, headRoom, "--head-room");
               });
    if (answer.result.leanest) {
        const FoundLayout& leanest = *answer.result.leanest;
        explainer->addPart("leanest.report.", evaluated(withLayout(scenario, leanest.layout), runs));
        addLayoutFields(ledger, "leanest.layout.", leanest.layout);
        addLinked(ledger, "leanest.peak_memory_bytes", "memory of its fullest device", Measure::Bytes,
                  leanest.peakMemory, "leanest.report.memory.peak_bytes");
    }
    return explainer;
}

} // namespace partita
