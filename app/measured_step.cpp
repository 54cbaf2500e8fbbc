// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measured_step.h"

#include "core/formats/files.h"

#include <QFile>

namespace partita::ui {

MeasuredStep::MeasuredStep(QObject* parent)
    : QObject(parent)
{
}

MeasuredStep::~MeasuredStep()
{
    if (m_thread) {
        m_thread->wait();
    }
}

bool MeasuredStep::isTrace(const QString& path)
{
    constexpr qint64 beginning = 1 << 16; // a profiler lists its devices before its events
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && looksLikeTrace(file.read(beginning).toStdString());
}

void MeasuredStep::read(const QString& path)
{
    if (m_thread) {
        m_thread->wait();
    }
    m_thread.reset(QThread::create([this, path] {
        const Result<std::string> text = readFile(path.toStdString(), mostTraceBytes);
        const Result<ImportedTrace> trace = text ? readTrace(*text) : Result<ImportedTrace>(text.problems);
        Result<MeasuredTimeline> measured = trace ? measuredTimeline(*trace) : Result<MeasuredTimeline>(trace.problems);
        QMetaObject::invokeMethod(
            this,
            [this, path, measured = std::move(measured)]() mutable {
                if (measured) {
                    Q_EMIT ready(path, std::make_shared<const MeasuredTimeline>(*std::move(measured)));
                } else {
                    Q_EMIT failed(path, measured.problems);
                }
            },
            Qt::QueuedConnection);
    }));
    m_thread->setObjectName(QStringLiteral("measured step"));
    m_thread->start(QThread::LowPriority);
}

} // namespace partita::ui
