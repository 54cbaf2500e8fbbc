// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs_card.h"

#include "app/chart_dock.h"
#include "widgets/runs_view.h"
#include "widgets/text.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QSignalBlocker>

namespace partita::ui {

namespace {

QString layoutText(const Layout& layout)
{
    QStringList parts;
    const auto add = [&](const char* name, int degree) {
        if (degree > 1) {
            parts << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(degree);
        }
    };
    add("tp", layout.tp);
    add("cp", layout.cp);
    add("pp", layout.pp);
    add("vpp", layout.vpp);
    add("ep", layout.ep);
    add("dp", layout.dp);
    return parts.isEmpty() ? QStringLiteral("1") : parts.join(QStringLiteral(", "));
}

RunPoint pointOf(const ComparableRun& run)
{
    RunPoint point;
    point.id = toText(run.id);
    point.source = toText(run.source);
    point.where = toText(run.where);
    point.model = toText(run.scenario.model.name);
    point.accelerator = toText(run.scenario.cluster.accelerator.id);
    point.stack = toText(run.scenario.stack.id);
    point.layout = layoutText(run.scenario.layout);
    point.measured = run.measured;
    point.predicted = run.predicted.value_or(0);
    return point;
}

/// The words that occur, behind the entry that stands for all of them.
void fill(QComboBox& box, const QStringList& words)
{
    const QSignalBlocker blocker(box);
    while (box.count() > 1) {
        box.removeItem(1);
    }
    for (const QString& each : words) {
        box.addItem(each, each);
    }
}

} // namespace

std::vector<RunPoint> runPoints(const std::vector<ComparableRun>& runs)
{
    std::vector<RunPoint> points;
    for (const ComparableRun& run : runs) {
        points.push_back(pointOf(run));
    }
    return points;
}

RunsCard::RunsCard(ChartDock* dock, RunsView* view)
    : m_dock(dock)
    , m_view(view)
{
    for (std::size_t i = 0; i < runWords.size(); ++i) {
        m_filters[i] = addFilter(tr(runWords[i].name), tr(runWords[i].all));
    }
}

QComboBox* RunsCard::addFilter(const QString& name, const QString& all)
{
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->view()->setAccessibleName(name);
    box->setFocusPolicy(Qt::StrongFocus); // the wheel must not change a box that is only scrolled past
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(12);
    box->setMinimumWidth(56); // four of them must not make the board wider
    box->addItem(all, QString());
    m_dock->addTitleControl(box);
    connect(box, &QComboBox::currentIndexChanged, this, [this] { filter(); });
    return box;
}

void RunsCard::setRuns(const std::vector<ComparableRun>& runs)
{
    std::vector<RunPoint> points = runPoints(runs);
    for (std::size_t i = 0; i < runWords.size(); ++i) {
        fill(*m_filters[i], wordsOf(points, runWords[i]));
    }
    m_view->setRuns(std::move(points));
    m_dock->refresh();
}

void RunsCard::filter()
{
    RunFilter filter;
    for (std::size_t i = 0; i < runWords.size(); ++i) {
        filter.*runWords[i].wanted = m_filters[i]->currentData().toString();
    }
    m_view->setFilter(filter);
    m_dock->refresh();
}

} // namespace partita::ui
