// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart_view.h"

#include "widgets/drawing.h"
#include "widgets/memory_chart.h"
#include "widgets/step_time_chart.h"

#include <QAccessible>
#include <QAction>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace partita::ui {

namespace {

constexpr int Margin = 6; // px; room for the focus frame

} // namespace

ChartView::ChartView(QWidget* parent)
    : QWidget(parent)
    , m_theme(Theme::fromPalette(palette()))
    , m_copy(new QAction(tr("&Copy"), this))
    , m_export(new QAction(tr("&Export…"), this))
    , m_table(new QAction(tr("Show as &table"), this))
{
    loadFonts();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    m_copy->setShortcut(QKeySequence::Copy);
    m_copy->setShortcutContext(Qt::WidgetShortcut);
    m_copy->setToolTip(tr("Copy the chart and its numbers"));
    m_export->setToolTip(tr("Save the chart as SVG, PDF, PNG or CSV"));
    m_table->setToolTip(tr("Show the numbers behind the chart"));
    addActions({m_copy, m_export, m_table});
    connect(m_copy, &QAction::triggered, this, &ChartView::copyRequested);
    connect(m_export, &QAction::triggered, this, &ChartView::exportRequested);
    connect(m_table, &QAction::triggered, this, &ChartView::tableRequested);
}

void ChartView::setChart(std::shared_ptr<const Chart> chart)
{
    m_chart = std::move(chart);
    updateGeometry();
    refresh();
}

void ChartView::setTheme(const std::optional<Theme>& theme)
{
    m_ownTheme = theme;
    m_theme = theme.value_or(Theme::fromPalette(palette()));
    update();
}

void ChartView::refresh()
{
    update();
    const QString name = m_chart ? m_chart->title() : accessibleName(); // an empty view keeps its name
    const QString description = m_chart ? m_chart->description() : QString();
    if (name != accessibleName()) {
        setAccessibleName(name);
    }
    if (description != accessibleDescription()) {
        setAccessibleDescription(description);
    }
}

QRectF ChartView::chartArea() const
{
    return QRectF(rect()).adjusted(Margin, Margin, -Margin, -Margin);
}

QSize ChartView::sizeHint() const
{
    const QSizeF wanted = m_chart ? m_chart->preferredSize() : QSizeF(320, 200);
    return wanted.toSize() + QSize(2 * Margin, 2 * Margin);
}

QSize ChartView::minimumSizeHint() const
{
    const QSizeF least = m_chart ? m_chart->minimumSize() : QSizeF(160, 100);
    return (least * m_theme.scale).toSize() + QSize(2 * Margin, 2 * Margin);
}

bool ChartView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = m_chart ? m_chart->textAt(help->pos(), chartArea(), m_theme) : QString();
    if (text.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), text, this);
    }
    return true;
}

void ChartView::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.card);
    if (m_chart) {
        m_chart->paint(painter, chartArea(), m_theme);
    }
    if (hasFocus()) {
        drawFrame(painter, QRectF(rect()).adjusted(1, 1, -1, -1), m_theme.accent, 2);
    }
}

void ChartView::mouseReleaseEvent(QMouseEvent* event)
{
    QWidget::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton) {
        activate(event->position());
    }
}

void ChartView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_X && event->modifiers() == Qt::NoModifier) {
        return activate(mapFromGlobal(QPointF(QCursor::pos())));
    }
    QWidget::keyPressEvent(event);
}

void ChartView::activate(const QPointF& at)
{
    if (!m_chart) {
        return;
    }
    Q_EMIT activated(at);
    const QString value = m_chart->valueAt(at, chartArea(), m_theme);
    if (!value.isEmpty()) {
        Q_EMIT valueActivated(value);
    }
}

void ChartView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_ownTheme) {
        m_theme = Theme::fromPalette(palette());
        update();
    }
    if (event->type() == QEvent::LocaleChange || event->type() == QEvent::LanguageChange) {
        refresh();
    }
}

void ChartView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ChartView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void MemoryView::setReport(const Report& report)
{
    setChart(std::make_shared<const MemoryChart>(report));
}

void StepTimeView::setReport(const Report& report)
{
    setChart(std::make_shared<const StepTimeChart>(report));
}

} // namespace partita::ui
