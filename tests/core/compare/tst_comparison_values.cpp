// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/comparison_values.h"
#include "core/training/evaluate.h"
#include "tests/core/explain/recomputed.h"

#include <QtTest>

using namespace partita;

namespace {

const std::vector<ComparableRun> noRuns;

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

ComparedLayout layout(const char* model, int tp, int pp, const char* accelerator = "h100-sxm-80gb")
{
    ComparedLayout made;
    made.scenario.model = *catalogue().model(model);
    made.scenario.cluster = makeCluster(*catalogue().accelerator(accelerator), 4, 8, catalogue());
    made.scenario.stack = *catalogue().stack("megatron-core");
    made.scenario.layout.tp = tp;
    made.scenario.layout.pp = pp;
    made.scenario.layout.dp = 32 / tp / pp;
    made.scenario.layout.globalBatch = 64;
    made.name = layoutName(made.scenario.layout);
    made.report = std::make_shared<const Report>(evaluate(made.scenario));
    return made;
}

std::vector<ComparedLayout> four()
{
    return {layout("llama-3.1-8b", 8, 1), layout("llama-3.1-8b", 2, 4), layout("llama-3.1-8b", 2, 4, "a100-sxm-80gb"),
            layout("llama-2-7b", 2, 4)};
}

} // namespace

class TestComparisonValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCellAndEveryBarIsDerived()
    {
        const std::vector<ComparedLayout> layouts = four();
        const std::vector<ComparisonRow> rows = differingRows(layouts, catalogue());
        const auto values = explainComparison(layouts, rows, noRuns);
        const std::string flaw = flawIn(*values, values->reportedValues(), [](const std::string&) { return false; });
        QVERIFY2(flaw.empty(), flaw.c_str());
        for (const ComparisonRow& row : rows) {
            for (std::size_t i = 0; i < layouts.size(); ++i) {
                if (row.values[i].empty()) {
                    continue; // has no such setting
                }
                const Result<Derivation> cell = values->explain(comparedPath(i, row.key));
                QVERIFY2(cell, row.key.c_str());
                if (!row.isFigure) {
                    QCOMPARE(cell->text, row.values[i]);
                }
            }
            QVERIFY2(!row.isFigure || values->explain("ab." + row.key), row.key.c_str());
        }
    }

    void theBarsOfAWaterfallAreItsDerivations_data()
    {
        QTest::addColumn<ComparedQuantity>("quantity");
        for (const Name<ComparedQuantity>& name : Names<ComparedQuantity>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
    void theBarsOfAWaterfallAreItsDerivations()
    {
        QFETCH(ComparedQuantity, quantity);
        const std::vector<ComparedLayout> layouts = four();
        const auto values = explainComparison(layouts, differingRows(layouts, catalogue()), noRuns);
        for (std::size_t a = 0; a < layouts.size(); ++a) {
            for (std::size_t b = 0; b < layouts.size(); ++b) {
                if (a == b) {
                    continue;
                }
                const Waterfall shown = waterfall(quantity, *layouts[a].report, *layouts[b].report);
                const std::string at = waterfallPath(a, b, quantity);
                for (std::size_t i = 0; i < shown.steps.size(); ++i) {
                    QCOMPARE(values->explain(at + "steps[" + std::to_string(i) + "].change")->value,
                             shown.steps[i].change());
                }
                QCOMPARE(values->explain(at + "change")->value, shown.after - shown.before);
                QCOMPARE(values->explain(at + "after")->value, valueOf(quantity, *layouts[b].report));
            }
        }
    }

    void aBarUnfoldsDownToThePresetsOfBoth()
    {
        const std::vector<ComparedLayout> layouts = four();
        const auto values = explainComparison(layouts, differingRows(layouts, catalogue()), noRuns);
        const std::string text =
            derivationText(*values, *values->explain("bc.waterfall.step_time.steps[0].change"), 12);
        for (const char* part :
             {"<b.time.parts.gemm>", "<c.time.parts.gemm>", "accelerator NVIDIA H100", "accelerator NVIDIA A100"}) {
            QVERIFY2(text.find(part) != std::string::npos, part);
        }
    }

    void alikeLayoutsHaveNothingToDerive()
    {
        const std::vector<ComparedLayout> layouts{layout("llama-3.1-8b", 8, 1), layout("llama-3.1-8b", 8, 1)};
        const auto values = explainComparison(layouts, differingRows(layouts, catalogue()), noRuns);
        QCOMPARE(values->explain("ab.waterfall.mfu.change")->value, 0.0);
        QVERIFY(!values->explain("ab.step_time_s"));
        QVERIFY(!values->explain("c.step_time_s"));
    }
};

QTEST_GUILESS_MAIN(TestComparisonValues)
#include "tst_comparison_values.moc"
