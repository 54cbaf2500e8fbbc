// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart_page.h"

#include <memory>

class QMimeData;

namespace partita::ui {

/// The page as painted by every format: background, title, chart, caption.
void paintPage(QPainter& painter, const Chart& chart, const ChartPage& page, const QSizeF& size);
/// What the page leaves open follows from the chart's preferred size, with room for title and caption.
QSizeF pageSize(const Chart& chart, const ChartPage& page);

// The same chart and page give the same bytes, except for PDF (it carries identifiers).
QByteArray toSvg(const Chart& chart, const ChartPage& page);
QByteArray toPdf(const Chart& chart, const ChartPage& page);
QByteArray toPng(const Chart& chart, const ChartPage& page, double pixelRatio = 2); ///< pixelRatio 1..4
QByteArray toCsv(const Chart& chart, const ChartPage& page);
/// CSS rules with the bundled font's glyphs for these characters, for what is shown where the font may be missing.
QByteArray fontFaces(const QString& regular, const QString& bold);
/// PNG, SVG and the table as tab-separated text, for the clipboard.
std::unique_ptr<QMimeData> toMimeData(const Chart& chart, const ChartPage& page);

} // namespace partita::ui
