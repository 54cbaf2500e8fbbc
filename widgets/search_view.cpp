// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/search_view.h"

#include "core/layout/layout_words.h"
#include "widgets/elided_label.h"
#include "widgets/figures.h"
#include "widgets/layout_table_model.h"
#include "widgets/pareto_view.h"
#include "widgets/text.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QResizeEvent>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr std::string_view searchField = "search"; // of a problem with what limits leave

QString sayOf(const Problems& problems)
{
    QStringList lines;
    for (Problem problem : problems) {
        if (problem.field == searchField) {
            problem.field.clear(); // which it is, the pane says
        }
        lines << toText(describe(problem));
    }
    return lines.join(u'\n');
}

} // namespace

SearchView::SearchView(QWidget* parent)
    : QWidget(parent)
    , m_rows(new LayoutTableModel(this))
    , m_filter(new LayoutFilter(this))
{
    m_filter->setSourceModel(m_rows);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 2, 8, 6);
    column->setSpacing(4);
    column->addWidget(makeControls());
    column->addWidget(makeResults(), 1);
    setState({});
}

QString SearchView::statusText() const
{
    const SearchCounts& counts = m_state.result.counts;
    if (counts.enumerated == 0) {
        return tr("Not searched yet");
    }
    const QString looked = (counts.counted ? tr("%1 of %2 legal layouts") : tr("%1 of at least %2 legal layouts"))
                               .arg(countText(double(counts.legal)), countText(double(counts.enumerated)));
    const QString found = m_state.result.leanest && m_state.best.empty()
        ? tr("none fits; the leanest needs %1").arg(bytesText(m_state.result.leanest->peakMemory))
        : (counts.unseen > 0 ? tr("at least %1 fit, %2 timed, the rest proven slower")
                             : tr("%1 fit, %2 timed, the rest proven slower"))
              .arg(countText(double(counts.fit)), countText(double(counts.evaluated)));
    const QString rest =
        m_state.result.bound > 0 ? tr(" · nothing else is under %1").arg(timeText(m_state.result.bound)) : QString();
    const QString end = m_state.running ? tr("searching…")
        : m_state.result.complete       ? tr("complete in %1").arg(timeText(m_state.seconds))
                                        : tr("stopped after %1").arg(timeText(m_state.seconds)) + rest;
    const QString beyond = m_state.beyondStack > 0
        ? tr("%1 beyond the stack left out · ").arg(countText(double(m_state.beyondStack)))
        : QString();
    return QStringLiteral("%1 · %2 · %3%4").arg(looked, found, beyond, end);
}

QString SearchView::shorterStatusText() const
{
    const SearchCounts& counts = m_state.result.counts;
    return counts.enumerated > 0 ? tr("%1 fit of %2 · %3")
                                       .arg(countText(double(counts.fit)), countText(double(counts.enumerated)),
                                            m_state.running ? tr("searching…") : timeText(m_state.seconds))
                                 : QString();
}

QString SearchView::notesText() const
{
    return m_notes->isHidden() ? QString() : m_notes->text();
}

QString SearchView::objectionText() const
{
    return m_objection->isHidden() ? QString() : m_objection->text();
}

FrontAgainst SearchView::against() const
{
    return Names<FrontAgainst>::table[static_cast<std::size_t>(std::max(0, m_against->currentIndex()))].value;
}

void SearchView::setAgainst(FrontAgainst against)
{
    m_against->setCurrentIndex(static_cast<int>(against));
}

void SearchView::setState(const SearchState& state)
{
    m_state = state;
    const SearchCounts& counts = state.result.counts;
    showMessage();
    m_progress->setRange(0, 1000);
    m_progress->setValue(
        counts.enumerated > 0 ? static_cast<int>(1000.0 * double(counts.legal) / double(counts.enumerated)) : 0);
    m_progress->setVisible(state.running);
    m_startStop->setText(state.running ? tr("S&top") : tr("&Search"));
    fillRows();
    fillPareto();
    showFilter();
}

/// One at a time: what is wrong with the limits, else with the search, else how far it is and what is to be known of
/// it.
void SearchView::showMessage()
{
    const QString objection = m_unreadable.isEmpty() ? sayOf(m_state.problems) : m_unreadable;
    m_objection->setText(objection);
    m_objection->setVisible(!objection.isEmpty());
    m_status->setText(objection.isEmpty() ? statusText() : QString());
    m_status->setShorterText(objection.isEmpty() ? shorterStatusText() : QString());
    QStringList notes;
    for (const std::string& warning : m_state.warnings) {
        notes.append(tr("note: %1").arg(toText(warning)));
    }
    m_notes->setText(objection.isEmpty() ? notes.join(QLatin1Char('\n')) : QString());
    m_notes->setVisible(!m_notes->text().isEmpty());
}

void SearchView::setCurrent(const Layout& layout, const Report& report)
{
    m_current = figuresOf(layout, report);
    m_rows->setCurrent(layout);
    fillPareto();
}

/// The fastest layouts and those of the front, each once; the chosen one stays chosen.
void SearchView::fillRows()
{
    const std::vector<LayoutFigures> rows = eachOnce(m_state.best, wantsSizes() ? m_state.bySize : m_state.front);
    const bool priced =
        std::any_of(rows.begin(), rows.end(), [](const LayoutFigures& row) { return row.trainingDays > 0; });
    m_table->setColumnHidden(static_cast<int>(LayoutColumn::Cost), !priced);
    m_table->setColumnHidden(static_cast<int>(LayoutColumn::Devices), !wantsSizes());
    m_table->setColumnHidden(static_cast<int>(LayoutColumn::DeviceHours), !wantsSizes());
    fitColumns();
    if (rows == m_rows->rows()) {
        return;
    }
    const std::optional<Layout> chosen = chosenLayout();
    m_rows->setRows(std::move(rows));
    const auto same = std::find_if(m_rows->rows().begin(), m_rows->rows().end(),
                                   [&](const LayoutFigures& row) { return chosen && row.layout == *chosen; });
    if (same != m_rows->rows().end()) {
        choose(static_cast<std::size_t>(same - m_rows->rows().begin()));
    } else {
        allowRow(false);
        m_pareto->setChosen(std::nullopt);
    }
}

bool SearchView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table && event->type() == QEvent::Resize) {
        const auto* resize = static_cast<QResizeEvent*>(event);
        if (resize->size().width() != resize->oldSize().width()) {
            fitColumns();
        }
    }
    return QWidget::eventFilter(watched, event);
}

void SearchView::applyFilter()
{
    m_filter->setText(m_filterEdit->text());
    fillPareto();
    showFilter();
}

QString SearchView::filterLimits() const
{
    QStringList limits;
    for (const RowCondition& condition : m_filter->conditions()) {
        if (!condition.limit().isEmpty()) {
            limits << condition.limit();
        }
    }
    const QString text = limits.join(QStringLiteral(", "));
    SearchSpace asked; // not every condition is a limit: of ZeRO there are choices, and no degree is below 1
    return narrow(asked, text.toStdString()).empty() ? text : QString();
}

QString SearchView::filterText() const
{
    return m_filterNote->isHidden() ? QString() : m_filterNote->text();
}

/// The rows are the fastest alone: what is not among them may well be there.
void SearchView::showFilter()
{
    QStringList lines;
    for (const RowCondition& condition : m_filter->conditions()) {
        if (!condition.objection().isEmpty()) {
            lines << condition.objection();
        }
    }
    const qsizetype rows = static_cast<qsizetype>(m_rows->rows().size());
    const bool more = m_state.result.counts.fit > rows || m_state.result.counts.unseen > 0;
    const QString limits = filterLimits();
    const bool filters = !m_filter->conditions().empty() && rows > 0;
    if (filters && lines.isEmpty()) {
        const QString shown = tr("%1 of the %2 layouts listed pass.").arg(m_filter->rowCount()).arg(rows);
        lines << (more ? tr("%1 Listed are the fastest of %2 that fit, and the front.")
                             .arg(shown, countText(double(m_state.result.counts.fit)))
                       : shown);
    }
    m_filterNote->setText(lines.join(u'\n'));
    m_filterNote->setVisible(!lines.isEmpty());
    m_filterSearch->setText(tr("Search with %1").arg(limits));
    m_filterSearch->setVisible(filters && more && !limits.isEmpty());
}

/// In the place of limits of the same.
void SearchView::searchFiltered()
{
    static const QRegularExpression sign(QStringLiteral("[<>=]"));
    const QStringList added = filterLimits().split(QStringLiteral(", "));
    QStringList words;
    for (const QString& word : m_limits->text().split(u',', Qt::SkipEmptyParts)) {
        const std::string key = layoutKey(word.section(sign, 0, 0).trimmed().toStdString());
        const bool again = std::any_of(added.begin(), added.end(), [&](const QString& other) {
            return other.section(sign, 0, 0).toStdString() == key;
        });
        if (!again) {
            words << word.trimmed();
        }
    }
    m_limits->setText((words + added).join(QStringLiteral(", ")));
    readLimits();
}

void SearchView::fillPareto()
{
    const std::vector<LayoutFigures> front = wantsSizes() ? frontOf(m_rows->rows(), against()) : m_state.front;
    std::vector<LayoutFigures> plotted;
    m_plotted.clear();
    for (std::size_t row = 0; row < m_rows->rows().size(); ++row) {
        if (m_filter->textAdmits(m_rows->rows()[row])) {
            plotted.push_back(m_rows->rows()[row]);
            m_plotted.push_back(row);
        }
    }
    const bool refused = !m_unreadable.isEmpty()
        || std::any_of(m_state.problems.begin(), m_state.problems.end(),
                       [](const Problem& problem) { return problem.field != searchField; });
    ParetoData shown = paretoData(std::move(plotted), front);
    shown.against = against();
    shown.current = m_current;
    shown.memoryLimit = m_state.result.memoryLimit;
    shown.searched = refused                           ? SearchStage::Refused
        : !m_rows->rows().empty() && m_plotted.empty() ? SearchStage::Filtered
        : m_state.running                              ? SearchStage::Running
        : !m_state.problems.empty()                    ? SearchStage::NothingLegal
        : m_state.result.counts.enumerated == 0        ? SearchStage::NotBegun
        : m_state.result.complete                      ? SearchStage::Done
                                                       : SearchStage::Stopped;
    m_pareto->setData(std::move(shown));
    markChosen();
}

/// In the chart, the table's current row.
void SearchView::markChosen()
{
    const QModelIndex source = m_filter->mapToSource(m_table->currentIndex());
    const auto point =
        std::find(m_plotted.begin(), m_plotted.end(), static_cast<std::size_t>(std::max(0, source.row())));
    m_pareto->setChosen(source.isValid() && point != m_plotted.end()
                            ? std::optional(static_cast<std::size_t>(point - m_plotted.begin()))
                            : std::nullopt);
}

std::optional<Layout> SearchView::chosenLayout() const
{
    const QModelIndex source = m_filter->mapToSource(m_table->currentIndex());
    return source.isValid() ? std::optional(m_rows->rows()[static_cast<std::size_t>(source.row())].layout)
                            : std::nullopt;
}

void SearchView::choose(std::size_t row)
{
    const QModelIndex index = m_filter->mapFromSource(m_rows->index(static_cast<int>(row), 0));
    if (index.isValid()) {
        m_table->setCurrentIndex(index);
        m_table->scrollTo(index);
    }
}

void SearchView::adoptCurrent()
{
    if (const std::optional<Layout> layout = chosenLayout()) {
        Q_EMIT layoutAdopted(*layout);
    }
}

void SearchView::pinCurrent()
{
    if (const std::optional<Layout> layout = chosenLayout()) {
        Q_EMIT layoutPinned(*layout);
    }
}

void SearchView::explainAt(const QModelIndex& index, bool asked)
{
    const QModelIndex source = m_filter->mapToSource(index);
    if (source.isValid()) {
        const LayoutFigures& row = m_rows->rows()[static_cast<std::size_t>(source.row())];
        Q_EMIT figureChosen(row, toText(figureOf(static_cast<LayoutColumn>(source.column()), row.trainingCost > 0)),
                            asked);
    }
}

void SearchView::allowRow(bool chosen)
{
    m_adopt->setEnabled(chosen);
    m_pin->setEnabled(chosen);
    for (QAction* action : m_rowActions) {
        action->setEnabled(chosen);
    }
}

void SearchView::brush()
{
    const std::optional<Brush> range = m_pareto->brush();
    if (range) {
        m_filter->setAdmits([range](const LayoutFigures& layout) { return range->holds(layout); });
    } else {
        m_filter->setAdmits({});
    }
}

void SearchView::choseInBox(const char* key)
{
    QStringList words;
    for (const QString& word : m_limits->text().split(u',', Qt::SkipEmptyParts)) {
        if (word.section(u'=', 0, 0).trimmed() != QLatin1String(key)) {
            words << word.trimmed();
        }
    }
    m_limits->setText(words.join(QStringLiteral(", ")));
    readLimits();
    showChoices();
}

void SearchView::showChoices()
{
    const SearchedOrders orders = m_space.rankOrders ? SearchedOrders::Every
        : m_space.orders.empty()                     ? SearchedOrders::Own
                                                     : SearchedOrders::Listed;
    m_split->setCurrentIndex(static_cast<int>(m_space.stageSplit));
    m_orders->setCurrentIndex(static_cast<int>(orders));
}

void SearchView::readLimits()
{
    SearchSpace space;
    space.stageSplit = m_chosenSplit;
    const Problems problems = narrow(space, m_limits->text().toStdString());
    space.rankOrders = space.rankOrders || (m_everyOrder && space.orders.empty());
    space.tensorInsideNode = m_insideNode->isChecked();
    space.beyondStack = m_beyondStack->isChecked();
    space.headRoom = m_headRoom->value() / 100.0;
    m_unreadable = sayOf(problems);
    showMessage();
    fillPareto();
    if (problems.empty() && !(space == m_space)) {
        m_space = space;
        showChoices();
        Q_EMIT spaceChanged();
    }
}

} // namespace partita::ui
