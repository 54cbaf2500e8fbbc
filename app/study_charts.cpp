// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_charts.h"

#include "app/cli_runs.h"
#include "app/layout_search.h"
#include "app/runs_card.h"
#include "app/study_cards.h"
#include "core/advice/rank_placement.h"
#include "core/serving/serving_search.h"
#include "widgets/pareto_chart.h"
#include "widgets/placement_view.h"
#include "widgets/runs_chart.h"
#include "widgets/scaling_chart.h"
#include "widgets/serving_front_chart.h"
#include "widgets/tornado_chart.h"

#include <QThread>

#include <algorithm>
#include <array>

namespace partita::ui {

namespace {

using Made = Result<std::shared_ptr<const Chart>>;

struct Request {
    const Scenario& scenario;
    const Report& report;
    const Catalogue& catalogue;
    const StudyAxes& axes;
    const std::function<bool()>& stop;
};

Made searched(const Request& request)
{
    SearchOptions options;
    options.top = LayoutSearch::rowsShown;
    options.front = true;
    options.threads = std::max(1, QThread::idealThreadCount());
    const Result<SearchResult> found =
        searchLayouts(request.scenario, request.axes.limits, options, request.stop, nullptr);
    if (!found) {
        return found.problems;
    }
    const auto figures = [&](const std::vector<FoundLayout>& layouts) {
        std::vector<LayoutFigures> all;
        for (const FoundLayout& layout : layouts) {
            all.push_back(figuresOf(request.scenario, layout.layout));
        }
        return all;
    };
    const std::vector<LayoutFigures> front = figures(found->front);
    ParetoData data = paretoData(eachOnce(figures(found->best), front), front);
    data.current = figuresOf(request.scenario.layout, request.report);
    data.memoryLimit = found->memoryLimit;
    data.searched = SearchStage::Done;
    return std::shared_ptr<const Chart>(std::make_shared<const ParetoChart>(std::move(data)));
}

Made scaled(const Request& request)
{
    const ScalingAxis axis = request.axes.axis;
    std::vector<ScalingCurve> curves;
    for (const Name<ScalingMode>& mode : Names<ScalingMode>::table) {
        curves.push_back(scalingCurve(request.scenario, axis, mode.value, request.stop));
    }
    return std::shared_ptr<const Chart>(std::make_shared<const ScalingChart>(std::move(curves), request.axes.quantity,
                                                                             ownValue(request.scenario, axis)));
}

Made changed(const Request& request)
{
    TornadoOptions options;
    options.stop = request.stop;
    return std::shared_ptr<const Chart>(std::make_shared<const TornadoChart>(
        tornado(request.scenario, contenders(request.scenario, options), options)));
}

Made published(const Request& request)
{
    std::vector<ComparableRun> runs = cli::loadComparableRuns(request.catalogue);
    const std::vector<RunPoint> all = runPoints(runs);
    Problems problems;
    for (const RunWord& word : runWords) {
        const QString& wanted = request.axes.runs.*word.wanted;
        const QStringList known = wordsOf(all, word);
        if (!wanted.isEmpty() && !known.contains(wanted)) {
            problems.push_back({std::string("--") + word.key, wanted.toStdString(), "no published run has it",
                                "one of " + known.join(QStringLiteral(", ")).toStdString()});
        }
    }
    if (problems.empty() && admitted(all, request.axes.runs).empty()) {
        problems.push_back({"published-runs", {}, "no run has all of what is asked for", "fewer filters"});
    }
    if (!problems.empty()) {
        return problems;
    }
    predictAll(runs, request.stop);
    return std::shared_ptr<const Chart>(
        std::make_shared<const RunsChart>(admitted(runPoints(runs), request.axes.runs)));
}

Made placed(const Request& request)
{
    return std::shared_ptr<const Chart>(
        std::make_shared<const TableChart>(placementChart(rankPlacements(request.scenario))));
}

Made servingLayouts(const Request& request)
{
    return std::shared_ptr<const Chart>(std::make_shared<const ServingFrontChart>(
        std::make_shared<const ServingSearch>(searchServing(request.scenario))));
}

Made servingWidths(const Request& request)
{
    return std::shared_ptr<const Chart>(
        std::make_shared<const TableChart>(widthsChart(replicasOrWider(request.scenario))));
}

struct Kind {
    const char* id;
    Made (*make)(const Request&);
    bool ofServing = false;
};

constexpr std::array kinds{
    Kind{"search", searched},
    Kind{"scaling", scaled},
    Kind{"sensitivity", changed},
    Kind{"published-runs", published},
    Kind{"placement", placed},
    Kind{"serving-layouts", servingLayouts, true},
    Kind{"serving-widths", servingWidths, true},
};

} // namespace

std::vector<std::string> studyChartIds()
{
    std::vector<std::string> ids;
    for (const Kind& kind : kinds) {
        ids.emplace_back(kind.id);
    }
    return ids;
}

bool isOfServing(const std::string& id)
{
    return std::any_of(kinds.begin(), kinds.end(), [&](const Kind& each) { return id == each.id && each.ofServing; });
}

Made studyChart(const std::string& id, const Scenario& scenario, const Report& report, const Catalogue& catalogue,
                const StudyAxes& axes, const std::function<bool()>& stop)
{
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& each) { return id == each.id; });
    return kind->make({scenario, report, catalogue, axes, stop});
}

} // namespace partita::ui
