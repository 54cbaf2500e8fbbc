// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_painting.h"

#include "app/write_file.h"
#include "widgets/theme.h"

#include <fmt/format.h>

namespace partita::cli {

Painting::Painting()
    : m_words{m_name.data(), nullptr}
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    // Standard error is for problems with the input; what Qt thinks of the machine is none.
    qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
    m_application = std::make_unique<QApplication>(m_count, m_words.data());
    ui::loadFonts();
}

int writeDrawn(const Arguments& arguments, const QString& path, const QByteArray& bytes)
{
    const QString failure = ui::writeFile(path, bytes);
    if (!failure.isEmpty()) {
        return refuse(arguments, {{path.toStdString(), {}, failure.toStdString(), {}}}, FileTrouble);
    }
    fmt::print("{}\n", path.toStdString());
    return Done;
}

} // namespace partita::cli
