// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison_values.h"
#include "widgets/chart_table_view.h"

#include <QObject>

#include <memory>

class QAction;
class QComboBox;
class QMenu;
class QSplitter;

namespace partita::ui {

class Chart;
class ChartDock;
class ChartView;

/// The card of pinned scenarios: up to four, and the current one beside them where it is none of them.
class CompareCard final : public QObject {
    Q_OBJECT

public:
    explicit CompareCard(const Catalogue& catalogue);

    ChartDock* dock() const { return m_dock; }
    ChartView& view() const { return *m_view; }
    void setCurrent(const Scenario& scenario, const std::shared_ptr<const Report>& report); ///< of a legal scenario
    const std::vector<ComparedLayout>& pinned() const { return m_pinned; }
    std::vector<ComparedLayout> shown() const; ///< pinned ones, then the current one if it is none of them
    /// The current one, then pinned others; none when there is no other.
    std::vector<ComparedLayout> besideCurrent() const;
    /// What shown() lets one compare: comparisonCharts(), and the card's own where it leads elsewhere; none of fewer
    /// than two.
    std::vector<std::shared_ptr<const Chart>> charts() const;
    void pinCurrent(); ///< nothing when it is pinned already, or four are
    bool pin(const Scenario& scenario); ///< a legal one, the card left where it is; false when four others are pinned
    void unpin(std::size_t index);
    /// In the place of all pinned: those of a file, as many as can be; ones that are not legal are left out.
    void restore(const std::vector<Scenario>& scenarios);
    void setQuantity(ComparedQuantity quantity);
    QTableView& table() const { return *m_table; } ///< what differs
    /// Derives what the card shows. runs must outlive it.
    std::shared_ptr<const ExplainedValues> explained(const std::vector<ComparableRun>& runs) const;
    /// Pin, load and unpin.
    void fillMenu(QMenu& menu);

Q_SIGNALS:
    void loaded(const partita::Scenario& scenario, const QString& name);
    void explainRequested(const QString& path); ///< of a bar or a cell, see explained()

private:
    bool isPinned(const Scenario& scenario) const;
    void refresh();
    void showAllColumns();
    void fillPins();

    const Catalogue& m_catalogue;
    std::vector<ComparedLayout> m_pinned;
    std::unique_ptr<ComparedLayout> m_current;
    ComparedQuantity m_quantity = ComparedQuantity::StepTime;
    ChartView* m_view;
    ChartTableView* m_table;
    QSplitter* m_splitter = nullptr;
    std::vector<ComparisonRow> m_differing; ///< row by row of the table
    ChartDock* m_dock;
    QComboBox* m_quantityBox;
    QComboBox* m_from;
    QComboBox* m_to;
    QAction* m_pin;
    QMenu* m_load = nullptr;
    QMenu* m_unpin = nullptr;
};

} // namespace partita::ui
