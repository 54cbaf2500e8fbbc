// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pipeline_controls.h"

#include "widgets/labels.h"
#include "widgets/pipeline_view.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int measuredItem = -1; // beside those of schedules

} // namespace

PipelineControls::PipelineControls(PipelineView& view, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_comparison(new QComboBox)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    for (QAction* action : {view.playAction(), view.criticalPathAction()}) {
        auto* button = new QToolButton;
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setDefaultAction(action);
        button->setAccessibleName(action->text().remove(u'&'));
        row->addWidget(button);
    }
    m_comparison->setAccessibleName(tr("Compare with schedule"));
    m_comparison->view()->setAccessibleName(m_comparison->accessibleName());
    m_comparison->setToolTip(tr("Another schedule of the same step, on the same time axis"));
    m_comparison->setFocusPolicy(Qt::StrongFocus); // the wheel must not change a box that is only scrolled past
    row->addWidget(m_comparison);
    connect(m_comparison, &QComboBox::activated, this, [this](int index) {
        if (m_comparison->itemData(index) == measuredItem) {
            return m_view.showMeasured(true);
        }
        m_view.setComparison(index > 0 ? std::optional(static_cast<ScheduleKind>(m_comparison->itemData(index).toInt()))
                                       : std::nullopt);
    });
    connect(&view, &PipelineView::comparisonChanged, this, &PipelineControls::showChoices);
    showChoices();
}

void PipelineControls::showChoices()
{
    std::vector<ScheduleKind> kinds = m_view.comparable();
    const std::optional<ScheduleKind> chosen = m_view.comparison();
    if (chosen && std::find(kinds.begin(), kinds.end(), *chosen) == kinds.end()) {
        kinds.push_back(*chosen); // remembered, though it cannot run now
    }
    m_comparison->clear();
    m_comparison->addItem(tr("Compare with…"));
    for (const ScheduleKind kind : kinds) {
        m_comparison->addItem(labelText(kind), static_cast<int>(kind));
    }
    int current = chosen ? m_comparison->findData(static_cast<int>(*chosen)) : 0;
    if (!m_view.measuredName().isEmpty()) {
        m_comparison->addItem(tr("Measured: %1").arg(m_view.measuredName()), measuredItem);
        current = m_view.showsMeasured() ? m_comparison->count() - 1 : current;
    }
    m_comparison->setCurrentIndex(current);
    m_comparison->setEnabled(m_comparison->count() > 1);
}

} // namespace partita::ui
