// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sections/model_section.h"

#include "core/base/format.h"
#include "core/model/check_model.h"
#include "core/model/parameters.h"
#include "widgets/number_spin.h"
#include "widgets/search_combo.h"
#include "widgets/tone_label.h"

#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

QString nameWithCount(const Model& model)
{
    const QString name = toText(model.name);
    return checkModel(model).empty()
        ? QStringLiteral("%1  %2").arg(name, toText(formatCount(parameters(model).total())))
        : name;
}

const LayerKind* commonestKind(const Model& model)
{
    std::vector<int> uses(model.kinds.size());
    for (const int kind : model.layers) {
        ++uses[static_cast<std::size_t>(kind)];
    }
    const auto most = std::max_element(uses.begin(), uses.end());
    return most == uses.end() ? nullptr : &model.kinds[static_cast<std::size_t>(most - uses.begin())];
}

struct MixerWords {
    QString operator()(const std::monostate&) const { return {}; }
    QString operator()(const Attention& a) const
    {
        return a.heads == a.kvHeads ? ModelSection::tr("%1 heads").arg(a.heads)
                                    : ModelSection::tr("%1 q / %2 kv heads").arg(a.heads).arg(a.kvHeads);
    }
    QString operator()(const LatentAttention& a) const
    {
        return ModelSection::tr("%1 heads, latent %2").arg(a.heads).arg(a.kvRank);
    }
    QString operator()(const Mamba1& m) const
    {
        return ModelSection::tr("Mamba %1, state %2").arg(m.innerWidth).arg(m.stateSize);
    }
    QString operator()(const Mamba2& m) const
    {
        return ModelSection::tr("Mamba-2 %1 heads, state %2").arg(m.heads).arg(m.stateSize);
    }
    QString operator()(const GatedDelta& g) const { return ModelSection::tr("gated delta %1 heads").arg(g.valueHeads); }
};

struct FeedForwardWords {
    QString operator()(const std::monostate&) const { return {}; }
    QString operator()(const DenseFfn& f) const { return ModelSection::tr("ffn %1").arg(f.width); }
    QString operator()(const MoeFfn& f) const
    {
        return ModelSection::tr("%1 experts of %2, top %3").arg(f.experts).arg(f.expertWidth).arg(f.topK);
    }
};

} // namespace

struct ModelSection::SizeField {
    std::int64_t UniformSizes::*member;
    const char* key;
    const char* label;
    bool expertsOnly;
};

const std::vector<ModelSection::SizeField>& ModelSection::sizeFields()
{
    static const std::vector<SizeField> fields{
        {&UniformSizes::layers, "model.layers", QT_TR_NOOP("Layers"), false},
        {&UniformSizes::hidden, "model.hidden", QT_TR_NOOP("Hidden size"), false},
        {&UniformSizes::heads, "model.kinds[].mixer.heads", QT_TR_NOOP("Query heads"), false},
        {&UniformSizes::kvHeads, "model.kinds[].mixer.kvHeads", QT_TR_NOOP("Key-value heads"), false},
        {&UniformSizes::headDim, "model.kinds[].mixer.headDim", QT_TR_NOOP("Head dimension"), false},
        {&UniformSizes::ffn, "model.kinds[].feedForward", QT_TR_NOOP("Feed-forward"),
         false}, // one width, or an expert's
        {&UniformSizes::vocabulary, "model.vocabulary", QT_TR_NOOP("Vocabulary"), false},
        {&UniformSizes::experts, "model.kinds[].feedForward.experts", QT_TR_NOOP("Experts"), true},
        {&UniformSizes::topK, "model.kinds[].feedForward.topK", QT_TR_NOOP("Experts a token"), true},
    };
    return fields;
}

QString describeModel(const Model& model)
{
    QStringList parts{model.layerCount() == 1 ? ModelSection::tr("1 layer")
                                              : ModelSection::tr("%1 layers").arg(model.layerCount()),
                      ModelSection::tr("h %1").arg(model.hidden)};
    if (const LayerKind* kind = commonestKind(model)) {
        parts << std::visit(MixerWords{}, kind->mixer) << std::visit(FeedForwardWords{}, kind->feedForward);
    }
    if (model.kinds.size() > 1) {
        parts << ModelSection::tr("%1 kinds of layers").arg(model.kinds.size());
    }
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

ModelSection::ModelSection(QWidget* parent)
    : ScenarioSection(tr("Model"), QStringLiteral("model"), parent)
    , m_preset(new SearchCombo)
    , m_line(new ToneLabel(Tone::Muted, 0.92))
    , m_notUniform(new ToneLabel(Tone::Muted, 0.92))
    , m_reset(new QPushButton(tr("Back to the preset")))
{
    m_preset->setAccessibleNameOfAll(tr("Model preset"));
    wheelOnlyWithFocus(m_preset);
    body()->addWidget(m_preset);
    body()->addWidget(m_line);
    m_sizes = addFold(tr("Sizes"));
    buildSizes();
    connect(m_preset, &SearchCombo::chosen, this, &ModelSection::choose);
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (const Model* original = preset()) {
            choose(static_cast<int>(original - m_models.data()));
        }
    });
}

void ModelSection::buildSizes()
{
    m_notUniform->setText(tr("The layers of this model are not all alike; its sizes are edited in its file."));
    m_sizes->body()->addWidget(m_notUniform);
    for (const SizeField& field : sizeFields()) {
        auto* spin = new NumberSpin;
        auto* row = new FieldRow(QString::fromLatin1(field.key), tr(field.label), spin);
        if (field.member == &UniformSizes::layers) {
            spin->setMaximum(static_cast<int>(ModelBounds::layers)); // each is an element of a list
        }
        connect(spin, &QSpinBox::valueChanged, this, [this, &field](int value) { commitSize(field, value); });
        enlist(row);
        m_sizes->body()->addWidget(row);
        m_sizeRows.push_back(row);
        m_sizeSpins.push_back(spin);
    }
    m_reset->setAccessibleName(m_reset->text());
    m_sizes->body()->addWidget(m_reset, 0, Qt::AlignRight);
}

const Model* ModelSection::preset() const
{
    const auto found = std::find_if(m_models.begin(), m_models.end(),
                                    [this](const Model& model) { return model.id == scenario().model.id; });
    return found == m_models.end() ? nullptr : &*found;
}

void ModelSection::setChoices(const PresetChoices& choices)
{
    m_models = choices.models;
    QStringList names;
    for (const Model& model : m_models) {
        names << nameWithCount(model);
    }
    m_preset->setChoices(names);
}

void ModelSection::choose(int index)
{
    Scenario next = scenario();
    next.model = m_models[static_cast<std::size_t>(index)];
    commit(next, tr("Set model to %1").arg(toText(next.model.name)));
}

void ModelSection::commitSize(const SizeField& field, std::int64_t value)
{
    std::optional<UniformSizes> sizes = uniformSizes(scenario().model);
    if (!sizes) {
        return;
    }
    (*sizes).*field.member = value;
    Scenario next = scenario();
    next.model = withSizes(next.model, *sizes);
    commit(next, tr("Set %1 to %2").arg(inSentence(tr(field.label)), toText(formatCount(value))));
}

void ModelSection::showState()
{
    const Model& model = scenario().model;
    const Model* original = preset();
    const bool changed = original && *original != model;
    const QString shown = nameWithCount(model);
    m_preset->showChoice(original ? static_cast<int>(original - m_models.data()) : -1,
                         changed ? tr("%1 (edited)").arg(shown) : shown);
    m_line->setText(describeModel(model));
    m_reset->setVisible(changed);

    const std::optional<UniformSizes> sizes = uniformSizes(model);
    m_notUniform->setVisible(!sizes);
    for (std::size_t i = 0; i < m_sizeRows.size(); ++i) {
        const SizeField& field = sizeFields()[i];
        m_sizeRows[i]->setVisible(sizes && (!field.expertsOnly || sizes->experts > 0));
        if (sizes) {
            showQuietly(m_sizeSpins[i], (*sizes).*field.member);
        }
    }
}

} // namespace partita::ui
