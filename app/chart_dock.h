// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/title_icons.h"
#include "widgets/chart.h"

#include <QDockWidget>

#include <functional>
#include <vector>

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace partita::ui {

class ChartTableView;
class ElidedLabel;

/// A card on the board: a title, what can be done with the card, and a view or the table behind it.
class ChartDock final : public QDockWidget {
    Q_OBJECT

public:
    /// chart: what the view shows now, for copying, exporting and the table; none for a card that is no chart.
    using ChartSource = std::function<const Chart*()>;

    ChartDock(const QString& id, const QString& title, QWidget* view, ChartSource chart, QWidget* parent = nullptr);

    const Chart* chart() const { return m_chart ? m_chart() : nullptr; }
    bool isChart() const { return static_cast<bool>(m_chart); }
    /// Whether the chart shows the scenario of now; a card that works beside the window, or only while open, says so.
    void setUpToDate(std::function<bool()> upToDate) { m_upToDate = std::move(upToDate); }
    /// There is something to copy, export and present: a chart that is not empty, of the scenario of now.
    bool isReady() const;
    QWidget* view() const { return m_view; }
    /// Takes over what the view shows: title, accessible description, table.
    void refresh();
    /// Above the view; the tab and the menu keep the short one.
    void setTitle(const QString& title);
    /// Behind the name on the tab: "Problems (2)"; none for 0.
    void setCount(int count);
    /// Controls that read as the title take its place: "MFU over TP × PP".
    void addTitleControl(QWidget* control);
    /// A control between the title, which stays, and the buttons.
    void addControl(QWidget* control);
    void setMaximised(bool maximised);
    void setPointedAt(bool pointed); ///< framed, so that the eye finds it
    bool isPointedAt() const { return m_pointedAt; }
    bool showsTable() const;
    void showTable(bool table);

Q_SIGNALS:
    void refreshed();
    void copyRequested();
    void exportRequested();
    void maximiseRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QToolButton* addButton(TitleIcon icon, const QString& text);
    void buildTitleBar(const QString& title);
    void fillTable();
    void recolour();

    QString m_name; ///< on the tab
    QWidget* m_view;
    ChartSource m_chart;
    std::function<bool()> m_upToDate;
    QStackedWidget* m_stack;
    ChartTableView* m_table = nullptr; ///< made when first asked for
    ElidedLabel* m_title = nullptr;
    QHBoxLayout* m_controls = nullptr;
    bool m_pointedAt = false;
    QToolButton* m_tableButton = nullptr;
    QToolButton* m_maximiseButton = nullptr;
    std::vector<std::pair<QToolButton*, TitleIcon>> m_buttons;
};

} // namespace partita::ui
