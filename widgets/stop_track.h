// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/plane.h"

#include <QSlider>

#include <cstdint>
#include <vector>

namespace partita::ui {

/// "4 fits", "2 lacks 31.0 GiB on stage 0", "3: does not divide 64 heads".
QString describe(const StopMark& mark);

/// What moving from one stop to another would do: "step 7.90 s (−12.0 %), MFU 46.1 % (+4.7), peak 60.1 GiB (+5.7 GiB)";
/// empty as long as the stop's figures are not known. from: null = no stop to compare with.
QString effectOf(const StopMark& mark, const StopMark* from);

/// A slider over unevenly spaced whole numbers: equal steps on screen, ticks and marks at the stops. QSlider's own
/// value is the index of the stop at or below current(), which may lie off the stops; it is then drawn between them. A
/// click on a mark, or X while the pointer is over the track, asks where what the stop would cost is from.
class StopTrack : public QSlider {
    Q_OBJECT

public:
    explicit StopTrack(QWidget* parent = nullptr);

    void setStops(const std::vector<std::int64_t>& ascending);
    const std::vector<std::int64_t>& stops() const { return m_stops; }
    void setMarks(const std::vector<StopMark>& marks);
    const std::vector<StopMark>& marks() const { return m_marks; }
    void setCurrent(std::int64_t value);
    std::int64_t current() const { return m_current; }
    bool isDragging() const { return m_dragging; }
    bool onStop() const;
    /// The stop that many steps above (below) current(); clamped to the ends. current() when there are no stops.
    std::int64_t stepped(int steps) const;
    /// Where a value lies, in this widget's pixels.
    double xOf(std::int64_t value) const;
    const StopMark* markOf(std::int64_t value) const;
    /// The nearest stop that fares differently from the current one; null where there is none.
    const StopMark* contrast() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void picked(std::int64_t value);
    void dragStarted();
    void dragFinished();
    void explainRequested(std::int64_t value);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void refreshLadder();
    void pick(std::int64_t value);
    std::int64_t nearestStop(double x) const;
    std::int64_t nearestRung(double x) const;
    const StopMark* markAt(const QPointF& point) const; ///< drawn there
    void paintMark(QPainter& painter, const StopMark& mark) const;

    std::vector<std::int64_t> m_stops;
    std::vector<StopMark> m_marks;
    std::vector<std::int64_t> m_ladder; ///< stops and marked illegal values: what the track's length is divided into
    std::int64_t m_current = 1;
    bool m_dragging = false;
    int m_wheelRest = 0; ///< eighths of a degree not yet spent on a step
};

} // namespace partita::ui
