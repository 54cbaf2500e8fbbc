// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workspace.h"

#include "app/default_scenario.h"

#include <QSignalSpy>
#include <QTest>

#include <random>

using namespace partita;
using namespace partita::ui;

class WorkspaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void undoAndRedoReturnEqualScenariosAfterAnyEdits();
    void aDragIsOneStep();
    void aDragThatReturnsToItsStartLeavesNoStep();
    void aDragThatPassesItsStartDoesNotJoinTheStepBefore();
    void theLastLegalReportStaysWhileTheScenarioIsIllegal();
    void everyEditIsReportedAtOnce();
    void resetForgetsTheHistory();
};

namespace {

Scenario startScenario()
{
    static const Catalogue catalogue = loadPresets();
    return *defaultScenario(catalogue);
}

Scenario withGlobalBatch(Scenario scenario, std::int64_t batch)
{
    scenario.layout.globalBatch = batch;
    return scenario;
}

} // namespace

void WorkspaceTest::undoAndRedoReturnEqualScenariosAfterAnyEdits()
{
    std::mt19937 random(7);
    Workspace workspace(startScenario());
    std::vector<Scenario> seen{workspace.scenario()};
    for (int i = 0; i < 60; ++i) {
        Scenario next = workspace.scenario();
        switch (random() % 5) {
        case 0:
            next.layout.tp = 1 << (random() % 4);
            break;
        case 1:
            next.layout.pp = 1 + static_cast<int>(random() % 9);
            break;
        case 2:
            next.layout.globalBatch = 1 + static_cast<std::int64_t>(random() % 512);
            break;
        case 3:
            next.workload.sequenceLength = 1 << (random() % 16);
            break;
        default:
            next.name += 'x';
            break;
        }
        if (next != workspace.scenario()) {
            workspace.edit(next, QStringLiteral("Edit"));
            seen.push_back(next);
        }
    }
    for (std::size_t i = seen.size(); i-- > 0;) {
        QVERIFY(workspace.scenario() == seen[i]);
        workspace.history().undo();
    }
    QVERIFY(!workspace.history().canUndo());
    for (const Scenario& scenario : seen) {
        QVERIFY(workspace.scenario() == scenario);
        workspace.history().redo();
    }
}

void WorkspaceTest::aDragIsOneStep()
{
    Workspace workspace(startScenario());
    const Scenario start = workspace.scenario();
    for (int i = 1; i <= 20; ++i) {
        workspace.edit(withGlobalBatch(start, start.layout.globalBatch + i), QStringLiteral("Set global batch"), i > 1);
    }
    QCOMPARE(workspace.history().count(), 1);
    workspace.history().undo();
    QVERIFY(workspace.scenario() == start);
    workspace.history().redo();
    QCOMPARE(workspace.scenario().layout.globalBatch, start.layout.globalBatch + 20);
}

void WorkspaceTest::aDragThatReturnsToItsStartLeavesNoStep()
{
    Workspace workspace(startScenario());
    const Scenario start = workspace.scenario();
    workspace.edit(withGlobalBatch(start, 7), QStringLiteral("Set global batch"));
    workspace.edit(start, QStringLiteral("Set global batch"), true);
    QVERIFY(workspace.scenario() == start);
    QCOMPARE(workspace.history().count(), 0);
}

void WorkspaceTest::aDragThatPassesItsStartDoesNotJoinTheStepBefore()
{
    Workspace workspace(startScenario());
    const Scenario start = withGlobalBatch(workspace.scenario(), 1024);
    workspace.edit(start, QStringLiteral("Before"));
    workspace.edit(withGlobalBatch(start, 7), QStringLiteral("Drag"));
    workspace.edit(start, QStringLiteral("Drag"), true);
    workspace.edit(withGlobalBatch(start, 9), QStringLiteral("Drag"), true);
    QCOMPARE(workspace.history().count(), 2);
    workspace.history().undo();
    QVERIFY(workspace.scenario() == start);
}

void WorkspaceTest::theLastLegalReportStaysWhileTheScenarioIsIllegal()
{
    Workspace workspace(startScenario());
    QVERIFY(workspace.report().legal());
    const Report legal = workspace.report();
    Scenario broken = workspace.scenario();
    broken.layout.tp = 7;
    workspace.edit(broken, QStringLiteral("Break"));
    QVERIFY(!workspace.report().legal());
    QVERIFY(*workspace.lastLegal() == legal);
    workspace.history().undo();
    QVERIFY(workspace.report() == legal);
}

void WorkspaceTest::everyEditIsReportedAtOnce()
{
    Workspace workspace(startScenario());
    std::int64_t told = 0;
    connect(&workspace, &Workspace::changed, this,
            [&](const Scenario& scenario, const Report&) { told = scenario.layout.globalBatch; });
    workspace.edit(withGlobalBatch(workspace.scenario(), 512), QStringLiteral("Set global batch"));
    QCOMPARE(told, std::int64_t{512});
}

void WorkspaceTest::resetForgetsTheHistory()
{
    Workspace workspace(startScenario());
    workspace.edit(withGlobalBatch(workspace.scenario(), 512), QStringLiteral("Set global batch"));
    workspace.reset(startScenario());
    QVERIFY(!workspace.history().canUndo());
    QVERIFY(workspace.scenario() == startScenario());
}

QTEST_GUILESS_MAIN(WorkspaceTest)
#include "tst_workspace.moc"
