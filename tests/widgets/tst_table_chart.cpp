// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fixed_metrics.h"
#include "widgets/chart_table_model.h"
#include "widgets/chart_table_view.h"
#include "widgets/table_chart.h"

#include <QHelpEvent>
#include <QTest>
#include <QToolTip>

using namespace partita::ui;

namespace {

ChartTable sample(int rows)
{
    ChartTable table{{QStringLiteral("order"), QStringLiteral("step time")}, {}};
    for (int row = 0; row < rows; ++row) {
        table.rows.push_back({QStringLiteral("tp-cp-ep-dp-pp"), QStringLiteral("%1 s").arg(row)});
    }
    return table;
}

TableChart chartOf(int rows)
{
    return TableChart({QStringLiteral("orders"), QStringLiteral("Orders"), {}}, sample(rows), sample(rows));
}

} // namespace

class TestTableChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { loadFonts(); }

    /// On a screen of its own: larger type, rows and columns further apart, nothing lost.
    void fewRowsFillAScreen()
    {
        const TableChart chart = chartOf(6);
        const QSizeF room(1000, 500);
        Theme theme = Theme::light();
        const double growth = chart.growthIn(room, theme);
        QVERIFY(growth > 1.5);
        theme.scale *= growth;
        const TableGeometry g = chart.geometry({{0, 0}, room}, textMetrics(theme));
        QVERIFY(g.bottom > room.height() * 0.6 && g.bottom <= room.height());
        QCOMPARE(g.cells.size(), std::size_t{7 * 2});
        double right = 0;
        for (const Label& label : g.labels) {
            QVERIFY(inside(label.rect, {{0, 0}, room}));
            right = std::max(right, label.rect.left());
        }
        QVERIFY(right > room.width() * 0.3);
    }

    void manyRowsKeepTheirType()
    {
        const TableChart chart = chartOf(60);
        const QSizeF room(400, chart.heightAt(400, Theme::light()));
        QCOMPARE(chart.growthIn(room, Theme::light()), 1.0);
        const TableGeometry g = chart.geometry({{0, 0}, room}, textMetrics(Theme::light()));
        QCOMPARE(g.cells.size(), std::size_t{61 * 2});
    }

    void numbersStandBelowEachOther()
    {
        ChartTableModel model;
        model.setTable(
            {{QStringLiteral("what"), QStringLiteral("A"), QStringLiteral("B"), QStringLiteral("C")},
             {{QStringLiteral("batch"), QStringLiteral("256"), QStringLiteral("1F1B"), QStringLiteral("–")},
              {QStringLiteral("first token"), QStringLiteral("93.6 ms"), QStringLiteral("none"), QStringLiteral("–")},
              {QStringLiteral("cost"), QStringLiteral("−$2.20"), QStringLiteral("8"), QStringLiteral("–")}}});
        const auto isRight = [&](int column) {
            const auto head = model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
            for (int row = 0; row < model.rowCount(); ++row) {
                if (model.index(row, column).data(Qt::TextAlignmentRole).value<Qt::Alignment>() != head) {
                    return -1;
                }
            }
            return head.testFlag(Qt::AlignRight) ? 1 : 0;
        };
        QCOMPARE(isRight(0), 0);
        QCOMPARE(isRight(1), 1);
        QCOMPARE(isRight(2), 0);
        QCOMPARE(isRight(3), 0);
    }

    void cellsThatAreCutTellTheWhole()
    {
        ChartTableView view;
        view.setTable(sample(2));
        const QAbstractItemModel& model = *view.model();
        view.setColumnWidth(0, 40);
        view.setColumnWidth(1, 200);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto tipAt = [&](int column) {
            QStyleOptionViewItem option;
            option.initFrom(&view);
            option.rect = view.visualRect(model.index(0, column));
            QHelpEvent event(QEvent::ToolTip, option.rect.center(), view.viewport()->mapToGlobal(option.rect.center()));
            const bool told = view.itemDelegate()->helpEvent(&event, &view, option, model.index(0, column));
            return told ? QToolTip::text() : QString();
        };
        QCOMPARE(tipAt(0), QStringLiteral("tp-cp-ep-dp-pp"));
        QCOMPARE(tipAt(1), QString());
    }
};

QTEST_MAIN(TestTableChart)
#include "tst_table_chart.moc"
