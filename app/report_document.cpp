// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_document.h"

#include "app/chart_file.h"
#include "app/comparison_charts.h"
#include "app/report_text.h"
#include "app/serving_data.h"
#include "core/base/format.h"
#include "core/explain/formula.h"
#include "core/formats/scenario_file.h"
#include "core/scenario/scenario_title.h"
#include "core/serving/serving_advice.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace partita::ui {

namespace {

/// Writes the sections of a report, one after the other.
class Writer {
    Q_DECLARE_TR_FUNCTIONS(Report)

public:
    Writer(const Scenario& scenario, const Report& report, const Catalogue& catalogue, const Explainer& explainer)
        : m_scenario(scenario)
        , m_report(report)
        , m_catalogue(catalogue)
        , m_explainer(explainer)
        , m_served(asksToServe(scenario) || explainer.find("serving.fits") != nullptr ? servingData(scenario) : nullptr)
    {
    }

    std::vector<ReportBlock> write(const QString& title, const std::vector<std::string>& provenance,
                                   const std::vector<ComparedLayout>& compared)
    {
        add(ReportHeading{title, 1});
        add(ReportText{subtitle(), true});
        headline();
        setting();
        charts();
        comparison(compared);
        serving();
        memory();
        stepTime();
        stages();
        derivations();
        runs();
        notes();
        sources();
        for (std::size_t i = 0; i < provenance.size(); ++i) {
            section(i == 0 ? tr("Scenario file") : tr("Scenario file of %1").arg(QChar(u'A' + static_cast<int>(i))));
            add(ReportText{QString::fromStdString(provenance[i]), false, true});
        }
        return std::move(m_blocks);
    }

private:
    void add(ReportBlock block) { m_blocks.push_back(std::move(block)); }
    void section(const QString& name) { add(ReportHeading{name, 2}); }

    QString subtitle() const
    {
        return tr("%1 on %2 × %3, %4. Partita " PARTITA_VERSION ".")
            .arg(QString::fromStdString(m_scenario.model.name))
            .arg(m_scenario.cluster.devices())
            .arg(QString::fromStdString(m_scenario.cluster.accelerator.name),
                 QString::fromStdString(m_scenario.stack.name));
    }

    bool serves() const { return m_served != nullptr && m_served->report.legal(); }

    QString valueOf(std::string_view path) const
    {
        const Result<Derivation> derivation = m_explainer.explain(path);
        return derivation ? QString::fromStdString(derivation->valueText()) : QString();
    }

    void headline()
    {
        const double spare = m_report.memoryLimit - m_report.peakMemory();
        ChartTable table{{tr("Headline"), tr("Value")}, {}};
        const auto row = [&](const QString& name, const QString& value) { table.rows.push_back({name, value}); };
        row(tr("Fits"),
            m_report.fits ? tr("yes, %1 to spare").arg(bytesText(spare)) : tr("no, lacks %1").arg(bytesText(-spare)));
        row(tr("Peak memory"),
            tr("%1 of %2, stage %3")
                .arg(bytesText(m_report.peakMemory()), bytesText(m_report.memoryLimit))
                .arg(m_report.peakStage));
        const QString low = valueOf("step_time_band_s[0]");
        row(tr("Step time"),
            low.isEmpty() ? timeText(m_report.stepTime)
                          : tr("%1; runs of the same kind make %2 to %3 likely")
                                .arg(timeText(m_report.stepTime), low, valueOf("step_time_band_s[1]")));
        row(tr("MFU"),
            tr("%1 (causal), %2 (attention in full), %3 (6N)")
                .arg(percentText(m_report.mfu.causal), percentText(m_report.mfu.full), percentText(m_report.mfu.sixN)));
        row(tr("HFU"), tr("%1 (causal)").arg(percentText(m_report.hfu.causal)));
        row(tr("Tokens per second"),
            tr("%1, %2 a device").arg(valueOf("tokens_per_s"), valueOf("tokens_per_s_per_device")));
        row(tr("Bubble"), percentText(m_report.bubbleFraction));
        row(tr("Exposed communication"), percentText(m_report.time.exposedCommunication() / m_report.stepTime));
        if (m_report.trainingDays > 0) {
            row(tr("Token budget"),
                QString::fromStdString(formatScaled(m_scenario.workload.trainingTokens)) + QStringLiteral(": ")
                    + valueOf("training_days")
                    + (m_report.trainingCost > 0 ? QStringLiteral(", ") + valueOf("training_cost_usd") : QString()));
        }
        if (serves()) {
            const ServingReport& served = m_served->report;
            row(tr("Served"),
                served.fits ? tr("first token after %1, %2 between tokens, %3 requests at once")
                                  .arg(timeText(served.ttft), timeText(served.tpot), valueOf("serving.max_concurrency"))
                            : tr("no. %1").arg(toText(noRoomText(m_scenario, served))));
        }
        add(ReportTable{table});
    }

    void setting()
    {
        section(tr("Scenario"));
        const Layout& layout = m_scenario.layout;
        ChartTable table{{tr("What"), tr("Setting")}, {}};
        const auto row = [&](const QString& name, const QString& value) { table.rows.push_back({name, value}); };
        row(tr("Model"),
            tr("%1, %2 parameters")
                .arg(QString::fromStdString(m_scenario.model.name),
                     countText(static_cast<double>(m_report.parameters.total()))));
        row(tr("Devices"),
            tr("%1 × %2, %3 a node")
                .arg(m_scenario.cluster.devices())
                .arg(QString::fromStdString(m_scenario.cluster.accelerator.name))
                .arg(m_scenario.cluster.devicesPerNode));
        QStringList levels;
        for (const Level& level : m_scenario.cluster.levels) {
            levels += tr("%1 %2 GB/s").arg(QString::fromStdString(level.name)).arg(level.bandwidth / 1e9);
        }
        row(tr("Links"), levels.join(QStringLiteral(", ")));
        row(tr("Layout"),
            QString::fromStdString(productLine(layout))
                + tr(", vpp %1, ep %2, etp %3, ZeRO-%4")
                      .arg(layout.vpp)
                      .arg(layout.ep)
                      .arg(layout.etp)
                      .arg(layout.zeroStage));
        row(tr("Schedule"), labelText(layout.schedule));
        row(tr("Recomputation"), labelText(layout.recompute));
        row(tr("Batch"),
            tr("%1 sequences of %2 tokens, micro-batch %3")
                .arg(layout.globalBatch)
                .arg(m_scenario.workload.sequenceLength)
                .arg(layout.microBatch));
        row(tr("Precision"), labelText(m_scenario.workload.precision));
        row(tr("Optimizer"), labelText(m_scenario.workload.optimizer));
        row(tr("Software"), QString::fromStdString(m_scenario.stack.name));
        add(ReportTable{table});
    }

    void charts()
    {
        section(tr("Charts"));
        for (auto& chart : chartsOf(m_scenario, m_report)) {
            add(ReportChart{std::shared_ptr<const Chart>(std::move(chart))});
        }
    }

    void comparison(const std::vector<ComparedLayout>& compared)
    {
        if (compared.size() < 2) {
            return;
        }
        section(tr("Comparison"));
        QStringList names;
        for (std::size_t i = 0; i < compared.size(); ++i) {
            names += (i == 0 ? tr("%1: %2, this report's scenario") : tr("%1: %2"))
                         .arg(QChar(letterOf(i)))
                         .arg(toText(compared[i].name));
        }
        add(ReportList{names});
        add(ReportTable{differenceTable(compared, m_catalogue)});
        for (std::shared_ptr<const Chart>& chart : comparisonCharts(compared)) {
            add(ReportChart{std::move(chart)});
        }
    }

    /// Of a scenario that says how it is served, or where the explainer was asked for it.
    void serving()
    {
        if (m_served == nullptr) {
            return;
        }
        section(tr("Serving"));
        if (!m_served->report.legal()) {
            QStringList problems;
            for (const Problem& problem : m_served->report.problems) {
                problems += QString::fromStdString(describe(problem));
            }
            add(ReportList{problems});
            return;
        }
        if (!m_served->report.fits) {
            add(ReportText{tr("%1 The figures are those it would have if it fitted.")
                               .arg(toText(noRoomText(m_scenario, m_served->report))),
                           true});
        }
        ChartTable table{{tr("Serving"), tr("Value")}, {}};
        const auto row = [&](const QString& name, const char* key) {
            if (const QString value = valueOf("serving." + std::string(key)); !value.isEmpty()) {
                table.rows.push_back({name, value});
            }
        };
        row(tr("Fits"), "fits");
        row(tr("Time to the first token"), "ttft_s");
        row(tr("Time between tokens"), "tpot_s");
        row(tr("Whole request"), "latency_s");
        row(tr("Tokens per second"), "tokens_per_s");
        row(tr("Tokens per second and device"), "tokens_per_s_per_device");
        row(tr("Requests per second within the limits"), "goodput_per_s");
        row(tr("Sequences in flight"), "concurrency");
        row(tr("Most whole requests at once"), "max_concurrency");
        row(tr("Tokens in a replica's caches"), "kv.tokens");
        row(tr("Weights of a device"), "weights.bytes_per_device");
        row(tr("Cost of a million tokens"), "cost_per_million_tokens_usd");
        add(ReportTable{table});
        for (auto& chart : servingChartsOf(m_served)) {
            add(ReportChart{std::shared_ptr<const Chart>(std::move(chart))});
        }
    }

    void memory()
    {
        section(tr("Memory per stage, GiB"));
        ChartTable table{{tr("Stage")}, {}};
        for (const auto& kind : Names<MemoryKind>::table) {
            table.header += labelText(kind.value);
        }
        table.header += tr("total");
        for (std::size_t i = 0; i < m_report.stages.size(); ++i) {
            QStringList row{QString::number(i)};
            for (const double bytes : m_report.stages[i].memory.bytes) {
                row += gibText(bytes);
            }
            table.rows.push_back(row + QStringList{gibText(m_report.stages[i].memory.total())});
        }
        add(ReportTable{table});
    }

    void stepTime()
    {
        section(tr("Step time"));
        ChartTable table{{tr("Part"), tr("Time"), tr("Share")}, {}};
        for (const auto& kind : Names<TimeKind>::table) {
            if (const double seconds = m_report.time[kind.value]; seconds > 0) {
                table.rows.push_back(
                    {labelText(kind.value), timeText(seconds), percentText(seconds / m_report.stepTime)});
            }
        }
        table.rows.push_back({tr("total"), timeText(m_report.stepTime), percentText(1)});
        add(ReportTable{table});
    }

    void stages()
    {
        section(tr("Stages"));
        ChartTable table{{tr("Stage"), tr("Layers"), tr("Parameters"), tr("Forward"), tr("Input gradient"),
                          tr("Weight gradient"), tr("In flight")},
                         {}};
        for (std::size_t i = 0; i < m_report.stages.size(); ++i) {
            const StageReport& stage = m_report.stages[i];
            table.rows.push_back({QString::number(i), QString::number(stage.layers), countText(stage.parameters),
                                  timeText(stage.forward), timeText(stage.backwardInput),
                                  timeText(stage.backwardWeight), significant(stage.inFlight)});
        }
        add(ReportTable{table});
    }

    void derivations()
    {
        section(tr("Where the numbers come from"));
        const std::string peak = "memory.stages[" + std::to_string(m_report.peakStage) + "].";
        std::vector<std::string> paths{"step_time_s", "mfu.causal", "tokens_per_s_per_device", "bubble_fraction"};
        for (const auto& kind : Names<TimeKind>::table) {
            if (m_report.time[kind.value] > 0.01 * m_report.stepTime) {
                paths.push_back("time.parts." + std::string(kind.key));
            }
        }
        paths.push_back("memory.peak_bytes");
        paths.push_back(peak + "total");
        for (const auto& kind : Names<MemoryKind>::table) {
            if (m_report.stages[static_cast<std::size_t>(m_report.peakStage)].memory[kind.value] > 0) {
                paths.push_back(peak + std::string(kind.key));
            }
        }
        for (const char* path : {"parameters.total", "training_days", "training_cost_usd"}) {
            paths.emplace_back(path);
        }
        if (serves()) {
            for (const char* path :
                 {"ttft_s", "tpot_s", "tokens_per_s", "max_concurrency", "kv.tokens", "memory.key_values",
                  "weights.bytes_per_device", "floor_s", "cost_per_million_tokens_usd"}) {
                paths.push_back("serving." + std::string(path));
            }
        }
        for (const std::string& path : paths) {
            if (Result<Derivation> derivation = m_explainer.explain(path)) {
                remember(*derivation);
                ReportDerivation block{*std::move(derivation), {}};
                unfold(block.derivation, 0, block.terms);
                add(std::move(block));
            }
        }
    }

    /// Each value once in the whole report.
    void unfold(const Derivation& derivation, int level, std::vector<ReportTerm>& terms)
    {
        for (const Term& term : derivation.terms) {
            std::size_t shown = 0;
            for (const Quantity& quantity : term.values) {
                if (term.list && (quantity.value == 0 || shown == shownValues)) {
                    continue; // what takes no part in a sum
                }
                ++shown;
                const SymbolText symbol = symbolText(term.symbol);
                ReportTerm line{level, toText(symbol.base), {}, {}, {}};
                line.text += symbol.subscript.empty() ? QString() : u'_' + toText(symbol.subscript);
                line.text += QStringLiteral(" = %1, %2")
                                 .arg(toText(formatMeasure(quantity.value, term.measure)), toText(quantity.name));
                const bool leads = !quantity.path.empty() && level + 1 < unfoldedLevels;
                const Result<Derivation> inner = leads ? m_explainer.explain(quantity.path) : Problems{};
                if (!inner || inner->formula.empty()) {
                    if (quantity.path.empty()) {
                        line.given = ReportTerm::Given{quantity, term.measure};
                    } else {
                        line.text += QStringLiteral(" [%1]").arg(toText(quantity.path));
                    }
                    terms.push_back(line);
                } else if (!m_unfolded.insert(quantity.path).second) {
                    line.text += tr(", see above [%1]").arg(toText(quantity.path));
                    terms.push_back(line);
                } else {
                    line.text += QStringLiteral(" [%1]").arg(toText(quantity.path));
                    line.formula = toText(inner->plain());
                    line.assumptions = inner->assumptions;
                    terms.push_back(line);
                    unfold(*inner, level + 1, terms);
                }
            }
            if (shown == shownValues && term.values.size() > shown) {
                terms.push_back({level, tr("… %1 in all").arg(term.values.size()), {}, {}, {}});
            }
        }
    }

    void remember(const Derivation& derivation)
    {
        for (const std::string& text : derivation.sources) {
            remember(text, m_sources);
        }
    }

    static void remember(const std::string& text, QStringList& list)
    {
        const QString line = QString::fromStdString(text);
        if (!text.empty() && !list.contains(line)) {
            list += line;
        }
    }

    void runs()
    {
        if (m_explainer.nearestRuns("tokens_per_s_per_device").runs.empty()) {
            return;
        }
        section(tr("Published runs nearest in kind"));
        add(ReportText{
            tr("The band of the step time is made from runs of the same kind, in tokens per second and device."),
            true});
        runsTable(m_explainer.nearestRuns("tokens_per_s_per_device"));
        const NearRuns& weighed = m_explainer.nearestRuns("memory.peak_bytes");
        if (weighed.quantity == RunQuantity::PeakMemory) {
            runsTable(weighed);
        }
    }

    void runsTable(const NearRuns& near)
    {
        constexpr std::size_t most = 10;
        add(ReportText{tr("In %1:").arg(labelText(near.quantity)), true});
        ChartTable table{{tr("Run"), tr("Measured"), tr("Predicted"), tr("Difference"), tr("Source")}, {}};
        const Measure measure = measureOf(near.quantity);
        for (std::size_t i = 0; i < std::min(near.runs.size(), most); ++i) {
            const NearRun& run = near.runs[i];
            table.rows.push_back({toText(run.id), toText(formatMeasure(run.measured, measure)),
                                  toText(formatMeasure(run.predicted, measure)), percentText(run.error()),
                                  toText(run.where)});
        }
        add(ReportTable{table});
    }

    void notes()
    {
        section(tr("Assumptions and constants"));
        add(ReportReferences{});
        section(tr("Limits"));
        QStringList limits;
        for (const std::string& warning : m_report.warnings) {
            limits += QString::fromStdString(warning);
        }
        if (serves()) {
            for (const std::string& warning : m_served->report.warnings) {
                limits += QString::fromStdString(warning);
            }
            limits += tr("Serving is steady state: a request waits for half a step and its own prompt, not in a queue "
                         "of arrivals; prefix caches and paging to host memory are left out.");
        }
        limits += tr(
            "Constants are those of published kernels and stacks; a cluster's network, clocks and software move them.");
        limits +=
            tr("Gradient and parameter exchange hides behind the last backward and the first forward pass; bucket by "
               "bucket it is not simulated.");
        limits +=
            tr("Collectives of different groups do not slow each other down; overlapped communication takes nothing "
               "from compute.");
        limits += tr("Experts are balanced but for one factor of the stack.");
        add(ReportList{limits});
    }

    void sources()
    {
        const auto remembered = [&](const std::string& name, const std::vector<std::string>& list) {
            for (const std::string& source : list) {
                remember(name + ": " + source, m_sources);
            }
        };
        remembered(m_scenario.cluster.name, m_scenario.cluster.sources);
        for (const Level& level : m_scenario.cluster.levels) {
            remember(level.source.empty() ? std::string() : level.name + ": " + level.source, m_sources);
        }
        remembered(m_scenario.stack.name, m_scenario.stack.sources);
        section(tr("Sources"));
        add(ReportList{m_sources});
    }

    const Scenario& m_scenario;
    const Report& m_report;
    const Catalogue& m_catalogue;
    const Explainer& m_explainer;
    std::shared_ptr<const ServingData> m_served; ///< of a scenario that is served
    std::vector<ReportBlock> m_blocks;
    std::set<std::string> m_unfolded;
    QStringList m_sources;
};

} // namespace

std::vector<TextLink> linksIn(const QString& text)
{
    static const QRegularExpression link(
        QStringLiteral("https?://[^\\s,;)\\]]*[^\\s,;)\\].:]|arXiv:(\\d{4}\\.\\d{4,5})"));
    std::vector<TextLink> links;
    for (auto found = link.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        const QString number = match.captured(1);
        links.push_back({match.capturedStart(), match.capturedLength(),
                         number.isEmpty() ? match.captured() : QStringLiteral("https://arxiv.org/abs/") + number});
    }
    return links;
}

Explainer::Scope reportScope(const Scenario& scenario)
{
    return asksToServe(scenario) ? Explainer::Scope::TrainingAndServing : Explainer::Scope::Training;
}

ReportDocument reportDocument(const Scenario& scenario, const Report& report, const Catalogue& catalogue,
                              const Explainer& explainer, const std::vector<ComparedLayout>& compared)
{
    ReportDocument document;
    document.title = QString::fromStdString(titleOf(scenario));
    document.footer = pageOf(scenario, catalogue).caption;
    document.provenance =
        compared.size() < 2 ? std::vector{writeScenario(scenario, catalogue)} : provenanceOf(compared, catalogue);
    document.blocks =
        Writer(scenario, report, catalogue, explainer).write(document.title, document.provenance, compared);
    return document;
}

} // namespace partita::ui
