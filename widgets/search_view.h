// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/search/layout_figures.h"
#include "core/search/resource_front.h"
#include "core/search/search.h"

#include <QWidget>

#include <array>
#include <optional>
#include <string>
#include <vector>

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableView;

namespace partita::ui {

/// Which orders of ranks a search looks at.
enum class SearchedOrders { Own, Every, Listed };

} // namespace partita::ui

namespace partita {

template <> struct Names<ui::SearchedOrders> {
    static constexpr std::array table{
        Name<ui::SearchedOrders>{ui::SearchedOrders::Own, "own", "rank order kept"},
        Name<ui::SearchedOrders>{ui::SearchedOrders::Every, "any", "every rank order"},
        Name<ui::SearchedOrders>{ui::SearchedOrders::Listed, "listed", "rank orders typed"},
    };
};

} // namespace partita

namespace partita::ui {

class ElidedLabel;
class FoldingRow;
class LayoutFilter;
class LayoutTableModel;
class ParetoView;

/// A search as far as it has come.
struct SearchState {
    Problems problems; ///< why there is none
    SearchResult result;
    std::vector<LayoutFigures> best; ///< of result.best, in its order
    std::vector<LayoutFigures> front;
    std::vector<LayoutFigures> bySize; ///< the best of fewer nodes, where they are wanted
    std::vector<std::string> warnings; ///< of the search as a whole
    std::int64_t beyondStack = 0; ///< layouts left out because the stack does not offer them
    double seconds = 0; ///< since it began
    bool running = false;
};

/// Best layouts of a search as a table that can be sorted and filtered, beside their throughput and memory; what the
/// search may vary; how far it is.
class SearchView final : public QWidget {
    Q_OBJECT

public:
    explicit SearchView(QWidget* parent = nullptr);

    void setState(const SearchState& state);
    /// Where the scenario stands: differences are shown against it. The report must be legal.
    void setCurrent(const Layout& layout, const Report& report);

    const SearchSpace& space() const { return m_space; } ///< as the limits say; the last that was understood
    /// Throughput is weighed against what fewer nodes take.
    bool wantsSizes() const { return against() != FrontAgainst::Memory; }
    FrontAgainst against() const;
    void setAgainst(FrontAgainst against);
    QCheckBox& beyondStackBox() const { return *m_beyondStack; }
    QComboBox& splitBox() const { return *m_split; } ///< in the order of Names<StageSplit>
    QComboBox& ordersBox() const { return *m_orders; } ///< in the order of Names<SearchedOrders>
    QTableView& table() const { return *m_table; }
    ParetoView& pareto() const { return *m_pareto; }
    QLineEdit& limitsEdit() const { return *m_limits; }
    QLineEdit& filterEdit() const { return *m_filterEdit; }
    QString statusText() const;
    QString objectionText() const; ///< what is wrong, in its place; empty when nothing is
    QString filterText() const; ///< how many rows the filter shows of how many there are; empty without a filter
    QPushButton& filterSearchButton() const { return *m_filterSearch; } ///< hidden where a search cannot be limited so
    QString notesText() const; ///< what is to be known of the search, below that
    std::optional<Layout> chosenLayout() const; ///< the table's current row

Q_SIGNALS:
    void layoutAdopted(const partita::Layout& layout);
    void layoutPinned(const partita::Layout& layout);
    /// A figure of a row is asked about; or, asked = false, just clicked on.
    void figureChosen(const partita::LayoutFigures& row, const QString& figure, bool asked);
    void spaceChanged(); ///< or what is wanted of it
    void stopRequested();
    void startRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< a width of the table

private:
    QWidget* makeControls();
    QWidget* makeResults();
    void addLimits(FoldingRow& row);
    void readLimits();
    void showMessage();
    QString shorterStatusText() const;
    void showChoices(); ///< as the space has them
    void choseInBox(const char* key); ///< what the box says, the text says no longer
    void fillRows();
    void fillPareto();
    void markChosen();
    void applyFilter();
    void showFilter();
    QString filterLimits() const; ///< the filter as limits of a search: "pp=32, tp>=2"
    void searchFiltered();
    void fitColumns();
    void choose(std::size_t row); ///< of the model
    void adoptCurrent();
    void pinCurrent();
    void explainAt(const QModelIndex& index, bool asked);
    void allowRow(bool chosen); ///< what can be done with the table's current row
    void brush();

    SearchState m_state;
    SearchSpace m_space;
    std::optional<LayoutFigures> m_current;
    LayoutTableModel* m_rows;
    std::vector<std::size_t> m_plotted; ///< rows of the model that the chart shows
    LayoutFilter* m_filter;
    QTableView* m_table = nullptr;
    int m_layoutsWidth = 0; ///< px, of the column as fitColumns() set it
    ParetoView* m_pareto = nullptr;
    ElidedLabel* m_status = nullptr;
    QLabel* m_objection = nullptr; ///< against the limits, or the search
    QLabel* m_notes = nullptr; ///< what is to be known of the search
    QString m_unreadable; ///< what is wrong with the limits as they are typed
    QProgressBar* m_progress = nullptr;
    QPushButton* m_startStop = nullptr;
    QPushButton* m_adopt = nullptr;
    QPushButton* m_pin = nullptr;
    std::array<QAction*, 3> m_rowActions{}; ///< of the table's context menu: what the buttons do, and explain
    QLineEdit* m_limits = nullptr;
    QCheckBox* m_insideNode = nullptr;
    QCheckBox* m_beyondStack = nullptr;
    QComboBox* m_split = nullptr;
    QComboBox* m_orders = nullptr;
    StageSplit m_chosenSplit = SearchSpace().stageSplit; ///< where the text says nothing
    bool m_everyOrder = false; ///< the same
    QComboBox* m_against = nullptr;
    QSpinBox* m_headRoom = nullptr;
    QLineEdit* m_filterEdit = nullptr;
    QLabel* m_filterNote = nullptr;
    QPushButton* m_filterSearch = nullptr;
};

} // namespace partita::ui
