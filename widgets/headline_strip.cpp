// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline_strip.h"

#include "core/base/format.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QActionGroup>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

/// A figure and texts as long as its own become while a layout is changed: it keeps room for them, so that figures stay
/// where they are.
struct Place {
    const char* key;
    HeadlineFigure::Lines room;
};

std::array<Place, 7> placesOfStep()
{
    return {
        {{"memory",
          {HeadlineStrip::tr("✗ Out of memory, stage 88"), HeadlineStrip::tr("88.8 of 80.0 GiB"),
           HeadlineStrip::tr("charts: last legal layout")}},
         {"step_time",
          {HeadlineStrip::tr("Step time"), QStringLiteral("88.8 s (888.88–888.88)"),
           HeadlineStrip::tr("888 K tokens")}},
         {"mfu", {HeadlineStrip::tr("MFU (causal)"), QStringLiteral("88.8 %"), HeadlineStrip::tr("hardware 88.8 %")}},
         {"tokens_per_second",
          {HeadlineStrip::tr("Tokens/s/device"), QStringLiteral("88,888"), HeadlineStrip::tr("888.8 K/s in all")}},
         {"bubble", {HeadlineStrip::tr("Bubble"), QStringLiteral("88.8 %"), QStringLiteral("interleaved 1F1B")}},
         {"exposed_communication",
          {HeadlineStrip::tr("Exposed comm."), QStringLiteral("88.8 %"), QStringLiteral("888 ms")}},
         {"budget",
          {HeadlineStrip::tr("88 T tokens"), HeadlineStrip::tr("88,888 days · $88.8 M"),
           HeadlineStrip::tr("at $8.88 a device-hour")}}}};
}

std::array<Place, 7> placesOfServing()
{
    return {
        {{"kv_room",
          {HeadlineStrip::tr("✗ Out of memory"), HeadlineStrip::tr("no room for a request"),
           HeadlineStrip::tr("a replica, beside 88.8 GiB of weights")}},
         {"ttft", {HeadlineStrip::tr("First token"), QStringLiteral("8.88 ms"), HeadlineStrip::tr("✗ limit 88.8 ms")}},
         {"tpot",
          {HeadlineStrip::tr("Between tokens"), QStringLiteral("8.88 ms"), HeadlineStrip::tr("✗ limit 88.8 ms")}},
         {"served_tokens_per_second",
          {HeadlineStrip::tr("Tokens/s"), QStringLiteral("888,888"), HeadlineStrip::tr("88.8 requests/s")}},
         {"served_tokens_per_second_per_device",
          {HeadlineStrip::tr("Tokens/s/device"), QStringLiteral("88,888"), HeadlineStrip::tr("batch 8,888")}},
         {"concurrency",
          {HeadlineStrip::tr("Most requests at once"), QStringLiteral("88,888"),
           HeadlineStrip::tr("8,888 asked for wait")}},
         {"cost", {HeadlineStrip::tr("A million tokens"), QStringLiteral("$88.88"), {}}}}};
}

constexpr int conventionButtonWidth = 18;

MemoryKind largestKind(const MemoryBreakdown& memory)
{
    const auto largest = std::max_element(memory.bytes.begin(), memory.bytes.end());
    return static_cast<MemoryKind>(largest - memory.bytes.begin());
}

} // namespace

double utilizationBy(MfuConvention convention, const Utilization& utilization)
{
    switch (convention) {
    case MfuConvention::Full:
        return utilization.full;
    case MfuConvention::SixN:
        return utilization.sixN;
    case MfuConvention::Causal:
        break;
    }
    return utilization.causal;
}

QString HeadlineStrip::unknown()
{
    return QStringLiteral("—");
}

HeadlineStrip::HeadlineStrip(QWidget* parent)
    : QWidget(parent)
    , m_conventionButton(new QToolButton)
{
    const auto add = [this](const Place& place, const QString& hint) {
        auto* figure = new HeadlineFigure(QString::fromLatin1(place.key), hint, this);
        figure->setRoomFor(place.room);
        connect(figure, &QAbstractButton::clicked, this, [this, figure] { Q_EMIT figureActivated(figure->key()); });
        return figure;
    };
    for (const Place& place : placesOfStep()) {
        HeadlineFigure* figure = add(place, tr("Click for the derivation"));
        m_ofStep.push_back(figure);
        if (figure->key() == QLatin1String("mfu")) {
            figure->setCaptionReserve(conventionButtonWidth);
            m_conventionButton->setParent(this); // behind the MFU figure in the tab order
        }
    }
    for (const Place& place : placesOfServing()) {
        m_ofServing.push_back(add(place, tr("Click for its chart")));
        m_ofServing.back()->hide();
    }
    m_figures = m_ofStep;
    buildConventionMenu();
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Headline"));
    setServing(ServingReport()); // names its figures
    setServing(std::nullopt);
}

void HeadlineStrip::buildConventionMenu()
{
    auto* menu = new QMenu(m_conventionButton);
    auto* group = new QActionGroup(menu);
    for (const Name<MfuConvention>& name : Names<MfuConvention>::table) {
        QAction* action = menu->addAction(labelText(name.value));
        action->setCheckable(true);
        action->setChecked(name.value == m_convention);
        action->setData(toText(name.key));
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, value = name.value] {
            setConvention(value);
            Q_EMIT conventionChanged(value);
        });
    }
    m_conventionButton->setMenu(menu);
    m_conventionButton->setPopupMode(QToolButton::InstantPopup);
    m_conventionButton->setAutoRaise(true);
    m_conventionButton->setArrowType(Qt::DownArrow);
    m_conventionButton->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
    m_conventionButton->setFocusPolicy(Qt::StrongFocus);
    m_conventionButton->setAccessibleName(tr("How MFU counts attention"));
    m_conventionButton->setToolTip(m_conventionButton->accessibleName());
}

void HeadlineStrip::setReport(const Scenario& scenario, const Report& report, const std::optional<StepTimeBand>& band)
{
    m_scenario = scenario;
    m_report = report;
    m_band = band;
    showFigures();
}

void HeadlineStrip::setConvention(MfuConvention convention)
{
    m_convention = convention;
    for (QAction* action : m_conventionButton->menu()->actions()) {
        action->setChecked(action->data().toString() == toText(keyOf(convention)));
    }
    showFigures();
}

HeadlineFigure* HeadlineStrip::figure(const QString& key) const
{
    for (const auto* figures : {&m_ofStep, &m_ofServing}) {
        const auto found = std::find_if(figures->begin(), figures->end(),
                                        [&key](const HeadlineFigure* one) { return one->key() == key; });
        if (found != figures->end()) {
            return *found;
        }
    }
    return nullptr;
}

void HeadlineStrip::setFigure(const QString& key, const QString& caption, const QString& value, const QString& detail,
                              Tone tone)
{
    figure(key)->setFigure(caption, value, detail, tone);
}

/// Of all figures, those that are shown.
void HeadlineStrip::choose(std::vector<HeadlineFigure*> figures)
{
    if (figures == m_figures) {
        return;
    }
    for (HeadlineFigure* one : m_figures) {
        one->hide();
    }
    m_figures = std::move(figures);
    for (HeadlineFigure* one : m_figures) {
        one->show();
    }
    m_conventionButton->setVisible(!m_served);
}

void HeadlineStrip::showFigures()
{
    if (m_served) {
        showServing();
        place();
        updateGeometry();
        return;
    }
    choose(m_ofStep);
    const bool known = m_report.legal() && !m_report.stages.empty();
    const auto shown = [known](const std::string& text) { return known ? toText(text) : unknown(); };
    const double exposed = m_report.stepTime > 0 ? m_report.time.exposedCommunication() / m_report.stepTime : 0;
    showMemory();
    showStepTime();
    setFigure(QStringLiteral("mfu"), tr("MFU (%1)").arg(labelText(m_convention)),
              shown(formatPercent(utilizationBy(m_convention, m_report.mfu))),
              known ? tr("hardware %1").arg(toText(formatPercent(utilizationBy(m_convention, m_report.hfu))))
                    : QString());
    setFigure(QStringLiteral("tokens_per_second"), tr("Tokens/s/device"),
              shown(formatSignificant(m_report.tokensPerSecondPerDevice)),
              known ? tr("%1/s in all").arg(toText(formatScaled(m_report.tokensPerSecond))) : QString());
    setFigure(QStringLiteral("bubble"), tr("Bubble"), shown(formatPercent(m_report.bubbleFraction)),
              known ? labelText(m_scenario.layout.schedule) : QString());
    setFigure(QStringLiteral("exposed_communication"), tr("Exposed comm."), shown(formatPercent(exposed)),
              known ? toText(formatSeconds(m_report.time.exposedCommunication())) : QString());
    showBudget();
    place();
    updateGeometry();
}

void HeadlineStrip::showStepTime()
{
    const QString key = QStringLiteral("step_time");
    const double time = m_report.stepTime;
    if (!m_report.legal() || m_report.stages.empty()) {
        setFigure(key, tr("Step time"), unknown());
        return;
    }
    const QString tokens = tr("%1 tokens").arg(toText(formatScaled(m_report.tokensPerStep)));
    if (!m_band) {
        setFigure(key, tr("Step time"), toText(formatSeconds(time)), tokens);
        return;
    }
    // Runs of this kind may all have been off to one side: the band need not surround the prediction.
    setFigure(key, tr("Step time"), timeWithRangeText(time, m_band->low, m_band->high), tokens);
    constexpr std::size_t named = 5;
    QStringList runs;
    for (std::size_t i = 0; i < std::min(named, m_band->runs.size()); ++i) {
        runs << toText(m_band->runs[i]);
    }
    figure(key)->setRemark(
        tr("Measured: of %1 published runs nearest in kind, four in five took what would be %2 to %3 here.\n"
           "Nearest: %4")
            .arg(m_band->runs.size())
            .arg(toText(formatSeconds(m_band->low)), toText(formatSeconds(m_band->high)),
                 runs.join(QStringLiteral(", "))));
}

void HeadlineStrip::showMemory()
{
    const QString key = QStringLiteral("memory");
    if (!m_report.legal()) {
        setFigure(key, tr("✗ Illegal layout"),
                  m_report.problems.size() == 1 ? tr("1 problem") : tr("%1 problems").arg(m_report.problems.size()),
                  tr("charts: last legal layout"), Tone::Bad);
        return;
    }
    if (m_report.stages.empty()) {
        setFigure(key, tr("Memory"), unknown());
        return;
    }
    const double peak = m_report.peakMemory();
    const QString ofLimit =
        tr("%1 of %2 GiB").arg(toText(formatGibibytes(peak)), toText(formatGibibytes(m_report.memoryLimit)));
    if (m_report.fits) {
        setFigure(key, tr("✓ Fits"), ofLimit, tr("peak on stage %1").arg(m_report.peakStage), Tone::Good);
        return;
    }
    const MemoryBreakdown& memory = m_report.stages[static_cast<std::size_t>(m_report.peakStage)].memory;
    setFigure(key, tr("✗ Out of memory, stage %1").arg(m_report.peakStage),
              tr("lacks %1").arg(toText(formatBytes(peak - m_report.memoryLimit))),
              tr("%1, most %2").arg(ofLimit, labelText(largestKind(memory))), Tone::Bad);
}

void HeadlineStrip::showBudget()
{
    const QString key = QStringLiteral("budget");
    const double tokens = m_scenario.workload.trainingTokens;
    const QString caption = tokens > 0 ? tr("%1 tokens").arg(toText(formatScaled(tokens))) : tr("Token budget");
    if (!m_report.legal() || m_report.trainingDays <= 0) {
        setFigure(key, caption, unknown(), tokens > 0 ? QString() : tr("none stated"));
        return;
    }
    const QString days = toText(formatDays(m_report.trainingDays));
    setFigure(
        key, caption,
        m_report.trainingCost > 0 ? tr("%1 · %2").arg(days, toText(formatDollars(m_report.trainingCost))) : days,
        m_report.trainingCost > 0
            ? tr("at $%1 a device-hour").arg(toText(formatSignificant(m_scenario.cluster.accelerator.pricePerHour)))
            : tr("no price known"));
}

int HeadlineStrip::rowHeight() const
{
    return m_figures.front()->sizeHint().height();
}

/// As many figures in a row as show whole; evenly over the rows.
int HeadlineStrip::columnsFor(int width) const
{
    const auto count = static_cast<int>(m_figures.size());
    for (int rows = 1; rows < count; ++rows) {
        const int columns = (count + rows - 1) / rows;
        int widest = 0;
        for (int first = 0; first < count; first += columns) {
            int needed = 0;
            for (int i = first; i < std::min(count, first + columns); ++i) {
                needed += m_figures[static_cast<std::size_t>(i)]->sizeHint().width();
            }
            widest = std::max(widest, needed);
        }
        if (widest <= width) {
            return columns;
        }
    }
    return 1;
}

int HeadlineStrip::heightForWidth(int width) const
{
    const int columns = columnsFor(width);
    const int rows = (static_cast<int>(m_figures.size()) + columns - 1) / columns;
    return rows * rowHeight();
}

QSize HeadlineStrip::sizeHint() const
{
    int width = 0;
    for (const HeadlineFigure* one : m_figures) {
        width += one->sizeHint().width();
    }
    return {width, heightForWidth(this->width())};
}

QSize HeadlineStrip::minimumSizeHint() const
{
    int width = 0;
    for (const HeadlineFigure* one : m_figures) {
        width = std::max(width, one->minimumSizeHint().width());
    }
    return {width, rowHeight()};
}

void HeadlineStrip::place()
{
    // A fixed height, because not every layout and no dock asks for a height by width.
    setFixedHeight(heightForWidth(width()));
    const auto count = static_cast<int>(m_figures.size());
    const int columns = columnsFor(width());
    for (int first = 0; first < count; first += columns) {
        const int last = std::min(count, first + columns);
        int needed = 0;
        for (int i = first; i < last; ++i) {
            needed += m_figures[static_cast<std::size_t>(i)]->sizeHint().width();
        }
        // What is left over goes to all alike; an incomplete last row keeps the rhythm of a full one.
        const int spare = std::max(0, width() - needed) / columns;
        int x = 0;
        for (int i = first; i < last; ++i) {
            HeadlineFigure* one = m_figures[static_cast<std::size_t>(i)];
            const int share = std::min(one->sizeHint().width() + spare, std::max(0, width() - x));
            one->setGeometry(x, first / columns * rowHeight(), share, rowHeight());
            one->setSeparated(i > first);
            x += share;
        }
    }
    if (m_served) {
        return; // no utilization to count
    }
    const HeadlineFigure* mfu = figure(QStringLiteral("mfu"));
    const QRect caption = mfu->captionRect().translated(mfu->pos());
    const int after = std::min(caption.left() + QFontMetrics(mfu->font()).horizontalAdvance(mfu->caption()),
                               caption.right() - conventionButtonWidth);
    m_conventionButton->setGeometry(after, caption.top(), conventionButtonWidth, caption.height());
    m_conventionButton->raise();
}

void HeadlineStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

void HeadlineStrip::paintEvent(QPaintEvent*)
{
    const Theme theme = Theme::fromPalette(palette());
    QPainter painter(this);
    painter.fillRect(rect(), theme.card);
}

} // namespace partita::ui
