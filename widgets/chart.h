// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QByteArray>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

class QPainter;

namespace partita::ui {

/// The numbers behind a chart, as text at full precision with '.' decimals: CSV, clipboard, screen readers.
struct ChartTable {
    QStringList header;
    std::vector<QStringList> rows; ///< each as long as the header

    QByteArray toCsv() const; ///< RFC 4180: CRLF, quoted where needed; UTF-8
    QByteArray toTsv() const; ///< tabs and line breaks inside cells become spaces
    bool operator==(const ChartTable&) const = default;
};

/// A picture of a value: painted the same way on screen, on paper and in a file, with the table it shows.
class Chart {
public:
    virtual ~Chart() = default;

    virtual QString id() const = 0; ///< stable, fit for a file name: "memory", "gantt"
    virtual QString title() const = 0;
    virtual QString description() const = 0; ///< what the picture says, in a sentence: its accessible description
    virtual ChartTable table() const = 0;
    virtual bool isEmpty() const { return table().rows.empty(); } ///< shows why there is nothing, if anything
    /// Inside area only, in its units of 1/96 inch. The background and the title are the caller's.
    virtual void paint(QPainter& painter, const QRectF& area, const Theme& theme) const = 0;
    /// What lies at a point of a picture painted into area, for a tool tip; empty when nothing does.
    virtual QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const = 0;
    /// The value of the report that lies there, for its derivation: "memory.stages[0].weights"; empty when none does.
    virtual QString valueAt(const QPointF& /*point*/, const QRectF& /*area*/, const Theme& /*theme*/) const
    {
        return {};
    }
    virtual QSizeF preferredSize() const { return {640, 300}; }
    virtual QSizeF minimumSize() const { return {240, 100}; }
    /// As it is shown where nobody can zoom into it: on paper, on a projector. Null: as it is.
    virtual std::shared_ptr<const Chart> still() const { return nullptr; }
    /// By how much its type may be larger on a screen that it has to itself, and still show all; at least 1.
    virtual double growthIn(const QSizeF& /*room*/, const Theme& /*theme*/) const { return 1; }
    /// Of a picture in a document that is so wide.
    virtual double heightAt(double width, const Theme& theme) const;
};

/// The shortest text without an exponent that reads back as the same double.
QString exactNumber(double value);

} // namespace partita::ui
