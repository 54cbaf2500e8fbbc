// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window takes to appear, and from a moved slider to every panel painted:
//   QT_QPA_PLATFORM=offscreen build/release/tests/bench/bench_window [repetitions]
#include "app/default_scenario.h"
#include "app/layout_search.h"
#include "app/main_window.h"
#include "core/scenario/rules.h"
#include "core/training/evaluate.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace partita;
using namespace partita::ui;

namespace {

double milliseconds(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

void print(const char* what, std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    std::printf("%-28s median %6.2f ms   95 %% %6.2f ms   most %6.2f ms\n", what, at(0.5), at(0.95), times.back());
}

} // namespace

int main(int argc, char** argv)
{
    QElapsedTimer clock;
    clock.start();
    QApplication application(argc, argv);
    loadFonts();
    const Catalogue catalogue = loadPresets();
    const Result<Scenario> scenario = defaultScenario(catalogue);
    if (!scenario) {
        std::fputs("no default scenario\n", stderr);
        return 1;
    }
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    MainWindow window(catalogue, *scenario, settings, folder.path());
    window.resize(1600, 1000);
    window.show();
    QCoreApplication::processEvents();
    std::printf("%-28s %.0f ms\n", "started and painted", milliseconds(clock));

    const int repetitions = argc > 1 ? std::atoi(argv[1]) : 200;
    const std::vector<std::int64_t> stops = legalStops(*scenario, LayoutField::Pp);
    std::vector<double> evaluated;
    std::vector<double> painted;
    for (int i = 0; i < repetitions; ++i) {
        Scenario next = *scenario;
        next.layout = withField(*scenario, LayoutField::Pp, stops[static_cast<std::size_t>(i) % stops.size()]);
        clock.restart();
        const Report report = evaluate(next);
        evaluated.push_back(milliseconds(clock));
        clock.restart();
        window.workspace().edit(next, QStringLiteral("Drag"), i > 0);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QEvent paint(QEvent::UpdateRequest); // what the change has made dirty, now rather than with the next frame
        QCoreApplication::sendEvent(&window, &paint);
        painted.push_back(milliseconds(clock));
        QCoreApplication::processEvents();
    }
    print("evaluate()", evaluated);
    print("slider to painted", painted);

    // The same while all other cores search a space of hundreds of millions of layouts.
    Scenario large = *scenario;
    large.model = *catalogue.model("deepseek-v3");
    large.cluster = *catalogue.cluster("h800-2048");
    large.layout.globalBatch = 15360;
    LayoutSearch search; // not the window's own, which rests while its card is hidden
    std::vector<double> frames;
    int searching = 0;
    for (int i = 0; i < repetitions; ++i) {
        if (!search.running()) {
            search.start(large, {}, false);
        }
        Scenario next = *scenario;
        next.layout = withField(*scenario, LayoutField::Pp, stops[static_cast<std::size_t>(i) % stops.size()]);
        clock.restart();
        window.workspace().edit(next, QStringLiteral("Drag"), i > 0);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QEvent paint(QEvent::UpdateRequest);
        QCoreApplication::sendEvent(&window, &paint);
        QCoreApplication::processEvents(); // finds that have arrived
        frames.push_back(milliseconds(clock));
        searching += search.running() ? 1 : 0;
    }
    print("frame while searching", frames);
    std::printf("%-28s %d of %d frames\n", "search was running in", searching, repetitions);
    search.stop();
    return 0;
}
