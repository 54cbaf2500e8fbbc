// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explain_panel.h"

#include "core/explain/formula.h"
#include "widgets/chart.h"
#include "widgets/labels.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSplitter>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr const char* daysOfBudget = "training_days";

/// Why a value has no derivation, in words of the window.
QString whyNothing(const QString& path, const Problems& problems)
{
    if (path == QLatin1String(daysOfBudget)) {
        return ExplainPanel::tr("Days and cost of a training run follow from the tokens it is to see. State how many "
                                "under Token budget in the workload section of the scenario.");
    }
    QStringList lines;
    for (const Problem& problem : problems) {
        lines << ExplainPanel::tr("%1: %2").arg(path, QString::fromStdString(problem.message));
        if (!problem.suggestion.empty()) {
            lines << ExplainPanel::tr("Near it: %1").arg(QString::fromStdString(problem.suggestion));
        }
    }
    return lines.join(u'\n');
}

constexpr int formulaPixels = 19;
constexpr int numberPixels = 14;
constexpr double widestNumbers = 400; // px; what is wider goes on lines that wrap
constexpr std::size_t shownRuns = 8;
constexpr int pathRole = Qt::UserRole;

enum Column { SymbolColumn, ValueColumn, NameColumn, ColumnCount };

QString symbolOf(const Term& term)
{
    const SymbolText text = symbolText(term.symbol);
    return QString::fromStdString(text.base)
        + (text.subscript.empty() ? QString() : u'_' + QString::fromStdString(text.subscript));
}

} // namespace

FormulaView::FormulaView(Shows shows, QWidget* parent)
    : QWidget(parent)
    , m_shows(shows)
{
    loadFonts();
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FormulaView::setDerivation(const Derivation& derivation)
{
    m_derivation = derivation;
    const bool symbols = m_shows == Shows::Symbols;
    const QString line = QString::fromStdString(symbols ? derivation.plain() : derivation.substituted());
    setAccessibleName((symbols ? tr("Formula: %1") : tr("With numbers: %1")).arg(line));
    setToolTip(line);
    layOut();
    setVisible(!m_box.pieces.empty());
}

void FormulaView::layOut()
{
    QFont font = Theme::fromPalette(palette()).font;
    font.setPixelSize(m_shows == Shows::Symbols ? formulaPixels : numberPixels);
    m_box =
        m_shows == Shows::Symbols ? layOutFormula(m_derivation, QString(), font) : layOutNumbers(m_derivation, font);
    if (m_shows == Shows::Numbers && m_box.size.width() > widestNumbers) {
        m_box = {};
    }
    updateGeometry();
    update();
}

QSize FormulaView::sizeHint() const
{
    return m_box.size.toSize() + QSize(4, 8);
}

QSize FormulaView::minimumSizeHint() const
{
    return {60, sizeHint().height()};
}

void FormulaView::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double scale = std::min(1.0, width() / std::max(1.0, m_box.size.width() + 4));
    painter.scale(scale, scale);
    paintFormula(painter, m_box, QPointF(2, 4), palette().color(QPalette::WindowText));
}

void FormulaView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        update();
    }
}

ExplainPanel::ExplainPanel(QWidget* parent)
    : QWidget(parent)
    , m_back(new QToolButton)
    , m_choice(new QComboBox)
    , m_where(new QLabel)
    , m_title(new QLabel)
    , m_numbers(new QLabel)
    , m_formula(new FormulaView(FormulaView::Shows::Symbols))
    , m_formulaWithNumbers(new FormulaView(FormulaView::Shows::Numbers))
    , m_terms(new QTreeWidget)
    , m_notes(new QTextBrowser)
{
    build();
}

void ExplainPanel::build()
{
    m_back->setText(QStringLiteral("←"));
    m_back->setAutoRaise(true);
    m_back->setToolTip(tr("Back to what was explained before"));
    m_back->setAccessibleName(tr("Back"));
    connect(m_back, &QToolButton::clicked, this, &ExplainPanel::back);

    m_choice->setEditable(true);
    m_choice->setInsertPolicy(QComboBox::NoInsert);
    m_choice->setAccessibleName(tr("Value to explain"));
    m_choice->view()->setAccessibleName(tr("Values that can be explained"));
    m_choice->setToolTip(tr("Any value of the report, as evaluate --json names it"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(16);
    m_choice->completer()->setFilterMode(Qt::MatchContains);
    m_choice->completer()->setCompletionMode(QCompleter::PopupCompletion);
    m_choice->completer()->popup()->setAccessibleName(tr("Values that can be explained"));
    connect(m_choice, &QComboBox::textActivated, this, &ExplainPanel::explain);

    for (QLabel* label : {m_where, m_title, m_numbers}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    m_where->setForegroundRole(QPalette::PlaceholderText);
    m_title->setFont(Theme::light().fontOf(TextRole::Title));

    m_terms->setColumnCount(ColumnCount);
    m_terms->setHeaderLabels({tr("Symbol"), tr("Value"), tr("What, and where from")});
    m_terms->setAccessibleName(tr("Terms of the formula"));
    m_terms->setUniformRowHeights(true);
    m_terms->header()->setStretchLastSection(true);
    m_terms->setTabKeyNavigation(false);
    connect(m_terms, &QTreeWidget::itemExpanded, this, &ExplainPanel::unfold);
    connect(m_terms, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        if (const QString path = item->data(0, pathRole).toString(); !path.isEmpty()) {
            explain(path);
        }
    });

    m_notes->setAccessibleName(tr("Assumptions, sources and nearest runs"));
    m_notes->setOpenLinks(false);
    m_notes->setTabChangesFocus(true);
    connect(m_notes, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& url) { Q_EMIT runActivated(url.path(QUrl::FullyDecoded)); });

    auto* top = new QHBoxLayout;
    top->addWidget(m_back);
    top->addWidget(m_choice, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(m_terms);
    split->addWidget(m_notes);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    auto* column = new QVBoxLayout(this);
    column->addLayout(top);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_where, m_title, m_formula, m_formulaWithNumbers, m_numbers}) {
        column->addWidget(widget);
    }
    column->addWidget(split, 1);
    m_where->hide();
    m_back->setEnabled(false);
}

void ExplainPanel::setExplainer(std::shared_ptr<const ExplainedValues> explainer, const QString& where,
                                const QString& path)
{
    m_explainer = std::move(explainer);
    m_where->setText(where);
    m_where->setVisible(!where.isEmpty());
    QStringList paths;
    for (const std::string& reported : m_explainer->reportedValues()) {
        paths += QString::fromStdString(reported);
    }
    m_choice->clear();
    m_choice->addItems(paths);
    // Back leads to what these numbers have.
    const auto isKnown = [this](const QString& known) { return m_explainer->find(known.toStdString()) != nullptr; };
    m_before.removeIf([&](const QString& before) { return !isKnown(before); });
    if (!path.isEmpty() && path != m_path && isKnown(m_path)) {
        m_before += m_path;
    }
    m_back->setEnabled(!m_before.isEmpty());
    show(path.isEmpty() ? m_path : path);
}

void ExplainPanel::explain(const QString& path)
{
    if (path != m_path) {
        m_before += m_path;
        m_back->setEnabled(true);
    }
    show(path);
}

void ExplainPanel::back()
{
    if (!m_before.isEmpty()) {
        const QString path = m_before.takeLast();
        m_back->setEnabled(!m_before.isEmpty());
        show(path);
    }
}

void ExplainPanel::show(const QString& path)
{
    const bool changed = path != m_path;
    m_path = path;
    m_choice->setEditText(path);
    m_choice->lineEdit()->setCursorPosition(0); // its beginning says what it is
    if (!m_explainer) {
        return;
    }
    m_terms->clear();
    const Result<Derivation> derivation = m_explainer->explain(path.toStdString());
    if (!derivation) {
        m_title->setText(path == QLatin1String(daysOfBudget) ? tr("No token budget is stated")
                                                             : tr("Nothing to explain"));
        m_numbers->setText(whyNothing(path, derivation.problems));
        m_formula->setDerivation({});
        m_formulaWithNumbers->setDerivation({});
        m_notes->clear();
    } else {
        m_title->setText(QStringLiteral("%1: %2").arg(QString::fromStdString(derivation->name),
                                                      QString::fromStdString(derivation->valueText())));
        m_formula->setDerivation(*derivation);
        m_formulaWithNumbers->setDerivation(*derivation);
        const bool set = derivation->formula.empty() || !m_formulaWithNumbers->isHidden();
        m_numbers->setText(set ? QString() : QStringLiteral("= ") + QString::fromStdString(derivation->substituted()));
        addTerms(m_terms->invisibleRootItem(), *derivation);
        for (int column = 0; column < NameColumn; ++column) {
            m_terms->resizeColumnToContents(column);
        }
        showNotes(*derivation);
    }
    if (changed) {
        Q_EMIT pathChanged(path);
    }
}

void ExplainPanel::addTerms(QTreeWidgetItem* parent, const Derivation& derivation)
{
    for (const Term& term : derivation.terms) {
        for (std::size_t i = 0; i < term.values.size(); ++i) {
            const Quantity& quantity = term.values[i];
            if (term.list && quantity.value == 0 && term.values.size() > 1) {
                continue; // what takes no part in a sum
            }
            const QString symbol = term.list ? QStringLiteral("%1[%2]").arg(symbolOf(term)).arg(i) : symbolOf(term);
            const QString origin = QString::fromStdString(quantity.origin);
            const QString name = QString::fromStdString(quantity.name)
                + (origin.isEmpty() ? QString() : QStringLiteral(" [%1]").arg(origin));
            auto* item = new QTreeWidgetItem(
                parent, {symbol, QString::fromStdString(formatMeasure(quantity.value, term.measure)), name});
            item->setToolTip(ValueColumn, exactNumber(quantity.value));
            item->setToolTip(NameColumn, quantity.path.empty() ? name : QString::fromStdString(quantity.path));
            if (!quantity.path.empty()) {
                item->setData(0, pathRole, QString::fromStdString(quantity.path));
                item->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
            }
        }
    }
}

/// Terms of terms are looked up when they are asked for: the whole tree would be large.
void ExplainPanel::unfold(QTreeWidgetItem* item)
{
    if (item->childCount() > 0) {
        return;
    }
    const Result<Derivation> derivation = m_explainer->explain(item->data(0, pathRole).toString().toStdString());
    if (derivation && !derivation->formula.empty()) {
        const QString formula = QString::fromStdString(derivation->plain());
        auto* line = new QTreeWidgetItem(item, {QStringLiteral("="), QString(), formula});
        line->setToolTip(NameColumn, QString::fromStdString(derivation->substituted()));
        addTerms(item, *derivation);
    } else {
        item->setChildIndicatorPolicy(QTreeWidgetItem::DontShowIndicator);
    }
}

void ExplainPanel::showNotes(const Derivation& derivation)
{
    QString html;
    const auto section = [&html](const QString& title, const std::vector<std::string>& lines) {
        if (lines.empty()) {
            return;
        }
        html += QStringLiteral("<p><b>%1</b></p><ul style=\"margin-left: 12px; -qt-list-indent: 0\">")
                    .arg(title.toHtmlEscaped());
        for (const std::string& line : lines) {
            html += QStringLiteral("<li>%1</li>").arg(QString::fromStdString(line).toHtmlEscaped());
        }
        html += QStringLiteral("</ul>");
    };
    section(tr("Assumptions"), derivation.assumptions);
    section(tr("Sources"), derivation.sources);
    const NearRuns& near = m_explainer->nearestRuns(derivation.path);
    if (!near.runs.empty()) {
        html += QStringLiteral("<p><b>%1</b><br/>%2</p>")
                    .arg(tr("Published runs nearest in kind"), labelText(near.quantity).toHtmlEscaped());
    }
    for (std::size_t i = 0; i < std::min(shownRuns, near.runs.size()); ++i) {
        html += QStringLiteral("<p><a href=\"%1\">%1</a><br/>%2</p>")
                    .arg(QString::fromStdString(near.runs[i].id).toHtmlEscaped(),
                         QString::fromStdString(describe(near.runs[i], near.quantity)).toHtmlEscaped());
    }
    m_notes->setHtml(html);
}

QString ExplainPanel::notes() const
{
    return m_notes->toPlainText();
}

QString ExplainPanel::value() const
{
    return m_title->text();
}

} // namespace partita::ui
