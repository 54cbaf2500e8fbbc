// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/training/evaluate.h"
#include "tests/widgets/fixed_metrics.h"
#include "widgets/compare_chart.h"

#include <QtTest>

#include <set>

using namespace partita;
using namespace partita::ui;

namespace {

const QRectF Area(0, 0, 800, 420);

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

ComparedLayout layout(std::int64_t globalBatch, int zeroStage)
{
    ComparedLayout made;
    made.scenario.model = *catalogue().model("llama-3.1-8b");
    made.scenario.cluster = makeCluster(*catalogue().accelerator("h100-sxm-80gb"), 4, 8, catalogue());
    made.scenario.stack = *catalogue().stack("megatron-core");
    made.scenario.layout.tp = 2;
    made.scenario.layout.pp = 4;
    made.scenario.layout.dp = 4;
    made.scenario.layout.globalBatch = globalBatch;
    made.scenario.layout.zeroStage = zeroStage;
    made.scenario.layout.recompute = zeroStage == 0 ? Recompute::Full : Recompute::None;
    made.name = layoutName(made.scenario.layout);
    made.report = std::make_shared<const Report>(evaluate(made.scenario));
    return made;
}

std::vector<ComparedLayout> three()
{
    return {layout(32, 1), layout(64, 1), layout(128, 0)};
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void barsShareOneAxis_data() { quantities(); }
    void barsShareOneAxis()
    {
        QFETCH(ComparedQuantity, quantity);
        const std::vector<ComparedLayout> layouts = three();
        const CompareGeometry g = CompareChart(layouts, quantity, 0, 2).geometry(Area, fixedMetrics());
        QCOMPARE(g.rows.size(), std::size_t{3});
        const double perUnit = g.rows[0].bar.width() / valueOf(quantity, *layouts[0].report);
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(g.rows[i].bar.left(), g.rows[0].bar.left());
            QVERIFY(layouts[i].report->legal());
            const double expected = perUnit * valueOf(quantity, *layouts[i].report);
            QVERIFY2(std::abs(g.rows[i].bar.width() - expected) < 1e-6,
                     qPrintable(QStringLiteral("%1 %2").arg(g.rows[i].bar.width()).arg(expected)));
            double parts = 0;
            for (const CompareGeometry::Part& part : g.rows[i].parts) {
                parts += part.rect.width();
            }
            QVERIFY(g.rows[i].parts.empty() || std::abs(parts - g.rows[i].bar.width()) < 1e-6);
        }
    }

    void theWaterfallLeadsFromOneToTheOther_data() { quantities(); }
    void theWaterfallLeadsFromOneToTheOther()
    {
        QFETCH(ComparedQuantity, quantity);
        const CompareGeometry g = CompareChart(three(), quantity, 0, 2).geometry(Area, fixedMetrics());
        QVERIFY(!g.steps.empty());
        double at = g.beforeX;
        for (const CompareGeometry::Step& step : g.steps) {
            QVERIFY(Area.contains(step.bar) && Area.contains(step.whole) && Area.contains(step.change.rect));
            const double from = step.grows ? step.bar.left() : step.bar.right();
            QVERIFY(std::abs(from - at) <= 2.01); // each bar is a pixel wide at least
            at = step.grows ? step.bar.right() : step.bar.left();
        }
        QVERIFY(std::abs(at - g.afterX) <= 2.01);
    }

    void everyPartOfABarIsInTheLegend()
    {
        for (const ComparedQuantity quantity : {ComparedQuantity::StepTime, ComparedQuantity::Memory}) {
            const CompareChart chart(three(), quantity, 0, 2);
            const CompareGeometry g = chart.geometry(Area, fixedMetrics());
            std::set<int> named;
            for (const LegendEntry& entry : g.legend) {
                named.insert(entry.category);
                QVERIFY(Area.contains(entry.label.rect) && entry.label.rect.top() >= g.rows.back().bar.bottom());
                QVERIFY(entry.label.rect.bottom() <= g.heading.rect.top());
            }
            for (const CompareGeometry::Row& row : g.rows) {
                for (const CompareGeometry::Part& part : row.parts) {
                    QVERIFY(named.count(part.category) == 1);
                }
            }
            QCOMPARE(g.limitLabel.empty(), quantity != ComparedQuantity::Memory);
        }
    }

    void aShortChartKeepsTheLargestStepsAndTheRestAsOne()
    {
        const CompareChart chart(three(), ComparedQuantity::StepTime, 0, 2);
        const CompareGeometry tall = chart.geometry(Area, fixedMetrics());
        const CompareGeometry flat = chart.geometry({0, 0, 800, 190}, fixedMetrics());
        QVERIFY(flat.steps.size() < tall.steps.size());
        QCOMPARE(flat.steps.back().label, QStringLiteral("others"));
    }

    void theTableIsOneOfNumbersThatAddUp_data() { quantities(); }
    void theTableIsOneOfNumbersThatAddUp()
    {
        QFETCH(ComparedQuantity, quantity);
        const std::vector<ComparedLayout> layouts = three();
        const ChartTable table = CompareChart(layouts, quantity, 0, 2).table();
        QCOMPARE(table.header.size(), 6); // term, unit, A, B, C, A to C
        std::vector<double> sums(4);
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            QCOMPARE(table.rows[row].size(), table.header.size());
            const bool last = row + 1 == table.rows.size();
            for (std::size_t column = 0; column < sums.size(); ++column) {
                const QString& cell = table.rows[row][static_cast<qsizetype>(column) + 2];
                bool number = cell.isEmpty();
                const double value = number ? 0 : cell.toDouble(&number);
                QVERIFY2(number && !cell.contains(u'e'), qPrintable(cell));
                if (!last) {
                    sums[column] += value;
                } else if (quantity != ComparedQuantity::Mfu || column == 3) {
                    QVERIFY2(std::abs(sums[column] - value) <= 1e-9 * std::abs(value), qPrintable(cell));
                }
            }
        }
        QCOMPARE(table.rows.back()[4].toDouble(), valueOf(quantity, *layouts[2].report));
    }

    void theEndsAreBarsOnANumberedAxis_data() { quantities(); }
    void theEndsAreBarsOnANumberedAxis()
    {
        QFETCH(ComparedQuantity, quantity);
        const std::vector<ComparedLayout> layouts = three();
        const CompareGeometry g = CompareChart(layouts, quantity, 0, 2).geometry(Area, fixedMetrics());
        QVERIFY(std::abs(g.before.bar.right() - g.beforeX) < 1e-6 && std::abs(g.after.bar.right() - g.afterX) < 1e-6);
        QCOMPARE(g.before.value.text,
                 QString::fromStdString(formatQuantity(quantity, valueOf(quantity, *layouts[0].report))));
        QVERIFY(g.ticks.size() >= 2);
        for (const auto& [x, label] : g.ticks) {
            QVERIFY(Area.contains(label.rect) && label.rect.top() >= g.after.bar.bottom());
            QVERIFY(x >= g.area.left() - 1e-6 && x <= g.area.right() + 1e-6);
        }
    }

    /// Bars that do not begin at zero say so: the lengths of two of them cannot be compared.
    void barsWithoutTheirBeginningAreCut()
    {
        ComparedLayout wide = layout(64, 1);
        wide.scenario.stack.stepOverhead *= 2;
        wide.report = std::make_shared<const Report>(evaluate(wide.scenario));
        const auto ends = [](const ComparedLayout& a, const ComparedLayout& b) {
            return CompareChart({a, b}, ComparedQuantity::StepTime, 0, 1).geometry(Area, fixedMetrics());
        };
        const CompareGeometry near = ends(layout(64, 1), wide);
        QVERIFY(!near.before.cut.isNull() && !near.after.cut.isNull());
        for (const QPointF& end : {near.before.cut.p1(), near.before.cut.p2()}) {
            QVERIFY(near.before.bar.adjusted(-1, -1, 1, 1).contains(end));
        }
        const CompareGeometry far = ends(layout(32, 1), layout(128, 0));
        QVERIFY(far.before.cut.isNull() && far.after.cut.isNull());
    }

    void nothingPinnedSaysWhatToDo()
    {
        const CompareGeometry g = CompareChart().geometry(Area, fixedMetrics());
        QVERIFY(!g.hint.empty() && g.rows.empty());
        QVERIFY(CompareChart().description().contains(QStringLiteral("Nothing is pinned")));
        QVERIFY(CompareChart().isEmpty());
    }

    void onePinnedAsksForASecond()
    {
        const CompareChart chart({layout(32, 1)}, ComparedQuantity::StepTime, 0, 0);
        QVERIFY(chart.isEmpty() && !CompareChart(three(), ComparedQuantity::StepTime, 0, 2).isEmpty());
        for (const QRectF& area : {Area, QRectF(0, 0, 300, 180)}) {
            const CompareGeometry g = chart.geometry(area, fixedMetrics());
            QCOMPARE(g.rows.size(), std::size_t{1});
            QVERIFY(g.steps.empty() && !g.hint.empty());
            QString text;
            double above = g.legend.empty() ? g.rows.back().bar.bottom() : legendBottom(g.legend);
            for (const Label& line : g.hint) {
                QVERIFY(inside(line.rect, area) && line.rect.top() >= above);
                above = line.rect.top();
                text += line.text + u' ';
            }
            QVERIFY2(text.contains(QStringLiteral("pin a second")), qPrintable(text));
        }
        QVERIFY(chart.description().contains(QStringLiteral("a second")));
    }

private:
    static void quantities()
    {
        QTest::addColumn<ComparedQuantity>("quantity");
        for (const Name<ComparedQuantity>& name : Names<ComparedQuantity>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
};

QTEST_MAIN(TestCompare)
#include "tst_compare.moc"
