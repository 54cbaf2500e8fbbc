// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/default_scenario.h"
#include "app/main_window.h"
#include "app/notice_bar.h"
#include "app/settings.h"
#include "widgets/stop_slider.h"
#include "widgets/theme.h"

#include <QAction>
#include <QApplication>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
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
    Workspace& workspace() { return m_window->workspace(); }
    void sweepToTheEnd() { QTRY_VERIFY_WITH_TIMEOUT(!m_window->planeSweep().running(), 60000); }
    StopSlider* slider(const QString& key) const
    {
        return firstOf<StopSlider>([&](const StopSlider& each) { return each.key() == key; });
    }
    /// Null: not offered.
    QPushButton* notice(const QString& answer) const
    {
        return firstOf<QPushButton>([&](const QPushButton& each) { return each.text() == answer && each.isVisible(); },
                                    &m_window->notices());
    }
    void act(const QKeySequence& shortcut)
    {
        QAction* action = firstOf<QAction>([&](const QAction& each) { return each.shortcuts().contains(shortcut); });
        QVERIFY2(action != nullptr, qPrintable(shortcut.toString()));
        action->trigger();
    }

    Catalogue m_catalogue;
    Scenario m_scenario;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

private:
    template <class T, class Wanted> T* firstOf(const Wanted& wanted, const QObject* in = nullptr) const
    {
        const QList<T*> all = (in != nullptr ? in : m_window.get())->template findChildren<T*>();
        const auto found = std::find_if(all.begin(), all.end(), [&](const T* each) { return wanted(*each); });
        return found == all.end() ? nullptr : *found;
    }
};

} // namespace partita::ui
