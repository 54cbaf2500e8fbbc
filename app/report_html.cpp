// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_html.h"

#include "app/report_notes.h"
#include "core/explain/formula.h"
#include "core/formats/embedded_scenario.h"
#include "widgets/chart_export.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <string>

namespace partita::ui {

namespace {

constexpr auto fontsGoHere = "/* fonts */";
constexpr auto coloursGoHere = "/* colours */";
constexpr auto style = R"(
/* fonts */
/* colours */
body { font: 15px/1.5 "DejaVu Sans", Verdana, sans-serif; color: var(--ink); background: var(--page); margin: 2em auto;
  max-width: 62em; padding: 0 1.5em; }
h1 { font-size: 1.7em; margin: 0 0 .2em; } h2 { font-size: 1.25em; margin: 2em 0 .6em; } h3 { font-size: 1em; margin: 1.6em 0 .3em; }
.muted { color: var(--muted); } code, pre { font: 13px/1.4 "DejaVu Sans Mono", Consolas, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: .8em; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85em; }
th, td { text-align: left; vertical-align: top; padding: .3em 0 .3em .9em; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th:first-child, td:first-child { padding-left: 0; } th { vertical-align: bottom; border-bottom-width: 2px; } .number { text-align: right; } td.number { white-space: nowrap; }
figure { margin: 1em 0 2em; } figure svg { max-width: 100%; height: auto; border: 1px solid var(--line); background: #fff; }
/* Italics of the letters that the document carries, not letters of their own that a machine may lack. */
math { font-size: 1.15em; font-family: inherit; } mi { text-transform: none; font-style: italic; }
mi[mathvariant] { font-style: normal; } .formula { margin: .3em 0; padding: .2em 0; overflow-x: auto; overflow-y: hidden; }
details { margin-left: 1.2em; } summary { cursor: pointer; } .given { margin-left: 2.2em; }
.numbers { overflow-wrap: anywhere; }
@page { margin: 15mm; }
@media print {
  body { font-size: 9pt; max-width: none; margin: 0; padding: 0; }
  h2, h3 { break-after: avoid; } figure, .formula, tr { break-inside: avoid; } thead { display: table-header-group; }
  table { font-size: 7.5pt; } th, td { padding: .2em 0 .2em .7em; } .wide, .formula { overflow: visible; }
  summary { list-style: none; } details, .given { margin-left: 1.2em; }
  figure svg { max-height: 110mm; } a { color: inherit; }
}
)";

QString colours(const Theme& theme, const QString& scheme)
{
    return QStringLiteral(":root { color-scheme: %1; --page: %2; --ink: %3; --muted: %4; --line: %5; }")
        .arg(scheme, theme.card.name(), theme.text.name(), theme.mutedText.name(), theme.border.name());
}

/// Screens may be dark, paper is not. Charts stay on their sheet of paper, as they are exported.
QString colourRules()
{
    return QStringLiteral("%1\n@media screen and (prefers-color-scheme: dark) { %2 }")
        .arg(colours(Theme::paper(), QStringLiteral("light")), colours(Theme::darkMode(), QStringLiteral("dark")));
}

QString escaped(const QString& text)
{
    return text.toHtmlEscaped();
}

QString escaped(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

QString withLinks(const QString& text)
{
    QString html;
    qsizetype at = 0;
    for (const TextLink& link : linksIn(text)) {
        html += escaped(text.mid(at, link.start - at))
            + QStringLiteral("<a href=\"%1\">%2</a>")
                  .arg(escaped(link.url), escaped(text.mid(link.start, link.length)));
        at = link.start + link.length;
    }
    return html + escaped(text.mid(at));
}

bool isNumeric(const ChartTable& table, qsizetype column)
{
    return column > 0 && std::all_of(table.rows.begin(), table.rows.end(), [column](const QStringList& row) {
               return column < row.size() && !row[column].isEmpty()
                   && (row[column][0].isDigit() || row[column][0] == u'-' || row[column][0] == u'$')
                   && row[column].size() < 24;
           });
}

class HtmlWriter {
    Q_DECLARE_TR_FUNCTIONS(Report)

public:
    explicit HtmlWriter(const Explainer& explainer)
        : m_explainer(explainer)
    {
    }

    QByteArray write(const ReportDocument& document)
    {
        m_html = QStringLiteral(
                     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>%1</title>\n<style>%2</style>\n"
                     "</head>\n<body>\n<template>%3</template>\n")
                     .arg(escaped(document.title),
                          QString::fromUtf8(style).replace(QString::fromUtf8(coloursGoHere), colourRules()),
                          QString::fromStdString(scenarioElements(document.provenance)));
        for (const ReportBlock& block : document.blocks) {
            std::visit([this](const auto& each) { add(each); }, block);
        }
        m_html += QStringLiteral("<p class=\"muted\">%1</p>\n</body>\n</html>\n").arg(escaped(document.footer));
        return m_html.replace(QString::fromUtf8(fontsGoHere), QString::fromUtf8(fontFaces(used(), used()))).toUtf8();
    }

private:
    /// Every character of the document once, in their order.
    QString used() const
    {
        QString characters = m_html;
        static const QRegularExpression entity(QStringLiteral("&#x([0-9a-fA-F]+);")); // operators of formulas
        for (auto found = entity.globalMatch(m_html); found.hasNext();) {
            characters += QChar(found.next().captured(1).toUShort(nullptr, 16));
        }
        std::sort(characters.begin(), characters.end());
        characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
        return characters;
    }

    void add(const ReportHeading& heading)
    {
        m_html += QStringLiteral("<h%1>%2</h%1>\n").arg(heading.level).arg(escaped(heading.text));
    }

    void add(const ReportText& text)
    {
        if (text.code) {
            m_html += QStringLiteral("<pre>%1</pre>\n").arg(escaped(text.text));
        } else {
            m_html += QStringLiteral("<p%1>%2</p>\n")
                          .arg(text.muted ? QStringLiteral(" class=\"muted\"") : QString(), escaped(text.text));
        }
    }

    void add(const ReportList& list)
    {
        m_html += QStringLiteral("<ul>\n");
        for (const QString& item : list.items) {
            m_html += QStringLiteral("<li>%1</li>\n").arg(withLinks(item));
        }
        m_html += QStringLiteral("</ul>\n");
    }

    void add(const ReportTable& block) { add(block, QString()); }

    /// anchors: letter of the anchors that number the rows; none when empty.
    void add(const ReportTable& block, const QString& anchors)
    {
        const ChartTable& table = block.table;
        int number = 0;
        const auto row = [&](const QStringList& cells, const QString& tag) {
            m_html += anchors.isEmpty() || tag == QStringLiteral("th")
                ? QStringLiteral("<tr>")
                : QStringLiteral("<tr id=\"%1%2\">").arg(anchors).arg(++number);
            for (qsizetype i = 0; i < cells.size(); ++i) {
                m_html += QStringLiteral("<%1%2>%3</%1>")
                              .arg(tag, isNumeric(table, i) ? QStringLiteral(" class=\"number\"") : QString(),
                                   withLinks(cells[i]));
            }
            m_html += QStringLiteral("</tr>\n");
        };
        m_html += QStringLiteral("<div class=\"wide\"><table>\n<thead>");
        row(table.header, QStringLiteral("th"));
        m_html += QStringLiteral("</thead>\n<tbody>\n");
        for (const QStringList& cells : table.rows) {
            row(cells, QStringLiteral("td"));
        }
        m_html += QStringLiteral("</tbody>\n</table></div>\n");
    }

    void add(const ReportChart& block)
    {
        ChartPage page = chartPage(PageFormat::Chart, Palette::Paper);
        page.embedsFonts = false; // the document carries them once
        QString svg = QString::fromUtf8(toSvg(*block.chart, page));
        svg.remove(0, std::max<qsizetype>(0, svg.indexOf(QStringLiteral("<svg")))); // no prolog inside HTML
        m_html += QStringLiteral("<figure role=\"img\" aria-label=\"%1\">\n%2</figure>\n")
                      .arg(escaped(block.chart->description()), svg);
    }

    void add(const ReportDerivation& block)
    {
        const Derivation& d = block.derivation;
        m_html += QStringLiteral("<section class=\"derivation\">\n<h3>%1: %2 <code class=\"muted\">%3</code></h3>\n")
                      .arg(escaped(d.name), escaped(d.valueText()), escaped(d.path));
        if (!d.formula.empty()) {
            m_html += QStringLiteral("<div class=\"formula\"><math displaystyle=\"true\">%1</math></div>\n<p "
                                     "class=\"numbers\">= %2</p>\n")
                          .arg(QString::fromStdString(d.math()), escaped(d.substituted()));
        }
        addAssumptions(d);
        addTerms(d, unfoldedLevels);
        m_html += QStringLiteral("</section>\n");
    }

    static QString link(const QString& note) { return QStringLiteral("<a href=\"#%1\">%1</a>").arg(note); }

    QString noteOf(const Term& term, const Quantity& quantity)
    {
        const QString note = m_notes.ofConstant(term.measure, quantity);
        return quantity.origin == absentOrigin ? escaped(note) : link(note);
    }

    void addAssumptions(const Derivation& derivation)
    {
        QStringList numbers;
        for (const std::string& text : derivation.assumptions) {
            numbers << link(m_notes.ofAssumption(text));
        }
        if (!numbers.isEmpty()) {
            m_html += QStringLiteral("<p class=\"given muted\">%1</p>\n")
                          .arg(tr("Assumes %1.").arg(numbers.join(QStringLiteral(", "))));
        }
    }

    void add(const ReportReferences&)
    {
        const std::vector<QString>& assumptions = m_notes.assumptions();
        for (std::size_t i = 0; i < assumptions.size(); ++i) {
            m_html += QStringLiteral("<p id=\"A%1\">A%1. %2</p>\n").arg(i + 1).arg(escaped(assumptions[i]));
        }
        add(ReportTable{constantsTable(m_notes)}, QStringLiteral("C"));
    }

    void addTerms(const Derivation& derivation, int depth)
    {
        for (const Term& term : derivation.terms) {
            std::size_t shown = 0;
            for (const Quantity& quantity : term.values) {
                if (term.list && (quantity.value == 0 || shown == shownValues)) {
                    continue;
                }
                ++shown;
                addTerm(term, quantity, depth);
            }
            if (shown == shownValues && term.values.size() > shown) {
                m_html += QStringLiteral("<div class=\"given muted\">%1</div>\n")
                              .arg(tr("… %1 in all").arg(term.values.size()));
            }
        }
    }

    void addTerm(const Term& term, const Quantity& quantity, int depth)
    {
        const SymbolText symbol = symbolText(term.symbol);
        const QString name =
            QStringLiteral("<i>%1</i>%2 = %3, %4")
                .arg(escaped(symbol.base),
                     symbol.subscript.empty() ? QString()
                                              : QStringLiteral("<sub>%1</sub>").arg(escaped(symbol.subscript)),
                     escaped(formatMeasure(quantity.value, term.measure)), escaped(quantity.name));
        if (quantity.path.empty()) {
            m_html += QStringLiteral("<div class=\"given\">%1 <span class=\"muted\">[%2]</span></div>\n")
                          .arg(name, noteOf(term, quantity));
            return;
        }
        // What was unfolded as deep before is not unfolded again.
        Unfolded& before = m_unfolded[quantity.path];
        if (before.depth >= depth && before.depth > 0) {
            m_html +=
                QStringLiteral("<div class=\"given\">%1 <span class=\"muted\">[<a href=\"#%2\">%3</a>]</span></div>\n")
                    .arg(name, before.id, escaped(quantity.path));
            return;
        }
        const Result<Derivation> inner =
            depth == 0 ? Result<Derivation>(Problems{}) : m_explainer.explain(quantity.path);
        if (!inner) {
            m_html += QStringLiteral("<div class=\"given\">%1 <span class=\"muted\">[%2]</span></div>\n")
                          .arg(name, escaped(quantity.path));
            return;
        }
        before = {depth, QStringLiteral("v%1").arg(++m_lastId)};
        m_html += QStringLiteral("<details id=\"%1\"><summary>%2</summary>\n").arg(before.id, name);
        if (!inner->formula.empty()) {
            m_html += QStringLiteral("<div class=\"formula\"><math displaystyle=\"true\">%1</math></div>\n")
                          .arg(QString::fromStdString(inner->math()));
        }
        addAssumptions(*inner);
        addTerms(*inner, depth - 1);
        m_html += QStringLiteral("</details>\n");
    }

    /// How deep a value is unfolded already, and where.
    struct Unfolded {
        int depth = 0;
        QString id;
    };

    const Explainer& m_explainer;
    ReportNotes m_notes;
    std::map<std::string, Unfolded> m_unfolded;
    int m_lastId = 0;
    QString m_html;
};

} // namespace

QByteArray reportHtml(const ReportDocument& document, const Explainer& explainer)
{
    return HtmlWriter(explainer).write(document);
}

} // namespace partita::ui
