// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/explain/derivation.h"
#include "widgets/chart.h"

#include <QString>

#include <map>
#include <vector>

namespace partita::ui {

/// Numbers what the derivations of a report rest on, in the order it is first mentioned, so that each stands once.
class ReportNotes {
public:
    struct Constant {
        QString name;
        QString value;
        QString origin;
    };

    QString ofAssumption(const std::string& text); ///< "A3"
    /// Of a number that is given: "C7"; one of another value or origin is another. Of what the scenario has nothing of:
    /// that.
    QString ofConstant(Measure measure, const Quantity& quantity);
    /// "A1, A4"; empty without any.
    QString listOf(const std::vector<std::string>& assumptions);

    const std::vector<QString>& assumptions() const { return m_assumptions; } ///< A1, A2, ...
    const std::vector<Constant>& constants() const { return m_constants; } ///< C1, C2, ...

private:
    std::vector<QString> m_assumptions;
    std::vector<Constant> m_constants;
    std::map<QString, QString> m_numbers; ///< by what it says
};

/// The constants for reading.
ChartTable constantsTable(const ReportNotes& notes);

} // namespace partita::ui
