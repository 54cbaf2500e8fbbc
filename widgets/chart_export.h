// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"

#include <memory>

class QMimeData;

namespace partita::ui {

/// A chart as it goes into a document.
struct ChartPage {
    QSizeF size; ///< of the whole page, 1/96 inch; empty: the chart's preferred size with room for title and caption
    Theme theme = Theme::paper();
    bool title = true;
    QString caption; ///< below the picture: scenario, version, assumptions
    QString provenance; ///< kept as metadata in SVG and PNG: the scenario from which the picture can be drawn again
};

/// Millimetres to the unit of ChartPage::size.
constexpr double fromMillimetres(double mm)
{
    return mm / 25.4 * 96;
}

/// The page as painted by every format: background, title, chart, caption.
void paintPage(QPainter& painter, const Chart& chart, const ChartPage& page, const QSizeF& size);
QSizeF pageSize(const Chart& chart, const ChartPage& page);

// The same chart and page give the same bytes, except for PDF (it carries identifiers).
QByteArray toSvg(const Chart& chart, const ChartPage& page);
QByteArray toPdf(const Chart& chart, const ChartPage& page);
QByteArray toPng(const Chart& chart, const ChartPage& page, double pixelRatio = 2); ///< pixelRatio 1..4
QByteArray toCsv(const Chart& chart);
/// PNG, SVG and the table as tab-separated text, for the clipboard.
std::unique_ptr<QMimeData> toMimeData(const Chart& chart, const ChartPage& page);

} // namespace partita::ui
