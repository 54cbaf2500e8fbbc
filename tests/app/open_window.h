// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/default_scenario.h"
#include "app/main_window.h"
#include "app/settings.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace partita::ui {

/// The main window on the default scenario, its settings in a folder of its own: what tests of the window begin with.
class OpenWindow {
protected:
    void load()
    {
        QApplication::setStyle(QStringLiteral("Fusion"));
        loadFonts();
        m_catalogue = loadPresets();
        const Result<Scenario> scenario = defaultScenario(m_catalogue);
        QVERIFY(scenario);
        m_scenario = *scenario;
    }
    /// With new settings.
    void showNewWindow()
    {
        m_window.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings = std::make_unique<Settings>(m_folder->filePath(QStringLiteral("settings.ini")));
        showWindow();
    }
    /// With the settings there are.
    void showWindow()
    {
        m_window = std::make_unique<MainWindow>(m_catalogue, m_scenario, *m_settings,
                                                m_folder->filePath(QStringLiteral("recovery")));
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    Catalogue m_catalogue;
    Scenario m_scenario;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace partita::ui
