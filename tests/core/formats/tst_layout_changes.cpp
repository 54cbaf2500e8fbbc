// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/layout_changes.h"

#include <QTest>

using namespace partita;

class LayoutChangesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changesAreMadeAndDpFollows();
    void everyFieldCanBeChanged();
    void mistakesAreToldAllAtOnce();
};

void LayoutChangesTest::changesAreMadeAndDpFollows()
{
    Layout base;
    base.tp = 8;
    base.dp = 8;
    base.layersPerStage = {80};
    const Result<Layout> changed = readLayoutChanges(" tp = 4, pp=2,vpp=4 ,zero=3", base, 64);
    QVERIFY(changed);
    QCOMPARE(changed->tp, 4);
    QCOMPARE(changed->pp, 2);
    QCOMPARE(changed->dp, 8);
    QCOMPARE(changed->zeroStage, 3);
    QCOMPARE(changed->schedule, ScheduleKind::Interleaved);
    QVERIFY(changed->layersPerStage.empty());
    QCOMPARE(readLayoutChanges("tp=4,dp=3", base, 64)->dp, 3); // stated, so kept for the rules to explain
}

void LayoutChangesTest::everyFieldCanBeChanged()
{
    const Result<Layout> changed = readLayoutChanges(
        "cp=2,ep=4,etp=2,sequence-parallel=off,micro-batch=2,global-batch=96,recompute=full,schedule=zb-v,vpp=2,"
        "rank-order=tp-pp-cp-ep-dp,shard_group=2,pp=2,layers-per-stage=10|11|9|10",
        {}, 64);
    QVERIFY(changed);
    QCOMPARE(changed->cp, 2);
    QCOMPARE(changed->etp, 2);
    QVERIFY(!changed->sequenceParallel);
    QCOMPARE(changed->microBatch, std::int64_t{2});
    QCOMPARE(changed->globalBatch, std::int64_t{96});
    QCOMPARE(changed->recompute, Recompute::Full);
    QCOMPARE(changed->schedule, ScheduleKind::ZbV);
    QCOMPARE(changed->rankOrder[1], Axis::Pp);
    QCOMPARE(changed->layersPerStage, (std::vector<int>{10, 11, 9, 10}));
}

void LayoutChangesTest::mistakesAreToldAllAtOnce()
{
    const Result<Layout> changed = readLayoutChanges("tpp=4,pp=two,recompute=some,dp,=3", {}, 64);
    QVERIFY(!changed);
    QCOMPARE(changed.problems.size(), std::size_t{5});
    QVERIFY(!readLayoutChanges("", {}, 64));
    QVERIFY(!readLayoutChanges(std::string(10000, 'x'), {}, 64));
    QVERIFY(!readLayoutChanges("tp=-1", {}, 64));
}

QTEST_GUILESS_MAIN(LayoutChangesTest)
#include "tst_layout_changes.moc"
