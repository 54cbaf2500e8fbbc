// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/comparison.h"
#include "core/training/evaluate.h"

#include <QtTest>

using namespace partita;

namespace {

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

ComparedLayout layout(int tp, int pp, int dp, const char* accelerator = "h100-sxm-80gb")
{
    ComparedLayout made;
    made.scenario.model = *catalogue().model("llama-3.1-8b");
    made.scenario.cluster = makeCluster(*catalogue().accelerator(accelerator), 4, 8, catalogue());
    made.scenario.stack = *catalogue().stack("megatron-core");
    made.scenario.layout.tp = tp;
    made.scenario.layout.pp = pp;
    made.scenario.layout.dp = dp;
    made.scenario.layout.globalBatch = 64;
    made.name = layoutName(made.scenario.layout);
    made.report = std::make_shared<const Report>(evaluate(made.scenario));
    return made;
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatRoundsToNothingIsNoStepOfItsOwn()
    {
        const auto way = [](std::vector<double> changes) {
            Waterfall made{0.4, 0.4, {}};
            for (const double change : changes) {
                made.steps.push_back({"step", 0, made.after, made.after + change});
                made.after += change;
            }
            return made;
        };
        const auto shown = [](const Waterfall& whole) {
            return withoutSmall(whole, leastShown(ComparedQuantity::Mfu, whole));
        };
        const Waterfall dropped = shown(way({0.02, 1e-7, -2e-7, -0.01}));
        QCOMPARE(dropped.steps.size(), std::size_t{2});
        QCOMPARE(dropped.steps.back().to, dropped.after);
        const Waterfall summed = shown(way({0.02, 4e-4, 4e-4, -0.01}));
        QCOMPARE(summed.steps.size(), std::size_t{3});
        QCOMPARE(summed.steps.back().label, std::string("others"));
        QCOMPARE(formatChange(ComparedQuantity::Mfu, summed.steps.back().change()), std::string("+0.1 points"));
        QCOMPARE(shown(way({2e-5, 3e-5})).steps.size(), std::size_t{2}); // a small way is shown in full
    }

    void changesOfMfuAreInPoints()
    {
        QCOMPARE(formatChange(ComparedQuantity::Mfu, -0.024), std::string("−2.4 points"));
        QCOMPARE(formatChange(ComparedQuantity::StepTime, 0.5), "+" + formatQuantity(ComparedQuantity::StepTime, 0.5));
    }

    void aShortenedWaterfallShowsItsLargestTerms_data()
    {
        QTest::addColumn<std::size_t>("most");
        QTest::addColumn<QStringList>("shown");
        QTest::newRow("one") << std::size_t{1} << QStringList{"others"};
        QTest::newRow("two") << std::size_t{2} << QStringList{"bubble", "others"};
        QTest::newRow("of equal ones the first") << std::size_t{3} << QStringList{"a", "bubble", "others"};
        QTest::newRow("all but the least") << std::size_t{4} << QStringList{"a", "b", "bubble", "others"};
        QTest::newRow("all") << std::size_t{5} << QStringList{"little", "a", "b", "small", "bubble"};
    }
    void aShortenedWaterfallShowsItsLargestTerms()
    {
        QFETCH(std::size_t, most);
        QFETCH(QStringList, shown);
        Waterfall whole{10, 10, {}};
        for (const auto& [label, change] :
             {std::pair{"little", 0.25}, {"a", -1.0}, {"b", 1.0}, {"small", -0.5}, {"bubble", -4.0}}) {
            whole.steps.push_back({label, -1, whole.after, whole.after + change});
            whole.after += change;
        }
        const Waterfall shorter = shortened(whole, most);
        QStringList labels;
        for (const WaterfallStep& step : shorter.steps) {
            labels << QString::fromStdString(step.label);
        }
        QCOMPARE(labels, shown);
        QCOMPARE(shorter.steps.back().to, whole.after);
    }

    void waterfallsAddUpToTheLastBit_data()
    {
        QTest::addColumn<ComparedQuantity>("quantity");
        for (const Name<ComparedQuantity>& name : Names<ComparedQuantity>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
    void waterfallsAddUpToTheLastBit()
    {
        QFETCH(ComparedQuantity, quantity);
        const std::vector<ComparedLayout> layouts{layout(8, 1, 4), layout(2, 4, 4), layout(1, 8, 4), layout(4, 2, 4),
                                                  layout(2, 4, 4, "a100-sxm-80gb")};
        for (const ComparedLayout& a : layouts) {
            for (const ComparedLayout& b : layouts) {
                const Waterfall whole = waterfall(quantity, *a.report, *b.report);
                for (const Waterfall& each : {whole, shortened(whole, 4), shortened(whole, 1)}) {
                    QVERIFY(each.before == valueOf(quantity, *a.report));
                    QVERIFY(each.after == valueOf(quantity, *b.report));
                    double at = each.before;
                    for (const WaterfallStep& step : each.steps) {
                        QVERIFY(step.from == at);
                        at = step.to;
                    }
                    QVERIFY(at == each.after);
                }
                QVERIFY(&a != &b || whole.steps.empty());
            }
        }
    }

    void otherDevicesAreAStepOfTheirOwnInMfu()
    {
        const Waterfall same = waterfall(ComparedQuantity::Mfu, *layout(8, 1, 4).report, *layout(2, 4, 4).report);
        QVERIFY(same.steps.back().category >= 0);
        const Waterfall other =
            waterfall(ComparedQuantity::Mfu, *layout(2, 4, 4).report, *layout(2, 4, 4, "a100-sxm-80gb").report);
        QCOMPARE(other.steps.back().category, -1);
    }

    void whatRoundingTellsApartIsNoStep()
    {
        const ComparedLayout a = layout(8, 1, 4);
        Report report = *a.report;
        report.time[TimeKind::Gemm] *= 1 + 1e-15;
        report.time[TimeKind::Bubble] += 0.5;
        report.stepTime = report.time.total();
        for (const ComparedQuantity quantity : {ComparedQuantity::StepTime, ComparedQuantity::Mfu}) {
            const Waterfall steps = waterfall(quantity, *a.report, report);
            QCOMPARE(steps.steps.front().category, static_cast<int>(TimeKind::Bubble));
            QVERIFY(steps.steps.front().from == steps.before && steps.steps.back().to == steps.after);
        }
    }

    void lessTimeIsMoreMfu()
    {
        for (const WaterfallStep& step :
             waterfall(ComparedQuantity::Mfu, *layout(8, 1, 4).report, *layout(2, 4, 4).report).steps) {
            const Waterfall time =
                waterfall(ComparedQuantity::StepTime, *layout(8, 1, 4).report, *layout(2, 4, 4).report);
            for (const WaterfallStep& same : time.steps) {
                QVERIFY(same.category != step.category || same.change() * step.change() <= 0);
            }
        }
    }

    void onlyWhatDiffersIsListed()
    {
        const std::vector<ComparisonRow> rows = differingRows({layout(8, 1, 4), layout(2, 4, 4)}, catalogue());
        QStringList settings;
        for (const ComparisonRow& row : rows) {
            QCOMPARE(row.values.size(), std::size_t{2});
            settings << (row.isFigure ? QString() : QString::fromStdString(row.key));
        }
        settings.removeAll(QString());
        QCOMPARE(settings, (QStringList{QStringLiteral("layout.pp"), QStringLiteral("layout.tp")}));
        QVERIFY(rows.size() > 4);
        QVERIFY(differingRows({layout(8, 1, 4), layout(8, 1, 4)}, catalogue()).empty());
        QVERIFY(differingRows({layout(8, 1, 4)}, catalogue()).empty());
    }

    void aLayoutIsNamedByItsDegrees()
    {
        QCOMPARE(layout(8, 1, 4).name, std::string("tp 8 · pp 1 · dp 4 · 1F1B · batch 64"));
    }
};

QTEST_GUILESS_MAIN(TestComparison)
#include "tst_comparison.moc"
