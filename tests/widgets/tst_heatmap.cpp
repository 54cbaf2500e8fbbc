// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fixed_metrics.h"
#include "tests/widgets/sample_plane.h"

#include <QPainter>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

#include <algorithm>

using namespace partita::ui;

class TestHeatmap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        loadFonts();
    }

    void everythingLiesInTheArea_data()
    {
        QTest::addColumn<QRectF>("area");
        QTest::addColumn<int>("repeat");
        QTest::newRow("card") << QRectF(0, 0, 560, 280) << 1;
        QTest::newRow("column of a paper") << QRectF(10, 30, 297, 280) << 1;
        QTest::newRow("many cells") << QRectF(0, 0, 700, 420) << 12;
    }
    void everythingLiesInTheArea()
    {
        QFETCH(QRectF, area);
        QFETCH(int, repeat);
        HeatmapData data = samplePlane();
        for (int i = 1; i < repeat; ++i) {
            data.xs += samplePlane().xs;
        }
        data.cells.resize(static_cast<std::size_t>(data.columns() * data.rows()));
        const HeatmapGeometry g = HeatmapChart(data).geometry(area, fixedMetrics());
        QCOMPARE(g.cells.size(), data.cells.size());
        QVERIFY(inside(g.grid, area) && inside(g.ramp, area));
        for (const auto& cell : g.cells) {
            QVERIFY(inside(cell.rect, g.grid));
            QVERIFY(cell.label.empty() || fixedMetrics().width(cell.label.text, cell.label.role) <= cell.rect.width());
        }
        for (const auto* labels : {&g.names, &g.axes, &g.rampLabels}) {
            for (const Label& label : *labels) {
                QVERIFY2(inside(label.rect, area), qPrintable(label.text));
            }
        }
        for (const LegendEntry& entry : g.legend) {
            QVERIFY2(inside(entry.label.rect, area), qPrintable(entry.label.text));
        }
    }

    /// Values are told before the name of their axis, which stands beside it.
    void narrowColumnsKeepTheirValues()
    {
        HeatmapData data = samplePlane();
        for (int x = 0; x < data.columns(); ++x) {
            data.xs[x] = QStringLiteral("sequence length %1").arg(1024 << x);
        }
        const HeatmapGeometry g = HeatmapChart(data).geometry({0, 0, 360, 280}, fixedMetrics());
        for (int x = 0; x < data.columns(); ++x) {
            const QString value = QString::number(1024 << x);
            QVERIFY(std::any_of(g.names.begin(), g.names.end(),
                                [&](const Label& label) { return label.text.endsWith(value); }));
        }
    }

    void cellsDoNotOverlapAndAreFoundAgain()
    {
        const HeatmapGeometry g = HeatmapChart(samplePlane()).geometry({0, 0, 560, 280}, fixedMetrics());
        for (std::size_t i = 0; i < g.cells.size(); ++i) {
            QVERIFY(g.cellAt(g.cells[i].rect.center()) == g.cells[i].index);
            for (std::size_t j = 0; j < i; ++j) {
                QVERIFY(!g.cells[i].rect.intersects(g.cells[j].rect));
            }
        }
        QVERIFY(!g.cellAt({0, 0}));
    }

    void whatTheStackDoesNotOfferIsMarkedAndNotTheBest()
    {
        HeatmapData data = samplePlane();
        QVERIFY(HeatmapChart(data).best() == (HeatmapCellIndex{2, 1}));
        data.cells[5].beyond = QStringLiteral("It does not offer ZeRO 3.");
        const HeatmapChart chart(data);
        QVERIFY(chart.best() == (HeatmapCellIndex{1, 1}));
        const HeatmapGeometry g = chart.geometry({0, 0, 560, 280}, fixedMetrics());
        const auto has = [&g](int entry) {
            return std::any_of(g.legend.begin(), g.legend.end(),
                               [entry](const LegendEntry& each) { return each.category == entry; });
        };
        QVERIFY(has(HeatmapBeyondEntry));
        QVERIFY(chart.cellText({2, 1}).contains(data.cells[5].beyond));
        QVERIFY(!chart.cellText({1, 1}).contains(data.cells[5].beyond));
        const ChartTable table = chart.table();
        QCOMPARE(table.rows[5].size(), table.header.size());
        QCOMPARE(table.rows[5].back(), data.cells[5].beyond);
        for (HeatmapCell& cell : data.cells) {
            cell.beyond = QStringLiteral("None of it.");
        }
        QVERIFY(HeatmapChart(data).best() == (HeatmapCellIndex{2, 1})); // it has to be one
    }

    void cellsTooLowForNumbersKeepTheirColours()
    {
        const HeatmapChart chart(samplePlane());
        for (double height = 300; height > 4 * 8; height -= 1) {
            const HeatmapGeometry g = chart.geometry({0, 0, 240, height}, fixedMetrics());
            const double names = fixedMetrics().height(TextRole::Label) + fixedMetrics().gap;
            QVERIFY2(g.cells.front().rect.height() >= std::min(6.0, (height - names) / samplePlane().rows() - 2),
                     qPrintable(QString::number(height)));
        }
    }

    void outOfMemoryCellsSayHowMuchTheyLack()
    {
        const HeatmapGeometry g = HeatmapChart(samplePlane()).geometry({0, 0, 700, 280}, fixedMetrics());
        QCOMPARE(g.cells[0].label.text, QStringLiteral("lacks 31\u00A0GiB"));
        QVERIFY(g.cells[3].label.empty()); // illegal: a dash
    }

    void lowCellsKeepTheirNumbersRatherThanWhatSurroundsThem()
    {
        const HeatmapChart chart(samplePlane());
        const auto numbers = [](const HeatmapGeometry& g) {
            return std::any_of(g.cells.begin(), g.cells.end(),
                               [](const HeatmapGeometry::Cell& cell) { return !cell.label.empty(); });
        };
        std::size_t around = 99;
        bool gaveWay = false;
        for (double height = 300; height > 20; height -= 1) {
            const HeatmapGeometry g = chart.geometry({0, 0, 240, height}, fixedMetrics());
            if (!numbers(g)) {
                break; // the cells alone are too low: everything is back
            }
            const std::size_t now = g.axes.size() + g.legend.size() + g.rampLabels.size();
            gaveWay = gaveWay || now < around;
            QVERIFY(now <= around); // never back while there are numbers
            around = now;
        }
        QVERIFY(gaveWay && around == 0);
    }

    /// Ring, corner and cursor stand around the digits, which are as they would be without.
    void noMarkGoesThroughANumber()
    {
        for (double height = 240; height >= lowestWithNumbers(); height -= 4) {
            noMarkGoesThroughANumberAt(height);
        }
    }

    void theBestHasItsCornerInLowCells()
    {
        const HeatmapChart chart(samplePlane());
        const QRectF area(0, 0, 400, lowestWithNumbers());
        QImage image(area.size().toSize(), QImage::Format_RGB32);
        image.fill(Theme::light().card);
        QPainter painter(&image);
        chart.paint(painter, area, Theme::light());
        painter.end();
        const HeatmapGeometry g = chart.geometry(area, textMetrics(Theme::light()));
        const auto best =
            std::find_if(g.cells.begin(), g.cells.end(), [&](const auto& each) { return each.index == g.best; });
        const QPoint corner = best->rect.topRight().toPoint() + QPoint(-2, 2);
        const QPoint other = best->rect.topLeft().toPoint() + QPoint(2, 2);
        QVERIFY(image.pixel(corner) != image.pixel(other));
    }

private:
    /// px of the lowest chart whose cells still hold their numbers.
    static double lowestWithNumbers()
    {
        const HeatmapChart chart(samplePlane());
        double height = 240;
        while (!chart.geometry({0, 0, 400, height - 1}, textMetrics(Theme::light())).cells.front().label.empty()) {
            --height;
        }
        return height;
    }

    static void noMarkGoesThroughANumberAt(double height)
    {
        const Theme theme = Theme::light();
        const TextMetrics metrics = textMetrics(theme);
        const QRectF area(0, 0, 400, height);
        HeatmapData data = samplePlane();
        const HeatmapCellIndex at = *data.current;
        const auto painted = [&](const HeatmapChart& chart) {
            QImage image(area.size().toSize(), QImage::Format_RGB32);
            image.fill(theme.card);
            QPainter painter(&image);
            chart.paint(painter, area, theme);
            return image;
        };
        HeatmapChart marked(data);
        marked.cursor = at;
        data.current = HeatmapCellIndex{1, 0};
        const HeatmapGeometry g = marked.geometry(area, metrics);
        const auto cell =
            std::find_if(g.cells.begin(), g.cells.end(), [&](const auto& each) { return each.index == at; });
        QVERIFY(!cell->label.empty());
        QRectF digits(0, 0, metrics.width(cell->label.text, cell->label.role), metrics.height(cell->label.role) * 0.55);
        digits.moveCenter(cell->rect.center());
        const QImage with = painted(marked).copy(digits.toRect());
        QCOMPARE(with, painted(HeatmapChart(data)).copy(digits.toRect()));
        QVERIFY(painted(marked) != painted(HeatmapChart(data)));
    }

private Q_SLOTS:
    void theRampSpansTheValues()
    {
        HeatmapData data = samplePlane();
        HeatmapGeometry g = HeatmapChart(data).geometry({0, 0, 560, 280}, fixedMetrics());
        QCOMPARE(g.low, 0.31);
        QCOMPARE(g.high, 0.44);
        QCOMPARE(g.cells[1].share, 0.0);
        QCOMPARE(g.cells[5].share, 1.0);
        data.range = std::pair{0.0, 1.0}; // comparable between pictures
        g = HeatmapChart(data).geometry({0, 0, 560, 280}, fixedMetrics());
        QCOMPARE(g.cells[5].share, 0.44);
    }

    void theBestCellIsTheLowestWhereLowIsGood()
    {
        HeatmapData data = samplePlane();
        QVERIFY(HeatmapChart(data).best() == (HeatmapCellIndex{2, 1}));
        data.lowIsGood = true;
        QVERIFY(HeatmapChart(data).best() == (HeatmapCellIndex{1, 0}));
        QCOMPARE(HeatmapChart(data).geometry({0, 0, 560, 280}, fixedMetrics()).cells[1].share, 1.0);
    }

    void hoverComparesAndExplains()
    {
        const HeatmapChart chart(samplePlane());
        QVERIFY(chart.cellText({2, 1}).contains(QStringLiteral("+4.0 points against the current layout")));
        QVERIFY(chart.cellText({0, 1}).contains(QStringLiteral("80 layers do not divide")));
        QVERIFY(chart.cellText({0, 0}).contains(QStringLiteral("lacks 31")));
        QVERIFY(chart.cellText({1, 1}).contains(QStringLiteral("the current layout")));
    }

    /// Where cells show the best of the rest, that of the current layout's place is another one.
    void hoverComparesWithALayoutThatNoCellShows()
    {
        HeatmapData data = samplePlane();
        data.currentIsOther = true;
        data.currentValue = 0.38;
        data.cells[0].stage = 3;
        const HeatmapChart chart(data);
        const HeatmapCellIndex place = *data.current;
        const double change = (data.at(place).value - 0.38) * 100;
        QVERIFY(chart.cellText(place).contains(QStringLiteral("the current layout's place; it has 38.0\u00A0%")));
        QVERIFY(chart.cellText(place).contains(
            QStringLiteral("%1 points against the current layout").arg(change, 0, 'f', 1)));
        QVERIFY(chart.cellText({2, 1}).contains(QStringLiteral("+6.0 points against the current layout")));
        QVERIFY(chart.cellText({0, 0}).contains(QStringLiteral("stage 3 lacks 31")));
        data.currentValue.reset(); // it does not fit
        QVERIFY(!HeatmapChart(data).cellText({2, 1}).contains(QStringLiteral("against")));
        QVERIFY(HeatmapChart(data).cellText(place).contains(QStringLiteral("the current layout's place")));
    }

    void planesThatAreNotFilledAreNoTrouble()
    {
        HeatmapData data = samplePlane();
        data.cells.clear();
        data.current = HeatmapCellIndex{7, 7};
        const HeatmapChart chart(data);
        QCOMPARE(chart.geometry({0, 0, 560, 280}, fixedMetrics()).cells.size(), 6U);
        QVERIFY(!chart.best());
        QVERIFY(!chart.description().isEmpty());
        QVERIFY(HeatmapChart().geometry({0, 0, 560, 280}, fixedMetrics()).cells.empty());
    }

    void theTableHasARowPerCell()
    {
        const ChartTable table = HeatmapChart(samplePlane()).table();
        QCOMPARE(table.rows.size(), 6U);
        QCOMPARE(table.rows[5][3].toDouble(), 0.44);
        QCOMPARE(table.rows[0][4].toDouble(), 31 * 1073741824.0);
        QVERIFY(table.rows[2][3].isEmpty());
    }

    /// A cell without a figure beside others with one would seem to say something else.
    void cellsOfAKindAllShowTheirFigureOrNone()
    {
        HeatmapData data;
        data.xs = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")};
        data.ys = {QStringLiteral("d")};
        data.quantity = QStringLiteral("MFU");
        for (const double gib : {2.0, 31.0, 1234.0}) {
            HeatmapCell cell;
            cell.state = HeatmapCell::State::OutOfMemory;
            cell.shortfall = gib * 1024 * 1024 * 1024;
            data.cells.push_back(cell);
        }
        const HeatmapChart chart(data);
        QSet<QString> forms;
        for (double width = 60; width < 700; width += 10) {
            const HeatmapGeometry g = chart.geometry({0, 0, width, 200}, fixedMetrics());
            QStringList shapes;
            for (const HeatmapGeometry::Cell& cell : g.cells) {
                QString shape = cell.label.text;
                shapes << shape.remove(QRegularExpression(QStringLiteral("[0-9.,]+")));
            }
            shapes.removeDuplicates();
            QVERIFY2(shapes.size() == 1, qPrintable(shapes.join(u'|')));
            forms.insert(shapes.front());
            const auto lacks = std::find_if(g.legend.begin(), g.legend.end(), [](const LegendEntry& entry) {
                return entry.category == static_cast<int>(HeatmapCell::State::OutOfMemory);
            });
            if (lacks != g.legend.end()) { // the unit is said where the cells do not
                QCOMPARE(lacks->label.text.contains(QStringLiteral("GiB")), shapes.front() == QChar(0x2212));
            }
        }
        QCOMPARE(forms.size(), 4);
    }
};

QTEST_MAIN(TestHeatmap)
#include "tst_heatmap.moc"
