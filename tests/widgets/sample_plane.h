// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/heatmap_chart.h"

/// A plane with a cell of every state; the best is (2, 1), the current (1, 1).
inline partita::ui::HeatmapData samplePlane()
{
    using namespace partita::ui;
    using State = HeatmapCell::State;
    HeatmapData data;
    data.xLabel = QStringLiteral("pipeline parallel");
    data.yLabel = QStringLiteral("tensor parallel");
    data.quantity = QStringLiteral("MFU");
    data.xs = QStringList{QStringLiteral("pp 1"), QStringLiteral("pp 2"), QStringLiteral("pp 4")};
    data.ys = QStringList{QStringLiteral("tp 1"), QStringLiteral("tp 8")};
    data.cells = {{State::OutOfMemory, 0, 31 * 1073741824.0, QStringLiteral("optimizer states bind")},
                  {State::Value, 0.31, 0, {}},
                  {State::Pending, 0, 0, {}},
                  {State::Illegal, 0, 0, QStringLiteral("80 layers do not divide")},
                  {State::Value, 0.40, 0, {}},
                  {State::Value, 0.44, 0, {}}};
    data.current = HeatmapCellIndex{1, 1};
    return data;
}
