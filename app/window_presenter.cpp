// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_board.h"
#include "app/chart_dock.h"
#include "app/charts.h"
#include "app/main_window.h"
#include "app/presenter.h"
#include "widgets/lesson_panel.h"

#include <QDockWidget>

namespace partita::ui {

void MainWindow::buildPresenter()
{
    std::vector<Presenter::Slide> slides;
    for (const ChartDock* dock : m_board->docks()) {
        if (dock->isChart()) {
            slides.push_back({dock->objectName(), [dock] { return dock->isReady() ? dock->chart() : nullptr; }});
        }
    }
    m_presenter = new Presenter(std::move(slides), m_charts->pipeline(), this);
    for (const ChartDock* dock : m_board->docks()) {
        connect(dock, &ChartDock::refreshed, m_presenter, &Presenter::refresh);
    }
    connect(m_presenter, &Presenter::turned, this, &MainWindow::turnPage);
    connect(m_lessons, &LessonPanel::chartWanted, m_presenter, &Presenter::showSlide);
    const auto* lessons = findChild<QDockWidget*>(QStringLiteral("lessons"));
    connect(lessons, &QDockWidget::visibilityChanged, this, &MainWindow::captionPresenter);
    connect(m_lessons, &LessonPanel::pageShown, this, &MainWindow::captionPresenter);
    connect(m_lessons, &LessonPanel::left, this, &MainWindow::captionPresenter);
}

bool MainWindow::isTeaching() const
{
    return m_lessons->current() != nullptr && m_lessons->isVisibleTo(this);
}

void MainWindow::present()
{
    const QString taught = isTeaching() ? m_lessons->chart() : QString();
    m_presenter->present(taught.isEmpty() ? m_board->current()->objectName() : taught);
}

void MainWindow::captionPresenter()
{
    m_presenter->setCaption(isTeaching() ? m_lessons->caption() : QString());
}

/// A lesson that is read has pages; else the charts are.
void MainWindow::turnPage(int by)
{
    if (!isTeaching()) {
        return m_presenter->turn(by);
    }
    if (by > 0 && m_lessons->page() + 1 < m_lessons->current()->pages.size()) {
        m_lessons->goTo(m_lessons->page() + 1);
    } else if (by < 0 && m_lessons->page() > 0) {
        m_lessons->goTo(m_lessons->page() - 1);
    }
}

} // namespace partita::ui
