// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sections/cluster_section.h"

#include "core/base/format.h"
#include "widgets/number_spin.h"
#include "widgets/search_combo.h"
#include "widgets/sections/levels_editor.h"
#include "widgets/tone_label.h"

#include <QVBoxLayout>

namespace partita::ui {

namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr double mostMemory = 100'000; ///< GiB; more than any device for a while

QString describeCluster(const Cluster& cluster)
{
    QString line =
        ClusterSection::tr("%1 devices · %2 each")
            .arg(toText(formatCount(cluster.devices())), toText(formatBytes(cluster.accelerator.memoryBytes)));
    if (cluster.accelerator.peak.bf16 > 0) {
        constexpr double teraflops = 1e12;
        line += ClusterSection::tr(" · %1 TFLOP/s BF16")
                    .arg(toText(formatSignificant(cluster.accelerator.peak.bf16 / teraflops)));
    }
    return line;
}

} // namespace

ClusterSection::ClusterSection(QWidget* parent)
    : ScenarioSection(tr("Cluster"), QStringLiteral("cluster"), parent)
    , m_preset(new SearchCombo)
    , m_line(new ToneLabel(Tone::Muted, 0.92))
    , m_accelerator(new SearchCombo)
    , m_nodes(new NumberSpin)
    , m_perNode(new NumberSpin)
    , m_memory(new QuantitySpin(mostMemory, tr(" GiB")))
    , m_levels(new LevelsEditor)
{
    m_preset->setAccessibleNameOfAll(tr("Cluster preset"));
    wheelOnlyWithFocus(m_preset);
    body()->addWidget(m_preset);
    body()->addWidget(m_line);
    QVBoxLayout* place = body();
    const auto row = [&](const char* key, const QString& label, QWidget* control) {
        auto* editor = new FieldRow(QString::fromLatin1(key), label, control);
        enlist(editor);
        place->addWidget(editor);
    };
    row("cluster.accelerator", tr("Accelerator"), m_accelerator);
    m_accelerator->setAccessibleNameOfAll(tr("Accelerator"));
    row("cluster.nodes", tr("Nodes"), m_nodes);
    row("cluster.devices_per_node", tr("Devices per node"), m_perNode);
    place = addFold(tr("Memory and network"))->body();
    row("cluster.accelerator.memoryBytes", tr("Memory per device"), m_memory);
    enlist(m_levels);
    place->addWidget(m_levels);

    connect(m_preset, &SearchCombo::chosen, this, [this](int index) {
        const Cluster& chosen = m_clusters[static_cast<std::size_t>(index)];
        commitCluster(chosen, tr("Set cluster to %1").arg(toText(chosen.name)));
    });
    connect(m_accelerator, &SearchCombo::chosen, this, [this](int index) {
        Cluster next = scenario().cluster;
        next.accelerator = m_accelerators[static_cast<std::size_t>(index)];
        commitCluster(next, tr("Set accelerator to %1").arg(toText(next.accelerator.name)));
    });
    connect(m_nodes, &QSpinBox::valueChanged, this, [this](int count) {
        Cluster next = scenario().cluster;
        next.nodes = count;
        commitCluster(next, tr("Set nodes to %1").arg(toText(formatCount(count))));
    });
    connect(m_perNode, &QSpinBox::valueChanged, this, &ClusterSection::setDevicesPerNode);
    connect(m_memory, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        Cluster next = scenario().cluster;
        next.accelerator.memoryBytes = value * gibibyte;
        commitCluster(next, tr("Set memory per device to %1").arg(toText(formatBytes(next.accelerator.memoryBytes))));
    });
    connect(m_levels, &LevelsEditor::edited, this, [this](const std::vector<Level>& levels, const QString& what) {
        Cluster next = scenario().cluster;
        next.levels = levels;
        commitCluster(next, what);
    });
}

void ClusterSection::setChoices(const PresetChoices& choices)
{
    m_clusters = choices.clusters;
    m_accelerators = choices.accelerators;
    m_preset->setChoices(namesOf(m_clusters));
    m_accelerator->setChoices(namesOf(m_accelerators));
}

void ClusterSection::commitCluster(const Cluster& cluster, const QString& what)
{
    Scenario next = scenario();
    next.cluster = cluster;
    if (cluster.devices() != scenario().cluster.devices()) {
        next = withSolvedDegree(next, state().solved);
    }
    commit(next, what);
}

void ClusterSection::setDevicesPerNode(std::int64_t count)
{
    Cluster next = scenario().cluster;
    QString what = tr("Set devices per node to %1").arg(toText(formatCount(count)));
    // The level that joins a node's devices is the node: its size is the same fact.
    for (Level& level : next.levels) {
        if (level.domain == next.devicesPerNode) {
            level.domain = count;
            what = tr("%1 (%2 too)").arg(what, toText(level.name));
            break;
        }
    }
    next.devicesPerNode = count;
    commitCluster(next, what);
}

void ClusterSection::showState()
{
    const Cluster& cluster = scenario().cluster;
    showPreset(m_preset, m_clusters, cluster);
    showPreset(m_accelerator, m_accelerators, cluster.accelerator);
    m_line->setText(describeCluster(cluster));
    showQuietly(m_nodes, cluster.nodes);
    showQuietly(m_perNode, cluster.devicesPerNode);
    showQuietly(m_memory, cluster.accelerator.memoryBytes / gibibyte);
    m_levels->setLevels(cluster.levels);
}

} // namespace partita::ui
