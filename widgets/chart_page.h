// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "widgets/chart.h"

#include <array>

namespace partita::ui {

/// A chart as it goes into a document.
struct ChartPage {
    QSizeF size; ///< of the whole page, 1/96 inch; what is 0 follows from the chart
    Theme theme = Theme::paper();
    bool title = true;
    QString caption; ///< below the picture: scenario, version, assumptions
    bool embedsFonts = true; ///< SVG carries the glyphs it uses; without, whoever shows it must have the font
    /// Kept as metadata: the scenario from which the picture can be drawn again, and those it is compared with.
    std::vector<std::string> provenance;
};

/// Where a chart goes decides its size and the size of its type.
enum class PageFormat { Chart, Slide, Column, Page };
enum class Palette { Paper, Screen, Dark };

/// Millimetres to the unit of ChartPage::size.
constexpr double fromMillimetres(double mm)
{
    return mm / 25.4 * 96;
}

/// Without caption and provenance.
ChartPage chartPage(PageFormat format, Palette palette);

} // namespace partita::ui

namespace partita {

template <> struct Names<ui::PageFormat> {
    static constexpr std::array table{
        Name<ui::PageFormat>{ui::PageFormat::Chart, "chart", "as the chart is best seen"},
        Name<ui::PageFormat>{ui::PageFormat::Slide, "slide", "slide, 16:9"},
        Name<ui::PageFormat>{ui::PageFormat::Column, "column", "column of a paper, 85 mm"},
        Name<ui::PageFormat>{ui::PageFormat::Page, "page", "width of a page, 170 mm"},
    };
};

template <> struct Names<ui::Palette> {
    static constexpr std::array table{
        Name<ui::Palette>{ui::Palette::Paper, "paper", "paper"},
        Name<ui::Palette>{ui::Palette::Screen, "screen", "screen, light"},
        Name<ui::Palette>{ui::Palette::Dark, "dark", "screen, dark"},
    };
};

} // namespace partita
