// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sections/layout_section.h"

#include "core/base/format.h"
#include "widgets/labels.h"
#include "widgets/search_combo.h"
#include "widgets/stop_slider.h"
#include "widgets/tone_label.h"

#include <QCheckBox>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr std::array degrees{LayoutField::Tp, LayoutField::Pp, LayoutField::Vpp, LayoutField::Cp,
                             LayoutField::Dp, LayoutField::Ep, LayoutField::Etp};
/// In the order of the product line; any of them can be the one that follows from the others.
constexpr std::array factors{LayoutField::Tp, LayoutField::Cp, LayoutField::Pp, LayoutField::Dp};

QString labelOfField(LayoutField field)
{
    return labelText(field);
}

/// What an edit moved besides its own field and the solved degree: "global batch 256 → 512".
QString movedText(const Layout& before, const Layout& after, LayoutField field, LayoutField solved)
{
    QStringList parts;
    const auto add = [&parts](const QString& name, const QString& from, const QString& to) {
        parts << LayoutSection::tr("%1 %2 → %3").arg(name, from, to);
    };
    for (const FieldChange& change : changesBetween(before, after)) {
        if (change.field != field && change.field != solved) {
            add(inSentence(labelOfField(change.field)), toText(formatCount(change.before)),
                toText(formatCount(change.after)));
        }
    }
    if (before.schedule != after.schedule) {
        add(LayoutSection::tr("schedule"), labelText(before.schedule), labelText(after.schedule));
    }
    if (before.shardGroup != after.shardGroup) {
        add(LayoutSection::tr("shard group"), toText(formatCount(before.shardGroup)),
            toText(formatCount(after.shardGroup)));
    }
    if (before.layersPerStage != after.layersPerStage) {
        parts << LayoutSection::tr("layers spread evenly");
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace

QString productText(const Layout& layout, std::int64_t devices)
{
    QStringList parts;
    for (const LayoutField field : factors) {
        parts << QStringLiteral("%1 %2").arg(toText(keyOf(field)), toText(formatCount(valueOf(layout, field))));
    }
    const QString product =
        QStringLiteral("%1 = %2").arg(parts.join(QStringLiteral(" × ")), toText(formatCount(layout.devices())));
    return layout.devices() == devices ? LayoutSection::tr("%1 ✓").arg(product)
                                       : LayoutSection::tr("%1 ✗ not %2").arg(product, toText(formatCount(devices)));
}

LayoutSection::LayoutSection(QWidget* parent)
    : ScenarioSection(tr("Layout"), QStringLiteral("layout"), parent)
    , m_product(new VerdictLabel)
    , m_moved(new ToneLabel(Tone::Muted, 0.88))
    , m_solved(new ChoiceCombo)
    , m_sharding(new ChoiceCombo)
    , m_recompute(makeEnumCombo<Recompute>())
    , m_schedule(makeEnumCombo<ScheduleKind>())
    , m_sequenceParallel(new QCheckBox(tr("on")))
    , m_stack(new SearchCombo)
{
    for (const LayoutField field : degrees) {
        addSlider(field);
    }
    body()->addWidget(m_product);
    body()->addWidget(m_moved);
    m_moved->hide();
    addChoices();
}

void LayoutSection::addSlider(LayoutField field)
{
    auto* slider = new StopSlider(QStringLiteral("layout.") + toText(keyOf(field)), labelOfField(field));
    connect(slider, &StopSlider::edited, this, [this, field](std::int64_t value) { setField(field, value); });
    connect(slider, &StopSlider::dragStarted, this, &LayoutSection::beginDrag);
    connect(slider, &StopSlider::dragFinished, this, &LayoutSection::endDrag);
    connect(slider, &StopSlider::explainRequested, this,
            [this, field](std::int64_t value) { Q_EMIT stopExplained(field, value); });
    m_sliders[field] = slider;
    enlist(slider);
    body()->addWidget(slider);
}

void LayoutSection::addChoices()
{
    const auto row = [this](const char* key, const QString& label, QWidget* control) {
        auto* editor = new FieldRow(QString::fromLatin1(key), label, control);
        enlist(editor);
        body()->addWidget(editor);
    };
    for (const LayoutField field : factors) {
        m_solved->addItem(labelOfField(field));
    }
    m_solved->setToolTip(tr("The degree that follows from the number of devices and the other degrees"));
    m_sharding->addItems({tr("replicated"), tr("ZeRO-1"), tr("ZeRO-2"), tr("ZeRO-3 (FSDP)")});
    m_sharding->setToolTip(tr("What data parallel ranks share out: optimizer states, gradients too, weights too"));
    row("solved", tr("Solved degree"), m_solved);
    row("layout.zero_stage", tr("Sharding"), m_sharding);
    row("layout.recompute", tr("Recompute"), m_recompute);
    row("layout.schedule", tr("Schedule"), m_schedule);
    row("layout.sequence_parallel", tr("Sequence parallel"), m_sequenceParallel);
    row("stack", tr("Stack"), m_stack);
    m_stack->setAccessibleNameOfAll(tr("Stack"));

    connect(m_solved, &QComboBox::activated, this,
            [this](int index) { Q_EMIT solvedChosen(factors[static_cast<std::size_t>(index)]); });
    connect(m_sharding, &QComboBox::activated, this, [this](int stage) {
        Scenario next = scenario();
        next.layout.zeroStage = stage;
        commit(next, tr("Set sharding to %1").arg(m_sharding->itemText(stage)));
    });
    connect(m_recompute, &QComboBox::activated, this, [this](int index) {
        Scenario next = scenario();
        next.layout.recompute = chosenEnum<Recompute>(m_recompute);
        commit(next, tr("Set recompute to %1").arg(m_recompute->itemText(index)));
    });
    connect(m_schedule, &QComboBox::activated, this, [this](int index) {
        Scenario next = scenario();
        next.layout.schedule = chosenEnum<ScheduleKind>(m_schedule);
        commit(next, tr("Set schedule to %1").arg(m_schedule->itemText(index)));
    });
    connect(m_sequenceParallel, &QCheckBox::clicked, this, [this](bool on) {
        Scenario next = scenario();
        next.layout.sequenceParallel = on;
        commit(next, on ? tr("Turn sequence parallel on") : tr("Turn sequence parallel off"));
    });
    connect(m_stack, &SearchCombo::chosen, this, [this](int index) {
        Scenario next = scenario();
        next.stack = m_stacks[static_cast<std::size_t>(index)];
        commit(next, tr("Set stack to %1").arg(toText(next.stack.name)));
    });
}

void LayoutSection::setChoices(const PresetChoices& choices)
{
    m_stacks = choices.stacks;
    m_stack->setChoices(namesOf(m_stacks));
}

void LayoutSection::setStopMarks(LayoutField field, const std::vector<StopMark>& marks)
{
    if (StopSlider* target = slider(field)) {
        target->setMarks(marks);
    }
}

StopSlider* LayoutSection::slider(LayoutField field) const
{
    const auto found = m_sliders.find(field);
    return found == m_sliders.end() ? nullptr : found->second;
}

QString LayoutSection::product() const
{
    return m_product->text();
}

void LayoutSection::setField(LayoutField field, std::int64_t value)
{
    const Scenario next = withLayoutField(editBase(), field, value, state().solved);
    const QString moved = movedText(editBase().layout, next.layout, field, state().solved);
    QString what = tr("Set %1 to %2").arg(inSentence(labelOfField(field)), toText(formatCount(value)));
    if (!moved.isEmpty()) {
        what = tr("%1 (%2)").arg(what, moved);
    }
    m_moved->setText(moved.isEmpty() ? QString() : tr("also moved: %1").arg(moved));
    m_movedIn = next.layout;
    commit(next, what);
}

void LayoutSection::showExperts()
{
    const bool experts = hasExperts(scenario().model);
    for (const LayoutField field : {LayoutField::Ep, LayoutField::Etp}) {
        m_sliders[field]->setVisible(experts || valueOf(scenario().layout, field) != 1);
    }
}

void LayoutSection::showState()
{
    const Layout& layout = scenario().layout;
    for (const auto& [field, slider] : m_sliders) {
        slider->setSolved(field == state().solved);
        slider->setStops(stopsOf(scenario(), field, state().solved));
        slider->setValue(valueOf(layout, field));
    }
    showExperts();
    const std::int64_t devices = scenario().cluster.devices();
    m_product->setText(productText(layout, devices));
    m_product->setTone(layout.devices() == devices ? Tone::Good : Tone::Bad);
    m_moved->setVisible(!m_moved->text().isEmpty() && layout == m_movedIn);

    const auto solved = std::find(factors.begin(), factors.end(), state().solved);
    m_solved->setCurrentIndex(static_cast<int>(solved - factors.begin()));
    m_sharding->setCurrentIndex(layout.zeroStage);
    showEnum(m_recompute, layout.recompute);
    showEnum(m_schedule, layout.schedule);
    m_sequenceParallel->setChecked(layout.sequenceParallel);
    showPreset(m_stack, m_stacks, scenario().stack);
}

} // namespace partita::ui
