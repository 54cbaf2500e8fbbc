// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/advice_card.h"
#include "app/chart_dock.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/export_dialog.h"
#include "app/main_window.h"
#include "app/write_file.h"
#include "core/training/evaluate.h"
#include "tests/app/open_window.h"
#include "tests/widgets/accessible_names.h"
#include "widgets/advice_view.h"
#include "widgets/chart_view.h"
#include "widgets/compare_chart.h"
#include "widgets/explain_panel.h"
#include "widgets/headline_strip.h"
#include "widgets/heatmap_view.h"
#include "widgets/layout_table_model.h"
#include "widgets/memory_chart.h"
#include "widgets/pipeline_view.h"
#include "widgets/search_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

using namespace partita;
using namespace partita::ui;

class TestWindowExplain : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { load(); }

    void init() { showNewWindow(); }

    void cleanup() { m_window.reset(); }

    void everyFigureOfTheHeadlineOpensItsDerivation()
    {
        auto* headline = m_window->findChild<HeadlineStrip*>();
        QVERIFY(!dock()->isVisible());
        for (HeadlineFigure* figure : headline->figures()) {
            QTest::mouseClick(figure, Qt::LeftButton);
            QVERIFY(dock()->isVisible());
            QVERIFY2(!panel().formula().isHidden(), qPrintable(figure->key()));
            QVERIFY2(panel().terms().topLevelItemCount() > 0, qPrintable(figure->key()));
        }
        QCOMPARE(panel().path(), QStringLiteral("training_days"));
    }

    void aBudgetThatIsNotStatedIsSaidInWords()
    {
        Scenario scenario = m_window->workspace().scenario();
        scenario.workload.trainingTokens = 0;
        m_window->workspace().edit(scenario, QStringLiteral("no budget"));
        QTest::mouseClick(m_window->findChild<HeadlineStrip*>()->figure(QStringLiteral("budget")), Qt::LeftButton);
        QStringList texts;
        for (const QLabel* label : dock()->findChildren<QLabel*>()) {
            texts << label->text();
        }
        const QString all = texts.join(u' ');
        QVERIFY2(all.contains(QStringLiteral("No token budget is stated")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("workload section")) && !all.contains(QStringLiteral("--")),
                 qPrintable(all));
    }

    void thePanelFollowsEdits()
    {
        QTest::mouseClick(m_window->findChild<HeadlineStrip*>()->figure(QStringLiteral("memory")), Qt::LeftButton);
        const QString before = panel().value();
        Scenario scenario = m_window->workspace().scenario();
        scenario.layout.microBatch = 2;
        m_window->workspace().edit(scenario, QStringLiteral("micro-batch"));
        QTRY_VERIFY(panel().value() != before);
        QCOMPARE(panel().path(), QStringLiteral("memory.peak_bytes"));
    }

    void aSelectedOperationIsExplainedWhileThePanelIsOpen()
    {
        Q_EMIT m_window->charts().pipeline().opSelected(1, 3);
        QVERIFY(!dock()->isVisible());
        QTest::mouseClick(m_window->findChild<HeadlineStrip*>()->figure(QStringLiteral("bubble")), Qt::LeftButton);
        Q_EMIT m_window->charts().pipeline().opSelected(1, 3);
        QVERIFY(panel().path().startsWith(QStringLiteral("stages[1].chunks[0].")));
        QVERIFY(!panel().formula().isHidden());
    }

    void aCellOfTheMapIsExplainedAsTheLayoutItStandsFor()
    {
        QTRY_VERIFY(!m_window->planeSweep().plane().rows.empty());
        const QString step = QStringLiteral("mfu.causal");
        Q_EMIT m_window->charts().heatmap().explainRequested(1, 3);
        QVERIFY(dock()->isVisible());
        QCOMPARE(panel().path(), step);
    }

    void theCellUnderTheKeyboardIsExplainedInWhatTheMapShows()
    {
        QTRY_VERIFY(!m_window->planeSweep().plane().rows.empty());
        m_window->charts().setQuantity(PlaneQuantity::StepTime);
        HeatmapView& map = m_window->charts().heatmap();
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_X);
        QVERIFY(dock()->isVisible());
        QCOMPARE(panel().path(), QStringLiteral("step_time_s"));
        QVERIFY(panel().terms().topLevelItemCount() > 0);
    }

    void aFigureOfTheSearchTableIsExplained()
    {
        SearchView& search = m_window->charts().search();
        SearchState state;
        const Scenario& scenario = m_window->workspace().scenario();
        for (const int microBatch : {1, 2}) {
            Layout layout = scenario.layout;
            layout.microBatch = microBatch;
            state.best.push_back(figuresOf(scenario, layout));
        }
        m_window->layoutSearch().stop();
        search.setState(state);
        m_window->charts().searchDock().show();
        m_window->charts().searchDock().raise();
        QTableView& table = search.table();
        QTRY_VERIFY(table.isVisible());
        const auto clickOn = [&table](LayoutColumn column) {
            const QModelIndex cell = table.model()->index(0, static_cast<int>(column));
            table.scrollTo(cell);
            QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(cell).center());
        };
        clickOn(LayoutColumn::Mfu);
        QVERIFY(!dock()->isVisible()); // a click chooses the row
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_X);
        QVERIFY(dock()->isVisible());
        QCOMPARE(panel().path(), QStringLiteral("row.mfu"));
        QVERIFY(!panel().formula().isHidden());
        clickOn(LayoutColumn::Memory); // and is followed by the open panel
        QCOMPARE(panel().path(), QStringLiteral("row.peak_memory_bytes"));
        QVERIFY(panel().value().contains(QStringLiteral("GiB")));
    }

    void aBarAndACellOfTheComparisonAreExplained()
    {
        CompareCard& compare = m_window->charts().compare();
        compare.pinCurrent();
        Scenario other = m_window->workspace().scenario();
        other.layout.microBatch = 2;
        m_window->workspace().edit(other, QStringLiteral("micro-batch"));
        QTRY_COMPARE(compare.shown().size(), std::size_t{2});
        QTRY_VERIFY(compare.view().isVisible());
        compare.view().resize(700, 500);
        const auto* chart = dynamic_cast<const CompareChart*>(compare.view().chart());
        QVERIFY(chart != nullptr);
        const CompareGeometry g = chart->geometry(compare.view().chartArea(), textMetrics(compare.view().theme()));
        QVERIFY(!g.steps.empty());
        QTest::mouseClick(&compare.view(), Qt::LeftButton, {}, g.steps.front().bar.center().toPoint());
        QVERIFY(dock()->isVisible());
        QVERIFY2(panel().path().startsWith(QStringLiteral("ab.waterfall.step_time.")), qPrintable(panel().path()));
        QVERIFY(!panel().formula().isHidden());

        QTableView& table = compare.table();
        int row = 0;
        while (row < table.model()->rowCount()
               && table.model()->index(row, 0).data().toString() != QStringLiteral("step time")) {
            ++row;
        }
        const QModelIndex cell = table.model()->index(row, 2);
        table.scrollTo(cell);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(cell).center());
        QCOMPARE(panel().path(), QStringLiteral("b.step_time_s"));
        QVERIFY(panel().terms().topLevelItemCount() > 0);
    }

    void aReliefOfTheAdviceIsExplained()
    {
        AdviceCard& advice = m_window->charts().advice();
        advice.dock()->show();
        advice.dock()->raise();
        QTRY_VERIFY_WITH_TIMEOUT(advice.view().advice() != nullptr, 60000);
        QTreeWidget* steps = advice.view().steps();
        QVERIFY(steps->topLevelItemCount() > 0);
        steps->setCurrentItem(steps->topLevelItem(0)->child(0));
        QTest::mouseClick(advice.view().explainButton(), Qt::LeftButton);
        QVERIFY(dock()->isVisible());
        QVERIFY2(panel().path().startsWith(QStringLiteral("steps[0].reliefs[0].")), qPrintable(panel().path()));
        QVERIFY(panel().terms().topLevelItemCount() > 0);
    }

    void anExportedChartOpensAsAnUnsavedScenario()
    {
        Scenario other = m_window->workspace().scenario();
        other.layout.microBatch = 2;
        const MemoryChart chart(evaluate(other));
        const QString path = m_folder->filePath(QStringLiteral("chart.svg"));
        QVERIFY(writeFile(path, chartBytes(chart, ChartFormat::Svg, pageOf(other, m_catalogue))).isEmpty());
        QVERIFY(m_window->openFile(path));
        QCOMPARE(m_window->workspace().scenario(), other);
        QVERIFY(m_window->document().path().isEmpty()); // saving must ask, not replace the picture
    }

    void whatIsExportedIsChosen()
    {
        ExportDialog dialog({{QStringLiteral("memory"), QStringLiteral("Memory")},
                             {QStringLiteral("gantt"), QStringLiteral("Pipeline")}});
        QCOMPARE(dialog.choice().charts.size(), 2);
        QCOMPARE(dialog.choice().formats.size(), Names<ChartFormat>::table.size());
        QAbstractButton* accept = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
        for (auto* box : dialog.findChildren<QCheckBox*>()) {
            box->setChecked(false);
        }
        QVERIFY(!accept->isEnabled());
        QVERIFY(!dialog.findChild<QSpinBox*>()->isEnabled());
        dialog.findChildren<QCheckBox*>().first()->setChecked(true);
        dialog.findChildren<QCheckBox*>().last()->setChecked(true);
        QVERIFY(accept->isEnabled());
        dialog.findChildren<QComboBox*>().first()->setCurrentIndex(1);
        QCOMPARE(dialog.choice().charts, QStringList(QStringLiteral("memory")));
        QCOMPARE(dialog.choice().size, PageFormat::Slide);
    }

private:
    QDockWidget* dock() const { return m_window->findChild<QDockWidget*>(QStringLiteral("explain")); }
    ExplainPanel& panel() const { return m_window->explainPanel(); }
};

QTEST_MAIN(TestWindowExplain)
#include "tst_window_explain.moc"
