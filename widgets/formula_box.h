// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/derivation.h"

#include <QFont>
#include <QLineF>
#include <QPointF>
#include <QSizeF>
#include <QString>

#include <vector>

class QColor;
class QPainter;

namespace partita::ui {

/// A formula set on a page: pieces of text at their baselines and the bars of fractions, from the top left corner.
struct FormulaBox {
    struct Piece {
        QPointF baseline;
        QString text;
        QFont font;
    };

    QSizeF size;
    double ascent = 0; ///< of the line the formula stands on, from the top
    std::vector<Piece> pieces;
    std::vector<QLineF> bars;
};

/// "T = sum of t_i" of a derivation, the symbol or name of the value in front; empty without a formula.
FormulaBox layOutFormula(const Derivation& derivation, const QString& result, const QFont& font);

/// The same with this scenario's numbers in place of symbols. Empty for formulas over lists, whose elements go on a
/// line (Derivation::substituted()).
FormulaBox layOutNumbers(const Derivation& derivation, const QFont& font);

void paintFormula(QPainter& painter, const FormulaBox& box, const QPointF& topLeft, const QColor& color);

} // namespace partita::ui
