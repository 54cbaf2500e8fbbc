// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

namespace program_test {

struct Run {
    int code = -1;
    QByteArray out;
    QByteArray err;

    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
    QList<QByteArray> problems() const
    {
        QList<QByteArray> lines = err.split('\n');
        lines.removeAll(QByteArray());
        return lines;
    }
};

/// The built program without a display, in an environment of its own.
inline Run partita(const QStringList& words, const QByteArray& input = {}, const QStringList& environment = {})
{
    QProcess process;
    process.setEnvironment(QStringList{QStringLiteral("PATH=/usr/bin:/bin"), QStringLiteral("HOME=/nonexistent"),
                                       QStringLiteral("ASAN_OPTIONS=") + qEnvironmentVariable("ASAN_OPTIONS")}
                           + environment);
    process.start(QStringLiteral(PARTITA_PROGRAM), words);
    process.write(input);
    process.closeWriteChannel();
    Run run;
    if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit) {
        run.code = process.exitCode();
    }
    run.out = process.readAllStandardOutput();
    run.err = process.readAllStandardError();
    return run;
}

inline QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace program_test
