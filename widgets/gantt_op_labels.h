// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/labels.h"

#include <cstddef>
#include <cstdint>

namespace partita::ui {

/// Widths of op labels without a metrics call per op: digits of the font are all as wide.
struct OpLabels {
    double digit;
    double letter;
    double line;
    double widestNumber; ///< so that equal ops carry equal labels, letter or none

    OpLabels(const TextMetrics& metrics, std::int32_t largest)
        : digit(metrics.width(QStringLiteral("0"), TextRole::Small))
        , letter(metrics.width(QStringLiteral("W"), TextRole::Small))
        , line(metrics.height(TextRole::Small))
        , widestNumber(digit * static_cast<double>(QString::number(largest).size()))
    {
    }

    /// Of an op of the whole step, which has no number.
    Label fitted(const QString& text, const QRectF& rect) const
    {
        const bool fits = letter * static_cast<double>(text.size()) + 2 <= rect.width() && rect.height() >= line * 0.85;
        return fits ? Label{rect, text, TextRole::Small, Qt::AlignCenter} : Label{};
    }

    Label fitted(const QString& kind, int number, const QRectF& rect) const
    {
        if (rect.height() < line * 0.85) {
            return {};
        }
        const QString digits = QString::number(number);
        const double width = digit * static_cast<double>(digits.size());
        if (letter + widestNumber + 6 <= rect.width()) {
            return {rect, kind + digits, TextRole::Small, Qt::AlignCenter};
        }
        return width + 2 <= rect.width() ? Label{rect, digits, TextRole::Small, Qt::AlignCenter} : Label{};
    }

    Label folded(std::size_t count, const QRectF& rect) const
    {
        const QString text = QChar(0x00D7) + QString::number(count);
        const bool fits = digit * static_cast<double>(text.size()) + 6 <= rect.width() && rect.height() >= line * 0.85;
        return fits ? Label{rect, text, TextRole::Small, Qt::AlignCenter} : Label{};
    }
};

} // namespace partita::ui
