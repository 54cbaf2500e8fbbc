// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/layout/layout_text.h"
#include "core/training/evaluate.h"
#include "widgets/placement_view.h"

#include <QDropEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>

using namespace partita;
using namespace partita::ui;

/// 16 devices in two nodes: TP 4 beside DP 4, whose places depend on the rank order.
class PlacementViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void keysMoveADimension();
    void theEndsStopADimension();
    void theMouseDragsADimension();
    void groupsThatCrossADomainAreToldFromThoseInside();
    void ordersAreListedFastestFirstAndOneIsTaken();

private:
    Scenario m_scenario;
    std::unique_ptr<PlacementView> m_view;
};

void PlacementViewTest::initTestCase()
{
    qRegisterMetaType<RankOrderEdit::Order>("partita::ui::RankOrderEdit::Order");
    const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    m_scenario.model = *catalogue.model("llama-3-8b");
    m_scenario.cluster = *catalogue.cluster("hgx-h100");
    m_scenario.cluster.nodes = 2;
    m_scenario.stack = *catalogue.stack("megatron-core");
    m_scenario.layout.tp = 4;
    m_scenario.layout.dp = 4;
    m_scenario.layout.globalBatch = 16;
}

void PlacementViewTest::init()
{
    m_view = std::make_unique<PlacementView>();
    m_view->setCurrent(m_scenario.layout, placedGroups(m_scenario, evaluate(m_scenario).time));
    m_view->resize(700, 400);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
}

void PlacementViewTest::keysMoveADimension()
{
    RankOrderEdit& order = m_view->order();
    QCOMPARE(order.order(), m_scenario.layout.rankOrder);
    QCOMPARE(order.item(0)->text(), QStringLiteral("tp 4"));
    QSignalSpy edited(m_view.get(), &PlacementView::orderEdited);
    order.setCurrentRow(0);
    order.setFocus();
    QTest::keyClick(&order, Qt::Key_Right); // goes to the next, moves nothing
    QCOMPARE(edited.count(), 0);
    order.setCurrentRow(0);
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(&order, Qt::Key_Right, Qt::ShiftModifier);
    }
    QCOMPARE(edited.count(), 3);
    QCOMPARE(rankOrderText(edited.back()[0].value<RankOrderEdit::Order>()), std::string("cp-ep-dp-tp-pp"));
    QCOMPARE(order.currentItem()->text(), QStringLiteral("tp 4"));
    QTest::keyClick(&order, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(rankOrderText(order.order()), std::string("cp-ep-tp-dp-pp"));
}

void PlacementViewTest::theEndsStopADimension()
{
    RankOrderEdit& order = m_view->order();
    QSignalSpy edited(m_view.get(), &PlacementView::orderEdited);
    order.setCurrentRow(0);
    QTest::keyClick(&order, Qt::Key_Left, Qt::ShiftModifier);
    order.setCurrentRow(order.count() - 1);
    QTest::keyClick(&order, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(edited.count(), 0);
    QCOMPARE(order.order(), m_scenario.layout.rankOrder);
}

void PlacementViewTest::theMouseDragsADimension()
{
    RankOrderEdit& order = m_view->order();
    QSignalSpy edited(m_view.get(), &PlacementView::orderEdited);
    const auto drag = [&order](int from, int onto, int beside) { // px right of its centre
        const QPoint start = order.visualItemRect(order.item(from)).center();
        const QPoint end = order.visualItemRect(order.item(onto)).center() + QPoint(beside, 0);
        QTest::mousePress(order.viewport(), Qt::LeftButton, {}, start);
        const std::unique_ptr<QMimeData> held(order.model()->mimeData({order.model()->index(from, 0)}));
        QDropEvent drop(end, Qt::MoveAction, held.get(), Qt::LeftButton, Qt::NoModifier);
        order.dropEvent(&drop);
        QTest::mouseRelease(order.viewport(), Qt::LeftButton, {}, end);
    };
    drag(0, 3, 4);
    QCOMPARE(edited.count(), 1);
    QCOMPARE(rankOrderText(edited[0][0].value<RankOrderEdit::Order>()), std::string("cp-ep-dp-tp-pp"));
    QCOMPARE(rankOrderText(order.order()), std::string("cp-ep-dp-tp-pp"));
    QCOMPARE(order.count(), 5); // moved, not copied
    drag(3, 0, -4);
    QCOMPARE(rankOrderText(order.order()), std::string("tp-cp-ep-dp-pp"));
    QCOMPARE(edited.count(), 2);
    drag(2, 2, 4); // let go where it was
    QCOMPARE(edited.count(), 2);
    drag(2, 4, 400); // behind all
    QCOMPARE(rankOrderText(order.order()), std::string("tp-cp-dp-pp-ep"));
}

void PlacementViewTest::groupsThatCrossADomainAreToldFromThoseInside()
{
    const QTableWidget& groups = m_view->groups();
    QCOMPARE(groups.rowCount(), 2);
    QCOMPARE(groups.item(0, 2)->text(), QStringLiteral("inside NVLink 4"));
    QVERIFY(groups.item(1, 2)->text().startsWith(QStringLiteral("across ")));
    QVERIFY(!groups.item(0, 0)->font().bold() && groups.item(1, 0)->font().bold());

    Scenario turned = m_scenario;
    turned.layout.rankOrder = {Axis::Dp, Axis::Cp, Axis::Ep, Axis::Tp, Axis::Pp};
    m_view->setCurrent(turned.layout, placedGroups(turned, evaluate(turned).time));
    QVERIFY(groups.item(0, 2)->text().startsWith(QStringLiteral("across ")));
    QVERIFY(groups.item(0, 3)->text().endsWith(QStringLiteral("×")));
    QCOMPARE(groups.item(1, 2)->text(), QStringLiteral("inside NVLink 4"));
    QCOMPARE(m_view->order().item(0)->text(), QStringLiteral("dp 4"));
}

void PlacementViewTest::ordersAreListedFastestFirstAndOneIsTaken()
{
    const std::vector<RankPlacement> all = rankPlacements(m_scenario);
    QVERIFY(all.size() > 1);
    m_view->setPlacements(all);
    QTableWidget& table = m_view->placements();
    QCOMPARE(table.rowCount(), static_cast<int>(all.size()));
    QVERIFY(table.item(0, 0)->font().bold()); // the scenario's own: tensor ranks are inside the node
    QSignalSpy edited(m_view.get(), &PlacementView::orderEdited);
    table.setCurrentCell(1, 0);
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(edited.count(), 1);
    QCOMPARE(edited[0][0].value<RankOrderEdit::Order>(), all[1].cost.layout.rankOrder);
}

QTEST_MAIN(PlacementViewTest)
#include "tst_placement_view.moc"
