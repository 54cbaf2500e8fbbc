// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_pages.h"

#include "app/report_notes.h"
#include "core/formats/embedded_scenario.h"
#include "widgets/chart_export.h"
#include "widgets/drawing.h"
#include "widgets/formula_box.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPageLayout>
#include <QPagedPaintDevice>
#include <QPainter>
#include <QPdfWriter>
#include <QTextCharFormat>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double cellGap = 8;
constexpr double rowGap = 4;
constexpr double smallestScale = 0.62; ///< of type in a table that is too wide

QFont sized(QFont font, double pixels, bool bold = false)
{
    font.setPixelSize(std::max(5, static_cast<int>(std::lround(pixels))));
    font.setBold(bold);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

/// Text broken to a width; words that are longer are broken, too.
struct Lines {
    std::shared_ptr<QTextLayout> layout;
    double height = 0;
    double widest = 0;
};

Lines broken(const QString& text, const QFont& font, double width, Qt::Alignment alignment = Qt::AlignLeft)
{
    Lines lines;
    lines.layout = std::make_shared<QTextLayout>(text, font);
    QTextOption option(alignment);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    lines.layout->setTextOption(option);
    QList<QTextLayout::FormatRange> links;
    for (const TextLink& link : linksIn(text)) {
        QTextCharFormat format; // Qt writes anchors as links into a PDF
        format.setAnchor(true);
        format.setAnchorHref(link.url);
        links.append({static_cast<int>(link.start), static_cast<int>(link.length), format});
    }
    lines.layout->setFormats(links);
    lines.layout->beginLayout();
    for (QTextLine line = lines.layout->createLine(); line.isValid(); line = lines.layout->createLine()) {
        line.setLineWidth(width);
        line.setPosition(QPointF(0, lines.height));
        lines.height += line.height();
        lines.widest = std::max(lines.widest, line.naturalTextWidth());
    }
    lines.layout->endLayout();
    return lines;
}

void draw(QPainter& painter, const Lines& lines, const QPointF& at, const QColor& color)
{
    painter.setPen(color);
    lines.layout->draw(&painter, at);
}

} // namespace

/// Puts blocks below one another and starts a page where one does not fit.
class ReportPages::Setter {
    Q_DECLARE_TR_FUNCTIONS(Report)

public:
    explicit Setter(ReportPages& pages)
        : m_pages(pages)
        , m_width(pages.m_room.width())
        , m_height(pages.m_room.height() - 24) // the footer's line
        , m_theme(Theme::paper())
    {
        m_pages.m_pages.emplace_back();
    }

    void add(const ReportHeading& heading)
    {
        const double size = heading.level == 1 ? 22 : heading.level == 2 ? 16 : 12;
        const double above = m_top > 0 ? size : 0;
        const Lines lines = broken(heading.text, sized(m_theme.font, size, true), m_width);
        // A heading stays with what follows.
        need(above + lines.height + (heading.level == 1 ? 40 : 90));
        m_top += m_top > 0 ? above : 0;
        place(lines.height, [lines, color = m_theme.text](QPainter& painter, double top) {
            draw(painter, lines, QPointF(0, top), color);
        });
        m_top += size / 3;
    }

    void add(const ReportText& block)
    {
        for (const QString& paragraph : block.code ? block.text.split(u'\n') : QStringList{block.text}) {
            paragraphAt(0, paragraph, 10, block.muted ? m_theme.mutedText : m_theme.text);
        }
        m_top += 6;
    }

    void add(const ReportList& list)
    {
        for (const QString& item : list.items) {
            const double top = m_top;
            const std::size_t page = m_pages.count();
            paragraphAt(14, item, 10, m_theme.text);
            const double bullet = page == m_pages.count() ? top : 0;
            m_pages.m_pages.back().push_back({bullet, [this_ = m_theme](QPainter& painter, double at) {
                                                  painter.setFont(sized(this_.font, 10));
                                                  painter.setPen(this_.text);
                                                  painter.drawText(QPointF(2, at + 10), QStringLiteral("•"));
                                              }});
        }
        m_top += 6;
    }

    void add(const ReportChart& block)
    {
        ChartPage page = chartPage(PageFormat::Chart, Palette::Paper);
        page.size = {m_width, 0};
        QSizeF size = pageSize(*block.chart, page);
        size.setHeight(std::min(size.height(), m_height));
        need(size.height());
        place(size.height(), [chart = block.chart, page, size](QPainter& painter, double top) {
            painter.save();
            painter.translate(0, top);
            paintPage(painter, *chart, page, size);
            painter.restore();
        });
        m_top += 10;
    }

    void add(const ReportDerivation& block)
    {
        const Derivation& d = block.derivation;
        add(ReportHeading{
            QStringLiteral("%1: %2").arg(QString::fromStdString(d.name), QString::fromStdString(d.valueText())), 3});
        const FormulaBox box = layOutFormula(d, QString(), sized(m_theme.font, 13));
        if (!box.pieces.empty()) {
            const double scale = std::min(1.0, m_width / std::max(1.0, box.size.width()));
            need(box.size.height() * scale + 4);
            place(box.size.height() * scale + 4, [box, scale, color = m_theme.text](QPainter& painter, double top) {
                painter.save();
                painter.translate(0, top);
                painter.scale(scale, scale);
                paintFormula(painter, box, QPointF(0, 0), color);
                painter.restore();
            });
            paragraphAt(0, QStringLiteral("= ") + QString::fromStdString(d.substituted()), 10, m_theme.text);
        }
        for (const ReportTerm& term : block.terms) {
            constexpr double step = 14;
            const double indent = step * (term.level + 1);
            const QString from = term.given
                ? QStringLiteral(" [%1]").arg(m_notes.ofConstant(term.given->measure, term.given->quantity))
                : QString();
            paragraphAt(indent, term.text + from, 9, m_theme.mutedText);
            if (!term.formula.isEmpty()) {
                paragraphAt(indent + step / 2, QStringLiteral("= ") + term.formula, 9, m_theme.mutedText);
            }
            addAssumptions(indent + step / 2, term.assumptions);
        }
        addAssumptions(14, d.assumptions);
        m_top += 6;
    }

    void addAssumptions(double indent, const std::vector<std::string>& assumptions)
    {
        if (const QString numbers = m_notes.listOf(assumptions); !numbers.isEmpty()) {
            paragraphAt(indent, tr("Assumes %1.").arg(numbers), 9, m_theme.mutedText);
        }
    }

    void add(const ReportReferences&)
    {
        for (std::size_t i = 0; i < m_notes.assumptions().size(); ++i) {
            paragraphAt(14, QStringLiteral("A%1. %2").arg(i + 1).arg(m_notes.assumptions()[i]), 10, m_theme.text);
        }
        m_top += 6;
        add(ReportTable{constantsTable(m_notes)});
    }

    void add(const ReportTable& block)
    {
        const ChartTable& table = block.table;
        double scale = 1;
        std::vector<double> widths = columnWidths(table, scale);
        while (widths.empty() && scale > smallestScale) {
            scale = std::max(smallestScale, scale * 0.92);
            widths = columnWidths(table, scale);
        }
        if (widths.empty()) { // even the smallest type does not fit: every column gets its part and breaks its words
            widths.assign(static_cast<std::size_t>(table.header.size()),
                          (m_width + cellGap) / static_cast<double>(table.header.size()));
        }
        const QFont head = sized(m_theme.font, 10 * scale, true);
        const QFont body = sized(m_theme.font, 10 * scale);
        row(table, table.header, widths, head, true);
        for (const QStringList& cells : table.rows) {
            const double height = rowHeight(table, cells, widths, body);
            if (m_top + height > m_height) {
                newPage();
                row(table, table.header, widths, head, true);
            }
            row(table, cells, widths, body, false);
        }
        m_top += 8;
    }

private:
    void newPage()
    {
        m_pages.m_pages.emplace_back();
        m_top = 0;
    }

    void need(double height)
    {
        if (m_top > 0 && m_top + height > m_height) {
            newPage();
        }
    }

    void place(double height, std::function<void(QPainter&, double)> paint)
    {
        m_pages.m_pages.back().push_back({m_top, std::move(paint)});
        m_top += height;
    }

    void paragraphAt(double indent, const QString& text, double size, const QColor& color)
    {
        const Lines lines = broken(text, sized(m_theme.font, size), m_width - indent);
        need(lines.height);
        place(lines.height, [lines, indent, color](QPainter& painter, double top) {
            draw(painter, lines, QPointF(indent, top), color);
        });
    }

    static bool isNumber(const ChartTable& table, qsizetype column)
    {
        return column > 0 && std::all_of(table.rows.begin(), table.rows.end(), [column](const QStringList& row) {
                   return !row[column].isEmpty() && (row[column][0].isDigit() || row[column][0] == u'-')
                       && row[column].size() < 24;
               });
    }

    /// Numbers as wide as they are; what is left goes to the text columns. Empty when there is too little left.
    std::vector<double> columnWidths(const ChartTable& table, double scale) const
    {
        const QFontMetricsF metrics(sized(m_theme.font, 10 * scale, true));
        std::vector<double> widths;
        std::vector<double> least; // of the longest word: text breaks between words
        double fixed = 0;
        double flexible = 0;
        double unbroken = 0;
        for (qsizetype i = 0; i < table.header.size(); ++i) {
            double width = 0;
            for (const QStringList& row : table.rows) {
                width = std::max(width, metrics.horizontalAdvance(row[i]));
            }
            double word = 0;
            const auto measure = [&](const QString& text) {
                for (const QString& each : text.split(u' ')) {
                    word = std::max(word, metrics.horizontalAdvance(each));
                }
            };
            // A header may break between words, not inside one.
            measure(table.header[i]);
            width = std::max(width, word);
            widths.push_back(width + cellGap);
            for (const QStringList& row : table.rows) {
                measure(row[i]);
            }
            least.push_back(std::min({word, width, m_width / 3}) + cellGap);
            unbroken += isNumber(table, i) || table.rows.empty() ? 0 : least.back();
            (isNumber(table, i) || table.rows.empty() ? fixed : flexible) += width + cellGap;
        }
        const double room = m_width - fixed;
        if (flexible > room) {
            constexpr double leastText = 90;
            if (room < std::max(leastText, unbroken)) {
                return {};
            }
            const double share = (room - unbroken) / (flexible - unbroken);
            for (qsizetype i = 0; i < table.header.size(); ++i) {
                if (!isNumber(table, i)) {
                    double& width = widths[static_cast<std::size_t>(i)];
                    width = least[static_cast<std::size_t>(i)] + (width - least[static_cast<std::size_t>(i)]) * share;
                }
            }
        } else if (fixed > m_width) {
            return {};
        }
        return widths;
    }

    std::vector<Lines> cellsOf(const ChartTable& table, const QStringList& cells, const std::vector<double>& widths,
                               const QFont& font) const
    {
        std::vector<Lines> lines;
        for (qsizetype i = 0; i < cells.size(); ++i) {
            lines.push_back(broken(cells[i], font, widths[static_cast<std::size_t>(i)] - cellGap,
                                   isNumber(table, i) ? Qt::AlignRight : Qt::AlignLeft));
        }
        return lines;
    }

    double rowHeight(const ChartTable& table, const QStringList& cells, const std::vector<double>& widths,
                     const QFont& font) const
    {
        double height = 0;
        for (const Lines& lines : cellsOf(table, cells, widths, font)) {
            height = std::max(height, lines.height);
        }
        return height + rowGap;
    }

    void row(const ChartTable& table, const QStringList& cells, const std::vector<double>& widths, const QFont& font,
             bool header)
    {
        const std::vector<Lines> lines = cellsOf(table, cells, widths, font);
        const double height = rowHeight(table, cells, widths, font);
        place(height, [lines, widths, height, header, theme = m_theme](QPainter& painter, double top) {
            double x = 0;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                draw(painter, lines[i], QPointF(x, top), theme.text);
                x += widths[i];
            }
            drawLine(painter, QLineF(0, top + height - 2, x - cellGap, top + height - 2),
                     header ? theme.mutedText : theme.border, header ? 1 : 0.5);
        });
    }

    ReportPages& m_pages;
    ReportNotes m_notes;
    double m_width;
    double m_height;
    Theme m_theme;
    double m_top = 0;
};

ReportPages::ReportPages(const ReportDocument& document, const QSizeF& room)
    : m_room(room)
    , m_footer(document.footer)
{
    Setter setter(*this);
    for (const ReportBlock& block : document.blocks) {
        std::visit([&setter](const auto& each) { setter.add(each); }, block);
    }
}

void ReportPages::paint(QPainter& painter, std::size_t page) const
{
    const Theme theme = Theme::paper();
    for (const Item& item : m_pages[page]) {
        item.paint(painter, item.top);
    }
    const QFont font = sized(theme.font, 8);
    const Lines number =
        broken(QStringLiteral("%1 / %2").arg(page + 1).arg(count()), font, m_room.width(), Qt::AlignRight);
    const QString text = QFontMetricsF(font).elidedText(m_footer, Qt::ElideRight, m_room.width() - 60);
    draw(painter, broken(text, font, m_room.width()), QPointF(0, m_room.height() - 12), theme.mutedText);
    draw(painter, number, QPointF(0, m_room.height() - 12), theme.mutedText);
}

void printReport(const ReportDocument& document, QPagedPaintDevice& device, int resolution)
{
    const double scale = resolution / 96.0;
    const QSizeF room = QSizeF(device.pageLayout().paintRectPixels(resolution).size()) / scale;
    const ReportPages pages(document, room);
    QPainter painter(&device);
    painter.scale(scale, scale);
    for (std::size_t i = 0; i < pages.count(); ++i) {
        if (i > 0) {
            device.newPage();
        }
        pages.paint(painter, i);
    }
}

QByteArray reportPdf(const ReportDocument& document, bool letter)
{
    constexpr int resolution = 1200;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Partita"));
    writer.setTitle(document.title);
    writer.setDocumentXmpMetadata(
        QByteArray::fromStdString(scenarioXmp(document.title.toStdString(), document.provenance)));
    writer.setResolution(resolution);
    writer.setPageSize(QPageSize(letter ? QPageSize::Letter : QPageSize::A4));
    writer.setPageMargins({15, 15, 15, 15}, QPageLayout::Millimeter);
    printReport(document, writer, resolution);
    return bytes;
}

} // namespace partita::ui
