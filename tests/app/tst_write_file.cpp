// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/write_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

using namespace partita::ui;

class TestWriteFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFileIsWrittenWhole()
    {
        const QString path = m_folder.filePath(QStringLiteral("whole.txt"));
        QVERIFY(writeFile(path, "one").isEmpty());
        QVERIFY(writeFile(path, "two").isEmpty());
        QCOMPARE(contentOf(path), QByteArray("two"));
    }

    void whatCannotBeWrittenSaysWhyAndWhatToDo_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("why");
        QFile file(m_folder.filePath(QStringLiteral("a-file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QTest::newRow("a folder") << m_folder.path() << "is a folder; add the name";
        QTest::newRow("no such folder") << m_folder.filePath(QStringLiteral("none/chart.svg"))
                                        << "does not exist; create it";
        QTest::newRow("below a file") << m_folder.filePath(QStringLiteral("a-file/chart.svg"))
                                      << "is a file, not a folder";
        QTest::newRow("a long name") << m_folder.filePath(QString(400, u'n')) << "too long; choose a shorter";
        QTest::newRow("a device") << QStringLiteral("/dev/full") << "not a regular file";
    }
    void whatCannotBeWrittenSaysWhyAndWhatToDo()
    {
        QFETCH(QString, path);
        QFETCH(QString, why);
        const QString told = writeFile(path, "text");
        QVERIFY2(told.contains(why), qPrintable(told));
        QVERIFY2(!told.contains(QStringLiteral("Unknown")), qPrintable(told));
    }

    void aFolderThatMayNotBeWrittenToIsNamedAsThat()
    {
        if (geteuid() == 0) {
            QSKIP("every folder may be written to by the superuser");
        }
        const QString closed = m_folder.filePath(QStringLiteral("closed"));
        QVERIFY(QDir().mkdir(closed));
        QVERIFY(QFile::setPermissions(closed, QFile::ReadOwner | QFile::ExeOwner));
        const QString told = writeFile(closed + QStringLiteral("/chart.svg"), "text");
        QFile::setPermissions(closed, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QVERIFY2(told.contains(QStringLiteral("permission denied; choose a folder")), qPrintable(told));
    }

    void aFolderThatCannotBeMadeSaysWhy()
    {
        QVERIFY(makeFolder(m_folder.filePath(QStringLiteral("one/two"))).isEmpty());
        QVERIFY(QFileInfo(m_folder.filePath(QStringLiteral("one/two"))).isDir());
        QVERIFY(makeFolder(m_folder.filePath(QStringLiteral("one/two"))).isEmpty());
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("in-the-way")), "text").isEmpty());
        for (const char* path : {"in-the-way", "in-the-way/below"}) {
            const QString told = makeFolder(m_folder.filePath(QString::fromLatin1(path)));
            QVERIFY2(told.contains(QStringLiteral("is a file, not a folder")), qPrintable(told));
        }
    }

    void aWriteThatFallsShortLeavesTheOldFileAndSaysWhy()
    {
        const QString path = m_folder.filePath(QStringLiteral("kept.txt"));
        QVERIFY(writeFile(path, "old").isEmpty());
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        rlimit small = before;
        small.rlim_cur = 1000;
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const QString told = writeFile(path, QByteArray(100000, 'x'));
        setrlimit(RLIMIT_FSIZE, &before);
        QVERIFY2(told.contains(QStringLiteral("larger than is allowed")), qPrintable(told));
        QCOMPARE(contentOf(path), QByteArray("old"));
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("kept*")}).size(), 1); // nothing is left beside it
    }

private:
    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestWriteFile)
#include "tst_write_file.moc"
