// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/report_document.h"

#include <QSizeF>

#include <functional>
#include <vector>

class QPagedPaintDevice;
class QPainter;

namespace partita::ui {

/// A report set on pages of one size, for a PDF, a printer and its preview. Sizes in 1/96 inch.
class ReportPages {
public:
    /// room: of a page inside its margins. Tables go on over pages with their header, rows are never cut; what is wider
    /// than the page is set in smaller type.
    ReportPages(const ReportDocument& document, const QSizeF& room);

    std::size_t count() const { return m_pages.size(); }
    void paint(QPainter& painter, std::size_t page) const; ///< its content from the origin

private:
    struct Item {
        double top = 0;
        std::function<void(QPainter&, double top)> paint;
    };

    class Setter;
    std::vector<std::vector<Item>> m_pages;
    QSizeF m_room;
    QString m_footer;
};

/// Paints all pages on a device whose page size and margins are set.
void printReport(const ReportDocument& document, QPagedPaintDevice& device, int resolution);

/// A PDF with the scenario inside. paper: "a4" or "letter".
QByteArray reportPdf(const ReportDocument& document, bool letter);

} // namespace partita::ui
