// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_notes.h"

#include "widgets/text.h"

#include <QCoreApplication>
#include <QStringList>

namespace partita::ui {

QString ReportNotes::ofAssumption(const std::string& text)
{
    const QString said = toText(text);
    QString& number = m_numbers[said];
    if (number.isEmpty()) {
        m_assumptions.push_back(said);
        number = QStringLiteral("A%1").arg(m_assumptions.size());
    }
    return number;
}

QString ReportNotes::ofConstant(Measure measure, const Quantity& quantity)
{
    if (quantity.origin == absentOrigin) {
        return toText(absentOrigin);
    }
    const Constant constant{toText(quantity.name), toText(formatMeasure(quantity.value, measure)),
                            toText(quantity.origin)};
    QString& number = m_numbers[QStringList{constant.name, constant.value, constant.origin}.join(u'\n')];
    if (number.isEmpty()) {
        m_constants.push_back(constant);
        number = QStringLiteral("C%1").arg(m_constants.size());
    }
    return number;
}

QString ReportNotes::listOf(const std::vector<std::string>& assumptions)
{
    QStringList numbers;
    for (const std::string& text : assumptions) {
        if (!text.empty()) {
            numbers << ofAssumption(text);
        }
    }
    return numbers.join(QStringLiteral(", "));
}

ChartTable constantsTable(const ReportNotes& notes)
{
    const auto told = [](const char* text) { return QCoreApplication::translate("Report", text); };
    ChartTable table{{told("No."), told("Given"), told("Value"), told("From")}, {}};
    for (std::size_t i = 0; i < notes.constants().size(); ++i) {
        const ReportNotes::Constant& constant = notes.constants()[i];
        table.rows.push_back({QStringLiteral("C%1").arg(i + 1), constant.name, constant.value, constant.origin});
    }
    return table;
}

} // namespace partita::ui
