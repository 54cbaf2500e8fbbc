// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"
#include "core/base/units.h"

#include <QtTest>

#include <clocale>
#include <limits>

using namespace partita;

namespace {
constexpr double gib = 1024.0 * 1024.0 * 1024.0;
}

class TestFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesNumbersAsPeopleReadThem_data()
    {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const std::string& written, const char* expected) {
            QTest::newRow(name) << QString::fromStdString(written) << QString::fromUtf8(expected);
        };
        row("exact parameter count", formatCount(70'553'706'496), "70,553,706,496");
        row("three digits need no comma", formatCount(999), "999");
        row("four do", formatCount(1000), "1,000");
        row("negative hundreds", formatCount(-100), "-100");
        row("smallest count", formatCount(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
        row("significant digits", formatSignificant(6.4213), "6.42");
        row("significance does not invent zeros before the point", formatSignificant(1002.7), "1,003");
        row("rounding up to the next power of ten", formatSignificant(9.996), "10.0");
        row("small", formatSignificant(0.012345), "0.0123");
        row("nothing", formatSignificant(0), "0");
        row("not a number", formatSignificant(std::numeric_limits<double>::quiet_NaN()), "—");
        row("endless memory", formatBytes(std::numeric_limits<double>::infinity()), "—");
        row("smaller than any double is precise", formatSignificant(5e-324, 1).substr(0, 4), "0.00");
        row("endless", formatSeconds(std::numeric_limits<double>::infinity()), "—");
        row("device memory", formatBytes(68.4 * gib), "68.4 GiB");
        row("more than a tebibyte stays in GiB", formatBytes(1003 * gib), "1,003 GiB");
        row("mebibytes", formatBytes(1.5 * 1024 * 1024), "1.50 MiB");
        row("just below a gibibyte", formatBytes(gib * 0.9999), "1.00 GiB");
        row("bytes", formatBytes(12), "12.0 B");
        row("no bytes", formatBytes(0), "0 B");
        row("a shortfall is negative", formatBytes(-31 * gib), "-31.0 GiB");
        row("pair of GiB", formatGibibytes(79.1 * gib), "79.1");
        row("seconds", formatSeconds(6.4213), "6.42 s");
        row("milliseconds", formatSeconds(0.0123), "12.3 ms");
        row("microseconds", formatSeconds(4.5e-6), "4.50 µs");
        row("nanoseconds stay microseconds", formatSeconds(4.5e-9), "0.00450 µs");
        row("milliseconds that round to a second", formatSeconds(0.9996), "1.00 s");
        row("no time", formatSeconds(0), "0 s");
        row("percent", formatPercent(0.4412), "44.1 %");
        row("no percent", formatPercent(0), "0.0 %");
        row("tokens", formatScaled(15e12), "15 T");
        row("billions", formatScaled(405e9), "405 B");
        row("rounding into the next scale", formatScaled(999'999), "1 M");
        row("below a thousand", formatScaled(256), "256");
        row("days", formatDays(52.3), "52 days");
        row("hundreds of days keep every digit", formatDays(1234), "1,234 days");
        row("one day", formatDays(1), "1 day");
        row("hours", formatDays(0.3125), "7.5 hours");
        row("cost", formatDollars(3.1e6), "$3.10 M");
        row("cost beside another", formatDollars(12.96e6), "$13.0 M");
        row("small cost", formatDollars(950), "$950");
    }
    void writesNumbersAsPeopleReadThem()
    {
        QFETCH(QString, written);
        QFETCH(QString, expected);
        QCOMPARE(written, expected);
    }

    void readsAloudTheSameInEveryLocale()
    {
        const std::string before = formatSeconds(1234.5) + formatSignificant(0.5) + formatPercent(0.125);
        for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
            std::setlocale(LC_ALL, name);
            QCOMPARE(formatSeconds(1234.5) + formatSignificant(0.5) + formatPercent(0.125), before);
        }
    }
};

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"
