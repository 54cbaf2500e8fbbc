// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "tests/widgets/fixed_metrics.h"
#include "widgets/chart.h"
#include "widgets/figures.h"
#include "widgets/geometry.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace partita::ui;

class TestFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void figuresKeepThreeSignificantDigits_data()
    {
        QTest::addColumn<double>("gib");
        QTest::addColumn<QString>("text");
        QTest::newRow("small") << 0.25 << "0.250";
        QTest::newRow("ten") << 9.996 << "10.0";
        QTest::newRow("device") << 79.1 << "79.1";
        QTest::newRow("hundred") << 640.04 << "640";
        QTest::newRow("thousands") << 1003.4 << "1,003";
    }
    void figuresKeepThreeSignificantDigits()
    {
        QFETCH(double, gib);
        QFETCH(QString, text);
        QCOMPARE(gibText(gib * partita::gibibyte), text);
    }

    void timesChooseTheirUnit()
    {
        QCOMPARE(timeText(6.42), QStringLiteral("6.42\u00A0s"));
        QCOMPARE(timeText(0.0123), QStringLiteral("12.3\u00A0ms"));
        QCOMPARE(timeText(45e-6), QStringLiteral("45.0\u00A0µs"));
    }

    void aRangeHasTheDigitsOfItsTime_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("time");
        QTest::addColumn<double>("high");
        QTest::addColumn<QString>("text");
        QTest::newRow("seconds") << 6.0 << 7.29 << 7.65 << QStringLiteral("7.29\u00A0s (6.00–7.65)");
        QTest::newRow("tens") << 9.0 << 12.3 << 14.04 << QStringLiteral("12.3\u00A0s (9.0–14.0)");
        QTest::newRow("thousands") << 980.4 << 1234.0 << 1500.0 << QStringLiteral("1,234\u00A0s (980–1,500)");
        QTest::newRow("milliseconds") << 0.450 << 0.5 << 1.2 << QStringLiteral("500\u00A0ms (450–1,200)");
        QTest::newRow("nearly a second") << 0.9 << 0.9996 << 1.1 << QStringLiteral("1.00\u00A0s (0.90–1.10)");
        QTest::newRow("microseconds") << 40e-6 << 45e-6 << 51e-6 << QStringLiteral("45.0\u00A0µs (40.0–51.0)");
    }
    void aRangeHasTheDigitsOfItsTime()
    {
        QFETCH(double, low);
        QFETCH(double, time);
        QFETCH(double, high);
        QFETCH(QString, text);
        QCOMPARE(timeWithRangeText(time, low, high), text);
    }

    void ticksAreNiceAndInside()
    {
        for (const double high : {1e-7, 0.003, 0.99, 1.0, 68.4, 1003.0, 7e9}) {
            for (const int count : {2, 5, 9}) {
                const auto ticks = niceTicks(0, high, count);
                QVERIFY(ticks.size() >= 1 && static_cast<int>(ticks.size()) <= count + 1);
                QVERIFY(ticks.front() >= 0 && ticks.back() <= high * (1 + 1e-9));
            }
        }
        QVERIFY(niceTicks(1, 1, 5).empty());
        QVERIFY(niceTicks(0, std::nan(""), 5).empty());
        QCOMPARE(tickDecimals({0, 20, 40}), 0);
        QCOMPARE(tickDecimals({0, 0.5, 1}), 1);
        QCOMPARE(tickDecimals({0.02, 0.04}), 2);
    }

    void linesAreClippedToRectangles_data()
    {
        QTest::addColumn<QLineF>("line");
        QTest::addColumn<bool>("visible");
        QTest::newRow("inside") << QLineF(2, 2, 8, 8) << true;
        QTest::newRow("crossing") << QLineF(-5, 5, 25, 5) << true;
        QTest::newRow("steep") << QLineF(5, -100, 6, 100) << true;
        QTest::newRow("beside") << QLineF(-5, 0, -1, 10) << false;
        QTest::newRow("past the corner") << QLineF(-5, 4, 4, -5) << false;
    }
    void linesAreClippedToRectangles()
    {
        QFETCH(QLineF, line);
        QFETCH(bool, visible);
        const QRectF rect(0, 0, 10, 10);
        const auto clipped = clipLine(line, rect);
        QCOMPARE(clipped.has_value(), visible);
        if (clipped) {
            QVERIFY(inside(clipped->p1(), rect));
            QVERIFY(inside(clipped->p2(), rect));
            QVERIFY(std::abs(std::sin((clipped->angle() - line.angle()) * M_PI / 180)) < 1e-9);
        }
    }

    void hatchesStayInTheirRectangle()
    {
        const QRectF rect(3.5, 7.25, 41, 9);
        for (const Hatch hatch : {Hatch::Rising, Hatch::Falling, Hatch::Cross, Hatch::Level, Hatch::Upright}) {
            const auto lines = hatchLines(rect, hatch, 5);
            QVERIFY(!lines.empty());
            for (const QLineF& line : lines) {
                QVERIFY(inside(line.p1(), rect) && inside(line.p2(), rect));
            }
        }
        QVERIFY(hatchLines(rect, Hatch::None, 5).empty());
        QVERIFY(hatchLines({}, Hatch::Rising, 5).empty());
    }

    void legendsKeepTheirRoomAndSkipWhatTheyMustAvoid()
    {
        const std::vector<std::pair<int, QString>> names{
            {0, QStringLiteral("weights")}, {1, QStringLiteral("gradients")}, {2, QStringLiteral("optimizer states")}};
        const QRectF room(10, 10, 120, 100);
        const QRectF avoid(10, 30, 120, 14);
        const auto entries = legendColumn(names, room, avoid, fixedMetrics());
        QCOMPARE(entries.size(), names.size());
        for (const LegendEntry& entry : entries) {
            QVERIFY(inside(entry.label.rect, room));
            QVERIFY(!entry.label.rect.intersects(avoid));
            QVERIFY(fixedMetrics().width(entry.label.text, TextRole::Label) <= entry.label.rect.width());
        }
    }

    void elidedTextFits()
    {
        const TextMetrics metrics = fixedMetrics();
        QCOMPARE(metrics.elided(QStringLiteral("weights"), TextRole::Label, 49), QStringLiteral("weights"));
        QCOMPARE(metrics.elided(QStringLiteral("weights"), TextRole::Label, 30), QStringLiteral("wei…"));
        QVERIFY(metrics.elided(QStringLiteral("weights"), TextRole::Label, 5).isEmpty());
    }

    void csvQuotesWhatNeedsIt()
    {
        const ChartTable table{
            {QStringLiteral("a"), QStringLiteral("b")},
            {{QStringLiteral("1.5"), QStringLiteral("x, \"y\"\nz")}, {QString(), QStringLiteral("é")}}};
        QCOMPARE(table.toCsv(), QByteArray("a,b\r\n1.5,\"x, \"\"y\"\"\nz\"\r\n,\xC3\xA9\r\n"));
        QCOMPARE(table.toTsv(), QByteArray("a\tb\n1.5\tx, \"y\" z\n\t\xC3\xA9\n"));
    }

    void exactNumbersReadBackTheSame()
    {
        for (const double value : {0.1, 1.0 / 3, 79.1 * partita::gibibyte, 1e-9, 123456789012.0}) {
            QCOMPARE(exactNumber(value).toDouble(), value);
        }
    }
};

QTEST_GUILESS_MAIN(TestFigures)
#include "tst_figures.moc"
