// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/row_condition.h"

#include "core/base/units.h"
#include "core/layout/layout_text.h"
#include "core/layout/layout_words.h"
#include "core/search/difference.h"
#include "widgets/layout_table_model.h"
#include "widgets/text.h"

#include <QRegularExpression>

#include <array>
#include <cmath>
#include <optional>

namespace partita::ui {

namespace {

/// A setting of layouts that is a number; a limit of a search has the same key.
struct Degree {
    const char* key;
    double (*of)(const Layout&);
};

constexpr std::array degrees{
    Degree{"tp", [](const Layout& layout) { return double(layout.tp); }},
    Degree{"cp", [](const Layout& layout) { return double(layout.cp); }},
    Degree{"pp", [](const Layout& layout) { return double(layout.pp); }},
    Degree{"vpp", [](const Layout& layout) { return double(layout.vpp); }},
    Degree{"dp", [](const Layout& layout) { return double(layout.dp); }},
    Degree{"ep", [](const Layout& layout) { return double(layout.ep); }},
    Degree{"etp", [](const Layout& layout) { return double(layout.etp); }},
    Degree{"micro_batch", [](const Layout& layout) { return double(layout.microBatch); }},
    Degree{"zero_stage", [](const Layout& layout) { return double(layout.zeroStage); }},
};

const Degree* degreeNamed(const QString& name)
{
    const std::string key = layoutKey(name.toStdString());
    const auto* const found =
        std::find_if(degrees.begin(), degrees.end(), [&](const Degree& degree) { return degree.key == key; });
    return found == degrees.end() ? nullptr : found;
}

/// By its name or the beginning of it: "step", "mem".
std::optional<LayoutColumn> figureNamed(const QString& name)
{
    constexpr int leastLetters = 3;
    for (const bool whole : {true, false}) {
        for (const Name<LayoutColumn>& column : Names<LayoutColumn>::table) {
            if (!isNumber(column.value)) {
                continue;
            }
            for (const std::string_view known : {column.key, column.label}) {
                const QString text = toText(known);
                const bool begins = name.size() >= leastLetters && text.startsWith(name, Qt::CaseInsensitive);
                if (whole ? text.compare(name, Qt::CaseInsensitive) == 0 : begins) {
                    return column.value;
                }
            }
        }
    }
    return std::nullopt;
}

/// What a unit behind a number stands for; without one, as the column is usually written; 0: not a unit of it.
double scaleOf(LayoutColumn column, const QString& unit)
{
    const bool share = column == LayoutColumn::Mfu || column == LayoutColumn::Bubble || column == LayoutColumn::Exposed;
    struct Scale {
        const char* unit;
        double size;
        bool known;
    };
    const bool time = column == LayoutColumn::StepTime;
    const bool memory = column == LayoutColumn::Memory;
    const bool count = !share && !time && !memory;
    const std::array scales{
        Scale{"",
              share        ? 0.01
                  : memory ? gibibyte
                           : 1,
              true},
        Scale{"%", 0.01, share},
        Scale{"s", 1, time},
        Scale{"ms", 1e-3, time},
        Scale{"GiB", gibibyte, memory},
        Scale{"K", 1e3, count},
        Scale{"M", 1e6, count},
        Scale{"B", 1e9, count},
    };
    for (const Scale& scale : scales) {
        if (scale.known && unit.compare(QLatin1String(scale.unit), Qt::CaseInsensitive) == 0) {
            return scale.size;
        }
    }
    return 0;
}

/// precision: what the number is known to; figures that are written like it equal it.
bool compares(double is, const QString& relation, double value, double precision)
{
    const bool equal = relation.endsWith(u'=') && std::abs(is - value) <= precision / 2;
    return equal || (relation.startsWith(u'<') && is < value) || (relation.startsWith(u'>') && is > value);
}

} // namespace

RowCondition::RowCondition(const QString& part)
{
    static const QRegularExpression comparison(QStringLiteral(
        R"(^([A-Za-z_\- ]+?)\s*(<=|>=|<|>|=|≤|≥)\s*(?:\$\s*)?([0-9]+(?:\.[0-9]*)?|\.[0-9]+|)\s*(\S*)$)"));
    static const QRegularExpression sign(QStringLiteral("[<>=≤≥]"));
    const QString text = part.simplified();
    if (!text.contains(sign)) {
        findWords(text);
        return;
    }
    const QRegularExpressionMatch match = comparison.match(text);
    const QString name = match.captured(1);
    const QString number = match.captured(3);
    const QString unit = match.captured(4);
    QString relation = match.captured(2);
    relation.replace(u'≤', QStringLiteral("<=")).replace(u'≥', QStringLiteral(">="));
    const Degree* degree = degreeNamed(name);
    const std::optional<LayoutColumn> figure = figureNamed(name);
    const double scale = figure ? scaleOf(*figure, unit) : 0;
    if (match.hasMatch() && number.isEmpty() && unit.isEmpty() && (degree != nullptr || figure)) {
        return; // still being typed
    }
    if (degree != nullptr && unit.isEmpty() && !number.isEmpty()) {
        compareDegree(name, relation, number.toDouble());
    } else if (scale > 0 && !number.isEmpty()) {
        const qsizetype decimals = number.contains(u'.') ? number.size() - number.indexOf(u'.') - 1 : 0;
        const double precision = std::pow(10, -static_cast<double>(decimals)) * scale;
        m_holds = [figure, relation, precision, value = number.toDouble() * scale](const LayoutFigures& row) {
            return compares(numberOf(row, *figure), relation, value, precision);
        };
    } else {
        m_objection =
            tr("“%1” compares nothing here. Compare step, MFU, memory, bubble, exposed, cost or a degree with a "
               "number: step<8 s, bubble<5 %, MFU>40, memory<70 GiB, pp>=4")
                .arg(text);
    }
}

void RowCondition::compareDegree(const QString& name, const QString& relation, double value)
{
    const Degree* degree = degreeNamed(name);
    m_holds = [degree, relation, value](const LayoutFigures& row) {
        return compares(degree->of(row.layout), relation, value, 0);
    };
    if (value != std::floor(value)) {
        return;
    }
    // A search has no limits that leave their end out.
    const double end = relation == QStringLiteral("<") ? value - 1
        : relation == QStringLiteral(">")              ? value + 1
                                                       : value;
    const QString with = relation.startsWith(u'=') ? relation : relation.left(1) + u'=';
    m_limit = QLatin1String(degree->key) + with + QString::number(end);
}

void RowCondition::findWords(const QString& words)
{
    // Between separators, so that "tp 1" is not found in "etp 16".
    const QString separator = QStringLiteral(" · ");
    const QString name = words.section(u' ', 0, -2);
    const bool isDegree = !name.isEmpty() && words.back().isDigit();
    m_holds = [sought = isDegree ? separator + words + separator : words, separator](const LayoutFigures& row) {
        return QString(separator + toText(layoutText(row.layout)) + separator).contains(sought, Qt::CaseInsensitive);
    };
    static const QRegularExpression counted(QStringLiteral("^(.+?)[ -]([0-9]+)$"));
    const QRegularExpressionMatch match = counted.match(words);
    if (const Degree* degree = match.hasMatch() ? degreeNamed(match.captured(1).toLower()) : nullptr) {
        m_limit = QStringLiteral("%1=%2").arg(QLatin1String(degree->key), match.captured(2));
    }
}

std::vector<RowCondition> rowConditions(const QString& text)
{
    std::vector<RowCondition> conditions;
    for (const QString& part : text.split(u',', Qt::SkipEmptyParts)) {
        if (!part.trimmed().isEmpty()) {
            conditions.emplace_back(part);
        }
    }
    return conditions;
}

} // namespace partita::ui
