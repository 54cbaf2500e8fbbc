// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/layout/layout_text.h"
#include "core/scenario/scenario.h"

#include <QString>

namespace search_cases {

/// A preset model on part of a preset cluster, not split yet. Devices beyond a node must be whole nodes.
inline partita::Scenario scenario(const partita::Catalogue& catalogue, const QString& model, const QString& cluster,
                                  int devices, int batch, const QString& stack = QStringLiteral("megatron-core"))
{
    partita::Scenario scenario;
    scenario.model = *catalogue.model(model.toStdString());
    scenario.cluster = *catalogue.cluster(cluster.toStdString());
    const auto node = static_cast<int>(scenario.cluster.devicesPerNode);
    if (devices % node == 0) {
        scenario.cluster.nodes = devices / node;
    } else {
        scenario.cluster.devicesPerNode = devices;
        scenario.cluster.nodes = 1;
    }
    scenario.stack = *catalogue.stack(stack.toStdString());
    scenario.workload.sequenceLength = 2048;
    scenario.layout.globalBatch = batch;
    scenario.layout.dp = devices;
    return scenario;
}

inline QString textOf(const partita::Layout& layout)
{
    return QString::fromStdString(partita::layoutText(layout));
}

} // namespace search_cases
