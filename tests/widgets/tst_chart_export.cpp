// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_scenario.h"
#include "tests/widgets/sample_plane.h"
#include "tests/widgets/sample_report.h"
#include "widgets/chart_export.h"
#include "widgets/font_subset.h"
#include "widgets/gantt_pair.h"
#include "widgets/memory_chart.h"
#include "widgets/step_time_chart.h"

#include <QImage>
#include <QMimeData>
#include <QPainterPath>
#include <QRawFont>
#include <QRegularExpression>
#include <QResource>
#include <QTransform>
#include <QXmlStreamReader>
#include <QtTest>

#include <memory>

using namespace partita;
using namespace partita::ui;

using ChartPtr = std::shared_ptr<const Chart>;
Q_DECLARE_METATYPE(ChartPtr)

namespace {

ChartPage pageOf(QSizeF size = {})
{
    ChartPage page;
    page.size = size;
    page.caption = QStringLiteral("llama-3.1-70b on 64 × H100 & <more> · Partita 1.0");
    page.provenance = {"{\"model\": \"<llama>\" & \"more\"}", "{}"};
    return page;
}

QTransform transformOf(QStringView text)
{
    static const QRegularExpression pattern(QStringLiteral("matrix\\(([^)]*)\\)"));
    const auto match = pattern.match(text.toString());
    if (!match.hasMatch()) {
        return {};
    }
    const QStringList n = match.captured(1).split(u',');
    return QTransform(n[0].toDouble(), n[1].toDouble(), n[2].toDouble(), n[3].toDouble(), n[4].toDouble(),
                      n[5].toDouble());
}

/// Every point of the picture's rectangles, paths and lines, and every text's start, in units of the view box.
std::vector<QPointF> coordinates(const QByteArray& svg, QStringList& texts)
{
    static const QRegularExpression number(QStringLiteral("-?[0-9.]+(?:e-?[0-9]+)?"));
    std::vector<QPointF> points;
    std::vector<QTransform> stack{QTransform()};
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
        const auto token = reader.readNext();
        if (token == QXmlStreamReader::StartElement) {
            const auto attributes = reader.attributes();
            stack.push_back(transformOf(attributes.value(QStringLiteral("transform"))) * stack.back());
            const auto add = [&](double x, double y) { points.push_back(stack.back().map(QPointF(x, y))); };
            const auto at = [&](const char* name) { return attributes.value(QLatin1String(name)).toDouble(); };
            if (reader.name() == QStringLiteral("rect")) {
                add(at("x"), at("y"));
                add(at("x") + at("width"), at("y") + at("height"));
            } else if (reader.name() == QStringLiteral("text")) {
                add(at("x"), at("y"));
            }
            for (const char* name : {"d", "points"}) {
                auto found = number.globalMatch(attributes.value(QLatin1String(name)).toString());
                while (found.hasNext()) {
                    const double x = found.next().captured().toDouble();
                    if (found.hasNext()) {
                        add(x, found.next().captured().toDouble());
                    }
                }
            }
        } else if (token == QXmlStreamReader::EndElement) {
            stack.pop_back();
        } else if (token == QXmlStreamReader::Characters && !reader.isWhitespace()) {
            texts << reader.text().toString();
        }
    }
    return reader.hasError() ? std::vector<QPointF>{} : points;
}

} // namespace

class TestChartExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        loadFonts();
    }

    void svgIsWellFormedAndStaysInItsViewBox_data() { charts(); }
    void svgIsWellFormedAndStaysInItsViewBox()
    {
        QFETCH(ChartPtr, chart);
        for (const QSizeF& size : {QSizeF(), QSizeF(fromMillimetres(85), 280)}) {
            const ChartPage page = pageOf(size);
            QStringList texts;
            const auto points = coordinates(toSvg(*chart, page), texts);
            QVERIFY(!points.empty());
            const QSizeF whole = pageSize(*chart, page);
            const QRectF box = QRectF(QPointF(0, 0), whole).adjusted(-0.01, -0.01, 0.01, 0.01);
            for (const QPointF& point : points) {
                QVERIFY2(box.contains(point), qPrintable(QStringLiteral("%1 %2").arg(point.x()).arg(point.y())));
            }
        }
    }

    void svgKeepsTextAsText_data() { charts(); }
    void svgKeepsTextAsText()
    {
        QFETCH(ChartPtr, chart);
        QStringList texts;
        coordinates(toSvg(*chart, pageOf({900, 400})), texts);
        const QString all = texts.join(u' ');
        QVERIFY2(all.contains(chart->title()), qPrintable(all));
        QVERIFY(all.contains(QStringLiteral("64 × H100 & <more>")));
        QVERIFY(all.contains(QStringLiteral("\"<llama>\" & \"more\""))); // the scenario travels along
    }

    void sameChartSameBytes_data() { charts(); }
    void sameChartSameBytes()
    {
        QFETCH(ChartPtr, chart);
        QCOMPARE(toSvg(*chart, pageOf()), toSvg(*chart, pageOf()));
        QVERIFY(!toSvg(*chart, pageOf()).contains("font-family=\"DejaVu Sans\"")); // not without a font to fall back to
        QCOMPARE(toPng(*chart, pageOf()), toPng(*chart, pageOf()));
        QCOMPARE(toCsv(*chart, pageOf()), toCsv(*chart, pageOf()));
    }

    void pngHasThePixelsAskedFor_data() { charts(); }
    void pngHasThePixelsAskedFor()
    {
        QFETCH(ChartPtr, chart);
        for (const double ratio : {1.0, 1.5, 3.0}) {
            const QImage image = QImage::fromData(toPng(*chart, pageOf({600, 320}), ratio), "PNG");
            QCOMPARE(image.size(), (QSizeF(600, 320) * ratio).toSize());
            QCOMPARE(image.pixelColor(0, 0), QColor(Qt::white));
            QCOMPARE(image.text(QStringLiteral("Description")), chart->description());
            QCOMPARE(image.text(QStringLiteral("partita-scenario")).toStdString(), pageOf().provenance.front());
            QSet<QRgb> colours;
            for (int y = 0; y < image.height(); y += 3) {
                for (int x = 0; x < image.width(); x += 3) {
                    colours << image.pixel(x, y);
                }
            }
            QVERIFY(colours.size() > 5); // something is drawn
        }
    }

    void pdfHasOnePageOfTheRightSizeWithFonts_data() { charts(); }
    void pdfHasOnePageOfTheRightSizeWithFonts()
    {
        QFETCH(ChartPtr, chart);
        const QByteArray pdf = toPdf(*chart, pageOf({640, 320}));
        QVERIFY(pdf.startsWith("%PDF-"));
        QCOMPARE(pdf.count("/Type /Page\n"), 1);
        QVERIFY(pdf.contains("/FontFile2")); // embedded, so text stays text
        static const QRegularExpression box(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]"));
        const auto match = box.match(QString::fromLatin1(pdf));
        QVERIFY(match.hasMatch());
        QVERIFY(std::abs(match.captured(1).toDouble() - 480) < 1 && std::abs(match.captured(2).toDouble() - 240) < 1);
    }

    void everyPictureCarriesItsScenario_data() { charts(); }
    void everyPictureCarriesItsScenario()
    {
        QFETCH(ChartPtr, chart);
        for (const QByteArray& bytes :
             {toSvg(*chart, pageOf()), toPng(*chart, pageOf()), toPdf(*chart, pageOf({640, 320}))}) {
            QCOMPARE(embeddedScenarios(bytes.toStdString()), pageOf().provenance);
        }
        ChartPage bare = pageOf();
        bare.provenance.clear();
        QVERIFY(embeddedScenarios(toSvg(*chart, bare).toStdString()).empty());
        QVERIFY(embeddedScenarios(toPng(*chart, bare).toStdString()).empty());
    }

    void svgSaysWhatItIs()
    {
        const MemoryChart chart(sampleReport(4));
        QXmlStreamReader reader(toSvg(chart, pageOf()));
        QVERIFY(reader.readNextStartElement() && reader.name() == QStringLiteral("svg"));
        const auto attributes = reader.attributes();
        // Not Tiny, which has neither style sheets nor fonts in them.
        QCOMPARE(attributes.value(QStringLiteral("version")).toString(), QStringLiteral("1.1"));
        QVERIFY(!attributes.hasAttribute(QStringLiteral("baseProfile")));
        QCOMPARE(attributes.value(QStringLiteral("role")).toString(), QStringLiteral("img"));
        QStringList labels;
        QStringList texts;
        for (const char* name : {"title", "desc"}) {
            QVERIFY(reader.readNextStartElement() && reader.name() == QLatin1String(name));
            labels << reader.attributes().value(QStringLiteral("id")).toString();
            texts << reader.readElementText();
        }
        QCOMPARE(attributes.value(QStringLiteral("aria-labelledby")).toString(), labels.join(u' '));
        QCOMPARE(texts, (QStringList{chart.title(), chart.description()}));
    }

    void svgCarriesTheGlyphsItUses()
    {
        const QByteArray svg = toSvg(MemoryChart(sampleReport(4)), pageOf());
        static const QRegularExpression face(
            QStringLiteral("font-weight:(\\d+);src:url\\(data:font/ttf;base64,([^)]*)\\)"));
        auto found = face.globalMatch(QString::fromUtf8(svg));
        int faces = 0;
        while (found.hasNext()) {
            const auto match = found.next();
            const QByteArray font = QByteArray::fromBase64(match.captured(2).toLatin1());
            QVERIFY(font.size() > 2000 && font.size() < 60000);
            QVERIFY(QRawFont(font, 40).isValid());
            ++faces;
        }
        QCOMPARE(faces, 2);
        ChartPage bare = pageOf();
        bare.embedsFonts = false;
        QVERIFY(!toSvg(MemoryChart(sampleReport(4)), bare).contains("@font-face"));
    }

    void aSubsetDrawsWhatTheWholeFontDraws_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("regular") << QStringLiteral("DejaVuSans");
        QTest::newRow("bold") << QStringLiteral("DejaVuSans-Bold");
    }
    void aSubsetDrawsWhatTheWholeFontDraws()
    {
        QFETCH(QString, name);
        const QString text = QStringLiteral("Memory (0.5 GiB) · 8 × é ü Å – … Σ ≤ η₂ µ ﬁ");
        const QByteArray whole = QResource(QStringLiteral(":/partita/fonts/%1.ttf").arg(name)).uncompressedData();
        const QByteArray part = subsetFont(whole, text);
        QCOMPARE(part, subsetFont(whole, text));
        QVERIFY(part.size() < whole.size() / 20);
        const QRawFont full(whole, 64, QFont::PreferNoHinting);
        const QRawFont small(part, 64, QFont::PreferNoHinting);
        QVERIFY(small.isValid());
        QCOMPARE(small.familyName(), full.familyName());
        QCOMPARE(small.ascent(), full.ascent());
        for (const QChar character : text) {
            const auto before = full.glyphIndexesForString(character);
            const auto after = small.glyphIndexesForString(character);
            QVERIFY2(after.size() == 1 && (after[0] > 0) == (before[0] > 0), qPrintable(QString(character)));
            QCOMPARE(small.pathForGlyph(after[0]), full.pathForGlyph(before[0]));
            QCOMPARE(small.advancesForGlyphIndexes(after), full.advancesForGlyphIndexes(before));
        }
        QVERIFY(small.glyphIndexesForString(QStringLiteral("Q"))[0] == 0); // not asked for
    }

    void whatIsNoFontHasNoSubset()
    {
        const QByteArray whole = QResource(QStringLiteral(":/partita/fonts/DejaVuSans.ttf")).uncompressedData();
        QVERIFY(subsetFont({}, QStringLiteral("a")).isEmpty());
        QVERIFY(subsetFont("no font at all", QStringLiteral("a")).isEmpty());
        for (const qsizetype size : {12, 400, 60000, 500000}) {
            subsetFont(whole.left(size), QStringLiteral("Añ")); // torn: anything but a crash
        }
    }

    void csvHasTheHeaderAndEveryRow_data() { charts(); }
    void csvHasTheHeaderAndEveryRow()
    {
        QFETCH(ChartPtr, chart);
        const ChartTable table = chart->table();
        const QByteArray csv = toCsv(*chart, pageOf());
        QVERIFY(csv.startsWith(table.toCsv()));
        QCOMPARE(csv.count("\r\n"), static_cast<qsizetype>(table.rows.size() + 1 + pageOf().provenance.size()));
        QCOMPARE(embeddedScenarios(csv.toStdString()).size(), pageOf().provenance.size());
        for (const QStringList& row : table.rows) {
            QCOMPARE(row.size(), table.header.size());
        }
    }

    void theClipboardCarriesPictureAndNumbers()
    {
        const MemoryChart chart(sampleReport(4));
        const auto data = toMimeData(chart, pageOf());
        QVERIFY(data->hasFormat(QStringLiteral("image/png")));
        QVERIFY(data->hasFormat(QStringLiteral("image/svg+xml")));
        QCOMPARE(data->data(QStringLiteral("text/tab-separated-values")), chart.table().toTsv());
        QCOMPARE(data->text().toUtf8(), chart.table().toTsv());
    }

    void svgSizeFollowsThePictureNotTheOps()
    {
        const auto bytes = [](int microBatches) {
            return toSvg(GanttChart(std::make_shared<const Timeline>(
                             sampleTimeline(ScheduleKind::OneFOneB, 8, microBatches, 1))),
                         pageOf({900, 360}))
                .size();
        };
        QVERIFY(bytes(8000) < 2 * bytes(500));
    }

    void overHalfAMillionOpsMakeASmallFile()
    {
        const auto timeline = std::make_shared<const Timeline>(sampleTimeline(ScheduleKind::Interleaved, 64, 1024, 4));
        std::size_t ops = 0;
        for (const StageTimeline& stage : timeline->stages) {
            ops += stage.ops.size();
        }
        QVERIFY(ops > 500000);
        GanttChart chart(timeline);
        chart.curves = {heldActivations(*timeline, 0)};
        for (const bool marked : {false, true}) {
            if (marked) {
                chart.showCriticalPath(true);
                chart.setPlayhead(timeline->makespan / 2);
                chart.marks.op = OpRef{3, 5000};
                chart.marks.range = std::pair{0.0, timeline->makespan / 3};
            }
            for (const double part : {1.0, 0.1, 0.001}) {
                chart.view.t1 = timeline->makespan * part;
                const qsizetype size = toSvg(chart, pageOf({1600, 900})).size();
                QVERIFY2(size < 3'000'000, qPrintable(QString::number(size)));
            }
        }
    }

private:
    static void charts()
    {
        QTest::addColumn<ChartPtr>("chart");
        QTest::newRow("memory") << ChartPtr(std::make_shared<MemoryChart>(sampleReport(4)));
        QTest::newRow("memory, 64 stages") << ChartPtr(std::make_shared<MemoryChart>(sampleReport(64)));
        QTest::newRow("step time") << ChartPtr(std::make_shared<StepTimeChart>(sampleReport(4)));
        const auto gantt = std::make_shared<GanttChart>(
            std::make_shared<const Timeline>(sampleTimeline(ScheduleKind::ZbH1, 8, 64, 1)));
        gantt->curves = {heldActivations(gantt->timeline(), 0)};
        gantt->marks.op = OpRef{3, 20};
        gantt->marks.range = std::pair{0.1, 0.2};
        QTest::newRow("gantt") << ChartPtr(gantt);
        const auto playing = std::make_shared<GanttChart>(gantt->sharedTimeline());
        playing->showCriticalPath(true);
        playing->setPlayhead(0.3);
        playing->stated.assign(8, 8);
        QTest::newRow("gantt, critical path and playhead") << ChartPtr(playing);
        const auto other = std::make_shared<GanttChart>(
            std::make_shared<const Timeline>(sampleTimeline(ScheduleKind::DualPipe, 8, 64, 1)));
        other->marks.op = OpRef{7, 9};
        QTest::newRow("gantt, two schedules")
            << ChartPtr(std::make_shared<GanttPair>(std::make_shared<GanttChart>(gantt->sharedTimeline()), other,
                                                    QStringLiteral("ZB-H1"), QStringLiteral("DualPipe")));
        const auto near = std::make_shared<GanttChart>(*gantt);
        near->view = {0.3, 0.34, 0, 8};
        near->marks.op = OpRef{3, 40};
        QTest::newRow("gantt, zoomed in") << ChartPtr(near);
        QTest::newRow("heatmap") << ChartPtr(std::make_shared<HeatmapChart>(samplePlane()));
    }
};

QTEST_MAIN(TestChartExport)
#include "tst_chart_export.moc"
