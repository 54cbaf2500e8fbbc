// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.h"

#include "app/default_scenario.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace partita;
using namespace partita::ui;

class DocumentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void savedAndOpenedIsTheSameScenario();
    void aFailedSaveKeepsTheOldFileAndStaysModified();
    void brokenFilesChangeNothing();
    void anImportedModelIsAStepThatCanBeUndone();
    void unsavedWorkIsOfferedAfterACrash();
    void savedWorkIsNotOffered();
    void aRefusedReplacementChangesNothing();

private:
    QString file(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }
    Scenario edited() const;

    const Catalogue m_catalogue = loadPresets();
    const Scenario m_scenario = *defaultScenario(m_catalogue);
    std::unique_ptr<QTemporaryDir> m_folder;
};

void DocumentTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

Scenario DocumentTest::edited() const
{
    Scenario scenario = m_scenario;
    scenario.name = "ü — \"quoted\"";
    scenario.layout.globalBatch = 96;
    scenario.model.name = "changed";
    scenario.cluster.levels.back().bandwidth *= 1.1;
    return scenario;
}

void DocumentTest::savedAndOpenedIsTheSameScenario()
{
    Workspace workspace(m_scenario);
    Document document(workspace, m_catalogue, file("recovery"));
    workspace.edit(edited(), QStringLiteral("Edit"));
    QVERIFY(document.isModified());
    QCOMPARE(document.save(file("a.partita")), QString());
    QVERIFY(!document.isModified());
    QCOMPARE(document.title(), QStringLiteral("a.partita"));

    Workspace other(m_scenario);
    Document reader(other, m_catalogue, file("recovery"));
    QSignalSpy opened(&reader, &Document::opened);
    QVERIFY(reader.open(file("a.partita")).empty());
    QVERIFY(other.scenario() == edited());
    QVERIFY(!reader.isModified());
    QCOMPARE(opened.size(), 1);
}

void DocumentTest::aFailedSaveKeepsTheOldFileAndStaysModified()
{
    Workspace workspace(m_scenario);
    Document document(workspace, m_catalogue, file("recovery"));
    QCOMPARE(document.save(file("a.partita")), QString());
    workspace.edit(edited(), QStringLiteral("Edit"));
    QVERIFY(!document.save(file("no/such/folder/b.partita")).isEmpty());
    QVERIFY(document.isModified());
    QCOMPARE(document.path(), file("a.partita"));
    QVERIFY(document.open(file("a.partita")).empty());
    QVERIFY(workspace.scenario() == m_scenario);
}

void DocumentTest::brokenFilesChangeNothing()
{
    Workspace workspace(m_scenario);
    Document document(workspace, m_catalogue, file("recovery"));
    QVERIFY(!document.open(file("missing.partita")).empty());
    QVERIFY(!document.openText("{", file("torn.json")).empty());
    QVERIFY(!document.openText(R"({"$schema": "partita-scenario", "version": 99})", file("future.partita")).empty());
    QVERIFY(workspace.scenario() == m_scenario);
    QVERIFY(document.path().isEmpty());
    QVERIFY(!document.isModified());
}

void DocumentTest::anImportedModelIsAStepThatCanBeUndone()
{
    Workspace workspace(m_scenario);
    Document document(workspace, m_catalogue, file("recovery"));
    const QByteArray config = R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000,
        "max_position_embeddings": 4096})";
    QVERIFY(document.openText(config, file("config.json")).empty());
    QCOMPARE(workspace.scenario().model.hidden, std::int64_t{4096});
    QVERIFY(document.isModified());
    workspace.history().undo();
    QVERIFY(workspace.scenario() == m_scenario);
}

void DocumentTest::unsavedWorkIsOfferedAfterACrash()
{
    const QString folder = file("recovery");
    {
        Workspace workspace(m_scenario);
        Document document(workspace, m_catalogue, folder);
        workspace.edit(edited(), QStringLiteral("Edit"));
        document.keepNow();
    } // gone without saving, as after a crash: the file stays and its lock is free
    Workspace workspace(m_scenario);
    Document document(workspace, m_catalogue, folder);
    QCOMPARE(document.leftovers().size(), std::size_t{1});
    QVERIFY(document.restore(document.leftovers().front()).empty());
    QVERIFY(workspace.scenario() == edited());
    QVERIFY(document.isModified());
    QVERIFY(document.leftovers().empty());
}

void DocumentTest::savedWorkIsNotOffered()
{
    const QString folder = file("recovery");
    {
        Workspace workspace(m_scenario);
        Document document(workspace, m_catalogue, folder);
        workspace.edit(edited(), QStringLiteral("Edit"));
        document.keepNow();
        QCOMPARE(document.save(file("a.partita")), QString());
    }
    QVERIFY(Recovery(folder).leftovers().empty());
}

void DocumentTest::aRefusedReplacementChangesNothing()
{
    Workspace workspace(m_scenario);
    Document document(workspace, m_catalogue, file("recovery"));
    QCOMPARE(document.save(file("a.partita")), QString());
    workspace.edit(edited(), QStringLiteral("Edit"));
    document.mayReplace = [] { return false; };
    QVERIFY(document.open(file("a.partita")).empty());
    QVERIFY(workspace.scenario() == edited());
}

QTEST_GUILESS_MAIN(DocumentTest)
#include "tst_document.moc"
