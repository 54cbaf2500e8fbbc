// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stage_editor.h"

#include "core/layout/layer_split.h"
#include "core/layout/pipeline_layout_string.h"
#include "core/scenario/rules.h"
#include "core/scenario/stated_stages.h"
#include "core/training/stage_plan.h"
#include "widgets/labels.h"
#include "widgets/number_spin.h"
#include "widgets/stage_rows.h"
#include "widgets/text.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

#include <algorithm>
#include <numeric>

namespace partita::ui {

namespace {

QSpinBox* layerBox(const QString& name)
{
    auto* box = new QSpinBox;
    dressNumberBox(box);
    box->setRange(0, 1 << 20);
    box->setAccessibleName(name);
    box->setToolTip(name);
    wheelOnlyWithFocus(box);
    return box;
}

/// Layers of all chunks of a rank, where chunk c lives on rank c mod stages.
int layersOfRank(const std::vector<int>& split, std::size_t stages, std::size_t rank)
{
    int sum = 0;
    for (std::size_t chunk = rank; chunk < split.size(); chunk += stages) {
        sum += split[chunk];
    }
    return sum;
}

} // namespace

StageEditor::StageEditor(QWidget* parent)
    : QWidget(parent)
    , m_rows(new StageRows)
    , m_layers(layerBox(tr("Layers of the current row")))
    , m_first(layerBox(tr("Layers of the first stage; the stages between share the rest")))
    , m_last(layerBox(tr("Layers of the last stage; the stages between share the rest")))
    , m_text(new QLineEdit)
    , m_problem(new ToneLabel(Tone::Bad, 0.88))
{
    buildCommands();
    auto* top = new QHBoxLayout;
    for (QAction* command : m_commands.mid(0, 3)) {
        auto* button = new QPushButton(command->text());
        button->setToolTip(command->toolTip());
        connect(button, &QPushButton::clicked, command, &QAction::trigger);
        connect(command, &QAction::changed, button, [button, command] { button->setEnabled(command->isEnabled()); });
        top->addWidget(button);
    }
    top->addStretch();
    auto* second = new QHBoxLayout; // of its own: in one row with the buttons they would widen a small window
    const auto field = [second](const QString& text, QWidget* box) {
        auto* label = new QLabel(text);
        label->setBuddy(box);
        second->addWidget(label);
        second->addWidget(box);
    };
    field(tr("&Row"), m_layers);
    field(tr("&First stage"), m_first);
    field(tr("&Last stage"), m_last);
    field(tr("La&yout"), m_text);
    m_text->setAccessibleName(tr("Layout string"));
    m_text->setToolTip(tr("As Megatron-LM writes it: E embedding, t layer, m prediction module, L loss, | end of a "
                          "chunk, *n repeats: Et*3|(tt|)*29,m|L"));
    second->setStretchFactor(m_text, 1);
    m_problem->hide();
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_rows);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus); // the rows take it
    auto* column = new QVBoxLayout(this);
    column->addLayout(top);
    column->addLayout(second);
    column->addWidget(m_problem);
    column->addWidget(scroll, 1);

    connect(m_rows, &StageRows::currentChanged, this, &StageEditor::showFields);
    connect(m_rows, &StageRows::layersAsked, this, &StageEditor::setLayers);
    connect(m_rows, &StageRows::cutAsked, this, &StageEditor::setCut);
    connect(m_rows, &StageRows::dragStarted, this, [this] {
        m_dragging = true;
        m_merge = false;
    });
    connect(m_rows, &StageRows::dragFinished, this, [this] { m_dragging = false; });
    connect(m_layers, &QSpinBox::valueChanged, this, [this](int layers) { setLayers(m_rows->current(), layers); });
    connect(m_first, &QSpinBox::valueChanged, this, &StageEditor::setEnds);
    connect(m_last, &QSpinBox::valueChanged, this, &StageEditor::setEnds);
    connect(m_text, &QLineEdit::editingFinished, this, &StageEditor::setText);
}

void StageEditor::buildCommands()
{
    const auto add = [this](const QString& text, const QString& tip, const auto& trigger) {
        auto* action = new QAction(text, this);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, trigger);
        m_commands << action;
    };
    add(tr("&Even"), tr("As even as possible, the spare layers away from the ends"), [this] { setEven(); });
    add(tr("Balance by &time"), tr("The slowest chunk as fast as it can be, embedding and head counted"),
        [this] { balance(BalanceBy::Time); });
    add(tr("Balance by &memory"), tr("The fullest chunk as small as it can be, activations as the schedule holds them"),
        [this] { balance(BalanceBy::Memory); });
    add(tr("A layer m&ore in the current row"), tr("Taken from the row below, or else above"), [this] {
        if (m_rows->current() >= 0) {
            setLayers(m_rows->current(), m_rows->layers()[static_cast<std::size_t>(m_rows->current())] + 1);
        }
    });
    add(tr("A layer &fewer in the current row"), tr("Given to the row below, or else above"), [this] {
        if (m_rows->current() >= 0) {
            setLayers(m_rows->current(), m_rows->layers()[static_cast<std::size_t>(m_rows->current())] - 1);
        }
    });
}

void StageEditor::setScenario(const Scenario& scenario, const Report& report)
{
    const bool same = m_given && scenario == m_scenario;
    m_scenario = scenario;
    m_given = true;
    Scenario even = scenario;
    even.layout.layersPerStage.clear();
    m_legal = checkLayout(even).empty()
        && checkSchedule(even.layout.schedule, even.layout.pp, static_cast<int>(even.layout.microBatches()),
                         even.layout.vpp)
               .empty();
    for (QAction* command : m_commands) {
        command->setEnabled(m_legal);
    }
    showRows(report);
    if (!same) {
        complain({});
    }
    showFields();
}

QSize StageEditor::sizeHint() const
{
    const int line = fontMetrics().height();
    return {line * 50, line * 14};
}

void StageEditor::showRows(const Report& report)
{
    const Layout& layout = m_scenario.layout;
    std::vector<int> split;
    const bool fits = m_legal
        && (layout.layersPerStage.empty()
            || layout.layersPerStage.size()
                == static_cast<std::size_t>(layout.pp) * static_cast<std::size_t>(layout.vpp));
    if (fits) {
        split = layersPerChunk(m_scenario);
    }
    std::vector<StageRow> rows(split.size());
    const auto stages = static_cast<std::size_t>(layout.pp);
    for (std::size_t chunk = 0; chunk < rows.size(); ++chunk) {
        rows[chunk].layers = split[chunk];
        rows[chunk].name = rows.size() > stages ? tr("stage %1, chunk %2").arg(chunk % stages).arg(chunk / stages)
                                                : tr("stage %1").arg(chunk);
    }
    if (!rows.empty()) {
        rows.front().embedding = true;
        rows.back().predictors = m_scenario.model.multiTokenPrediction;
        rows.back().head = true;
    }
    // Where the chunks live is the schedule's choice: a V brings the second half back up.
    const Placement& placement = report.timeline.placement;
    const bool placed = report.legal() && static_cast<std::size_t>(placement.modelChunks) == rows.size()
        && report.stages.size() == stages;
    for (int rank = 0; placed && rank < placement.stages; ++rank) {
        for (int slot = placement.chunks; slot-- > 0;) {
            const auto chunk = static_cast<std::size_t>(placement.link(rank, slot).modelChunk);
            if (rows.size() > stages) {
                rows[chunk].name = tr("stage %1, chunk %2").arg(rank).arg(slot);
            }
            rows[chunk].costs = slot == 0;
            if (slot == 0) {
                const StageReport& stage = report.stages[static_cast<std::size_t>(rank)];
                rows[chunk].forward = stage.forward;
                rows[chunk].backward = stage.backwardInput + stage.backwardWeight;
                rows[chunk].memory = stage.memory;
            }
        }
    }
    m_looped = true;
    for (int rank = 0; placed && rank < placement.stages; ++rank) {
        for (int slot = 0; slot < placement.chunks; ++slot) {
            m_looped = m_looped && placement.link(rank, slot).modelChunk % placement.stages == rank;
        }
    }
    m_names.clear();
    for (const StageRow& row : rows) {
        m_names.push_back(row.name);
    }
    m_rows->setRows(rows, report.memoryLimit);
}

QString StageEditor::rowName(int row) const
{
    return m_names[static_cast<std::size_t>(row)];
}

void StageEditor::showFields()
{
    const std::vector<int> split = m_rows->layers();
    const bool any = !split.empty();
    const auto stages = static_cast<std::size_t>(std::max(1, m_scenario.layout.pp));
    const int row = m_rows->current();
    for (QWidget* widget : std::initializer_list<QWidget*>{m_layers, m_first, m_last, m_text}) {
        widget->setEnabled(any);
    }
    if (!any || row < 0) {
        return;
    }
    showQuietly(m_layers, split[static_cast<std::size_t>(row)]);
    showQuietly(m_first, layersOfRank(split, stages, 0));
    showQuietly(m_last, layersOfRank(split, stages, stages - 1));
    m_first->setEnabled(m_looped);
    m_last->setEnabled(m_looped && stages > 1);
    if (!m_text->hasFocus() || !m_text->isModified()) {
        m_text->setText(toText(pipelineLayoutText(m_scenario, split)));
    }
}

void StageEditor::setSplit(const std::vector<int>& split, const QString& what, bool merge)
{
    if (split == m_rows->layers()) {
        return showFields(); // a box may have asked for more than there is
    }
    Scenario next = m_scenario;
    next.layout.layersPerStage = split;
    complain({});
    Q_EMIT edited(next, what, merge);
}

void StageEditor::setEven()
{
    if (!m_scenario.layout.layersPerStage.empty()) {
        Scenario next = m_scenario;
        next.layout.layersPerStage.clear();
        Q_EMIT edited(next, tr("Spread layers evenly"), false);
    }
}

void StageEditor::balance(BalanceBy by)
{
    setSplit(balanceStages(m_scenario, by), tr("Balance layers by %1").arg(labelText(by)));
}

void StageEditor::setLayers(int row, int layers)
{
    if (row >= 0) {
        const std::vector<int> split = withLayers(m_rows->layers(), static_cast<std::size_t>(row), layers);
        setSplit(split, tr("Set layers of %1 to %2").arg(rowName(row)).arg(split[static_cast<std::size_t>(row)]));
    }
}

void StageEditor::setCut(int row, int firstLayer)
{
    const std::vector<int> split = withCut(m_rows->layers(), static_cast<std::size_t>(row), firstLayer);
    if (split != m_rows->layers()) {
        const bool merge = m_dragging && m_merge;
        m_merge = m_dragging;
        setSplit(split,
                 tr("Set layers of %1 to %2").arg(rowName(row - 1)).arg(split[static_cast<std::size_t>(row) - 1]),
                 merge);
    }
}

void StageEditor::setEnds()
{
    const Layout& layout = m_scenario.layout;
    const int last = layout.pp > 1 ? m_last->value() : -1;
    const Result<std::vector<int>> split =
        unevenEnds(m_scenario.model.layerCount(), layout.pp, layout.vpp, m_first->value(), last);
    if (!split) {
        return complain(split.problems);
    }
    setSplit(*split, tr("Set layers of the first stage to %1, of the last to %2").arg(m_first->value()).arg(last));
}

void StageEditor::setText()
{
    if (!m_text->isModified()) {
        return;
    }
    const Result<Scenario> next = withPipelineLayout(m_scenario, m_text->text().toStdString());
    if (!next) {
        return complain(next.problems);
    }
    m_text->setModified(false);
    complain({});
    if (*next != m_scenario) {
        Q_EMIT edited(*next, tr("Place layers as %1").arg(m_text->text()), false);
    }
}

QString StageEditor::problem() const
{
    return m_problem->text();
}

void StageEditor::complain(const Problems& problems)
{
    QStringList lines;
    for (const Problem& one : problems) {
        lines << toText(one.value) + u' ' + toText(one.message)
                + (one.suggestion.empty() ? QString() : tr(" (%1)").arg(toText(one.suggestion)));
    }
    m_problem->setText(lines.join(u'\n'));
    m_problem->setVisible(!lines.isEmpty());
}

} // namespace partita::ui
