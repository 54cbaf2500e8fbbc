// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_cards.h"

#include "app/chart_controls.h"
#include "app/chart_dock.h"
#include "widgets/chart_view.h"
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/scaling_chart.h"
#include "widgets/text.h"
#include "widgets/tornado_chart.h"

#include <QComboBox>
#include <QLabel>
#include <QThread>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int delayMilliseconds = 250; // no study for every step of a drag

} // namespace

double ownValue(const Scenario& scenario, ScalingAxis axis)
{
    for (const double value : scalingValues(scenario, axis)) {
        if (scaledTo(scenario, axis, value) == scenario) {
            return value;
        }
    }
    return 0;
}

ScalingCard::ScalingCard()
    : m_view(new ChartView)
    , m_dock(dockFor(QStringLiteral("scaling"), tr("Scaling"), m_view))
    , m_quantity(choiceBox<PlaneQuantity>(tr("What the scaling chart shows"), scalingQuantities))
    , m_axis(choiceBox<ScalingAxis>(tr("What grows along the scaling chart")))
    , m_job(QStringLiteral("scaling"))
{
    m_view->setChart(std::make_shared<const ScalingChart>());
    m_dock->addTitleControl(m_quantity);
    m_dock->addTitleControl(new QLabel(tr("over")));
    m_dock->addTitleControl(m_axis);
    m_delay.setSingleShot(true);
    m_delay.setInterval(delayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &ScalingCard::work);
    connect(m_quantity, &QComboBox::activated, this, &ScalingCard::show);
    connect(m_axis, &QComboBox::activated, this, [this] {
        m_shown.reset();
        refresh();
    });
    connect(m_dock, &QDockWidget::visibilityChanged, this, &ScalingCard::refresh);
    m_dock->setUpToDate([this] { return isUpToDate(); });
    connect(m_view, &ChartView::activated, this, &ScalingCard::explainAt);
}

void ScalingCard::explainAt(const QPointF& at)
{
    const auto& chart = dynamic_cast<const ScalingChart&>(*m_view->chart());
    const ScalingGeometry g = chart.geometry(m_view->chartArea(), textMetrics(m_view->theme()));
    const ScalingGeometry::Mark* mark = g.markAt(at);
    if (mark == nullptr || !m_shown) {
        return;
    }
    const ScalingCurve& curve = chart.curves()[mark->curve];
    const ScalingPoint& point = curve.points[mark->point];
    OtherFigure figure{scaledTo(*m_shown, curve.axis, point.value),
                       tr("At %1, %2.").arg(toText(scalingValueText(curve.axis, point.value)), labelText(curve.mode)),
                       QString()};
    figure.scenario.layout = point.cost.layout;
    figure.path = !point.cost.legal() ? QStringLiteral("fits")
        : !point.cost.fits            ? QStringLiteral("memory.lacks_bytes")
                                      : toText(pathOf(chosen<PlaneQuantity>(*m_quantity), figure.scenario));
    Q_EMIT explainRequested(figure);
}

PlaneQuantity ScalingCard::quantity() const
{
    return chosen<PlaneQuantity>(*m_quantity);
}

ScalingAxis ScalingCard::axis() const
{
    return chosen<ScalingAxis>(*m_axis);
}

void ScalingCard::setAxis(ScalingAxis axis)
{
    choose(*m_axis, axis);
    m_shown.reset();
    refresh();
}

void ScalingCard::setQuantity(PlaneQuantity quantity)
{
    choose(*m_quantity, quantity);
    show();
}

void ScalingCard::setScenario(const Scenario& scenario)
{
    m_scenario = scenario;
    refresh();
}

void ScalingCard::refresh()
{
    if (m_dock->isVisible() && m_shown != m_scenario) {
        m_delay.start();
    }
}

void ScalingCard::work()
{
    m_shown = m_scenario;
    m_complete = false;
    m_curves = {{axis(), ScalingMode::Held, {}}, {axis(), ScalingMode::Advised, {}}};
    m_job.start([this, scenario = m_scenario, axis = axis()](const NewestJob::Outdated& outdated,
                                                             const NewestJob::Deliver& deliver) {
        const std::vector<double> values = scalingValues(scenario, axis);
        for (std::size_t curve = 0; curve < Names<ScalingMode>::table.size(); ++curve) {
            for (const double value : values) {
                const ScalingMode mode = Names<ScalingMode>::table[curve].value;
                ScalingPoint point = scalingPoint(scenario, axis, value, mode, outdated);
                if (outdated()) {
                    return;
                }
                deliver([this, curve, point = std::move(point)] {
                    m_curves[curve].points.push_back(point);
                    show();
                });
            }
        }
        deliver([this] {
            m_complete = true;
            show();
            Q_EMIT completed();
        });
    });
}

void ScalingCard::show()
{
    m_view->setChart(std::make_shared<const ScalingChart>(m_curves, chosen<PlaneQuantity>(*m_quantity),
                                                          m_shown ? ownValue(*m_shown, axis()) : 0));
    m_dock->refresh();
}

SensitivityCard::SensitivityCard()
    : m_view(new ChartView)
    , m_dock(dockFor(QStringLiteral("sensitivity"), tr("Sensitivity"), m_view))
    , m_job(QStringLiteral("sensitivity"))
{
    m_view->setChart(std::make_shared<const TornadoChart>());
    m_delay.setSingleShot(true);
    m_delay.setInterval(delayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &SensitivityCard::work);
    connect(m_dock, &QDockWidget::visibilityChanged, this, &SensitivityCard::refresh);
    m_dock->setUpToDate([this] { return isUpToDate(); });
    connect(m_view, &ChartView::activated, this, &SensitivityCard::explainAt);
}

void SensitivityCard::explainAt(const QPointF& at)
{
    const auto& chart = dynamic_cast<const TornadoChart&>(*m_view->chart());
    const TornadoGeometry g = chart.geometry(m_view->chartArea(), textMetrics(m_view->theme()));
    const TornadoGeometry::Row* row = g.rowAt(at);
    if (row == nullptr || !m_shown) {
        return;
    }
    const Tornado& tornado = chart.tornado();
    const Sensitivity& bar = tornado.bars[row->bar];
    const bool high = row->isHighAt(at);
    const double factor = high ? 1 + tornado.share : 1 - tornado.share;
    const bool fits = (high ? bar.high : bar.low).fits;
    Q_EMIT explainRequested(
        {withConstant(*m_shown, bar.label, factor),
         (high ? tr("With the %1 %2 higher.") : tr("With the %1 %2 lower."))
             .arg(toText(bar.label), wholePercentText(tornado.share)),
         fits ? QStringLiteral("ab.waterfall.step_time.change") : QStringLiteral("b.memory.lacks_bytes"), true});
}

void SensitivityCard::setScenario(const Scenario& scenario)
{
    m_scenario = scenario;
    refresh();
}

void SensitivityCard::refresh()
{
    if (m_dock->isVisible() && m_shown != m_scenario) {
        m_delay.start();
    }
}

void SensitivityCard::work()
{
    m_shown = m_scenario;
    m_complete = false;
    m_job.start([this, scenario = m_scenario](const NewestJob::Outdated& outdated, const NewestJob::Deliver& deliver) {
        TornadoOptions options;
        options.threads = std::max(1, QThread::idealThreadCount() - 1); // one is left for the window
        options.stop = outdated;
        Tornado changes = tornado(scenario, contenders(scenario, options), options);
        if (outdated()) {
            return; // it is short
        }
        auto chart = std::make_shared<const TornadoChart>(std::move(changes));
        deliver([this, chart = std::move(chart)] {
            m_complete = true;
            m_view->setChart(chart);
            m_dock->refresh();
            Q_EMIT completed();
        });
    });
}

} // namespace partita::ui
