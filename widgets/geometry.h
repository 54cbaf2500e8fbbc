// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QLineF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

namespace partita::ui {

/// Sizes of text, so that layouts can be computed and tested without a screen. Widths and heights in px.
struct TextMetrics {
    std::function<double(const QString&, TextRole)> width;
    std::function<double(TextRole)> height;
    double gap = 8;

    /// The text, or as much of it as fits with an ellipsis; empty when not even that does.
    QString elided(const QString& text, TextRole role, double room) const;
    /// The text in lines no wider than the room, broken between words; inside one only where it alone is too wide,
    /// there behind a hyphen if it has any. At least one line.
    QStringList wrapped(const QString& text, TextRole role, double room) const;
    double widestWord(const QString& text, TextRole role) const;
};

/// Of the theme's font. Needs a QGuiApplication.
TextMetrics textMetrics(const Theme& theme);

/// A line of text placed in a picture.
struct Label {
    QRectF rect;
    QString text;
    TextRole role = TextRole::Label;
    Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter;
    bool warns = false; ///< in the colour of what is wrong

    bool empty() const { return text.isEmpty(); }
};

/// Adds a label for each line, the first at the top of the room; returns where the last one ends.
double stackLines(std::vector<Label>& labels, const QStringList& lines, const QRectF& room, TextRole role,
                  const TextMetrics& metrics, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);

/// The part of a line inside a rectangle (Liang & Barsky 1984). Pictures clip their geometry: Qt's SVG writer clips
/// nothing.
std::optional<QLineF> clipLine(const QLineF& line, const QRectF& rect);
/// Lines of a pattern inside a rectangle, in phase with those of its neighbours.
std::vector<QLineF> hatchLines(const QRectF& rect, Hatch hatch, double spacing);

/// A category's swatch and name.
struct LegendEntry {
    QRectF swatch;
    Label label;
    int category = 0; ///< index of the enumerator
};

/// Px between rows of text set as tight as they can still be read: capitals and descenders do not touch.
double tightPitch(const TextMetrics& metrics);
/// Columns, each from top to bottom; each name elided to its column. Rows that would touch `avoid` move below it. Rows
/// close up before they are lost; those that do not fit even then are left out.
std::vector<LegendEntry> legendColumn(const std::vector<std::pair<int, QString>>& names, const QRectF& room,
                                      const QRectF& avoid, const TextMetrics& metrics, int columns = 1);
/// Rows from left to right, wrapped; starts at the room's top left and may end above its bottom.
std::vector<LegendEntry> legendRows(const std::vector<std::pair<int, QString>>& names, const QRectF& room,
                                    const TextMetrics& metrics, bool tight = false);
double legendWidth(const std::vector<std::pair<int, QString>>& names, const TextMetrics& metrics, int columns = 1);
double legendBottom(const std::vector<LegendEntry>& entries);
/// Takes rows away from the bottom until the rest ends above; the first stays.
void cutLegend(std::vector<LegendEntry>& rows, double bottom);
/// The same; in the place of what is missing, and at its end, "and 2 more" of category LegendRest, left of `right`.
inline constexpr int LegendRest = -1;
void shortenLegend(std::vector<LegendEntry>& rows, double bottom, double right, const TextMetrics& metrics);
/// Of all names those that the rows have no entry for, one a line; empty when there are none, or the point is not on
/// the entry that stands for them.
QString legendRestAt(const QPointF& point, const std::vector<LegendEntry>& rows,
                     const std::vector<std::pair<int, QString>>& names);

} // namespace partita::ui
