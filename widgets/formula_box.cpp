// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/formula_box.h"

#include "core/explain/formula.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace partita::ui {

namespace {

using Kind = Expression::Kind;

constexpr double smaller = 0.72; ///< subscripts and exponents

void append(FormulaBox& box, const FormulaBox& part, const QPointF& at)
{
    for (FormulaBox::Piece piece : part.pieces) {
        piece.baseline += at;
        box.pieces.push_back(std::move(piece));
    }
    for (const QLineF& bar : part.bars) {
        box.bars.push_back(bar.translated(at));
    }
}

/// Where the glyphs lie, which is not where the font's metrics say.
QRectF inkOf(const FormulaBox::Piece& piece)
{
    return QFontMetricsF(piece.font).tightBoundingRect(piece.text).translated(piece.baseline);
}

/// Sets expressions in one font size; smaller ones make a setter of their own.
class Setter {
public:
    /// values: written in place of symbols, of those it has.
    Setter(const std::set<std::string>& lists, const QFont& font, const std::map<std::string, QString>& values = {})
        : m_lists(lists)
        , m_values(values)
        , m_font(font)
        , m_metrics(font)
    {
    }

    FormulaBox set(const Expression& e) const
    {
        switch (e.kind) {
        case Kind::Number:
            return text(QString::number(e.number, 'g', QLocale::FloatingPointShortest), false);
        case Kind::Symbol:
            return symbol(e.name);
        case Kind::Negate:
            return row({text(QStringLiteral("−"), false), bound(e.args[0], 2)});
        case Kind::Add:
            return row({bound(e.args[0], 1), sign(QStringLiteral("+")), bound(e.args[1], 1)});
        case Kind::Subtract:
            return row({bound(e.args[0], 1), sign(QStringLiteral("−")), bound(e.args[1], 2)});
        case Kind::Multiply:
            return row({bound(e.args[0], 2), text(QStringLiteral("\u2009·\u2009"), false), bound(e.args[1], 2)});
        case Kind::Divide:
            return fraction(set(e.args[0]), set(e.args[1]));
        case Kind::Power:
            return raised(bound(e.args[0], 4), small().set(e.args[1]));
        case Kind::AtMost:
            return row({bound(e.args[0], 1), sign(QStringLiteral("≤")), bound(e.args[1], 1)});
        case Kind::Call:
            return call(e);
        }
        return {};
    }

    FormulaBox text(const QString& string, bool italic) const
    {
        FormulaBox box;
        QFont font = m_font;
        font.setItalic(italic);
        box.size = {QFontMetricsF(font).horizontalAdvance(string), m_metrics.height()};
        box.ascent = m_metrics.ascent();
        box.pieces.push_back({QPointF(0, box.ascent), string, font});
        return box;
    }

    FormulaBox sign(const QString& string) const { return text(QStringLiteral(" %1 ").arg(string), false); }

    /// Boxes side by side on one baseline.
    FormulaBox row(const std::vector<FormulaBox>& parts) const
    {
        FormulaBox box;
        double below = 0;
        for (const FormulaBox& part : parts) {
            box.ascent = std::max(box.ascent, part.ascent);
            below = std::max(below, part.size.height() - part.ascent);
        }
        double x = 0;
        for (const FormulaBox& part : parts) {
            append(box, part, QPointF(x, box.ascent - part.ascent));
            x += part.size.width();
        }
        box.size = {x, box.ascent + below};
        return box;
    }

private:
    static int binding(const Expression& e)
    {
        switch (e.kind) {
        case Kind::AtMost:
            return 0;
        case Kind::Add:
        case Kind::Subtract:
            return 1;
        case Kind::Negate:
        case Kind::Multiply:
            return 2;
        case Kind::Power:
            return 3;
        case Kind::Call:
            return e.name == "sum" ? 2 : 4;
        default:
            return 4; // a fraction's bar holds it together
        }
    }

    FormulaBox bound(const Expression& e, int least) const { return binding(e) < least ? grouped(set(e)) : set(e); }

    FormulaBox grouped(const FormulaBox& inner) const
    {
        const bool tall = inner.size.height() > 1.3 * m_metrics.height();
        FormulaBox open = tall ? bracket(inner, QStringLiteral("(")) : text(QStringLiteral("("), false);
        FormulaBox close = tall ? bracket(inner, QStringLiteral(")")) : text(QStringLiteral(")"), false);
        return row({open, inner, close});
    }

    /// A parenthesis as tall as what it holds.
    FormulaBox bracket(const FormulaBox& inner, const QString& string) const
    {
        QFont font = m_font;
        font.setPixelSize(static_cast<int>(std::lround(m_font.pixelSize() * inner.size.height() / m_metrics.height())));
        const QFontMetricsF metrics(font);
        FormulaBox box;
        box.size = {metrics.horizontalAdvance(string), inner.size.height()};
        box.ascent = inner.ascent;
        box.pieces.push_back(
            {QPointF(0, metrics.ascent() - (metrics.height() - inner.size.height()) / 2), string, font});
        return box;
    }

    Setter small() const
    {
        QFont font = m_font;
        font.setPixelSize(std::max(7, static_cast<int>(std::lround(m_font.pixelSize() * smaller))));
        return {m_lists, font, m_values};
    }

    FormulaBox symbol(const std::string& name) const
    {
        if (const auto value = m_values.find(name); value != m_values.end()) {
            return text(value->second, false);
        }
        const SymbolText parts = symbolText(name);
        QString below = QString::fromStdString(parts.subscript);
        if (m_lists.count(name) > 0) {
            below += below.isEmpty() ? QStringLiteral("i") : QStringLiteral(",i");
        }
        FormulaBox base = text(QString::fromStdString(parts.base), true);
        return below.isEmpty() ? base : lowered(base, small().text(below, m_lists.count(name) > 0));
    }

    FormulaBox lowered(const FormulaBox& base, const FormulaBox& script) const
    {
        FormulaBox box = base;
        const double top = base.ascent + 0.25 * m_metrics.ascent() - script.ascent;
        append(box, script, QPointF(base.size.width(), top));
        box.size = {base.size.width() + script.size.width() + 1,
                    std::max(base.size.height(), top + script.size.height())};
        return box;
    }

    FormulaBox raised(const FormulaBox& base, const FormulaBox& script) const
    {
        const double lift = std::max(0.0, script.size.height() * 0.6 - 0.2 * base.size.height());
        FormulaBox box;
        append(box, base, QPointF(0, lift));
        append(box, script, QPointF(base.size.width(), 0));
        box.ascent = base.ascent + lift;
        box.size = {base.size.width() + script.size.width(), base.size.height() + lift};
        return box;
    }

    FormulaBox fraction(const FormulaBox& above, const FormulaBox& below) const
    {
        constexpr double gap = 2;
        FormulaBox box;
        const double width = std::max(above.size.width(), below.size.width()) + 6;
        const double bar = above.size.height() + gap;
        append(box, above, QPointF((width - above.size.width()) / 2, 0));
        append(box, below, QPointF((width - below.size.width()) / 2, bar + gap));
        box.bars.emplace_back(1, bar, width - 1, bar);
        box.size = {width, bar + gap + below.size.height()};
        box.ascent = bar + 0.3 * m_metrics.ascent(); // the bar stands at the height of a minus
        return box;
    }

    FormulaBox call(const Expression& e) const
    {
        if (e.name == "sum" && e.args.size() == 1) {
            return row({sum(), bound(e.args[0], 2)});
        }
        std::vector<FormulaBox> arguments;
        for (const Expression& arg : e.args) {
            if (!arguments.empty()) {
                arguments.push_back(text(QStringLiteral(", "), false));
            }
            arguments.push_back(set(arg));
        }
        return row({text(QString::fromStdString(e.name), false), grouped(row(arguments))});
    }

    /// The sign with its index below.
    FormulaBox sum() const
    {
        constexpr double gap = 2;
        const FormulaBox sigma = text(QStringLiteral("∑"), false);
        const FormulaBox index = small().text(QStringLiteral("i"), true);
        // The sign reaches below the baseline, further in some fonts than their descent says.
        const QRectF signInk = inkOf(sigma.pieces.front());
        const QRectF indexInk = inkOf(index.pieces.front());
        const double down = std::ceil(signInk.bottom() + gap - indexInk.top());
        FormulaBox box;
        const double width = std::max(sigma.size.width(), index.size.width());
        append(box, sigma, QPointF((width - sigma.size.width()) / 2, 0));
        append(box, index, QPointF((width - index.size.width()) / 2, down));
        box.ascent = sigma.ascent;
        box.size = {width + 2, std::max(sigma.size.height(), down + std::ceil(indexInk.bottom()) + 1)};
        return box;
    }

    const std::set<std::string>& m_lists;
    const std::map<std::string, QString> m_values;
    QFont m_font;
    QFontMetricsF m_metrics;
};

} // namespace

FormulaBox layOutFormula(const Derivation& derivation, const QString& result, const QFont& font)
{
    const Result<Expression> formula = parseFormula(derivation.formula);
    if (derivation.formula.empty() || !formula) {
        return {};
    }
    std::set<std::string> lists;
    for (const Term& term : derivation.terms) {
        if (term.list) {
            lists.insert(term.symbol);
        }
    }
    const Setter setter(lists, font);
    return setter.row({setter.text(result, false), setter.sign(QStringLiteral("=")), setter.set(*formula)});
}

FormulaBox layOutNumbers(const Derivation& derivation, const QFont& font)
{
    const Result<Expression> formula = parseFormula(derivation.formula);
    std::map<std::string, QString> values;
    for (const Term& term : derivation.terms) {
        if (term.list || term.values.empty()) {
            return {};
        }
        values[term.symbol] = QString::fromStdString(formatMeasure(term.values.front().value, term.measure));
    }
    if (values.empty() || !formula) {
        return {};
    }
    const std::set<std::string> lists;
    const Setter setter(lists, font, values);
    return setter.row({setter.sign(QStringLiteral("=")), setter.set(*formula)});
}

void paintFormula(QPainter& painter, const FormulaBox& box, const QPointF& topLeft, const QColor& color)
{
    painter.save();
    painter.setPen(QPen(color, 1));
    for (const FormulaBox::Piece& piece : box.pieces) {
        painter.setFont(piece.font);
        painter.drawText(topLeft + piece.baseline, piece.text);
    }
    for (const QLineF& bar : box.bars) {
        painter.drawLine(bar.translated(topLeft));
    }
    painter.restore();
}

} // namespace partita::ui
