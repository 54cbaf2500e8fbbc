// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"

#include <QString>

#include <vector>

namespace partita::ui {

// Numbers as people read them: those of core/base/format.h where it has them. Files use exactNumber() instead.

QString numberText(double value, int decimals); ///< "1,003.4"
QString significant(double value); ///< "4", "2.5", "0.33": at most two decimals, none that are zero
QString gibText(double bytes); ///< "68.4", "1,003", "0.250": GiB without the unit
QString bytesText(double bytes); ///< "68.4 GiB"
QString timeText(double seconds); ///< "6.42 s", "12.3 ms", "450 µs"
/// A time and what it may be between, all in its unit and to its digits: "7.29 s (6.00–7.65)".
QString timeWithRangeText(double seconds, double low, double high);
QString percentText(double share); ///< "9.9 %"
QString wholePercentText(double share); ///< "10 %"
QString countText(double count); ///< "18,204"
QString rateText(double perSecond); ///< "207", "51.6": of tokens or requests, without the unit

/// The unit in which a span of time reads well.
struct TimeUnit {
    double seconds = 1; ///< of one unit
    QString name; ///< "s", "ms", "µs"
};
TimeUnit timeUnitFor(double span);

/// 1, 2 or 5 times a power of ten, at most maxCount of them in [low, high].
std::vector<double> niceTicks(double low, double high, int maxCount);
/// Powers of ten in [low, high], and 2 and 5 times them where they are few; 0 < low.
std::vector<double> logTicks(double low, double high);
/// Decimals that tell neighbouring ticks apart.
int tickDecimals(const std::vector<double>& ticks);

/// What a billion tokens take: "USD/10⁹ tokens" where devices have a price.
QString costUnitText(bool priced);

} // namespace partita::ui
