// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/typed_layout.h"

#include "core/advice/preset_scenario.h"
#include "core/layout/layout_text.h"
#include "core/pipeline/schedule.h"
#include "core/scenario/rules.h"

#include <QTest>

#include <random>

using namespace partita;

class TypedLayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneDegreeIsAChange();
    void twoDegreesAreALayout_data();
    void twoDegreesAreALayout();
    void degreesNotNamedGiveWay_data();
    void degreesNotNamedGiveWay();
    void everyShareOfTheDevicesIsReadAsALegalLayout();
    void degreesAreReadAsPeopleTypeThem();
    void everyFieldCanBeNamed();
    void schedulesBringTheirChunks();
    void printedLinesReadBack();
    void mistakesAreToldAllAtOnce();

private:
    static Layout read(const char* text, const Layout& base);

    static Scenario onDevices(std::int64_t devices);
};

Scenario TypedLayoutTest::onDevices(std::int64_t devices)
{
    Scenario scenario;
    scenario.cluster.devicesPerNode = 8;
    scenario.cluster.nodes = devices / 8;
    return scenario;
}

Layout TypedLayoutTest::read(const char* text, const Layout& base)
{
    const Result<TypedLayout> typed = readTypedLayout(text, base, onDevices(64));
    return typed ? typed->layout : Layout();
}

void TypedLayoutTest::oneDegreeIsAChange()
{
    Layout base;
    base.tp = 8;
    base.cp = 2;
    base.dp = 4;
    base.microBatch = 2;
    base.layersPerStage = {80};
    const Result<TypedLayout> typed = readTypedLayout(" pp=2,vpp=4 ,zero=3, sp=off", base, onDevices(64));
    QVERIFY(typed);
    const Layout& layout = typed->layout;
    QCOMPARE(layout.tp, 8);
    QCOMPARE(layout.cp, 2);
    QCOMPARE(layout.dp, 2);
    QCOMPARE(layout.zeroStage, 3);
    QVERIFY(!layout.sequenceParallel);
    QCOMPARE(layout.microBatch, std::int64_t{2});
    QCOMPARE(layout.schedule, ScheduleKind::Interleaved);
    QVERIFY(layout.layersPerStage.empty());
    QVERIFY(QString::fromStdString(typed->readAs).contains("dp follows from the devices"));
    QVERIFY(QString::fromStdString(typed->readAs).contains("all else is the advice's"));
    QVERIFY(!QString::fromStdString(typed->readAs).contains("not named are 1"));
    QCOMPARE(read("recompute=full", base).cp, 2);
}

void TypedLayoutTest::twoDegreesAreALayout_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("degrees"); // tp, cp, pp, dp, ep, vpp
    QTest::addRow("three") << "tp=8,pp=4,dp=2,zero=1,micro_batch=8"
                           << "8 1 4 2 1 1";
    QTest::addRow("dp solved") << "tp=8,pp=8"
                               << "8 1 8 1 1 1";
    QTest::addRow("dp named") << "tp=8,dp=8"
                              << "8 1 1 8 1 1";
    QTest::addRow("printed") << "tp 8 · pp 4"
                             << "8 1 4 2 1 1";
    QTest::addRow("printed with commas") << "tp 8, ep 4"
                                         << "8 1 1 8 4 1";
    QTest::addRow("chunks") << "tp=4,pp=2,vpp=2"
                            << "4 1 2 8 1 2";
    QTest::addRow("dp that does not balance") << "tp=4,dp=3"
                                              << "4 1 1 3 1 1"; // for the rules to explain
}

void TypedLayoutTest::twoDegreesAreALayout()
{
    QFETCH(QString, text);
    QFETCH(QString, degrees);
    Layout base;
    base.tp = 2;
    base.cp = 2;
    base.ep = 2;
    base.pp = 4;
    base.vpp = 5;
    base.dp = 4;
    base.schedule = ScheduleKind::Interleaved;
    base.globalBatch = 64;
    const Layout layout = read(qPrintable(text), base);
    QCOMPARE(QStringLiteral("%1 %2 %3 %4 %5 %6")
                 .arg(layout.tp)
                 .arg(layout.cp)
                 .arg(layout.pp)
                 .arg(layout.dp)
                 .arg(layout.ep)
                 .arg(layout.vpp),
             degrees);
    QCOMPARE(layout.globalBatch, std::int64_t{64});
    const Result<TypedLayout> typed = readTypedLayout(text.toStdString(), base, onDevices(64));
    QVERIFY(QString::fromStdString(typed->readAs).contains("not named are 1"));
}

void TypedLayoutTest::degreesNotNamedGiveWay_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("gaveWay");
    const auto row = [](const char* text, const char* line, const char* gaveWay) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(line) << QString::fromUtf8(gaveWay);
    };
    row("dp=64", "dp 64 · ZeRO-3", "tp 2 → 1 and cp 2 → 1 give way to what is named");
    row("tp=64", "tp 64 · dp 1", "cp 2 → 1 gives way to what is named");
    row("dp=8", "tp 2 · cp 2 · pp 2 · dp 8 · ZeRO-1 · 1F1B", "pp 1 → 2 gives way to what is named");
    row("tp=4,dp=8", "tp 4 · pp 2 · dp 8 · ZeRO-1 · 1F1B", "pp 1 → 2 gives way to what is named");
    row("schedule=gpipe", "tp 2 · cp 2 · pp 2 · dp 8 · ZeRO-1 · GPipe", "pp 1 → 2 gives way to what is named");
    row("schedule=gpipe,tp=8,dp=8", "tp 8 · dp 8 · ZeRO-3", "there is one"); // no device is left for a stage
    row("vpp=2", "tp 2 · cp 2 · pp 2 · vpp 2 · dp 8 · ZeRO-1 · Interleaved 1F1B",
        "pp 1 → 2 gives way to what is named");
    row("dp=64,micro_batch=2", "dp 64 · ZeRO-3 · micro-batch 2", "tp 2 → 1 and cp 2 → 1 give way to what is named");
    row("tp=4", "tp 4 · cp 2 · dp 8 · ZeRO-3", "dp follows from the devices");
    row("dp=48", "tp 2 · cp 2 · dp 48 · ZeRO-3", "all else is the advice's"); // for the rules to explain
}

void TypedLayoutTest::degreesNotNamedGiveWay()
{
    QFETCH(QString, text);
    QFETCH(QString, line);
    QFETCH(QString, gaveWay);
    Layout base;
    base.tp = 2;
    base.cp = 2;
    base.dp = 16;
    base.zeroStage = 3;
    base.globalBatch = 64;
    const Result<TypedLayout> typed =
        readTypedLayout(text.toStdString(), base, samples::presetScenario("llama-3.1-70b", "hgx-h100", 8, 64));
    QVERIFY(typed);
    QCOMPARE(QString::fromStdString(layoutText(typed->layout)), line);
    QVERIFY2(QString::fromStdString(typed->readAs).contains(gaveWay), typed->readAs.c_str());
}

/// Whatever the advice is: one degree that divides devices, heads and batch leaves a layout beside it.
void TypedLayoutTest::everyShareOfTheDevicesIsReadAsALegalLayout()
{
    Scenario scenario = samples::presetScenario("llama-3.1-70b", "hgx-h100", 8, 64);
    for (int tp = 1; tp <= 64; tp *= 2) {
        for (int pp = 1; tp * pp <= 64; pp *= 2) {
            Layout base;
            base.tp = tp;
            base.pp = pp;
            base.dp = 64 / tp / pp;
            base.microBatch = tp * pp; // the batch of a replica
            base.globalBatch = 64;
            for (const char* key : {"tp", "pp", "cp", "dp"}) {
                for (int degree = 1; degree <= 64; degree *= 2) {
                    const std::string text = std::string(key) + "=" + std::to_string(degree);
                    const Result<TypedLayout> typed = readTypedLayout(text, base, scenario);
                    QVERIFY(typed);
                    scenario.layout = typed->layout;
                    QVERIFY2(checkLayout(scenario).empty(), (layoutText(base) + " | " + typed->readAs).c_str());
                    QVERIFY2(typed->layout.devices() == 64, typed->readAs.c_str());
                    const Layout& layout = typed->layout;
                    const int kept = key[0] == 't' ? layout.tp
                        : key[0] == 'p'            ? layout.pp
                        : key[0] == 'c'            ? layout.cp
                                                   : layout.dp;
                    QCOMPARE(kept, degree);
                }
            }
        }
    }
}

void TypedLayoutTest::degreesAreReadAsPeopleTypeThem()
{
    for (const char* text : {"TP8 PP4", "tp8·pp4", "tp8 · PP 4", "TP=8,PP=4", "tp=8 pp=4", " Tp 8, pp 4 ", "tp8,pp4"}) {
        const Result<TypedLayout> typed = readTypedLayout(text, {}, onDevices(64));
        QVERIFY2(typed, text);
        QCOMPARE(typed->layout.tp, 8);
        QCOMPARE(typed->layout.pp, 4);
    }
    QCOMPARE(readTypedLayout("MBS2", {}, onDevices(64))->layout.microBatch, 2);
    QCOMPARE(readTypedLayout("mb=2", {}, onDevices(64))->layout.microBatch, 2);
}

void TypedLayoutTest::everyFieldCanBeNamed()
{
    const Layout layout =
        read("cp=2,ep=4,etp=2,sequence-parallel=off,micro-batch=2,global-batch=96,recompute=full,schedule=zb-v,vpp=2,"
             "rank-order=tp-pp-cp-ep-dp,shard_group=2,pp=2,layers-per-stage=10|11|9|10",
             {});
    QCOMPARE(layout.cp, 2);
    QCOMPARE(layout.etp, 2);
    QVERIFY(!layout.sequenceParallel);
    QCOMPARE(layout.microBatch, std::int64_t{2});
    QCOMPARE(layout.globalBatch, std::int64_t{96});
    QCOMPARE(layout.recompute, Recompute::Full);
    QCOMPARE(layout.schedule, ScheduleKind::ZbV);
    QCOMPARE(layout.rankOrder[1], Axis::Pp);
    QCOMPARE(layout.layersPerStage, (std::vector<int>{10, 11, 9, 10}));
}

void TypedLayoutTest::schedulesBringTheirChunks()
{
    Layout base;
    base.tp = 4;
    base.pp = 4;
    base.dp = 4;
    QCOMPARE(read("schedule=zb-v", base).vpp, 2);
    QCOMPARE(read("schedule=interleaved", base).vpp, 2);
    QCOMPARE(read("schedule=zb-v,vpp=1", base).vpp, 1); // named, so kept for the rules to explain
    base.schedule = ScheduleKind::ZbV;
    base.vpp = 2;
    QCOMPARE(read("tp=8,pp=4", base).vpp, 2);
    QCOMPARE(read("tp=8,dp=8", base).schedule, ScheduleKind::OneFOneB); // no pipeline
    Scenario narrow = onDevices(64);
    narrow.stack.offer.pipelineZeroStage = 1;
    base.zeroStage = 3;
    QCOMPARE(readTypedLayout("tp=8,pp=4", base, narrow)->layout.zeroStage, 1);
    QCOMPARE(readTypedLayout("tp=8,pp=4,zero=3", base, narrow)->layout.zeroStage, 3);
}

/// What is printed of any layout is read as that layout, whatever the advice is.
void TypedLayoutTest::printedLinesReadBack()
{
    std::mt19937 random(7);
    const auto draw = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    Layout base;
    base.microBatch = 4;
    base.recompute = Recompute::Full;
    base.sequenceParallel = false;
    base.zeroStage = 3;
    for (int i = 0; i < 2000; ++i) {
        Layout layout;
        layout.tp = 1 << draw(4);
        layout.cp = 1 << draw(3);
        layout.pp = 1 << draw(3);
        layout.dp = 1 << draw(3);
        layout.ep = 1 << draw(3);
        layout.etp = 1 << draw(2);
        layout.zeroStage = layout.dp * layout.cp > 1 ? draw(4) : 1;
        layout.recompute = Names<Recompute>::table[static_cast<std::size_t>(draw(5))].value;
        layout.microBatch = 1 + draw(4);
        layout.sequenceParallel = layout.tp == 1 || draw(2) == 0;
        layout.shardGroup = draw(2) * 8;
        if (draw(3) == 0) {
            std::shuffle(layout.rankOrder.begin(), layout.rankOrder.end(), random);
        }
        if (layout.pp > 1) {
            layout.schedule = Names<ScheduleKind>::table[static_cast<std::size_t>(draw(12))].value;
            const ScheduleFacts facts = describe(layout.schedule);
            layout.vpp = facts.chunks != 0 ? facts.chunks : facts.minChunks + draw(3);
            if (layout.schedule == ScheduleKind::OneFOneB) {
                layout.vpp = 1;
            }
        }
        const std::string line = layoutText(layout);
        const Result<TypedLayout> typed = readTypedLayout(line, base, onDevices(64));
        QVERIFY2(typed, line.c_str());
        layout.globalBatch = base.globalBatch;
        QVERIFY2(typed->layout == layout, (line + " | " + typed->readAs).c_str());
    }
}

void TypedLayoutTest::mistakesAreToldAllAtOnce()
{
    const auto problems = [](const std::string& text) {
        return readTypedLayout(text, {}, onDevices(64)).problems.size();
    };
    QCOMPARE(problems("tpp=4,pp=two,recompute=some,dp,=3"), std::size_t{5});
    for (const char* text : {"", "tp=-1", "tp 8 · nonsense", "tp 8 · tp 4", "ZeRO-9", "ZeRO-x", "tp", "· ·",
                             "dp 2 · layers moved between stages", "recompute nothing", "tp 99999999999999999999", "8",
                             "8 tp", "tp8x", "tp8pp4"}) {
        QVERIFY2(problems(text) > 0, text);
    }
    QVERIFY(problems(std::string(10000, 'x')) > 0);
}

QTEST_GUILESS_MAIN(TypedLayoutTest)
#include "tst_typed_layout.moc"
