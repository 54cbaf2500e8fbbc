// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

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

/// What every verb keeps to: an exit code, problems on stderr only when there are some, and nothing else on stdout
/// then.
inline void expectExit(const QStringList& words, int code)
{
    const Run run = partita(words);
    QVERIFY2(run.code == code, run.err + run.out);
    QCOMPARE(run.err.isEmpty(), code == 0);
    QCOMPARE(run.out.isEmpty(), code != 0);
}

inline QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace program_test
