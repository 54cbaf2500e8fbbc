// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stop_track.h"

#include "core/base/format.h"
#include "widgets/figures.h"
#include "widgets/text.h"
#include "widgets/tone_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double handleRadius = 6.5;
constexpr double ringWidth = 2.5; ///< room for the focus ring around the handle
constexpr double inset = handleRadius + ringWidth;
constexpr double grooveY = inset + 0.5;
constexpr double markY = grooveY + 13; ///< centre of the marks under the track
constexpr double markReach = 3;
constexpr double leastTickGap = 5; ///< closer ticks would merge into a line
constexpr double leastMarkGap = 10;
constexpr int plainHeight = 20;
constexpr int markedHeight = 28;
constexpr int wheelNotch = 120; ///< QWheelEvent::angleDelta of one detent

} // namespace

QString describe(const StopMark& mark)
{
    const QString value = toText(formatCount(mark.value));
    switch (mark.state) {
    case CellState::Fits:
        return StopTrack::tr("%1 fits").arg(value);
    case CellState::OutOfMemory:
        return StopTrack::tr("%1 lacks %2 on stage %3").arg(value, toText(formatBytes(mark.lacks))).arg(mark.stage);
    case CellState::Illegal:
        return mark.reason.empty() ? StopTrack::tr("%1 is not legal").arg(value)
                                   : StopTrack::tr("%1: %2").arg(value, toText(mark.reason));
    case CellState::Pending:
        break;
    }
    return value;
}

QString effectOf(const StopMark& mark, const StopMark* from)
{
    if (!(mark.stepTime > 0)) {
        return {};
    }
    const bool compares = from != nullptr && from->stepTime > 0 && from->value != mark.value;
    const auto sign = [](double change) { return change < 0 ? QStringLiteral("−") : QStringLiteral("+"); };
    const auto with = [compares](const QString& value, const QString& change) {
        return compares ? StopTrack::tr("%1 (%2)").arg(value, change) : value;
    };
    const double time = compares ? mark.stepTime / from->stepTime - 1 : 0;
    const double mfu = compares ? mark.mfu - from->mfu : 0;
    const double peak = compares ? mark.peakMemory - from->peakMemory : 0;
    const QString points = numberText(std::abs(mfu) * 100, 1);
    return StopTrack::tr("step %1, MFU %2, peak %3")
        .arg(with(timeText(mark.stepTime), sign(time) + percentText(std::abs(time))),
             with(percentText(mark.mfu), sign(mfu) + points),
             with(bytesText(mark.peakMemory), sign(peak) + bytesText(std::abs(peak))));
}

StopTrack::StopTrack(QWidget* parent)
    : QSlider(Qt::Horizontal, parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setRange(0, 0);
    setPageStep(1);
}

void StopTrack::setStops(const std::vector<std::int64_t>& ascending)
{
    if (m_stops == ascending) {
        return;
    }
    m_stops = ascending;
    {
        const QSignalBlocker quiet(this);
        setRange(0, std::max(0, static_cast<int>(m_stops.size()) - 1));
    }
    refreshLadder();
    setCurrent(m_current);
}

void StopTrack::setMarks(const std::vector<StopMark>& marks)
{
    if (m_marks != marks) {
        m_marks = marks;
        refreshLadder();
        updateGeometry();
    }
}

void StopTrack::refreshLadder()
{
    m_ladder = m_stops;
    for (const StopMark& mark : m_marks) {
        if (mark.state == CellState::Illegal) {
            m_ladder.push_back(mark.value);
        }
    }
    std::sort(m_ladder.begin(), m_ladder.end());
    m_ladder.erase(std::unique(m_ladder.begin(), m_ladder.end()), m_ladder.end());
    update();
}

void StopTrack::setCurrent(std::int64_t value)
{
    m_current = value;
    const auto above = std::upper_bound(m_stops.begin(), m_stops.end(), value);
    setValue(std::max(0, static_cast<int>(above - m_stops.begin()) - 1));
    update();
}

bool StopTrack::onStop() const
{
    return std::binary_search(m_stops.begin(), m_stops.end(), m_current);
}

std::int64_t StopTrack::stepped(int steps) const
{
    if (m_stops.empty() || steps == 0) {
        return m_current;
    }
    const auto at = std::lower_bound(m_stops.begin(), m_stops.end(), m_current) - m_stops.begin();
    const std::ptrdiff_t from = steps > 0 && !onStop() ? at - 1 : at;
    const auto last = static_cast<std::ptrdiff_t>(m_stops.size()) - 1;
    return m_stops[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + steps, 0, last))];
}

double StopTrack::xOf(std::int64_t value) const
{
    const double length = width() - 2 * inset;
    if (m_ladder.size() < 2) {
        return m_ladder.empty() || value <= m_ladder.front() ? inset : inset + length;
    }
    const auto above = std::lower_bound(m_ladder.begin(), m_ladder.end(), value);
    double rung = 0;
    if (above == m_ladder.end()) {
        rung = static_cast<double>(m_ladder.size() - 1);
    } else if (above != m_ladder.begin()) {
        const auto index = static_cast<double>(above - m_ladder.begin());
        const std::int64_t below = *(above - 1);
        rung = index - static_cast<double>(*above - value) / static_cast<double>(*above - below);
    }
    return inset + length * rung / static_cast<double>(m_ladder.size() - 1);
}

const StopMark* StopTrack::markOf(std::int64_t value) const
{
    const auto found =
        std::find_if(m_marks.begin(), m_marks.end(), [value](const StopMark& mark) { return mark.value == value; });
    return found == m_marks.end() ? nullptr : &*found;
}

const StopMark* StopTrack::contrast() const
{
    const StopMark* now = markOf(m_current);
    if (now == nullptr || now->state == CellState::Pending || now->state == CellState::Illegal) {
        return nullptr;
    }
    const StopMark* other = nullptr;
    for (const StopMark& mark : m_marks) {
        const bool differs =
            mark.state != now->state && (mark.state == CellState::Fits || mark.state == CellState::OutOfMemory);
        if (differs && (!other || std::abs(mark.value - m_current) < std::abs(other->value - m_current))) {
            other = &mark;
        }
    }
    return other;
}

const StopMark* StopTrack::markAt(const QPointF& point) const
{
    constexpr double reach = 5;
    const auto found = std::find_if(m_marks.begin(), m_marks.end(), [&](const StopMark& mark) {
        return mark.state != CellState::Pending && std::abs(xOf(mark.value) - point.x()) <= reach
            && std::abs(markY - point.y()) <= reach;
    });
    return found == m_marks.end() ? nullptr : &*found;
}

QSize StopTrack::sizeHint() const
{
    return {160, m_marks.empty() ? plainHeight : markedHeight};
}

QSize StopTrack::minimumSizeHint() const
{
    return {80, sizeHint().height()};
}

void StopTrack::pick(std::int64_t value)
{
    if (value != m_current) {
        setCurrent(value);
        Q_EMIT picked(value);
    }
}

std::int64_t StopTrack::nearestRung(double x) const
{
    if (m_ladder.empty()) {
        return m_current;
    }
    const double share = (x - inset) / std::max(1.0, width() - 2 * inset);
    const double rung = std::round(share * static_cast<double>(m_ladder.size() - 1));
    return m_ladder[static_cast<std::size_t>(std::clamp(rung, 0.0, static_cast<double>(m_ladder.size() - 1)))];
}

std::int64_t StopTrack::nearestStop(double x) const
{
    if (m_stops.empty()) {
        return m_current;
    }
    const auto above = std::lower_bound(m_stops.begin(), m_stops.end(), nearestRung(x));
    const auto first = above == m_stops.begin() ? above : above - 1;
    const auto last = above == m_stops.end() ? above : std::min(above + 2, m_stops.end());
    return *std::min_element(
        first, last, [this, x](std::int64_t a, std::int64_t b) { return std::abs(xOf(a) - x) < std::abs(xOf(b) - x); });
}

bool StopTrack::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && !m_ladder.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::int64_t value = nearestRung(help->pos().x());
        const StopMark* mark = markOf(value);
        QString text = mark ? describe(*mark) : toText(formatCount(value));
        if (const QString effect = mark ? effectOf(*mark, markOf(m_current)) : QString(); !effect.isEmpty()) {
            text += u'\n' + effect;
        }
        if (mark) {
            text += u'\n' + tr("Click the mark, or press X, for where this is from");
        }
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QSlider::event(event);
}

void StopTrack::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        event->ignore();
        return;
    }
    if (const StopMark* mark = markAt(event->position())) {
        Q_EMIT explainRequested(mark->value);
        return;
    }
    m_dragging = true;
    setSliderDown(true);
    Q_EMIT dragStarted();
    pick(nearestStop(event->position().x()));
}

void StopTrack::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging) {
        return pick(nearestStop(event->position().x()));
    }
    setCursor(markAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void StopTrack::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_dragging && event->button() == Qt::LeftButton) {
        m_dragging = false;
        setSliderDown(false);
        update();
        Q_EMIT dragFinished();
    }
}

void StopTrack::keyPressEvent(QKeyEvent* event)
{
    constexpr int page = 3;
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Up:
        pick(stepped(isRightToLeft() && event->key() == Qt::Key_Right ? -1 : 1));
        break;
    case Qt::Key_Left:
    case Qt::Key_Down:
        pick(stepped(isRightToLeft() && event->key() == Qt::Key_Left ? 1 : -1));
        break;
    case Qt::Key_PageUp:
        pick(stepped(page));
        break;
    case Qt::Key_PageDown:
        pick(stepped(-page));
        break;
    case Qt::Key_Home:
        pick(m_stops.empty() ? m_current : m_stops.front());
        break;
    case Qt::Key_End:
        pick(m_stops.empty() ? m_current : m_stops.back());
        break;
    case Qt::Key_X: {
        const StopMark* other = contrast();
        const bool pointed = underMouse() && !m_ladder.empty();
        Q_EMIT explainRequested(pointed                ? nearestRung(mapFromGlobal(QPointF(QCursor::pos())).x())
                                    : other != nullptr ? other->value
                                                       : m_current);
        break;
    }
    default:
        event->ignore();
    }
}

void StopTrack::wheelEvent(QWheelEvent* event)
{
    if (!hasFocus()) {
        event->ignore();
        return;
    }
    m_wheelRest += event->angleDelta().y();
    const int steps = m_wheelRest / wheelNotch;
    m_wheelRest -= steps * wheelNotch;
    if (steps != 0) {
        pick(stepped(steps));
    }
    event->accept();
}

void StopTrack::paintMark(QPainter& painter, const StopMark& mark) const
{
    const Theme theme = Theme::fromPalette(palette());
    const QPointF at(xOf(mark.value), markY);
    const auto stroke = [&](const QColor& colour, std::initializer_list<QPointF> points) {
        painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(points.begin(), static_cast<int>(points.size()));
    };
    const double r = markReach;
    switch (mark.state) {
    case CellState::Fits:
        stroke(theme.good, {at + QPointF(-r, 0), at + QPointF(-r / 3, r * 0.8), at + QPointF(r, -r * 0.8)});
        break;
    case CellState::OutOfMemory:
        stroke(theme.bad, {at + QPointF(-r, -r) * 0.8, at + QPointF(r, r) * 0.8});
        stroke(theme.bad, {at + QPointF(-r, r) * 0.8, at + QPointF(r, -r) * 0.8});
        break;
    case CellState::Illegal:
        stroke(theme.mutedText, {at + QPointF(-r, 0), at + QPointF(r, 0)});
        break;
    case CellState::Pending:
        break;
    }
}

void StopTrack::paintEvent(QPaintEvent*)
{
    const Theme theme = Theme::fromPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor groove = mix(theme.card, theme.mutedText, 0.4);
    painter.setPen(QPen(groove, 2.5, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(inset, grooveY), QPointF(width() - inset, grooveY));

    const double gap = m_ladder.size() < 2 ? width() : (width() - 2 * inset) / static_cast<double>(m_ladder.size() - 1);
    if (gap >= leastTickGap) {
        for (const std::int64_t value : m_ladder) {
            const bool legal = std::binary_search(m_stops.begin(), m_stops.end(), value);
            painter.setPen(legal ? QPen(Qt::NoPen) : QPen(groove, 1));
            painter.setBrush(legal ? mix(theme.card, theme.mutedText, 0.6) : theme.card);
            painter.drawEllipse(QPointF(xOf(value), grooveY), 2.6, 2.6);
        }
    }
    double free = -leastMarkGap;
    for (const StopMark& mark : m_marks) {
        const double x = xOf(mark.value);
        if (std::binary_search(m_ladder.begin(), m_ladder.end(), mark.value) && x >= free) {
            paintMark(painter, mark);
            free = x + leastMarkGap;
        }
    }
    const QPointF handle(xOf(m_current), grooveY);
    const bool illegal = isEnabled() && !m_stops.empty() && !onStop();
    const QColor ink = !isEnabled() ? mix(theme.card, theme.mutedText, 0.7) : illegal ? theme.bad : theme.accent;
    if (hasFocus()) {
        painter.setPen(QPen(mix(theme.card, ink, 0.5), ringWidth - 0.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(handle, handleRadius + 1.25, handleRadius + 1.25);
    }
    painter.setPen(illegal ? QPen(ink, 1.5) : QPen(Qt::NoPen));
    painter.setBrush(illegal ? theme.card : ink);
    painter.drawEllipse(handle, handleRadius - 0.5, handleRadius - 0.5);
}

} // namespace partita::ui
