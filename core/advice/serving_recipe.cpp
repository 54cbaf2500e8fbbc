// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/voices.h"

#include "core/base/format.h"
#include "core/serving/serve.h"
#include "core/serving/serving_layout.h"
#include "core/serving/serving_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {

namespace {

std::string figuresOf(const ServingReport& report)
{
    const std::string waiting =
        report.waiting > 0 ? fmt::format(", {} requests wait", formatSignificant(report.waiting)) : std::string();
    return fmt::format("{} a token, first after {}, {} tokens/s, room for {} requests{}", formatSeconds(report.tpot),
                       formatSeconds(report.ttft), formatSignificant(report.tokensPerSecond),
                       formatSignificant(report.maxConcurrency), waiting);
}

/// What a decision of the recipe answers: its first word, the degree decided about.
struct Question {
    std::string_view degree;
    ReliefKind kind;
    Constraint constraint;
    std::string_view text;
};

constexpr std::array questions{
    Question{"TP", ReliefKind::Tensor, Constraint::ModelStates,
             "What is the smallest tensor parallel engine inside a node with room for requests?"},
    Question{"PP", ReliefKind::Pipeline, Constraint::ModelStates, "How many stages across nodes hold the weights?"},
    Question{"EP", ReliefKind::Expert, Constraint::ServiceTarget,
             "Does a rank hold whole experts, or a slice of every one?"},
    Question{"CP", ReliefKind::Context, Constraint::ServiceTarget,
             "Over how many ranks is a prompt cut to meet the limit of the first token?"},
    Question{"DP", ReliefKind::Degrees, Constraint::ServiceTarget, "What do the remaining devices do?"},
};
constexpr Question widerEngine{"TP", ReliefKind::Tensor, Constraint::ServiceTarget,
                               "Do more tensor ranks meet the limit of a token?"};

/// The steps of core/serving's recipe as steps of an advice: decisions about one degree are the answers to a question.
class Retelling {
public:
    Retelling(Advice& advice, const Scenario& scenario)
        : m_advice(advice)
        , m_scenario(scenario)
    {
    }

    void tell(const ServingRecipe& recipe)
    {
        Layout alone = m_scenario.layout;
        alone.tp = alone.pp = alone.cp = alone.ep = alone.etp = 1;
        alone.layersPerStage.clear();
        alone.dp = static_cast<int>(m_scenario.cluster.devices());
        m_advice.pick = costOf(alone);
        for (auto step = recipe.steps.begin(); step != recipe.steps.end();) {
            const auto end = std::find_if(step, recipe.steps.end(), [&](const RecipeStep& other) {
                return other.decision.substr(0, 2) != step->decision.substr(0, 2);
            });
            answer({step, end}, step == recipe.steps.begin());
            step = end;
        }
        if (!(m_advice.pick.layout == recipe.pick.layout)) {
            m_advice.pick = costOf(recipe.pick.layout);
        }
        m_advice.notes.push_back(comparison(recipe));
        const ServingReport report = reportOf(m_advice.pick.layout);
        m_advice.notes.insert(m_advice.notes.end(), report.warnings.begin(), report.warnings.end());
    }

    std::size_t served() const { return m_served; }

private:
    ServingReport reportOf(const Layout& layout)
    {
        ++m_served;
        Scenario scenario = m_scenario;
        scenario.layout = layout;
        return serve(scenario);
    }

    /// Time stands for time a token, at the batch asked for.
    LayoutCost costOf(const Layout& layout)
    {
        const ServingReport report = reportOf(layout);
        LayoutCost cost;
        cost.layout = layout;
        if (!report.legal()) {
            cost.objection = describe(report.problems.front());
            return cost;
        }
        cost.memoryLimit = m_scenario.cluster.accelerator.memoryBytes;
        cost.memory[MemoryKind::Weights] = report.weightBytesPerDevice;
        cost.peakStage = report.cache.stage;
        cost.fits = report.fits;
        cost.stepTime = report.tpot;
        cost.time = report.time;
        cost.figures = report.fits
            ? figuresOf(report)
            : fmt::format("no room for a request beside {} of weights in {}", formatBytes(report.weightBytesPerDevice),
                          formatBytes(cost.memoryLimit));
        return cost;
    }

    void answer(const std::vector<RecipeStep>& decisions, bool first)
    {
        const std::string_view degree = std::string_view(decisions.front().decision).substr(0, 2);
        const auto known = std::find_if(questions.begin(), questions.end(),
                                        [&](const Question& question) { return question.degree == degree; });
        const Question question = known == questions.end() || (degree == "TP" && !first) ? widerEngine : *known;
        AdviceStep step{m_advice.pick, {question.constraint, std::string(question.text)}, {}, std::nullopt, {}};
        for (const RecipeStep& decision : decisions) {
            step.reliefs.push_back({question.kind, costOf(decision.layout)});
        }
        step.chosen = step.reliefs.size() - 1;
        step.reason = fmt::format("{}: {}.", decisions.back().decision, decisions.back().reason);
        m_advice.steps.push_back(std::move(step));
        m_advice.pick = m_advice.steps.back().after();
    }

    static std::string pointText(const ServingPoint& point)
    {
        return fmt::format("{}, batches of {}: {} tokens/s a device, {} a token", servingText(point.layout),
                           formatCount(point.batch), formatSignificant(point.tokensPerSecondPerDevice),
                           formatSeconds(point.tpot));
    }

    /// The pick at the batch that suits it, beside the best there is.
    static std::string comparison(const ServingRecipe& recipe)
    {
        if (recipe.pick.batch == 0) {
            return recipe.optimum.batch == 0
                ? std::string("No layout meets what is asked.")
                : fmt::format("This layout meets what is asked at no batch; the best that does: {}.",
                              pointText(recipe.optimum));
        }
        const std::string gap = formatPercent(recipe.gap);
        return recipe.optimum.batch == 0 || gap == formatPercent(0)
            ? fmt::format("At its best: {}; no layout serves more.", pointText(recipe.pick))
            : fmt::format("At its best: {}. The best of all layouts: {}, {} more.", pointText(recipe.pick),
                          pointText(recipe.optimum), gap);
    }

    Advice& m_advice;
    const Scenario& m_scenario;
    std::size_t m_served = 0;
};

} // namespace

void adviseServingRecipe(Advice& advice, const Scenario& scenario)
{
    Retelling retelling(advice, scenario);
    retelling.tell(serveByRecipe(scenario));
    advice.evaluated = retelling.served();
}

} // namespace partita
