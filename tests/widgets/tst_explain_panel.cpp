// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/explainer.h"
#include "core/explain/ledger.h"
#include "core/training/evaluate.h"
#include "tests/core/scenario/samples.h"
#include "widgets/chart_view.h"
#include "widgets/explain_panel.h"
#include "widgets/memory_chart.h"
#include "widgets/step_time_chart.h"

#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTreeWidget>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

namespace {

std::shared_ptr<const Explainer> explainer(int tp = 8)
{
    Scenario scenario = samples::legal();
    scenario.layout.tp = tp;
    scenario.layout.dp = 8 / tp;
    scenario.cluster.accelerator.peak.bf16 = 989e12;
    scenario.cluster.accelerator.memoryBandwidth = 3.35e12;
    scenario.cluster.accelerator.cores = 132;
    return std::make_shared<const Explainer>(scenario, evaluate(scenario));
}

Derivation formula(const char* text)
{
    Derivation d;
    d.formula = text;
    return d;
}

} // namespace

class TestExplainPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { loadFonts(); }

    void showsFormulaNumbersTermsAndSources()
    {
        ExplainPanel panel;
        panel.setExplainer(explainer());
        panel.explain(QStringLiteral("memory.stages[0].optimizer_states"));
        QVERIFY(panel.value().contains(QStringLiteral("GiB")));
        QVERIFY(!panel.formula().isHidden());
        QVERIFY(panel.formula().accessibleName().contains(QStringLiteral("o·t·(1 − f)")));
        QCOMPARE(panel.terms().topLevelItemCount(), 3);
        QVERIFY(panel.notes().contains(QStringLiteral("arXiv:1910.02054")));
    }

    void theNumbersAreSetAsTheFormulaIsWhereTheyAreLegible()
    {
        ExplainPanel panel;
        panel.setExplainer(explainer());
        panel.explain(QStringLiteral("tokens_per_s"));
        QVERIFY(!panel.formulaWithNumbers().isHidden());
        QVERIFY(panel.formulaWithNumbers().accessibleName().contains(QStringLiteral("tokens / ")));
        panel.explain(QStringLiteral("step_time_s")); // a sum over parts goes on a line
        QVERIFY(panel.formulaWithNumbers().isHidden());
        panel.explain(QStringLiteral("hfu.causal")); // which is the MFU, and begins with its formula
        QVERIFY(!panel.formula().isHidden());
        QVERIFY(panel.terms().topLevelItemCount() > 3);
    }

    void numbersTakeThePlaceOfSymbols()
    {
        QFont font;
        font.setPixelSize(14);
        Derivation d;
        d.formula = "a/b + c";
        d.terms = {{"a", "work", Measure::Flops, false, {{2e15, "work", {}, "stated"}}},
                   {"b", "rate", Measure::FlopsPerSecond, false, {{1e15, "rate", {}, "stated"}}},
                   {"c", "rest", Measure::Seconds, false, {{1, "rest", {}, "stated"}}}};
        QString text;
        for (const FormulaBox::Piece& piece : layOutNumbers(d, font).pieces) {
            text += piece.text;
        }
        QVERIFY2(text.contains(QStringLiteral("2.00 PFLOP")) && text.contains(QStringLiteral("1.00 s")),
                 qPrintable(text));
        QCOMPARE(layOutNumbers(d, font).bars.size(), std::size_t{1});
        d.terms.front().list = true;
        QVERIFY(layOutNumbers(d, font).pieces.empty());
    }

    void termsUnfoldDownToGivenNumbers()
    {
        ExplainPanel panel;
        panel.setExplainer(explainer());
        panel.explain(QStringLiteral("time.parts.gemm"));
        QTreeWidgetItem* item = panel.terms().topLevelItem(1);
        int depth = 0;
        while (item != nullptr && item->childIndicatorPolicy() == QTreeWidgetItem::ShowIndicator) {
            item->setExpanded(true);
            ++depth;
            QTreeWidgetItem* next = nullptr;
            for (int i = 0; i < item->childCount(); ++i) {
                if (item->child(i)->childIndicatorPolicy() == QTreeWidgetItem::ShowIndicator) {
                    next = item->child(i);
                }
            }
            QVERIFY(item->childCount() > 0);
            item = next;
        }
        QVERIFY2(depth >= 5, qPrintable(QString::number(depth)));
    }

    void activatingATermExplainsItAndBackReturns()
    {
        ExplainPanel panel;
        QSignalSpy changed(&panel, &ExplainPanel::pathChanged);
        panel.setExplainer(explainer());
        panel.explain(QStringLiteral("tokens_per_s"));
        Q_EMIT panel.terms().itemActivated(panel.terms().topLevelItem(1), 0);
        QCOMPARE(panel.path(), QStringLiteral("step_time_s"));
        panel.back();
        QCOMPARE(panel.path(), QStringLiteral("tokens_per_s"));
        QVERIFY(changed.count() >= 3);
    }

    void anEditKeepsWhatIsExplained()
    {
        ExplainPanel panel;
        panel.setExplainer(explainer(8));
        panel.explain(QStringLiteral("memory.peak_bytes"));
        const QString before = panel.value();
        panel.setExplainer(explainer(4));
        QCOMPARE(panel.path(), QStringLiteral("memory.peak_bytes"));
        QVERIFY(panel.value() != before);
        panel.explain(QStringLiteral("no.such.value"));
        QVERIFY(panel.formula().isHidden());
        panel.explain(QStringLiteral("fits"));
        QVERIFY(!panel.formula().isHidden());
    }

    void formulasKeepInsideTheirBox_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"a", "a/b", "a/(b/c)", "max(0, a - b)/(c*d)", "sum(a*b)/c", "(a/b + c)^2*d",
                                 "b + max((w + w*h/(w + h))/r) + sum(k*a)", "eta_pp*t_long_name", "-a <= b"}) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
    }
    void formulasKeepInsideTheirBox()
    {
        QFETCH(QString, text);
        QFont font(QStringLiteral("DejaVu Sans"));
        font.setPixelSize(20);
        const FormulaBox box = layOutFormula(formula(text.toUtf8().constData()), QStringLiteral("T"), font);
        QVERIFY(box.size.width() > 0 && box.ascent > 0 && box.ascent < box.size.height() + 1);
        constexpr int margin = 30;
        QImage image(box.size.toSize() + QSize(2 * margin, 2 * margin), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintFormula(painter, box, QPointF(margin, margin), Qt::black);
        painter.end();
        bool ink = false;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const bool dark = qGray(image.pixel(x, y)) < 128;
                ink = ink || dark;
                const bool inside = x >= margin - 3 && y >= margin - 3 && x <= image.width() - margin + 3
                    && y <= image.height() - margin + 3;
                QVERIFY2(!dark || inside, qPrintable(QStringLiteral("%1 %2").arg(x).arg(y)));
            }
        }
        QVERIFY(ink);
    }

    void theIndexOfASumKeepsClearOfItsSign()
    {
        Derivation derivation;
        derivation.formula = "sum(a)";
        derivation.terms = {givenList("a", "parts", Measure::Plain, {1, 2}, {"one"}, "here")};
        for (const int size : {9, 13, 26, 200}) {
            QFont font = Theme::light().font;
            font.setPixelSize(size);
            const FormulaBox box = layOutFormula(derivation, QStringLiteral("3"), font);
            const auto inkOf = [&](const QString& text) {
                const auto piece = std::find_if(box.pieces.begin(), box.pieces.end(),
                                                [&](const FormulaBox::Piece& each) { return each.text == text; });
                return QFontMetricsF(piece->font).tightBoundingRect(text).translated(piece->baseline);
            };
            const QRectF sign = inkOf(QStringLiteral("∑"));
            const QRectF index = inkOf(QStringLiteral("i"));
            QVERIFY(!sign.isEmpty() && !index.isEmpty());
            QVERIFY2(index.top() >= sign.bottom() + 1, qPrintable(QString::number(size)));
            QVERIFY(index.bottom() <= box.size.height());
        }
    }

    void clickingABarNamesItsValue()
    {
        const Report report = evaluate(samples::legal());
        MemoryView view;
        view.resize(640, 400);
        view.setReport(report);
        QSignalSpy activated(&view, &ChartView::valueActivated);
        const MemoryChart chart(report);
        const MemoryGeometry g = chart.geometry(view.chartArea(), textMetrics(view.theme()));
        QTest::mouseClick(&view, Qt::LeftButton, {}, g.segments.front().rect.center().toPoint());
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].toString(), QStringLiteral("memory.stages[0].weights"));
        QVERIFY(explainer()->explain(activated[0][0].toString().toStdString()));

        StepTimeView step;
        step.resize(640, 400);
        step.setReport(report);
        QSignalSpy part(&step, &ChartView::valueActivated);
        const StepTimeGeometry parts = StepTimeChart(report).geometry(step.chartArea(), textMetrics(step.theme()));
        QTest::mouseClick(&step, Qt::LeftButton, {}, parts.parts.front().rect.center().toPoint());
        QCOMPARE(part.count(), 1);
        QVERIFY(explainer()->explain(part[0][0].toString().toStdString()));
    }
};

QTEST_MAIN(TestExplainPanel)
#include "tst_explain_panel.moc"
