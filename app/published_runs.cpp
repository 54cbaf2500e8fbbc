// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/published_runs.h"

#include "app/preset_folders.h"

#include <algorithm>

namespace partita::ui {

PublishedRuns::PublishedRuns(const Catalogue& catalogue, QObject* parent)
    : QObject(parent)
    , m_catalogue(catalogue)
{
}

PublishedRuns::~PublishedRuns()
{
    m_stop = true;
    if (m_thread) {
        m_thread->wait();
    }
}

void PublishedRuns::start()
{
    if (m_thread) {
        return;
    }
    m_thread.reset(QThread::create([this] {
        const std::vector<std::string> folders = presetFolders();
        const LoadedRuns loaded = loadRuns(publishedRunFolders({folders.begin(), folders.end()}));
        std::vector<ComparableRun> runs = comparableRuns(loaded.files, m_catalogue);
        predictAll(runs, [this] { return m_stop.load(); });
        if (m_stop) {
            return;
        }
        QMetaObject::invokeMethod(
            this,
            [this, runs = std::move(runs)]() mutable {
                m_runs = std::move(runs);
                Q_EMIT ready();
            },
            Qt::QueuedConnection);
    }));
    m_thread->setObjectName(QStringLiteral("published runs"));
    m_thread->start(QThread::LowestPriority);
}

const ComparableRun* PublishedRuns::run(const QString& id) const
{
    const std::string wanted = id.toStdString();
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [&](const ComparableRun& run) { return run.id == wanted; });
    return found == m_runs.end() ? nullptr : &*found;
}

} // namespace partita::ui
