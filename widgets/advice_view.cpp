// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/advice_view.h"

#include "core/explain/layout_values.h"
#include "core/layout/layout_text.h"
#include "widgets/chart_view.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr int StepRole = Qt::UserRole;
constexpr int ReliefRole = Qt::UserRole + 1;
constexpr int NoRelief = -1;
constexpr int leastLines = 4; // of what scrolls

/// Rows as high as their text needs at the width there is.
class WrappedRows final : public QStyledItemDelegate {
public:
    explicit WrappedRows(QTreeWidget& tree)
        : QStyledItemDelegate(&tree)
        , m_tree(tree)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        constexpr int beside = 14; // px; more than any style takes: a line too many is better than one cut
        const int depth = index.parent().isValid() ? 2 : 1;
        const int width = m_tree.viewport()->width() - depth * m_tree.indentation() - beside;
        QStyleOptionViewItem styled = option;
        initStyleOption(&styled, index);
        const QRect text = QFontMetrics(styled.font)
                               .boundingRect(QRect(0, 0, std::max(1, width), 1 << 20), Qt::TextWordWrap, styled.text);
        return {width, text.height()};
    }

private:
    QTreeWidget& m_tree;
};

/// Scrolls by whole lines, and is as high as a number of them: none is cut through.
class LineScrollArea final : public QScrollArea {
public:
    LineScrollArea()
    {
        setWidgetResizable(true);
        setFrameShape(NoFrame);
        setFocusPolicy(Qt::NoFocus);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setMinimumHeight(leastLines * line());
        connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
            const bool atEnd = value == verticalScrollBar()->maximum();
            verticalScrollBar()->setValue(atEnd ? value : value / line() * line());
        });
    }

    int line() const { return fontMetrics().lineSpacing(); }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        setViewportMargins(0, 0, 0, height() % line());
        QScrollArea::resizeEvent(event);
        verticalScrollBar()->setSingleStep(line());
    }
};

int wholeLines(double height, int line)
{
    return static_cast<int>(std::ceil(height / line)) * line;
}

QLabel* wrappedLabel(const QString& name)
{
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

QTreeWidgetItem* item(const QString& text, std::size_t step, int relief)
{
    auto* entry = new QTreeWidgetItem({text});
    entry->setToolTip(0, text);
    entry->setData(0, StepRole, static_cast<int>(step));
    entry->setData(0, ReliefRole, relief);
    return entry;
}

} // namespace

AdviceView::AdviceView(QWidget* parent)
    : QWidget(parent)
    , m_steps(new QTreeWidget)
    , m_summary(wrappedLabel(QStringLiteral("adviceSummary")))
    , m_adopt(new QPushButton(tr("&Adopt")))
    , m_explain(new QPushButton(tr("E&xplain")))
    , m_question(new QLineEdit)
    , m_answer(wrappedLabel(QStringLiteral("adviceAnswer")))
    , m_chart(new ChartView)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 0, 8, 8);
    column->addWidget(makeFindings(), 1);
    column->addWidget(makeQuestion());
    connect(m_steps, &QTreeWidget::itemSelectionChanged, this, &AdviceView::showCandidate);
    connect(m_steps, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* entry) {
        if (entry->data(0, ReliefRole).toInt() != NoRelief && candidate() != nullptr) {
            Q_EMIT adoptRequested(candidate()->layout);
        }
    });
    connect(m_adopt, &QPushButton::clicked, this, [this] {
        if (const LayoutCost* wanted = candidate()) {
            Q_EMIT adoptRequested(wanted->layout);
        }
    });
    const auto ask = [this] {
        if (candidate() != nullptr) {
            Q_EMIT explainRequested(candidatePath());
        }
    };
    auto* explain = new QAction(tr("E&xplain its cost"), m_steps);
    explain->setShortcut(QKeySequence(Qt::Key_X));
    explain->setShortcutContext(Qt::WidgetShortcut);
    m_steps->addAction(explain);
    m_steps->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_explain, &QPushButton::clicked, this, ask);
    connect(explain, &QAction::triggered, this, ask);
    connectAnswer();
    showSummary();
}

/// What was found, before how.
QWidget* AdviceView::makeFindings()
{
    m_steps->setHeaderHidden(true);
    m_steps->setWordWrap(true);
    m_steps->setItemDelegate(new WrappedRows(*m_steps));
    m_steps->setFrameShape(QFrame::NoFrame);
    m_steps->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_steps->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_steps->header()->setSectionResizeMode(QHeaderView::Stretch);
    m_steps->setAccessibleName(tr("Steps of the advice"));
    m_steps->installEventFilter(this);
    m_chart->installEventFilter(this);
    m_chart->setAccessibleName(tr("Answer as a chart"));
    m_chart->setMinimumWidth(1); // it is as wide as the pane, however narrow
    m_chart->hide();
    m_answer->hide();

    auto* findings = new LineScrollArea;
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QLabel* text : {m_summary, m_answer}) {
        text->setContentsMargins(0, 0, 0, findings->line());
        column->addWidget(text);
    }
    column->addWidget(m_chart);
    column->addWidget(m_steps);
    column->addStretch(1);
    findings->setWidget(body);
    for (QWidget* clear : {findings->viewport(), body}) { // the card shows through
        clear->setAutoFillBackground(false);
    }
    findings->setAccessibleName(tr("Advice"));
    m_findings = findings;
    const auto fit = [this] { fitSteps(); };
    connect(m_steps, &QTreeWidget::itemExpanded, this, fit);
    connect(m_steps, &QTreeWidget::itemCollapsed, this, fit);
    connect(m_steps, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item != nullptr) {
            const QRect row = m_steps->visualItemRect(item).translated(m_steps->pos());
            m_findings->ensureVisible(0, row.bottom(), 0, 0);
            m_findings->ensureVisible(0, row.top(), 0, 0);
        }
    });
    return findings;
}

QWidget* AdviceView::makeQuestion()
{
    m_question->setPlaceholderText(tr("Why not tp=4, pp=2, …?"));
    m_question->setAccessibleName(tr("Layout to ask about"));
    m_question->setToolTip(
        tr("A layout, as tp=4, pp=2 or tp 4 · pp 2 (degrees not named are 1), or a change of the advice, as "
           "recompute=full; Enter asks"));
    m_question->setClearButtonEnabled(true);
    m_adopt->setEnabled(false);
    m_explain->setEnabled(false);
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_question, 1);
    row->addWidget(m_explain);
    row->addWidget(m_adopt);
    connect(m_question, &QLineEdit::returnPressed, this, [this] {
        if (!m_question->text().trimmed().isEmpty()) {
            Q_EMIT asked(m_question->text());
        }
    });
    return bar;
}

void AdviceView::connectAnswer()
{
    m_answer->setAccessibleName(tr("Answer to the layout asked about"));
    auto* explain = new QAction(tr("E&xplain the answer"), m_answer);
    explain->setShortcut(QKeySequence(Qt::Key_X));
    explain->setShortcutContext(Qt::WidgetShortcut);
    m_answer->addAction(explain);
    m_answer->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_answer->setFocusPolicy(Qt::StrongFocus);
    m_answer->installEventFilter(this);
    connect(explain, &QAction::triggered, this, &AdviceView::explainAnswer);
    connect(m_chart, &ChartView::valueActivated, this, &AdviceView::explainRequested);
}

void AdviceView::setAdvice(std::shared_ptr<const Advice> advice)
{
    m_advice = std::move(advice);
    m_optimum.clear();
    m_busy = false;
    m_steps->clear();
    for (std::size_t i = 0; m_advice && i < m_advice->steps.size(); ++i) {
        addStep(i);
    }
    fitSteps();
    showSummary();
    showCandidate();
}

void AdviceView::addStep(std::size_t index)
{
    const AdviceStep& step = m_advice->steps[index];
    QString text = QStringLiteral("%1  %2").arg(index + 1).arg(toText(step.binding.text));
    if (step.chosen) {
        text += QStringLiteral("\n→ ") + toText(describe(step.reliefs[*step.chosen], step.before));
    } else if (!step.reason.empty()) {
        text += QLatin1Char('\n') + toText(step.reason);
    }
    QTreeWidgetItem* entry = item(text, index, NoRelief);
    m_steps->addTopLevelItem(entry);
    for (std::size_t i = 0; i < step.reliefs.size(); ++i) {
        const bool chosen = step.chosen == i;
        auto* relief =
            item((chosen ? QStringLiteral("→ ") : QString()) + toText(describe(step.reliefs[i], step.before)), index,
                 static_cast<int>(i));
        QFont font = relief->font(0);
        font.setBold(chosen);
        relief->setFont(0, font);
        entry->addChild(relief);
    }
}

/// As high as its rows at the width there is: it is the pane around it that scrolls.
void AdviceView::fitSteps()
{
    m_steps->doItemsLayout(); // other lines, other heights
    QTreeWidgetItem* last = nullptr;
    for (QTreeWidgetItem* item = m_steps->topLevelItem(0); item != nullptr; item = m_steps->itemBelow(item)) {
        last = item;
    }
    m_steps->setFixedHeight(last == nullptr ? 0 : m_steps->visualItemRect(last).bottom() + 1);
}

void AdviceView::fitChart()
{
    if (const Chart* chart = m_chart->chart()) {
        const double around = m_chart->height() - m_chart->chartArea().height();
        m_chart->setFixedHeight(wholeLines(chart->heightAt(m_chart->chartArea().width(), m_chart->theme()) + around,
                                           m_answer->fontMetrics().lineSpacing()));
    }
}

void AdviceView::setBusy(bool busy)
{
    m_busy = busy;
    showSummary();
}

void AdviceView::setOptimum(const QString& text)
{
    m_optimum = text;
    showSummary();
}

void AdviceView::setAnswer(const QString& text)
{
    const bool leaves = text.isEmpty() && !m_answer->text().isEmpty();
    m_answerPath.clear();
    m_answer->setAccessibleDescription(text);
    m_answer->setText(text);
    m_answer->setToolTip({});
    m_answer->setVisible(!text.isEmpty());
    setAnswerChart(nullptr);
    if (leaves) {
        m_findings->verticalScrollBar()->setValue(0);
    }
}

void AdviceView::setAnswerChart(std::shared_ptr<const Chart> chart)
{
    m_chart->setVisible(chart != nullptr);
    m_chart->setChart(std::move(chart));
    fitChart();
    showAnswer();
}

/// With as much of what was found above it as there is room for.
void AdviceView::showAnswer()
{
    if (m_answer->text().isEmpty()) {
        return;
    }
    QTimer::singleShot(0, this, [this] { // once it has its place
        const QWidget& last = m_chart->isHidden() ? static_cast<QWidget&>(*m_answer) : *m_chart;
        m_findings->ensureVisible(0, last.geometry().bottom(), 0, 0);
        m_findings->ensureVisible(0, m_answer->geometry().top(), 0, 0);
    });
}

void AdviceView::setExplainedAnswer(const WhyNot& answer)
{
    setAnswer(toText(answer.text).trimmed());
    m_answerPath = toText(decidingPath(answer));
    m_answer->setToolTip(tr("Click, or press X, for where these figures are from"));
}

void AdviceView::explainAnswer()
{
    if (!m_answerPath.isEmpty()) {
        Q_EMIT explainRequested(m_answerPath);
    }
}

bool AdviceView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_answer && event->type() == QEvent::MouseButtonRelease && !m_answer->hasSelectedText()) {
        explainAnswer();
    }
    if (event->type() == QEvent::Resize) {
        const auto* resize = static_cast<QResizeEvent*>(event);
        if (resize->size().width() != resize->oldSize().width() && watched != m_answer) {
            watched == m_steps ? fitSteps() : fitChart();
        }
    }
    return QWidget::eventFilter(watched, event);
}

QString AdviceView::summary() const
{
    return m_summary->text();
}

QString AdviceView::answer() const
{
    return m_answer->text();
}

void AdviceView::showSummary()
{
    QStringList lines;
    if (m_busy || !m_advice) {
        lines << tr("Working out the advice…");
    }
    if (m_advice && m_advice->problems.empty()) {
        lines << (m_advice->pick.fits ? tr("Advice: %1: %2") : tr("Nothing fits; nearest: %1: %2"))
                     .arg(toText(layoutLine(m_advice->pick.layout, m_advice->voice)), toText(describe(m_advice->pick)));
        if (!m_optimum.isEmpty() && !m_busy) {
            lines << m_optimum;
        }
        if (trains(m_advice->voice) && !(m_advice->limits == SearchSpace())) {
            lines << tr("Within the limits set in Search.");
        }
        for (const std::string& note : m_advice->notes) {
            lines << toText(note);
        }
    } else if (m_advice) {
        for (const Problem& problem : m_advice->problems) {
            lines << toText(describe(problem));
        }
    }
    m_summary->setText(lines.join(QLatin1Char('\n')));
    m_summary->setToolTip(m_summary->text());
}

const LayoutCost* AdviceView::candidate() const
{
    if (!m_advice || !m_advice->problems.empty()) {
        return nullptr;
    }
    const QList<QTreeWidgetItem*> selected = m_steps->selectedItems();
    if (selected.isEmpty()) {
        return &m_advice->pick;
    }
    const AdviceStep& step = m_advice->steps[selected.front()->data(0, StepRole).toUInt()];
    const int relief = selected.front()->data(0, ReliefRole).toInt();
    return relief == NoRelief ? &step.after() : &step.reliefs[static_cast<std::size_t>(relief)].cost;
}

/// What decides about the candidate; of the pick, how far it is from the best.
QString AdviceView::candidatePath() const
{
    const QList<QTreeWidgetItem*> selected = m_steps->selectedItems();
    if (selected.isEmpty() && !m_optimum.isEmpty() && m_advice->pick.fits) {
        return QStringLiteral("optimum.gap");
    }
    QString path = QStringLiteral("pick");
    if (!selected.isEmpty()) {
        const std::size_t index = selected.front()->data(0, StepRole).toUInt();
        const AdviceStep& step = m_advice->steps[index];
        const int relief = selected.front()->data(0, ReliefRole).toInt();
        const int shown = relief == NoRelief && step.chosen ? static_cast<int>(*step.chosen) : relief;
        path = shown == NoRelief ? QStringLiteral("steps[%1].before").arg(index)
                                 : QStringLiteral("steps[%1].reliefs[%2]").arg(index).arg(shown);
    }
    const LayoutCost& cost = *candidate();
    return path
        + (!cost.legal()               ? QStringLiteral(".objection")
               : !cost.figures.empty() ? QStringLiteral(".time_per_token_s")
               : !cost.fits            ? QStringLiteral(".lacks_bytes")
                                       : QStringLiteral(".step_time_s"));
}

void AdviceView::showCandidate()
{
    const LayoutCost* wanted = candidate();
    m_explain->setEnabled(wanted != nullptr);
    m_explain->setToolTip(
        tr("Derive what decides about the layout that is selected; without one, the gap to the best"));
    m_adopt->setEnabled(wanted != nullptr);
    m_adopt->setToolTip(
        wanted == nullptr
            ? QString()
            : tr("Adopt %1: %2").arg(toText(layoutLine(wanted->layout, m_advice->voice)), toText(describe(*wanted))));
    m_adopt->setAccessibleDescription(m_adopt->toolTip());
}

} // namespace partita::ui
