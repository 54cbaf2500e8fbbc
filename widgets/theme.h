// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"
#include "core/serving/serving_memory.h"
#include "core/training/report.h"

#include <QColor>
#include <QFont>

class QPalette;

namespace partita::ui {

/// Line patterns drawn over a fill, so that nothing is told by colour alone.
enum class Hatch { None, Rising, Falling, Cross, Level, Upright };

/// How an area of one category looks. The edge is drawn one pixel wide.
struct FillStyle {
    QColor fill;
    QColor edge; ///< darker than the fill: fills below 3:1 against the card stay visible
    QColor ink; ///< text on the fill, black or white by contrast
    Hatch hatch = Hatch::None;
    bool footer = false; ///< a darker strip along the bottom: tells a backward from a forward without colour
};

/// Sequential colour maps, both readable with every colour vision (Smith & van der Walt; Nuñez, Anderton & Renslow
/// 2018).
enum class Ramp { Viridis, Cividis };

/// What a piece of text is; decides its size, weight and colour.
enum class TextRole { Title, Value, Label, Muted, Small };

/// Colours, type and spacing of every chart and panel: screen light, screen dark, paper. The one place they are stated.
struct Theme {
    QColor window;
    QColor card;
    QColor border;
    QColor text;
    QColor mutedText;
    QColor grid;
    QColor accent;
    QColor good;
    QColor bad;
    QFont font;
    bool dark = false;
    double scale = 1; ///< of type and spacing: 1 on a desk, more on a projector
    Ramp ramp = Ramp::Viridis;

    static Theme light();
    static Theme darkMode();
    static Theme paper();
    /// Light or dark, whichever the palette's window colour is.
    static Theme fromPalette(const QPalette& palette);

    QFont fontOf(TextRole role) const; ///< pixel-sized, unhinted: the same widths on screen and in a file
    QColor colorOf(TextRole role) const;
    double gap() const { return 8 * scale; } ///< px between unrelated things
    double halfGap() const { return 4 * scale; }

    FillStyle categoryStyle(MemoryKind kind) const;
    FillStyle categoryStyle(TimeKind kind) const;
    FillStyle categoryStyle(RoomKind kind) const;
    /// Chunks of one device differ by lightness: 0 is the full colour. ForwardBackward: the style of neither half.
    FillStyle opStyle(OpKind kind, int chunk = 0, int chunks = 1) const;
    FillStyle exchangeStyle(ExchangeGroup group) const; ///< exposed inside an op
    FillStyle transferStyle() const; ///< waiting for bytes on the wire
    FillStyle idleStyle() const;
    FillStyle outOfMemoryStyle() const;
    FillStyle pendingStyle() const;
    QColor rampColor(double share) const; ///< share 0..1, clamped
};

/// Black or white, whichever contrasts more (WCAG 2 relative luminance).
QColor inkOn(const QColor& fill);
/// WCAG 2 contrast ratio, 1..21.
double contrast(const QColor& a, const QColor& b);
/// From a to b by share 0..1, per sRGB channel.
QColor mix(const QColor& a, const QColor& b, double share);

/// Registers the bundled DejaVu Sans; charts use it wherever they are painted. Call after QApplication; again is free.
void loadFonts();

} // namespace partita::ui
