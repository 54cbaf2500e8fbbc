// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/report_document.h"

namespace partita::ui {

/// One self-contained file: charts as inline SVG, formulas as MathML, derivations that unfold down to presets, the
/// scenario inside. Prints to A4 and Letter. The same document gives the same bytes. explainer: that of the document.
QByteArray reportHtml(const ReportDocument& document, const Explainer& explainer);

} // namespace partita::ui
