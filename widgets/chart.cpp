// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart.h"

#include <QLocale>

#include <algorithm>

namespace partita::ui {

namespace {

QString csvCell(const QString& cell)
{
    const bool plain = !cell.contains(u',') && !cell.contains(u'"') && !cell.contains(u'\n') && !cell.contains(u'\r');
    return plain ? cell : u'"' + QString(cell).replace(u'"', QStringLiteral("\"\"")) + u'"';
}

QString tsvCell(QString cell)
{
    for (const QChar breaking : {QChar(u'\t'), QChar(u'\n'), QChar(u'\r')}) {
        cell.replace(breaking, u' ');
    }
    return cell;
}

template <class Cell> QByteArray lines(const ChartTable& table, QChar separator, const QString& end, Cell cell)
{
    QString text;
    const auto append = [&](const QStringList& row) {
        for (qsizetype i = 0; i < row.size(); ++i) {
            text += (i == 0 ? QString() : QString(separator)) + cell(row[i]);
        }
        text += end;
    };
    append(table.header);
    for (const QStringList& row : table.rows) {
        append(row);
    }
    return text.toUtf8();
}

} // namespace

QByteArray ChartTable::toCsv() const
{
    return lines(*this, u',', QStringLiteral("\r\n"), csvCell);
}

QByteArray ChartTable::toTsv() const
{
    return lines(*this, u'\t', QStringLiteral("\n"), tsvCell);
}

double Chart::heightAt(double width, const Theme& /*theme*/) const
{
    // A narrow picture keeps some height for its axis and legend, a wide one does not tower.
    const double stretch = std::clamp(width / preferredSize().width(), 0.8, 1.3);
    return std::max(minimumSize().height(), preferredSize().height() * stretch);
}

QString exactNumber(double value)
{
    return QString::number(value, 'f', QLocale::FloatingPointShortest);
}

} // namespace partita::ui
