// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recovery.h"
#include "app/write_file.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace partita::ui;

class RecoveryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunningWindowsFileIsNobodysLeftover();
    void aCrashedWindowsFileIsOfferedOnce();
    void forgettingLeavesNothingBehind();
    void brokenFilesAreLeftOut();
    void aFailedWriteLeavesTheOldFile();
    void aFullDiskLeavesTheOldFile();
};

namespace {

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The lock of a window that died: it names a process that does not exist.
void leaveBehind(const QString& folder, const QString& name, const QByteArray& text)
{
    QFile file(folder + QLatin1Char('/') + name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

} // namespace

void RecoveryTest::aRunningWindowsFileIsNobodysLeftover()
{
    const QTemporaryDir folder;
    Recovery running(folder.path());
    QVERIFY(running.keep(QStringLiteral("/a.partita"), "{}"));
    const Recovery other(folder.path());
    QVERIFY(other.leftovers().empty());
    QVERIFY(running.leftovers().empty());
}

void RecoveryTest::aCrashedWindowsFileIsOfferedOnce()
{
    const QTemporaryDir folder;
    leaveBehind(folder.path(), QStringLiteral("x.partita-recovery"),
                R"({"document": "/work/a.partita", "scenario": "{\"name\": \"ü\"}"})");
    const Recovery next(folder.path());
    const std::vector<Recovery::Leftover> found = next.leftovers();
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].document, QStringLiteral("/work/a.partita"));
    QCOMPARE(found[0].scenario, QByteArray(R"({"name": "ü"})"));
    Recovery::remove(found[0]);
    QVERIFY(next.leftovers().empty());
    QVERIFY(QDir(folder.path()).isEmpty());
}

void RecoveryTest::forgettingLeavesNothingBehind()
{
    const QTemporaryDir folder;
    Recovery recovery(folder.path() + QStringLiteral("/made/on/demand"));
    QVERIFY(recovery.keep({}, "{}"));
    recovery.forget();
    QVERIFY(QDir(folder.path() + QStringLiteral("/made/on/demand")).isEmpty());
}

void RecoveryTest::brokenFilesAreLeftOut()
{
    const QTemporaryDir folder;
    leaveBehind(folder.path(), QStringLiteral("torn.partita-recovery"), R"({"document": "/work/a)");
    leaveBehind(folder.path(), QStringLiteral("empty.partita-recovery"), {});
    QVERIFY(Recovery(folder.path()).leftovers().empty());
}

void RecoveryTest::aFailedWriteLeavesTheOldFile()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("kept"));
    QVERIFY(writeFile(path, "old").isEmpty());
    QCOMPARE(contents(path), QByteArray("old"));
    QVERIFY(!writeFile(folder.filePath(QStringLiteral("no/such/folder/file")), "new").isEmpty());
    QVERIFY(!writeFile(folder.path(), "new").isEmpty());
    QCOMPARE(contents(path), QByteArray("old"));
}

void RecoveryTest::aFullDiskLeavesTheOldFile()
{
    const QTemporaryDir folder;
    const QString disk = folder.filePath(QStringLiteral("disk"));
    QVERIFY(QDir().mkpath(disk));
    if (QProcess::execute(QStringLiteral("mount"),
                          {QStringLiteral("-t"), QStringLiteral("tmpfs"), QStringLiteral("-o"),
                           QStringLiteral("size=64k"), QStringLiteral("tmpfs"), disk})
        != 0) {
        QSKIP("mounting a small file system is not permitted here");
    }
    const QString path = disk + QStringLiteral("/kept");
    const QString first = writeFile(path, "old");
    const QString second = writeFile(path, QByteArray(1 << 20, 'x'));
    const QByteArray after = contents(path);
    const QStringList files = QDir(disk).entryList(QDir::Files | QDir::Hidden);
    QProcess::execute(QStringLiteral("umount"), {disk});
    QVERIFY(first.isEmpty());
    QVERIFY(!second.isEmpty());
    QCOMPARE(after, QByteArray("old"));
    QCOMPARE(files, QStringList{QStringLiteral("kept")});
}

QTEST_GUILESS_MAIN(RecoveryTest)
#include "tst_recovery.moc"
