// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui.h"

#include "app/appearance.h"
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/main_window.h"
#include "app/window_style.h"

#include <QApplication>
#include <QIcon>
#include <QStandardPaths>

namespace partita::ui {

int runWindow(int argc, char** argv, const std::optional<std::string>& file)
{
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("partita"));
    QApplication::setApplicationName(QStringLiteral("partita"));
    QApplication::setApplicationDisplayName({});
    QApplication::setApplicationVersion(QStringLiteral(PARTITA_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.partita.Partita"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/partita/icons/partita.svg")));
    QApplication::setStyle(new WindowStyle);
    loadFonts();

    const Catalogue catalogue = loadPresets();
    cli::printProblems(catalogue.problems);
    const Result<Scenario> scenario = defaultScenario(catalogue);
    if (!scenario) {
        cli::printProblems(scenario.problems);
        return cli::FileTrouble;
    }
    Settings settings;
    setAppearance(settings.appearance());
    MainWindow window(catalogue, *scenario, settings,
                      QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery"));
    window.show();
    if (file) {
        window.openFile(QString::fromStdString(*file));
    }
    window.offerRecovery();
    return QApplication::exec();
}

} // namespace partita::ui
