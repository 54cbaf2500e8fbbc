// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita::ui {

namespace {

QString withUnit(const QString& number, const QString& unit)
{
    return number + QChar(0x00A0) + unit; // no-break space
}

int decimalsFor(double magnitude)
{
    return magnitude >= 99.95 ? (magnitude >= 999.5 ? 0 : 1) : magnitude >= 9.995 ? 1 : 2;
}

} // namespace

QString numberText(double value, int decimals)
{
    return QLocale().toString(value, 'f', decimals);
}

QString significant(double value)
{
    QLocale locale;
    return locale.toString(std::round(value * 100) / 100, 'g', QLocale::FloatingPointShortest);
}

QString gibText(double bytes)
{
    const double gib = bytes / Gibibyte;
    return numberText(gib, decimalsFor(std::abs(gib)));
}

QString gibWithUnit(double bytes)
{
    return withUnit(gibText(bytes), QStringLiteral("GiB"));
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
    const TimeUnit unit = timeUnitFor(std::abs(seconds));
    const double value = seconds / unit.seconds;
    return withUnit(numberText(value, decimalsFor(std::abs(value))), unit.name);
}

QString percentText(double share, int decimals)
{
    return withUnit(numberText(share * 100, decimals), QStringLiteral("%"));
}

QString countText(double count)
{
    return numberText(count, 0);
}

std::vector<double> roundedToTotal(const std::vector<double>& values, int decimals)
{
    const double unit = std::pow(10.0, -decimals);
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    std::vector<double> rounded(values.size());
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    double units = std::round(total / unit);
    for (std::size_t i = 0; i < values.size(); ++i) {
        rounded[i] = std::floor(values[i] / unit);
        units -= rounded[i];
    }
    const auto remainder = [&](std::size_t i) { return values[i] / unit - rounded[i]; };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return remainder(a) > remainder(b); });
    for (std::size_t i = 0; i < order.size() && units > 0.5; ++i, --units) {
        rounded[order[i]] += 1;
    }
    for (double& value : rounded) {
        value *= unit;
    }
    return rounded;
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

int tickDecimals(const std::vector<double>& ticks)
{
    if (ticks.size() < 2) {
        return 2;
    }
    const double step = ticks[1] - ticks[0];
    return std::clamp(static_cast<int>(-std::floor(std::log10(step * (1 + 1e-9)))), 0, 9);
}

} // namespace partita::ui
