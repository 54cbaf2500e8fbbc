// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_dock.h"

#include "widgets/chart_table_view.h"
#include "widgets/elided_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>

#include <utility>

namespace partita::ui {

ChartDock::ChartDock(const QString& id, const QString& title, QWidget* view, ChartSource chart, QWidget* parent)
    : QDockWidget(title, parent)
    , m_name(title)
    , m_view(view)
    , m_chart(std::move(chart))
    , m_stack(new QStackedWidget)
{
    setObjectName(id);
    setFeatures(DockWidgetMovable | DockWidgetClosable | DockWidgetFloatable);
    m_stack->addWidget(view);
    auto* body = new QWidget;
    auto* margin = new QVBoxLayout(body);
    margin->setContentsMargins(3, 0, 3, 3); // the card's border stays visible
    margin->addWidget(m_stack);
    setWidget(body);
    buildTitleBar(title);
    recolour();
}

void ChartDock::buildTitleBar(const QString& title)
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(10, 6, 6, 2);
    row->setSpacing(2);
    m_title = new ElidedLabel(title);
    m_title->setShorterText(title);
    row->addWidget(m_title, 1);
    m_controls = new QHBoxLayout;
    m_controls->addStretch();
    row->addLayout(m_controls);
    setTitleBarWidget(bar);
    if (m_chart) {
        m_tableButton = addButton(TitleIcon::Table, tr("Show as table"));
        m_tableButton->setCheckable(true);
        connect(m_tableButton, &QToolButton::toggled, this, &ChartDock::showTable);
        connect(addButton(TitleIcon::Copy, tr("Copy chart")), &QToolButton::clicked, this, &ChartDock::copyRequested);
        connect(addButton(TitleIcon::Export, tr("Export chart…")), &QToolButton::clicked, this,
                &ChartDock::exportRequested);
    }
    m_maximiseButton = addButton(TitleIcon::Maximise, tr("Fill the window"));
    connect(m_maximiseButton, &QToolButton::clicked, this, &ChartDock::maximiseRequested);
}

QToolButton* ChartDock::addButton(TitleIcon icon, const QString& text)
{
    auto* button = new QToolButton;
    button->setAutoRaise(true);
    button->setIconSize({16, 16});
    button->setToolTip(text);
    button->setAccessibleName(QStringLiteral("%1: %2").arg(windowTitle(), text));
    titleBarWidget()->layout()->addWidget(button);
    m_buttons.emplace_back(button, icon);
    return button;
}

void ChartDock::addTitleControl(QWidget* control)
{
    m_title->hide();
    m_controls->insertWidget(m_controls->count() - 1, control);
}

void ChartDock::addControl(QWidget* control)
{
    m_controls->addWidget(control);
}

bool ChartDock::isReady() const
{
    const Chart* shown = chart();
    return shown != nullptr && !shown->isEmpty() && (!m_upToDate || m_upToDate());
}

void ChartDock::refresh()
{
    const Chart* shown = chart();
    if (shown == nullptr) {
        return;
    }
    Q_EMIT refreshed();
    m_title->setText(shown->title());
    m_view->setAccessibleDescription(shown->description());
    if (showsTable() && isVisible()) {
        fillTable();
    }
}

void ChartDock::setTitle(const QString& title)
{
    m_title->setText(title);
}

void ChartDock::setCount(int count)
{
    setWindowTitle(count > 0 ? tr("%1 (%2)").arg(m_name).arg(count) : m_name);
}

bool ChartDock::showsTable() const
{
    return m_table != nullptr && m_stack->currentWidget() == m_table;
}

void ChartDock::showTable(bool table)
{
    if (!m_chart) {
        return;
    }
    if (table && m_table == nullptr) {
        m_table = new ChartTableView;
        m_stack->addWidget(m_table);
    }
    m_stack->setCurrentWidget(table ? static_cast<QWidget*>(m_table) : m_view);
    m_tableButton->setChecked(table);
    if (table) {
        fillTable();
    }
}

void ChartDock::fillTable()
{
    const Chart* shown = chart();
    if (shown == nullptr) {
        return;
    }
    m_table->setAccessibleName(shown->title());
    m_table->setTable(shown->table());
}

void ChartDock::setMaximised(bool maximised)
{
    for (auto& [button, icon] : m_buttons) {
        if (button == m_maximiseButton) {
            icon = maximised ? TitleIcon::Restore : TitleIcon::Maximise;
        }
    }
    const QString text = maximised ? tr("Show all charts") : tr("Fill the window");
    m_maximiseButton->setToolTip(text);
    m_maximiseButton->setAccessibleName(QStringLiteral("%1: %2").arg(windowTitle(), text));
    recolour();
}

void ChartDock::setPointedAt(bool pointed)
{
    m_pointedAt = pointed;
    update();
}

void ChartDock::paintEvent(QPaintEvent*)
{
    const Theme theme = Theme::fromPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = m_pointedAt ? 3 : 1;
    const double inset = width / 2;
    painter.setPen(QPen(m_pointedAt ? theme.accent : theme.border, width));
    painter.setBrush(theme.card);
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 4, 4);
}

void ChartDock::changeEvent(QEvent* event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_title != nullptr) {
        recolour();
    }
}

void ChartDock::recolour()
{
    const Theme theme = Theme::fromPalette(palette());
    m_title->setFont(theme.fontOf(TextRole::Title));
    for (const auto& [button, icon] : m_buttons) {
        button->setIcon(titleIcon(icon, theme.mutedText));
    }
}

} // namespace partita::ui
