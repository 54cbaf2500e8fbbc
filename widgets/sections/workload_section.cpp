// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sections/workload_section.h"

#include "core/base/format.h"
#include "widgets/labels.h"
#include "widgets/number_spin.h"
#include "widgets/search_combo.h"
#include "widgets/stop_slider.h"

#include <QVBoxLayout>

namespace partita::ui {

namespace {

constexpr double trillion = 1e12;
constexpr double mostTrillions = 100'000;

/// Powers of two from a short context to the longest trained for.
std::vector<std::int64_t> sequenceStops()
{
    constexpr std::int64_t shortest = 512;
    constexpr std::int64_t longest = std::int64_t{1} << 20;
    std::vector<std::int64_t> stops;
    for (std::int64_t length = shortest; length <= longest; length *= 2) {
        stops.push_back(length);
    }
    return stops;
}

StopSlider* makeSlider(LayoutField field)
{
    return new StopSlider(QStringLiteral("layout.") + toText(keyOf(field)), labelText(field),
                          WorkloadSection::tr("sequences"));
}

} // namespace

WorkloadSection::WorkloadSection(QWidget* parent)
    : ScenarioSection(tr("Workload"), QStringLiteral("workload"), parent)
    , m_microBatch(makeSlider(LayoutField::MicroBatch))
    , m_globalBatch(makeSlider(LayoutField::GlobalBatch))
    , m_sequence(new StopSlider(QStringLiteral("workload.sequence_length"), tr("Sequence length"), tr("tokens")))
    , m_precision(makeEnumCombo<Precision>())
    , m_optimizer(makeEnumCombo<Optimizer>())
    , m_tokens(new QuantitySpin(mostTrillions, tr(" T tokens")))
{
    for (StopSlider* slider : {m_microBatch, m_globalBatch, m_sequence}) {
        addSlider(slider);
    }
    m_sequence->setStops(sequenceStops());
    m_tokens->setSpecialValueText(tr("none"));
    m_tokens->setToolTip(tr("Tokens to train on, in trillions; days and cost are for this many"));
    const auto row = [this](const char* key, const QString& label, QWidget* control) {
        auto* editor = new FieldRow(QString::fromLatin1(key), label, control);
        enlist(editor);
        body()->addWidget(editor);
    };
    row("workload.precision", tr("Precision"), m_precision);
    row("workload.optimizer", tr("Optimizer"), m_optimizer);
    row("workload.training_tokens", tr("Token budget"), m_tokens);

    connect(m_microBatch, &StopSlider::edited, this,
            [this](std::int64_t value) { setBatch(LayoutField::MicroBatch, value); });
    connect(m_globalBatch, &StopSlider::edited, this,
            [this](std::int64_t value) { setBatch(LayoutField::GlobalBatch, value); });
    connect(m_sequence, &StopSlider::edited, this, [this](std::int64_t value) {
        Workload next = scenario().workload;
        next.sequenceLength = value;
        commitWorkload(next, tr("Set sequence length to %1").arg(toText(formatCount(value))));
    });
    connect(m_precision, &QComboBox::activated, this, [this](int index) {
        Workload next = scenario().workload;
        next.precision = chosenEnum<Precision>(m_precision);
        commitWorkload(next, tr("Set precision to %1").arg(m_precision->itemText(index)));
    });
    connect(m_optimizer, &QComboBox::activated, this, [this](int index) {
        Workload next = scenario().workload;
        next.optimizer = chosenEnum<Optimizer>(m_optimizer);
        commitWorkload(next, tr("Set optimizer to %1").arg(m_optimizer->itemText(index)));
    });
    connect(m_tokens, &QDoubleSpinBox::valueChanged, this, [this](double trillions) {
        Workload next = scenario().workload;
        next.trainingTokens = trillions * trillion;
        commitWorkload(next, tr("Set token budget to %1").arg(toText(formatScaled(next.trainingTokens))));
    });
}

void WorkloadSection::addSlider(StopSlider* slider)
{
    connect(slider, &StopSlider::dragStarted, this, &WorkloadSection::beginDrag);
    connect(slider, &StopSlider::dragFinished, this, &WorkloadSection::endDrag);
    enlist(slider);
    body()->addWidget(slider);
}

void WorkloadSection::setStopCosts(LayoutField field, const std::vector<StopCost>& costs)
{
    if (StopSlider* target = slider(field)) {
        target->setMarks(costs);
    }
}

StopSlider* WorkloadSection::slider(LayoutField field) const
{
    return field == LayoutField::MicroBatch ? m_microBatch
        : field == LayoutField::GlobalBatch ? m_globalBatch
                                            : nullptr;
}

void WorkloadSection::setBatch(LayoutField field, std::int64_t value)
{
    // Not the core's withField: a batch is no degree, nothing has to be solved, and nothing else may move.
    Scenario next = scenario();
    setValueOf(next.layout, field, value);
    commit(next, tr("Set %1 to %2").arg(inSentence(labelText(field)), toText(formatCount(value))));
}

void WorkloadSection::commitWorkload(const Workload& workload, const QString& what)
{
    Scenario next = scenario();
    next.workload = workload;
    commit(next, what);
}

void WorkloadSection::showState()
{
    const Layout& layout = scenario().layout;
    const Workload& workload = scenario().workload;
    for (const LayoutField field : {LayoutField::MicroBatch, LayoutField::GlobalBatch}) {
        slider(field)->setStops(stopsOf(scenario(), field, state().solved));
        slider(field)->setValue(valueOf(layout, field));
    }
    m_globalBatch->setDetail(
        tr("%1 tokens a step").arg(toText(formatCount(layout.globalBatch * workload.sequenceLength))));
    m_sequence->setValue(workload.sequenceLength);
    showEnum(m_precision, workload.precision);
    showEnum(m_optimizer, workload.optimizer);
    showQuietly(m_tokens, workload.trainingTokens / trillion);
}

} // namespace partita::ui
