// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"

#include <QWidget>

#include <memory>
#include <optional>

class QAction;

namespace partita::ui {

/// Shows a chart in the theme of the palette, or in one that is set. Hovering tells what is under the pointer, a click
/// or X asks where it is from, the context menu offers the actions.
class ChartView : public QWidget {
    Q_OBJECT

public:
    explicit ChartView(QWidget* parent = nullptr);

    void setChart(std::shared_ptr<const Chart> chart);
    const Chart* chart() const { return m_chart.get(); }
    const std::shared_ptr<const Chart>& sharedChart() const { return m_chart; }

    /// nullopt follows the palette.
    void setTheme(const std::optional<Theme>& theme);
    const Theme& theme() const { return m_theme; }

    QAction* copyAction() const { return m_copy; }
    QAction* exportAction() const { return m_export; }
    QAction* tableAction() const { return m_table; }

    QRectF chartArea() const; ///< where in the widget the chart is painted
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void copyRequested();
    void exportRequested();
    void tableRequested();
    void activated(const QPointF& at); ///< clicked, or X pressed, there
    void valueActivated(const QString& path); ///< Chart::valueAt() of that place

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

    virtual void activate(const QPointF& at); ///< asks where what lies there is from
    /// The chart says something new: repaints, renames for screen readers.
    void refresh();

private:
    std::shared_ptr<const Chart> m_chart;
    std::optional<Theme> m_ownTheme;
    Theme m_theme;
    QAction* m_copy;
    QAction* m_export;
    QAction* m_table;
};

class MemoryView final : public ChartView {
    Q_OBJECT

public:
    using ChartView::ChartView;
    void setReport(const Report& report);
};

class StepTimeView final : public ChartView {
    Q_OBJECT

public:
    using ChartView::ChartView;
    void setReport(const Report& report);
};

} // namespace partita::ui
