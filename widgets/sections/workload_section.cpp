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
    , m_weights(makeEnumCombo<WeightStorage>())
    , m_gradients(makeEnumCombo<GradientStorage>())
    , m_optimizer(makeEnumCombo<Optimizer>())
    , m_training(makeEnumCombo<Training>())
    , m_adapterRank(new NumberSpin)
    , m_tokens(new QuantitySpin(mostTrillions, tr(" T tokens")))
{
    for (StopSlider* slider : {m_microBatch, m_globalBatch, m_sequence}) {
        addSlider(slider);
    }
    m_sequence->setStops(sequenceStops());
    m_adapterRank->setMaximum(1 << 16);
    m_tokens->setSpecialValueText(tr("none"));
    m_tokens->setToolTip(tr("Tokens to train on, in trillions; days and cost are for this many"));
    const auto row = [this](const char* key, const QString& label, QWidget* control) {
        auto* editor = new FieldRow(QString::fromLatin1(key), label, control);
        enlist(editor);
        body()->addWidget(editor);
    };
    row("workload.precision", tr("Precision"), m_precision);
    row("workload.weights", tr("Weights kept in"), m_weights);
    row("workload.gradients", tr("Gradients kept in"), m_gradients);
    row("workload.optimizer", tr("Optimizer"), m_optimizer);
    row("workload.training", tr("Trained"), m_training);
    row("workload.adapter_rank", tr("Adapter rank"), m_adapterRank);
    row("workload.training_tokens", tr("Token budget"), m_tokens);

    connect(m_microBatch, &StopSlider::edited, this,
            [this](std::int64_t value) { setBatch(LayoutField::MicroBatch, value); });
    connect(m_globalBatch, &StopSlider::edited, this,
            [this](std::int64_t value) { setBatch(LayoutField::GlobalBatch, value); });
    for (const LayoutField field : {LayoutField::MicroBatch, LayoutField::GlobalBatch}) {
        connect(slider(field), &StopSlider::explainRequested, this,
                [this, field](std::int64_t value) { Q_EMIT stopExplained(field, value); });
    }
    connect(m_sequence, &StopSlider::edited, this, [this](std::int64_t value) {
        Workload next = scenario().workload;
        next.sequenceLength = value;
        commitWorkload(next, tr("Set sequence length to %1").arg(toText(formatCount(value))));
    });
    bind(m_precision, &Workload::precision, tr("Set precision to %1"));
    bind(m_weights, &Workload::weights, tr("Set weights to %1"));
    bind(m_gradients, &Workload::gradients, tr("Set gradients to %1"));
    bind(m_optimizer, &Workload::optimizer, tr("Set optimizer to %1"));
    bind(m_training, &Workload::training, tr("Train %1"));
    connect(m_adapterRank, &QSpinBox::valueChanged, this, [this](int rank) {
        Workload next = scenario().workload;
        next.adapterRank = rank;
        commitWorkload(next, tr("Set adapter rank to %1").arg(rank));
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

void WorkloadSection::setStopMarks(LayoutField field, const std::vector<StopMark>& marks)
{
    if (StopSlider* target = slider(field)) {
        target->setMarks(marks);
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

template <class E> void WorkloadSection::bind(QComboBox* combo, E Workload::*member, const QString& what)
{
    connect(combo, &QComboBox::activated, this, [this, combo, member, what](int index) {
        Workload next = scenario().workload;
        next.*member = chosenEnum<E>(combo);
        commitWorkload(next, what.arg(combo->itemText(index)));
    });
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
    showEnum(m_weights, workload.weights);
    showEnum(m_gradients, workload.gradients);
    showEnum(m_optimizer, workload.optimizer);
    showEnum(m_training, workload.training);
    m_adapterRank->setEnabled(workload.training != Training::Full);
    showQuietly(m_adapterRank, workload.adapterRank);
    showQuietly(m_tokens, workload.trainingTokens / trillion);
}

} // namespace partita::ui
