// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace partita::ui {

/// A TrueType font with nothing but the glyphs of some characters (of the basic multilingual plane), so that a picture
/// can carry its type. Names and licence stay in it, instructions for hinting do not. Empty when the font is not one
/// with outlines in a glyf table. OpenType specification 1.9.
QByteArray subsetFont(const QByteArray& font, const QString& characters);

} // namespace partita::ui
