// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/layout_figures.h"

#include <QCoreApplication>
#include <QString>

#include <functional>
#include <vector>

namespace partita::ui {

/// One part of a filter of layouts: a degree or a figure held against a number ("pp >= 4", "step < 8 s", "bubble < 5
/// %"), else words of the layout ("tp 8", "ZeRO-1").
class RowCondition {
    Q_DECLARE_TR_FUNCTIONS(RowCondition)

public:
    explicit RowCondition(const QString& part);

    bool holds(const LayoutFigures& row) const { return m_holds(row); }
    /// Of a comparison that is none: what can be typed; it holds of every row.
    const QString& objection() const { return m_objection; }
    /// The same as a limit of a search, "pp>=4"; empty where none says it.
    const QString& limit() const { return m_limit; }

private:
    void compareDegree(const QString& name, const QString& relation, double value);
    void findWords(const QString& words);

    std::function<bool(const LayoutFigures&)> m_holds = [](const LayoutFigures&) { return true; };
    QString m_objection;
    QString m_limit;
};

/// Of every part between commas that is not empty.
std::vector<RowCondition> rowConditions(const QString& text);

} // namespace partita::ui
