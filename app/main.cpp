// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/gui.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

bool isSet(const char* name)
{
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): no thread runs yet
    return value != nullptr && *value != '\0';
}

/// Qt would abort without telling what to do.
bool hasDisplay()
{
    return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM");
}

} // namespace

int main(int argc, char** argv)
{
    const partita::cli::Words words(argv + 1, argv + argc);
    if (const std::optional<int> code = partita::cli::runVerb(words)) {
        return *code;
    }
    if (!hasDisplay()) {
        std::fputs("partita: no display to open the window on (DISPLAY and WAYLAND_DISPLAY are not set).\n"
                   "  on a remote machine:      ssh -X HOST, then partita\n"
                   "  without any screen:       xvfb-run -a partita\n"
                   "  numbers without a window: partita evaluate --help\n"
                   "  charts without a window:  partita export --help\n",
                   stderr);
        return partita::cli::FileTrouble;
    }
    return partita::ui::runWindow(argc, argv, partita::cli::fileToOpen(words));
}
