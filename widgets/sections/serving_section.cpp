// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sections/serving_section.h"

#include "core/base/format.h"
#include "widgets/labels.h"
#include "widgets/number_spin.h"
#include "widgets/search_combo.h"

#include <QVBoxLayout>

namespace partita::ui {

namespace {

constexpr double milliseconds = 1e3; // in a second
constexpr double mostMilliseconds = 1e6;

} // namespace

ServingSection::ServingSection(QWidget* parent)
    : ScenarioSection(tr("Serving"), QStringLiteral("serving"), parent)
    , m_prompt(addCount("serving.prompt", tr("Prompt"), &Serving::prompt))
    , m_output(addCount("serving.output", tr("Output"), &Serving::output))
    , m_batch(addCount("serving.batch", tr("Batch of a step"), &Serving::batch))
    , m_batching(addChoice("serving.batching", tr("Batching"), &Serving::batching))
    , m_weights(addChoice("serving.weights", tr("Weights"), &Serving::weights))
    , m_quantised(addChoice("serving.quantised", tr("Quantised"), &Serving::quantised))
    , m_keyValues(addChoice("serving.key_values", tr("Keys and values"), &Serving::keyValues))
    , m_ttft(addLimit("serving.ttft_limit", tr("First token within"), &Serving::ttftLimit))
    , m_tpot(addLimit("serving.tpot_limit", tr("Tokens apart at most"), &Serving::tpotLimit))
{
}

QSpinBox* ServingSection::addCount(const char* key, const QString& label, std::int64_t Serving::*member)
{
    auto* box = new NumberSpin;
    box->setMaximum(1 << 24);
    auto* row = new FieldRow(QString::fromLatin1(key), label, box);
    enlist(row);
    body()->addWidget(row);
    connect(box, &QSpinBox::valueChanged, this, [this, label, member](int value) {
        Serving next = scenario().serving;
        next.*member = value;
        commitServing(next, tr("Set %1 to %2").arg(inSentence(label), toText(formatCount(value))));
    });
    return box;
}

QDoubleSpinBox* ServingSection::addLimit(const char* key, const QString& label, double Serving::*member)
{
    auto* box = new QuantitySpin(mostMilliseconds, tr(" ms"));
    box->setSpecialValueText(tr("none"));
    auto* row = new FieldRow(QString::fromLatin1(key), label, box);
    enlist(row);
    body()->addWidget(row);
    connect(box, &QDoubleSpinBox::valueChanged, this, [this, label, member](double value) {
        Serving next = scenario().serving;
        next.*member = value / milliseconds;
        commitServing(next, tr("Set %1").arg(inSentence(label)));
    });
    return box;
}

template <class E> QComboBox* ServingSection::addChoice(const char* key, const QString& label, E Serving::*member)
{
    QComboBox* combo = makeEnumCombo<E>();
    auto* row = new FieldRow(QString::fromLatin1(key), label, combo);
    enlist(row);
    body()->addWidget(row);
    connect(combo, &QComboBox::activated, this, [this, combo, label, member](int index) {
        Serving next = scenario().serving;
        next.*member = chosenEnum<E>(combo);
        commitServing(next, tr("Set %1 to %2").arg(inSentence(label), combo->itemText(index)));
    });
    return combo;
}

void ServingSection::commitServing(const Serving& serving, const QString& what)
{
    Scenario next = scenario();
    next.serving = serving;
    commit(next, what);
}

void ServingSection::showState()
{
    const Serving& serving = scenario().serving;
    showQuietly(m_prompt, serving.prompt);
    showQuietly(m_output, serving.output);
    showQuietly(m_batch, serving.batch);
    showEnum(m_batching, serving.batching);
    showEnum(m_weights, serving.weights);
    showEnum(m_quantised, serving.quantised);
    showEnum(m_keyValues, serving.keyValues);
    showQuietly(m_ttft, serving.ttftLimit * milliseconds);
    showQuietly(m_tpot, serving.tpotLimit * milliseconds);
}

} // namespace partita::ui
