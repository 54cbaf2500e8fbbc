// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/write_file.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace partita::ui {

namespace {

QString told(const char* text)
{
    return QCoreApplication::translate("WriteFile", text);
}

/// Why a system call failed, and what to do about it.
QString reasonOf(int code)
{
    switch (code) {
    case EACCES:
    case EPERM:
        return told("permission denied; choose a folder that you may write to");
    case EROFS:
        return told("the file system is read-only; choose another folder");
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
        return told("no space is left there; free some, or choose another folder");
    case EFBIG:
        return told("the file would be larger than is allowed there; choose another folder");
    case ENOENT:
        return told("the folder does not exist; create it, or choose another");
    case EEXIST:
    case ENOTDIR:
        return told("part of the path is a file, not a folder; choose another folder");
    case ENAMETOOLONG:
        return told("the name is too long; choose a shorter one");
    default:
        return qt_error_string(code);
    }
}

/// QSaveFile does not always know why it could not begin: whoever tries the same is told.
QString reasonNotToBegin(const QString& path, const QString& otherwise)
{
    const QByteArray beside = QFile::encodeName(path + QStringLiteral(".part"));
    errno = 0;
    if (std::FILE* probe = std::fopen(beside.constData(), "wbx")) {
        std::fclose(probe);
        std::remove(beside.constData());
        return otherwise;
    }
    return errno != 0 ? reasonOf(errno) : otherwise;
}

} // namespace

QString writeFile(const QString& path, const QByteArray& bytes)
{
    // QSaveFile renames over whatever a link leads to, devices and pipes too.
    const QFileInfo target(path);
    if (target.isDir()) {
        return told("is a folder; add the name of a file");
    }
    if (target.exists() && !target.isFile()) {
        return told("is not a regular file");
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return reasonNotToBegin(path, file.errorString());
    }
    // commit() reports success after a short write on a full disk (Qt 6.4) and replaces the old file by a torn one.
    errno = 0;
    if (file.write(bytes) != bytes.size() || !file.flush()) {
        const int code = errno;
        const QString otherwise = file.errorString();
        file.cancelWriting();
        file.commit();
        return code != 0 ? reasonOf(code) : otherwise;
    }
    errno = 0;
    if (!file.commit()) {
        return errno != 0 ? reasonOf(errno) : file.errorString();
    }
    return {};
}

QString makeFolder(const QString& path)
{
    std::error_code trouble;
    std::filesystem::create_directories(QFileInfo(path).filesystemAbsoluteFilePath(), trouble);
    return QFileInfo(path).isDir() ? QString() : reasonOf(trouble ? trouble.value() : ENOTDIR);
}

} // namespace partita::ui
