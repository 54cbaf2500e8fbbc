// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "core/explain/explainer.h"
#include "core/formats/catalogue.h"
#include "widgets/chart.h"

#include <QString>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace partita::ui {

// A report as a list of blocks, for every way of writing it: HTML, pages of a PDF, a printer.

struct ReportHeading {
    QString text;
    int level = 2; ///< 1 the title, 2 a section, 3 below
};

struct ReportText {
    QString text;
    bool muted = false;
    bool code = false; ///< line breaks and blanks as they are
};

struct ReportList {
    QStringList items;
};

/// The first column names the row; others are aligned to the right where all their cells are numbers.
struct ReportTable {
    ChartTable table;
};

struct ReportChart {
    std::shared_ptr<const Chart> chart;
};

inline constexpr int unfoldedLevels = 4; ///< of terms below a derivation
inline constexpr std::size_t shownValues = 16; ///< of a list

/// A term of a derivation, or of one that it leads to.
struct ReportTerm {
    struct Given {
        Quantity quantity;
        Measure measure;
    };

    int level = 0;
    QString text; ///< symbol, number, name; the path of what is derived
    QString formula; ///< what follows is made of; empty: it is given, or was unfolded before
    std::optional<Given> given; ///< to be referred to by its number
    std::vector<std::string> assumptions; ///< of the formula
};

struct ReportDerivation {
    Derivation derivation;
    std::vector<ReportTerm> terms; ///< one below the other, for paper: as deep as can be unfolded, each value once
};

/// What the derivations before it rest on: assumptions and given numbers, each once, by the number they were referred
/// to by (see ReportNotes). A way of writing that shows more terms lists more of them.
struct ReportReferences { };

using ReportBlock =
    std::variant<ReportHeading, ReportText, ReportList, ReportTable, ReportChart, ReportDerivation, ReportReferences>;

struct ReportDocument {
    QString title;
    QString footer; ///< model, devices, layout, version
    std::vector<std::string> provenance; ///< the scenario's own text, and that of those it is compared with
    std::vector<ReportBlock> blocks;
};

/// An address or an arXiv number in a text, and where it leads.
struct TextLink {
    qsizetype start = 0;
    qsizetype length = 0;
    QString url;
};
std::vector<TextLink> linksIn(const QString& text);

/// What the explainer of a report derives: serving, too, where the scenario says how it is served.
Explainer::Scope reportScope(const Scenario& scenario);

/// Scenario, headline, charts, tables, derivations, nearest runs, assumptions, limits, sources. explainer: of the
/// scenario and its legal report, with the runs that come with the program. compared: none, or the scenario and those
/// to show beside it.
ReportDocument reportDocument(const Scenario& scenario, const Report& report, const Catalogue& catalogue,
                              const Explainer& explainer, const std::vector<ComparedLayout>& compared = {});

} // namespace partita::ui
