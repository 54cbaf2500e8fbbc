// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stage_rows.h"

#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita::ui {

namespace {

constexpr double GripWidth = 10; // px
constexpr double WidestCell = 18; // px

/// Room to drag into.
int spareCells(int most)
{
    return std::max(3, most / 3);
}

} // namespace

StageRows::StageRows(QWidget* parent)
    : QWidget(parent)
{
    loadFonts();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Layers per stage"));
}

void StageRows::setRows(const std::vector<StageRow>& rows, double memoryLimit)
{
    const bool sized = rows.size() != m_rows.size();
    m_rows = rows;
    m_limit = memoryLimit;
    if (m_current < 0 || static_cast<std::size_t>(m_current) >= rows.size()) {
        m_current = rows.empty() ? -1 : 0;
        Q_EMIT currentChanged(m_current);
    }
    if (sized) {
        m_dragged.reset();
        updateGeometry();
    }
    tell();
    update();
}

std::vector<int> StageRows::layers() const
{
    std::vector<int> counts;
    for (const StageRow& row : m_rows) {
        counts.push_back(row.layers);
    }
    return counts;
}

void StageRows::setCurrent(int row)
{
    const int last = static_cast<int>(m_rows.size()) - 1;
    const int next = std::clamp(row, std::min(0, last), last);
    if (next != m_current) {
        m_current = next;
        tell();
        update();
        Q_EMIT currentChanged(next);
    }
}

void StageRows::tell()
{
    const QString text = m_current < 0 ? tr("no stages") : rowText(m_current);
    if (text != accessibleDescription()) {
        setAccessibleDescription(text);
    }
}

QString StageRows::rowText(int index) const
{
    const StageRow& row = m_rows[static_cast<std::size_t>(index)];
    QString text = tr("%1: %2 layers").arg(row.name).arg(row.layers);
    if (row.embedding) {
        text += tr(", embedding");
    }
    if (row.predictors > 0) {
        text += tr(", %1 prediction modules").arg(row.predictors);
    }
    if (row.head) {
        text += tr(", head and loss");
    }
    if (row.costs) {
        text +=
            u'\n' + tr("forward %1, backward %2 per micro-batch").arg(timeText(row.forward), timeText(row.backward));
        text += u'\n' + tr("memory %1").arg(bytesText(row.memory.total()));
        if (m_limit > 0) {
            const double lacks = row.memory.total() - m_limit;
            text += lacks > 0 ? tr(", lacks %1").arg(bytesText(lacks)) : tr(" of %1").arg(bytesText(m_limit));
        }
    }
    return text;
}

int StageRows::mostCells() const
{
    int most = 1;
    for (const StageRow& row : m_rows) {
        most = std::max(most, row.layers);
    }
    return m_dragged ? m_cellsAtPress : most;
}

StageRows::Geometry StageRows::geometry() const
{
    const Theme theme = Theme::fromPalette(palette());
    const TextMetrics metrics = textMetrics(theme);
    const double gap = metrics.gap;
    const double line = metrics.height(TextRole::Label);
    Geometry g;
    g.rowHeight = std::ceil(line + gap);
    double names = 0;
    for (const StageRow& row : m_rows) {
        names = std::max(names, metrics.width(row.name, TextRole::Label));
    }
    g.nameWidth = std::ceil(names) + gap * 1.5;
    g.unitWidth = std::ceil(metrics.width(QStringLiteral("M"), TextRole::Small)) + gap / 2;
    const double button = std::ceil(line);
    const double count = std::ceil(metrics.width(QStringLiteral("999"), TextRole::Value)) + gap;
    const double spin = 2 * button + count;
    const double room = std::max(10.0, width() - g.nameWidth - spin - 4 * gap);
    const double top = g.rowHeight; // of the header
    const double height = g.rowHeight - gap / 2;
    g.cells = QRectF(g.nameWidth, top, room * 0.42, height);
    double x = g.cells.right() + gap;
    g.minus = QRectF(x, top + (height - button) / 2, button, button);
    g.count = QRectF(g.minus.right(), top, count, height);
    g.plus = QRectF(g.count.right(), g.minus.top(), button, button);
    x = g.plus.right() + gap;
    g.time = QRectF(x, top, room * 0.29, height);
    g.memory = QRectF(g.time.right() + gap, top, room * 0.29, height);
    const double units = 3 * g.unitWidth; // at most an embedding, prediction modules and a head
    g.cellWidth = std::clamp((g.cells.width() - units) / (mostCells() + spareCells(mostCells())), 0.5, WidestCell);
    return g;
}

double StageRows::cellsLeft(const Geometry& g, int row) const
{
    return g.cells.left() + (m_rows[static_cast<std::size_t>(row)].embedding ? g.unitWidth : 0);
}

QRectF StageRows::handle(int row) const
{
    if (row < 0 || static_cast<std::size_t>(row) + 1 >= m_rows.size()) {
        return {};
    }
    const Geometry g = geometry();
    const QRectF cells = g.inRow(g.cells, row);
    const double x = cellsLeft(g, row) + g.cellWidth * m_rows[static_cast<std::size_t>(row)].layers;
    return {x - GripWidth / 2, cells.top(), GripWidth, cells.height()};
}

int StageRows::rowAt(double y) const
{
    const Geometry g = geometry();
    const int row = static_cast<int>(std::floor((y - g.cells.top()) / g.rowHeight));
    return row >= 0 && static_cast<std::size_t>(row) < m_rows.size() ? row : -1;
}

QSize StageRows::minimumSizeHint() const
{
    const double line = textMetrics(Theme::fromPalette(palette())).height(TextRole::Label);
    return {static_cast<int>(line * 22),
            static_cast<int>(geometry().rowHeight * (static_cast<double>(m_rows.size()) + 1))};
}

QSize StageRows::sizeHint() const
{
    return minimumSizeHint() * 1.0 + QSize(minimumSizeHint().width(), 0);
}

bool StageRows::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos().y());
    row < 0 ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), rowText(row), this);
    return true;
}

void StageRows::paintEvent(QPaintEvent* event)
{
    const Theme theme = Theme::fromPalette(palette());
    const Geometry g = geometry();
    QPainter painter(this);
    paintHeader(painter, g, theme);
    for (int row = 0; row < static_cast<int>(m_rows.size()); ++row) {
        const QRectF whole(0, g.cells.top() + g.rowHeight * row, width(), g.rowHeight);
        if (!event->rect().intersects(whole.toAlignedRect())) {
            continue;
        }
        const StageRow& one = m_rows[static_cast<std::size_t>(row)];
        if (row == m_current) {
            painter.fillRect(whole, mix(theme.card, theme.accent, 0.12));
        }
        Label name{QRectF(theme.halfGap(), whole.top(), g.nameWidth, g.cells.height()), one.name, TextRole::Label};
        drawLabel(painter, name, theme);
        paintCells(painter, g, row, theme);
        paintButtons(painter, g, row, theme);
        if (one.costs) {
            paintTime(painter, g.inRow(g.time, row), one, theme);
            paintMemory(painter, g.inRow(g.memory, row), one, theme);
        }
        if (row == m_current && hasFocus()) {
            drawFrame(painter, whole, theme.accent, 2);
        }
    }
}

void StageRows::paintHeader(QPainter& painter, const Geometry& g, const Theme& theme) const
{
    const auto title = [&](const QRectF& column, const QString& text) {
        const QRectF rect = column.translated(0, -g.rowHeight);
        drawLabel(painter,
                  {rect, textMetrics(theme).elided(text, TextRole::Small, rect.width()), TextRole::Small,
                   Qt::AlignLeft | Qt::AlignBottom},
                  theme);
    };
    title(g.cells, tr("layers; E embedding, M prediction, L loss"));
    title(g.time, tr("time per micro-batch"));
    title(g.memory, m_limit > 0 ? tr("memory, limit %1").arg(bytesText(m_limit)) : tr("memory"));
}

void StageRows::paintCells(QPainter& painter, const Geometry& g, int row, const Theme& theme) const
{
    const StageRow& one = m_rows[static_cast<std::size_t>(row)];
    const QRectF area = g.inRow(g.cells, row);
    const FillStyle layer = theme.opStyle(OpKind::Forward);
    const FillStyle end = theme.categoryStyle(MemoryKind::HeadAndLoss);
    double x = area.left();
    const auto unit = [&](const QString& text) {
        const QRectF rect(x, area.top(), g.unitWidth, area.height());
        drawArea(painter, rect, end);
        drawLabel(painter, {rect, text, TextRole::Small, Qt::AlignCenter}, theme, end.ink);
        x += g.unitWidth;
    };
    if (one.embedding) {
        unit(QStringLiteral("E"));
    }
    const QRectF layers(x, area.top() + 2, g.cellWidth * one.layers, area.height() - 4);
    if (g.cellWidth >= 4) {
        for (int i = 0; i < one.layers; ++i) {
            drawArea(painter, {x + g.cellWidth * i, layers.top(), g.cellWidth - 1, layers.height()}, layer);
        }
    } else {
        drawArea(painter, layers, layer);
    }
    x += layers.width();
    const QRectF grip = handle(row);
    for (int i = 0; i < one.predictors; ++i) {
        unit(QStringLiteral("M"));
    }
    if (one.head) {
        unit(QStringLiteral("L"));
    }
    if (!grip.isEmpty()) {
        const bool held = m_dragged == row;
        const double middle = grip.center().x();
        painter.fillRect(QRectF(middle, grip.top(), 3, grip.height()), held ? theme.accent : theme.text);
        painter.fillRect(QRectF(middle + 3, grip.center().y() - 3, 3, 6), held ? theme.accent : theme.text);
    }
}

void StageRows::paintButtons(QPainter& painter, const Geometry& g, int row, const Theme& theme) const
{
    const StageRow& one = m_rows[static_cast<std::size_t>(row)];
    for (const auto& [first, text] : {std::pair{g.minus, QChar(0x2212)}, {g.plus, QChar(u'+')}}) {
        const QRectF rect = g.inRow(first, row);
        drawFrame(painter, rect, theme.border, 1);
        drawLabel(painter, {rect, QString(text), TextRole::Value, Qt::AlignCenter}, theme);
    }
    drawLabel(painter, {g.inRow(g.count, row), QString::number(one.layers), TextRole::Value, Qt::AlignCenter}, theme);
}

/// Forward and backward in the colours of the Gantt chart; as long as its share of the slowest stage's.
void StageRows::paintTime(QPainter& painter, const QRectF& room, const StageRow& row, const Theme& theme) const
{
    double most = 0;
    for (const StageRow& other : m_rows) {
        most = std::max(most, other.costs ? other.time() : 0);
    }
    if (!(most > 0)) {
        return;
    }
    const TextMetrics metrics = textMetrics(theme);
    const double text = std::ceil(metrics.width(timeText(most), TextRole::Value)) + metrics.gap;
    const double full = std::max(1.0, room.width() - text);
    const bool slowest = row.time() >= most * (1 - 1e-9);
    const double split = full * row.forward / most;
    const double end = full * row.time() / most;
    drawArea(painter, {room.left(), room.top() + 2, split, room.height() - 4}, theme.opStyle(OpKind::Forward));
    drawArea(painter, {room.left() + split, room.top() + 2, end - split, room.height() - 4},
             theme.opStyle(OpKind::Backward));
    drawLabel(painter,
              {QRectF(room.left() + end + metrics.gap / 2, room.top(), text, room.height()), timeText(row.time()),
               slowest ? TextRole::Value : TextRole::Label},
              theme);
}

void StageRows::paintMemory(QPainter& painter, const QRectF& room, const StageRow& row, const Theme& theme) const
{
    double most = m_limit;
    for (const StageRow& other : m_rows) {
        most = std::max(most, other.costs ? other.memory.total() : 0);
    }
    if (!(most > 0)) {
        return;
    }
    const TextMetrics metrics = textMetrics(theme);
    const double text = std::ceil(metrics.width(bytesText(most), TextRole::Value)) + metrics.gap;
    const double full = std::max(1.0, room.width() - text);
    double x = room.left();
    for (const Name<MemoryKind>& name : Names<MemoryKind>::table) {
        const double width = full * row.memory[name.value] / most;
        drawArea(painter, {x, room.top() + 2, width, room.height() - 4}, theme.categoryStyle(name.value));
        x += width;
    }
    const bool over = m_limit > 0 && row.memory.total() > m_limit;
    if (m_limit > 0) {
        const double limit = room.left() + full * m_limit / most;
        drawLine(painter, {limit, room.top(), limit, room.bottom()}, theme.bad, 2);
    }
    Label label{QRectF(room.left() + full + metrics.gap / 2, room.top(), text, room.height()),
                bytesText(row.memory.total()), over ? TextRole::Value : TextRole::Label};
    label.warns = over;
    drawLabel(painter, label, theme);
}

void StageRows::mousePressEvent(QMouseEvent* event)
{
    const int row = rowAt(event->position().y());
    if (event->button() != Qt::LeftButton || row < 0) {
        return QWidget::mousePressEvent(event);
    }
    setCurrent(row);
    const Geometry g = geometry();
    const int layers = m_rows[static_cast<std::size_t>(row)].layers;
    if (g.inRow(g.minus, row).contains(event->position())) {
        Q_EMIT layersAsked(row, layers - 1);
    } else if (g.inRow(g.plus, row).contains(event->position())) {
        Q_EMIT layersAsked(row, layers + 1);
    } else if (const QRectF grip = handle(row); grip.adjusted(-2, 0, 2, 0).contains(event->position())) {
        m_cellsAtPress = mostCells();
        m_grip = grip.center().x() - event->position().x();
        m_dragged = row;
        Q_EMIT dragStarted();
        update();
    }
}

void StageRows::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_dragged) {
        const int row = rowAt(event->position().y());
        const bool grips = row >= 0 && handle(row).contains(event->position());
        setCursor(grips ? Qt::SplitHCursor : Qt::ArrowCursor);
        return;
    }
    const Geometry g = geometry();
    const double cells = (event->position().x() + m_grip - cellsLeft(g, *m_dragged)) / g.cellWidth;
    const int most = m_cellsAtPress + spareCells(m_cellsAtPress); // what there is room for
    const std::vector<int> counts = layers();
    const int before = std::accumulate(counts.begin(), counts.begin() + *m_dragged, 0);
    const int first = before + std::clamp(static_cast<int>(std::lround(cells)), 0, most);
    if (first != before + counts[static_cast<std::size_t>(*m_dragged)]) {
        Q_EMIT cutAsked(*m_dragged + 1, first);
    }
}

void StageRows::mouseReleaseEvent(QMouseEvent* event)
{
    QWidget::mouseReleaseEvent(event);
    if (m_dragged) {
        m_dragged.reset();
        Q_EMIT dragFinished();
        update();
    }
}

void StageRows::keyPressEvent(QKeyEvent* event)
{
    if (m_current < 0) {
        return QWidget::keyPressEvent(event);
    }
    const int layers = m_rows[static_cast<std::size_t>(m_current)].layers;
    switch (event->key()) {
    case Qt::Key_Up:
        return setCurrent(m_current - 1);
    case Qt::Key_Down:
        return setCurrent(m_current + 1);
    case Qt::Key_Home:
        return setCurrent(0);
    case Qt::Key_End:
        return setCurrent(static_cast<int>(m_rows.size()) - 1);
    case Qt::Key_Left:
    case Qt::Key_Minus:
        Q_EMIT layersAsked(m_current, layers - 1);
        return;
    case Qt::Key_Right:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        Q_EMIT layersAsked(m_current, layers + 1);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace partita::ui
