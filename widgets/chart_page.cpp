// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart_page.h"

namespace partita::ui {

namespace {

constexpr double slideScale = 2; // read from the back of a room
constexpr QSizeF slide(1280, 720);

} // namespace

ChartPage chartPage(PageFormat format, Palette palette)
{
    ChartPage page;
    page.theme = palette == Palette::Dark ? Theme::darkMode()
        : palette == Palette::Screen      ? Theme::light()
                                          : Theme::paper();
    switch (format) {
    case PageFormat::Chart:
        break;
    case PageFormat::Slide:
        page.size = slide;
        page.theme.scale = slideScale;
        break;
    case PageFormat::Column:
        page.size = {fromMillimetres(85), 0};
        break;
    case PageFormat::Page:
        page.size = {fromMillimetres(170), 0};
        break;
    }
    return page;
}

} // namespace partita::ui
