// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/advice_charts.h"

#include "core/advice/advise.h"
#include "core/layout/layout_text.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QCoreApplication>

namespace partita::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("partita::ui", text);
}

QString told(const LayoutCost& cost)
{
    return QStringLiteral("%1: %2").arg(toText(layoutText(cost.layout)), toText(describe(cost)));
}

QString doneIn(const AdviceStep& step)
{
    return step.chosen ? toText(describe(step.reliefs[*step.chosen], step.before)) : toText(step.reason);
}

QStringList exactly(const LayoutCost& cost)
{
    return {toText(layoutText(cost.layout)), cost.fits ? tr("yes") : tr("no"), exactNumber(cost.stepTime),
            exactNumber(cost.memory.total())};
}

} // namespace

TableChart adviceChart(const Advice& advice, const std::optional<Optimum>& optimum)
{
    ChartTable shown{{tr("step"), tr("what binds"), tr("what is done")}, {}};
    ChartTable exact{{tr("step"), tr("what binds"), tr("what is done"), tr("layout"), tr("fits"), tr("step time (s)"),
                      tr("peak memory (bytes)")},
                     {}};
    const auto add = [&](const QStringList& row, const LayoutCost& then) {
        shown.rows.push_back(row);
        exact.rows.push_back(row + exactly(then));
    };
    for (std::size_t i = 0; i < advice.steps.size(); ++i) {
        const AdviceStep& step = advice.steps[i];
        add({QString::number(i + 1), toText(step.binding.text), doneIn(step)}, step.after());
    }
    add({tr("advice"), told(advice.pick), optimum ? toText(describe(*optimum)) : QString()}, advice.pick);
    return {{QStringLiteral("advice"), tr("Advice, %1").arg(labelText(advice.voice)), told(advice.pick)},
            std::move(shown),
            std::move(exact)};
}

std::vector<ComparedLayout> comparedIn(const WhyNot& answer, const Scenario& scenario, const SearchSpace& limits)
{
    if (!answer.reference.legal() || !answer.wanted.legal()) {
        return {};
    }
    std::vector<ComparedLayout> layouts;
    for (const auto& [name, cost] : {std::pair{"advice: ", &answer.reference}, {"asked: ", &answer.wanted}}) {
        ComparedLayout compared;
        compared.name = name + layoutText(cost->layout);
        compared.scenario = withHeadRoom(scenario, limits);
        compared.scenario.layout = cost->layout;
        compared.report = std::make_shared<const Report>(evaluate(compared.scenario));
        layouts.push_back(std::move(compared));
    }
    return layouts;
}

CompareChart whyNotChart(const WhyNot& answer, std::vector<ComparedLayout> layouts)
{
    const bool sameBatch = answer.reference.layout.globalBatch == answer.wanted.layout.globalBatch;
    const ComparedQuantity quantity = !answer.wanted.fits ? ComparedQuantity::Memory
        : sameBatch                                       ? ComparedQuantity::StepTime
                                                          : ComparedQuantity::Mfu;
    CompareChart chart(std::move(layouts), quantity, 0, 1);
    chart.setName(QStringLiteral("why-not"), tr("Why not: %1 against the advice").arg(labelText(quantity)));
    return chart;
}

} // namespace partita::ui
