// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart_export.h"

#include "core/formats/embedded_scenario.h"
#include "widgets/drawing.h"
#include "widgets/font_subset.h"

#include <QBuffer>
#include <QImage>
#include <QImageWriter>
#include <QMimeData>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QResource>
#include <QSvgGenerator>
#include <QXmlStreamReader>

#include <algorithm>
#include <array>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double Margin = 12; // px around the page's content

struct PageLayout {
    std::vector<Label> labels; ///< title and caption
    QRectF chart;
};

PageLayout layOut(const Chart& chart, const ChartPage& page, const QSizeF& size)
{
    const TextMetrics metrics = textMetrics(page.theme);
    PageLayout layout;
    QRectF room(QPointF(0, 0), size);
    room.adjust(Margin, Margin, -Margin, -Margin);
    if (page.title) {
        const QStringList title = metrics.wrapped(chart.title(), TextRole::Title, room.width());
        room.setTop(stackLines(layout.labels, title, room, TextRole::Title, metrics) + metrics.gap);
    }
    if (!page.caption.isEmpty()) {
        const QStringList caption = metrics.wrapped(page.caption, TextRole::Small, room.width());
        QRectF below = room;
        below.setTop(room.bottom() - metrics.height(TextRole::Small) * static_cast<double>(caption.size()));
        stackLines(layout.labels, caption, below, TextRole::Small, metrics);
        room.setBottom(below.top() - metrics.gap);
    }
    layout.chart = room;
    return layout;
}

QByteArray fontFace(const QString& file, int weight, const QString& characters)
{
    if (characters.isEmpty()) {
        return {};
    }
    const QByteArray font = QResource(file).uncompressedData();
    return "@font-face{font-family:\"DejaVu Sans\";font-weight:" + QByteArray::number(weight)
        + ";src:url(data:font/ttf;base64," + subsetFont(font, characters).toBase64() + ")}\n";
}

/// The characters of the texts in a picture, by whether they are bold.
std::array<QString, 2> charactersIn(const QByteArray& svg)
{
    constexpr int bold = 600;
    std::array<QString, 2> characters;
    QXmlStreamReader reader(svg);
    std::size_t weight = 0;
    bool inText = false;
    while (!reader.atEnd()) {
        switch (reader.readNext()) {
        case QXmlStreamReader::StartElement:
            inText = reader.name() == QStringLiteral("text");
            if (inText) {
                weight = reader.attributes().value(QStringLiteral("font-weight")).toInt() >= bold ? 1 : 0;
            }
            break;
        case QXmlStreamReader::EndElement:
            inText = false;
            break;
        case QXmlStreamReader::Characters:
            if (inText) {
                characters[weight] += reader.text();
            }
            break;
        default:
            break;
        }
    }
    return characters;
}

/// For programs that do not read embedded fonts, where the font is not installed: the next of like width.
QByteArray withFallbacks(QByteArray svg)
{
    return svg.replace("font-family=\"DejaVu Sans\"", "font-family=\"DejaVu Sans, Verdana, sans-serif\"");
}

/// Qt 6.4 calls its files SVG Tiny, which has no style sheets, and ties title and description to nothing.
QByteArray named(QByteArray svg, const QByteArray& id)
{
    svg.replace("version=\"1.2\" baseProfile=\"tiny\"",
                "version=\"1.1\" role=\"img\" aria-labelledby=\"" + id + "-title " + id + "-desc\"");
    svg.replace(svg.indexOf("<title>"), 7, "<title id=\"" + id + "-title\">");
    return svg.replace(svg.indexOf("<desc>"), 6, "<desc id=\"" + id + "-desc\">");
}

/// Qt 6.4 writes neither metadata nor fonts: both go behind the description.
QByteArray completed(const QByteArray& svg, const ChartPage& page)
{
    const QByteArray anchor = "</desc>";
    const qsizetype at = svg.indexOf(anchor);
    if (at < 0) {
        return svg;
    }
    QByteArray more;
    if (!page.provenance.empty()) {
        more += "\n<metadata>" + QByteArray::fromStdString(scenarioElements(page.provenance)) + "</metadata>";
    }
    if (page.embedsFonts) {
        const auto [regular, bold] = charactersIn(svg);
        more += "\n<style type=\"text/css\">\n" + fontFaces(regular, bold) + "</style>";
    }
    return QByteArray(svg).insert(at + anchor.size(), more);
}

} // namespace

QSizeF pageSize(const Chart& chart, const ChartPage& page)
{
    if (!page.size.isEmpty()) {
        return page.size;
    }
    if (const std::shared_ptr<const Chart> still = chart.still()) {
        return pageSize(*still, page);
    }
    const double width = page.size.width() > 0 ? page.size.width() - 2 * Margin : chart.preferredSize().width();
    const QSizeF wanted(width + 2 * Margin, chart.heightAt(width, page.theme));
    const QSizeF trial(wanted.width(), wanted.height() + 1000);
    const double around = trial.height() - layOut(chart, page, trial).chart.height();
    return {std::ceil(wanted.width()), std::ceil(wanted.height() + around)};
}

void paintPage(QPainter& painter, const Chart& chart, const ChartPage& page, const QSizeF& size)
{
    if (const std::shared_ptr<const Chart> still = chart.still()) {
        return paintPage(painter, *still, page, size);
    }
    const PageLayout layout = layOut(chart, page, size);
    painter.fillRect(QRectF(QPointF(0, 0), size), page.theme.card);
    for (const Label& label : layout.labels) {
        drawLabel(painter, label, page.theme);
    }
    chart.paint(painter, layout.chart, page.theme);
}

QByteArray toSvg(const Chart& chart, const ChartPage& page)
{
    const QSizeF size = pageSize(chart, page);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(96); // Qt's default of 72 makes text a quarter too small
    generator.setSize(size.toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), size));
    generator.setTitle(chart.title().toHtmlEscaped()); // Qt 6.4 writes both as they are
    generator.setDescription(chart.description().toHtmlEscaped());
    QPainter painter(&generator);
    paintPage(painter, chart, page, size);
    painter.end();
    return completed(named(withFallbacks(bytes), chart.id().toUtf8()), page);
}

QByteArray toPdf(const Chart& chart, const ChartPage& page)
{
    constexpr int resolution = 1200;
    const QSizeF size = pageSize(chart, page);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Partita"));
    writer.setTitle(chart.title());
    if (!page.provenance.empty()) {
        writer.setDocumentXmpMetadata(
            QByteArray::fromStdString(scenarioXmp(chart.title().toStdString(), page.provenance)));
    }
    writer.setResolution(resolution);
    writer.setPageSize(QPageSize(size * 72 / 96, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins({0, 0, 0, 0});
    QPainter painter(&writer);
    painter.scale(resolution / 96.0, resolution / 96.0);
    paintPage(painter, chart, page, size);
    painter.end();
    return bytes;
}

QByteArray toPng(const Chart& chart, const ChartPage& page, double pixelRatio)
{
    const QSizeF size = pageSize(chart, page);
    const double ratio = std::clamp(pixelRatio, 1.0, 4.0);
    QImage image((size * ratio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.setDotsPerMeterX(static_cast<int>(std::lround(96 * ratio / 0.0254)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    image.fill(page.theme.card);
    QPainter painter(&image);
    paintPage(painter, chart, page, size);
    painter.end();
    image.setText(QStringLiteral("Title"), chart.title());
    image.setText(QStringLiteral("Description"), chart.description());
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QImageWriter(&buffer, "png").write(image);
    return page.provenance.empty() ? bytes
                                   : QByteArray::fromStdString(pngWithScenarios(bytes.toStdString(), page.provenance));
}

QByteArray fontFaces(const QString& regular, const QString& bold)
{
    return fontFace(QStringLiteral(":/partita/fonts/DejaVuSans.ttf"), 400, regular)
        + fontFace(QStringLiteral(":/partita/fonts/DejaVuSans-Bold.ttf"), 700, bold);
}

QByteArray toCsv(const Chart& chart, const ChartPage& page)
{
    return QByteArray::fromStdString(csvWithScenarios(chart.table().toCsv().toStdString(), page.provenance));
}

std::unique_ptr<QMimeData> toMimeData(const Chart& chart, const ChartPage& page)
{
    const QByteArray table = chart.table().toTsv();
    auto data = std::make_unique<QMimeData>();
    data->setData(QStringLiteral("image/png"), toPng(chart, page));
    data->setData(QStringLiteral("image/svg+xml"), toSvg(chart, page));
    data->setData(QStringLiteral("text/tab-separated-values"), table);
    data->setText(QString::fromUtf8(table));
    return data;
}

} // namespace partita::ui
