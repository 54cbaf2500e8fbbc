// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "widgets/headline_strip.h"

#include "widgets/accessible_names.h"
#include "widgets/problem_list.h"

#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

namespace {

Scenario scenario()
{
    Scenario result;
    result.workload.trainingTokens = 15e12;
    return result;
}

/// Stage 1 of two is the fullest, with activations the most of it.
Report report(double peakGib)
{
    Report result;
    result.fits = peakGib <= 80;
    result.memoryLimit = 80 * gibibyte;
    result.stages.resize(2);
    result.peakStage = 1;
    result.stages[1].memory[MemoryKind::Weights] = 10 * gibibyte;
    result.stages[1].memory[MemoryKind::Activations] = (peakGib - 10) * gibibyte;
    result.stepTime = 6.42;
    result.time[TimeKind::TpExposed] = 0.321;
    result.time[TimeKind::DpExposed] = 0.321;
    result.tokensPerSecondPerDevice = 1276.4;
    result.mfu = {0.471, 0.441, 0.425};
    result.bubbleFraction = 0.099;
    result.trainingDays = 52.3;
    result.trainingCost = 3.1e6;
    return result;
}

} // namespace

class TestHeadlineStrip : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsTheFiguresOfALegalLayout_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("caption");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* key, const char* caption, const char* value) {
            QTest::newRow(key) << QString::fromUtf8(key) << QString::fromUtf8(caption) << QString::fromUtf8(value);
        };
        row("memory", "✓ Fits", "68.4 of 80.0 GiB");
        row("step_time", "Step time", "6.42 s");
        row("mfu", "MFU (causal)", "44.1 %");
        row("tokens_per_second", "Tokens/s/device", "1,276");
        row("bubble", "Bubble", "9.9 %");
        row("exposed_communication", "Exposed comm.", "10.0 %");
        row("budget", "15 T tokens", "52 days · $3.10 M");
    }
    void tellsTheFiguresOfALegalLayout()
    {
        QFETCH(QString, key);
        QFETCH(QString, caption);
        QFETCH(QString, value);
        HeadlineStrip strip;
        strip.setReport(scenario(), report(68.4));
        QCOMPARE(strip.figure(key)->caption(), caption);
        QCOMPARE(strip.figure(key)->value(), value);
    }

    void outOfMemoryNamesShortfallStageAndCategory()
    {
        HeadlineStrip strip;
        strip.setReport(scenario(), report(111));
        const HeadlineFigure* memory = strip.figure(QStringLiteral("memory"));
        QCOMPARE(memory->caption(), QStringLiteral("✗ Out of memory, stage 1"));
        QCOMPARE(memory->value(), QStringLiteral("lacks 31.0 GiB"));
        QCOMPARE(memory->detail(), QStringLiteral("111 of 80.0 GiB, most activations"));
    }

    void anIllegalLayoutHasNoFigures()
    {
        HeadlineStrip strip;
        Report illegal = report(68.4);
        illegal.problems = {{"layout.tp", "3", "does not divide 64 heads", ""}, {"layout.dp", "", "", ""}};
        strip.setReport(scenario(), illegal);
        QCOMPARE(strip.figure(QStringLiteral("memory"))->value(), QStringLiteral("2 problems"));
        for (const HeadlineFigure* figure : strip.figures()) {
            QVERIFY(figure->key() == QLatin1String("memory") || figure->value() == QStringLiteral("—"));
        }
    }

    void whatIsNotStatedIsNotInvented()
    {
        HeadlineStrip strip;
        Report noPrice = report(68.4);
        noPrice.trainingCost = 0;
        strip.setReport(scenario(), noPrice);
        QCOMPARE(strip.figure(QStringLiteral("budget"))->value(), QStringLiteral("52 days"));
        strip.setReport(Scenario{}, Report{});
        for (const HeadlineFigure* figure : strip.figures()) {
            QCOMPARE(figure->value(), QStringLiteral("—"));
        }
    }

    void namesTheConventionItCountsBy()
    {
        HeadlineStrip strip;
        strip.setReport(scenario(), report(68.4));
        QSignalSpy changed(&strip, &HeadlineStrip::conventionChanged);
        const auto* button = strip.findChild<QToolButton*>();
        QCOMPARE(button->menu()->actions().size(), qsizetype{3});
        QStringList shown;
        for (QAction* action : button->menu()->actions()) {
            action->trigger();
            shown << strip.figure(QStringLiteral("mfu"))->value();
            QVERIFY(strip.figure(QStringLiteral("mfu"))->caption().contains(action->text()));
        }
        QCOMPARE(shown, (QStringList{QStringLiteral("44.1 %"), QStringLiteral("47.1 %"), QStringLiteral("42.5 %")}));
        QCOMPARE(changed.size(), qsizetype{3});
    }

    void everyFigureAnswersMouseAndKeyboard()
    {
        HeadlineStrip strip;
        strip.setReport(scenario(), report(68.4));
        strip.resize(1000, 80);
        strip.show();
        QSignalSpy activated(&strip, &HeadlineStrip::figureActivated);
        for (HeadlineFigure* figure : strip.figures()) {
            activated.clear();
            QTest::mouseClick(figure, Qt::LeftButton);
            QTest::keyClick(figure, Qt::Key_Return);
            QTest::keyClick(figure, Qt::Key_Space);
            QCOMPARE(activated.size(), qsizetype{3});
            QCOMPARE(activated.front().front().toString(), figure->key());
        }
    }

    void wrapsInsteadOfClipping_data()
    {
        QTest::addColumn<int>("width");
        for (const int width : {1600, 940, 700, 480, 320}) {
            QTest::addRow("%d", width) << width;
        }
    }
    void wrapsInsteadOfClipping()
    {
        QFETCH(int, width);
        HeadlineStrip strip;
        strip.setReport(scenario(), report(111));
        strip.resize(width, 10);
        strip.show();
        const QRect inside = strip.rect();
        for (const HeadlineFigure* figure : strip.figures()) {
            QVERIFY2(inside.contains(figure->geometry()), qPrintable(figure->key()));
            QVERIFY2(figure->width() >= figure->sizeHint().width(), qPrintable(figure->key()));
            for (const HeadlineFigure* other : strip.figures()) {
                QVERIFY(figure == other || !figure->geometry().intersects(other->geometry()));
            }
        }
    }

    void servingTakesTheStripAndGivesItBack()
    {
        HeadlineStrip strip;
        strip.setReport(scenario(), report(68.4));
        strip.resize(1600, 10);
        strip.show();
        ServingReport served;
        served.fits = true;
        served.ttft = 0.25;
        served.tpot = 0.0125;
        served.meetsTpot = false;
        served.tokensPerSecond = 2560;
        served.tokensPerSecondPerDevice = 320;
        served.maxConcurrency = 1100.7;
        served.cache.tokens = 1'400'000;
        served.costPerMillionTokens = 2.5;
        strip.setServing(served);
        const auto value = [&strip](const char* key) { return strip.figure(QString::fromLatin1(key))->value(); };
        QCOMPARE(value("kv_room"), QStringLiteral("1,400,000 KV tokens"));
        QCOMPARE(value("ttft"), QStringLiteral("250 ms"));
        QCOMPARE(value("tpot"), QStringLiteral("12.5 ms"));
        QCOMPARE(value("served_tokens_per_second"), QStringLiteral("2,560"));
        QCOMPARE(value("served_tokens_per_second_per_device"), QStringLiteral("320"));
        QCOMPARE(value("concurrency"), QStringLiteral("1,101"));
        QCOMPARE(value("cost"), QStringLiteral("$2.50"));
        QCOMPARE(strip.figures().size(), std::size_t{7});
        QVERIFY(!strip.figure(QStringLiteral("mfu"))->isVisible());
        QVERIFY(!strip.findChild<QToolButton*>()->isVisible());
        served.costPerMillionTokens = 0; // no price known
        strip.setServing(served);
        QCOMPARE(strip.figures().size(), std::size_t{6});
        QVERIFY(!strip.figure(QStringLiteral("cost"))->isVisible());
        served.problems = {{"serving.prompt", "0", "is too small", ""}};
        strip.setServing(served);
        QCOMPARE(value("kv_room"), QStringLiteral("1 problem"));
        QCOMPARE(value("ttft"), QStringLiteral("—"));
        strip.setServing(std::nullopt);
        QCOMPARE(strip.figures().size(), std::size_t{7});
        QVERIFY(strip.figure(QStringLiteral("mfu"))->isVisible() && strip.findChild<QToolButton*>()->isVisible());
        QVERIFY(!strip.figure(QStringLiteral("tpot"))->isVisible());
    }

    void everyControlHasAName()
    {
        HeadlineStrip strip;
        strip.setReport(scenario(), report(68.4));
        QCOMPARE(namelessControls(strip), QStringList());
        const HeadlineFigure* memory = strip.figure(QStringLiteral("memory"));
        QCOMPARE(memory->accessibleName(), QStringLiteral("✓ Fits: 68.4 of 80.0 GiB, peak on stage 1"));
        QCOMPARE(QAccessible::queryAccessibleInterface(strip.figures().front())->role(), QAccessible::Button);
    }

    void problemListLeadsToTheField()
    {
        ProblemList list;
        list.setProblems(
            {{"layout.tp", "3", "does not divide 64 heads", "try 2 or 4"}, {"layout.dp", "", "does not balance", ""}},
            {{false, QStringLiteral("the bubble is large"), QStringLiteral("warnings[0]")}});
        list.resize(300, 200);
        list.show();
        QCOMPARE(list.count(), 3);
        QVERIFY(list.item(0)->text().startsWith(QStringLiteral("✗ layout.tp: 3")));
        QVERIFY(list.item(2)->text().startsWith(QStringLiteral("⚠")));
        QSignalSpy activated(&list, &ProblemList::fieldActivated);
        QSignalSpy explained(&list, &ProblemList::valueActivated);
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(1)).center());
        QCOMPARE(activated.size(), qsizetype{1});
        QCOMPARE(activated.front().front().toString(), QStringLiteral("layout.dp"));
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(2)).center());
        QCOMPARE(activated.size(), qsizetype{1}); // a warning names no field, but what derives it
        QCOMPARE(explained.size(), qsizetype{1});
        QCOMPARE(explained.front().front().toString(), QStringLiteral("warnings[0]"));
        list.setCurrentRow(0);
        QTest::keyClick(&list, Qt::Key_Return);
        QCOMPARE(activated.back().front().toString(), QStringLiteral("layout.tp"));
    }
};

QTEST_MAIN(TestHeadlineStrip)
#include "tst_headline_strip.moc"
