// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/newest_job.h"

#include <utility>

namespace partita::ui {

NewestJob::NewestJob(const QString& name, QObject* parent)
    : QObject(parent)
    , m_worker(std::make_unique<QObject>())
{
    m_worker->moveToThread(&m_thread);
    m_thread.setObjectName(name);
    m_thread.start(QThread::LowestPriority);
}

NewestJob::~NewestJob()
{
    cancel();
    m_thread.quit();
    m_thread.wait();
}

void NewestJob::start(Work work)
{
    const quint64 generation = ++m_latest;
    const Outdated outdated = [this, generation] { return m_latest != generation; };
    const Deliver deliver = [this, outdated](std::function<void()> function) {
        QMetaObject::invokeMethod(
            this,
            [outdated, function = std::move(function)] {
                if (!outdated()) {
                    function();
                }
            },
            Qt::QueuedConnection);
    };
    QMetaObject::invokeMethod(
        m_worker.get(),
        [outdated, deliver, work = std::move(work)] {
            if (!outdated()) {
                work(outdated, deliver);
            }
        },
        Qt::QueuedConnection);
}

void NewestJob::cancel()
{
    ++m_latest;
}

} // namespace partita::ui
