// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures.h"

#include "core/base/format.h"
#include "core/cluster/price.h"
#include "widgets/text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

QString withUnit(const QString& number, const QString& unit)
{
    return number + QChar(0x00A0) + unit; // no-break space
}

/// As the rest of the window writes it, but never broken between number and unit.
QString unbroken(const std::string& text)
{
    return toText(text).replace(u' ', QChar(0x00A0));
}

} // namespace

QString numberText(double value, int decimals)
{
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(value, 'f', decimals); // as core/base/format.h
}

QString significant(double value)
{
    return QString::number(std::round(value * 100) / 100, 'f', QLocale::FloatingPointShortest);
}

QString gibText(double bytes)
{
    return toText(formatGibibytes(bytes));
}

QString bytesText(double bytes)
{
    return unbroken(formatBytes(bytes));
}

TimeUnit timeUnitFor(double span)
{
    if (span >= 1) {
        return {1, QStringLiteral("s")};
    }
    return span >= 1e-3 ? TimeUnit{1e-3, QStringLiteral("ms")} : TimeUnit{1e-6, QStringLiteral("µs")};
}

QString timeText(double seconds)
{
    return unbroken(formatSeconds(seconds));
}

QString timeWithRangeText(double seconds, double low, double high)
{
    const QString text = timeText(seconds);
    const QString number = text.section(QChar(0x00A0), 0, 0);
    const QString name = text.section(QChar(0x00A0), 1);
    const qsizetype point = number.indexOf(u'.');
    const int decimals = point < 0 ? 0 : static_cast<int>(number.size() - point - 1);
    const double unit = name == QStringLiteral("s") ? 1 : name == QStringLiteral("ms") ? 1e-3 : 1e-6;
    return QStringLiteral("%1 (%2–%3)").arg(text, numberText(low / unit, decimals), numberText(high / unit, decimals));
}

QString percentText(double share)
{
    return unbroken(formatPercent(share));
}

QString wholePercentText(double share)
{
    return withUnit(numberText(share * 100, 0), QStringLiteral("%"));
}

QString countText(double count)
{
    return numberText(count, 0);
}

QString rateText(double perSecond)
{
    return toText(formatSignificant(perSecond));
}

std::vector<double> niceTicks(double low, double high, int maxCount)
{
    if (!(high > low) || maxCount < 1 || !std::isfinite(high - low)) {
        return {};
    }
    const double rough = (high - low) / maxCount;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) {
            step = factor * power;
            break;
        }
    }
    std::vector<double> ticks;
    const double slack = step * 1e-9;
    for (double n = std::ceil((low - slack) / step); n * step <= high + slack; ++n) {
        ticks.push_back(n * step);
    }
    return ticks;
}

std::vector<double> logTicks(double low, double high)
{
    std::vector<double> ticks;
    const bool wide = high / low > 2000;
    for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
        for (const double step : {1.0, 2.0, 5.0}) {
            const double tick = decade * step;
            if (tick >= low * 0.999 && tick <= high * 1.001 && (step == 1.0 || !wide)) {
                ticks.push_back(tick);
            }
        }
    }
    return ticks;
}

int tickDecimals(const std::vector<double>& ticks)
{
    if (ticks.size() < 2) {
        return 2;
    }
    const double step = ticks[1] - ticks[0];
    return std::clamp(static_cast<int>(-std::floor(std::log10(step * (1 + 1e-9)))), 0, 9);
}

QString costUnitText(bool priced)
{
    const std::string unit(costUnit(priced)); // the translator wants a terminated string
    return QCoreApplication::translate("Figures", unit.c_str());
}

} // namespace partita::ui
