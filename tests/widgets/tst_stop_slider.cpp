// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "widgets/stop_slider.h"

#include "widgets/accessible_names.h"

#include <QScrollArea>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

namespace {

std::unique_ptr<StopSlider> shownSlider(std::int64_t value)
{
    auto slider = std::make_unique<StopSlider>(QStringLiteral("layout.tp"), QStringLiteral("Tensor parallel"));
    slider->setStops({1, 2, 4, 8});
    slider->setValue(value);
    slider->resize(300, 80);
    slider->show();
    return slider;
}

void turnWheel(QWidget* widget, int notches)
{
    const QPointF middle = QRectF(widget->rect()).center();
    QWheelEvent event(middle, widget->mapToGlobal(middle), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
}

std::vector<std::int64_t> valuesOf(const QSignalSpy& spy)
{
    std::vector<std::int64_t> values;
    for (const QList<QVariant>& arguments : spy) {
        values.push_back(arguments.front().toLongLong());
    }
    return values;
}

using Values = std::vector<std::int64_t>;

} // namespace

class TestStopSlider : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStopSaysWhatItWouldDo()
    {
        StopMark now{4, CellState::Fits, 0, 0, {}, 8.0, 0.40, 50 * gibibyte};
        StopMark then{8, CellState::Fits, 0, 0, {}, 6.0, 0.50, 40 * gibibyte};
        const auto plain = [](const QString& text) { return QString(text).replace(QChar(0x00A0), u' '); };
        QCOMPARE(plain(effectOf(then, &now)),
                 QStringLiteral("step 6.00 s (−25.0 %), MFU 50.0 % (+10.0), peak 40.0 GiB (−10.0 GiB)"));
        QCOMPARE(plain(effectOf(now, &now)), QStringLiteral("step 8.00 s, MFU 40.0 %, peak 50.0 GiB"));
        QCOMPARE(plain(effectOf(then, nullptr)), QStringLiteral("step 6.00 s, MFU 50.0 %, peak 40.0 GiB"));
        QVERIFY(effectOf({3, CellState::Illegal, 0, 0, {}, 0, 0, 0}, &now).isEmpty());
    }

    void arrowsStepFromStopToStop()
    {
        const auto slider = shownSlider(2);
        QSignalSpy edited(slider.get(), &StopSlider::edited);
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Up, Qt::Key_Left, Qt::Key_Home, Qt::Key_End, Qt::Key_Right}) {
            QTest::keyClick(slider->track(), key);
        }
        QCOMPARE(valuesOf(edited), (Values{4, 8, 4, 1, 8})); // the last key finds the end and changes nothing
        QCOMPARE(slider->spin()->value(), 8);
    }

    void arrowsLeaveAnIllegalValueToTheNearestStopOnThatSide()
    {
        const auto slider = shownSlider(3);
        QCOMPARE(slider->track()->stepped(1), std::int64_t{4});
        QCOMPARE(slider->track()->stepped(-1), std::int64_t{2});
        slider->setValue(100);
        QCOMPARE(slider->track()->stepped(1), std::int64_t{8});
        QCOMPARE(slider->track()->stepped(-1), std::int64_t{8});
    }

    void spinBoxStepsThroughStopsToo()
    {
        const auto slider = shownSlider(2);
        QSignalSpy edited(slider.get(), &StopSlider::edited);
        QTest::keyClick(slider->spin(), Qt::Key_Up);
        QTest::keyClick(slider->spin(), Qt::Key_Up);
        QTest::keyClick(slider->spin(), Qt::Key_Up);
        QTest::keyClick(slider->spin(), Qt::Key_Down);
        QCOMPARE(valuesOf(edited), (Values{4, 8, 4}));
    }

    void takesATypedIllegalValueAsItIsAndSaysWhy()
    {
        const auto slider = shownSlider(4);
        QSignalSpy edited(slider.get(), &StopSlider::edited);
        slider->spin()->selectAll();
        QTest::keyClicks(slider->spin(), QStringLiteral("12"));
        QVERIFY2(edited.isEmpty(), "half a number is no edit");
        QTest::keyClick(slider->spin(), Qt::Key_Return);
        QCOMPARE(valuesOf(edited), (Values{12}));
        QCOMPARE(slider->spin()->value(), 12);
        QVERIFY(slider->spin()->accessibleDescription().contains(QStringLiteral("12 is not a legal value")));

        slider->setProblems({QStringLiteral("does not divide 64 heads (try 8)")});
        QCOMPARE(slider->spin()->accessibleDescription(), QStringLiteral("does not divide 64 heads (try 8)"));
        slider->setProblems({});
        slider->setValue(8);
        QVERIFY(slider->spin()->accessibleDescription().isEmpty());
    }

    void keepsZeroToItselfAndExplainsIt()
    {
        const auto slider = shownSlider(4);
        QSignalSpy edited(slider.get(), &StopSlider::edited);
        slider->spin()->selectAll();
        QTest::keyClicks(slider->spin(), QStringLiteral("0"));
        QTest::keyClick(slider->spin(), Qt::Key_Return);
        QVERIFY(edited.isEmpty());
        QVERIFY(slider->spin()->accessibleDescription().contains(QStringLiteral("at least 1")));
        QCOMPARE(slider->spin()->value(), 0);
    }

    void dragTellsEveryStopItPassesBetweenBeginningAndEnd()
    {
        const auto slider = shownSlider(1);
        StopTrack* track = slider->track();
        QStringList told;
        connect(slider.get(), &StopSlider::dragStarted, this, [&] { told << QStringLiteral("start"); });
        connect(slider.get(), &StopSlider::edited, this, [&](std::int64_t value) { told << QString::number(value); });
        connect(slider.get(), &StopSlider::dragFinished, this, [&] { told << QStringLiteral("end"); });
        const auto at = [track](std::int64_t value) { return QPoint(qRound(track->xOf(value)), 9); };
        QTest::mousePress(track, Qt::LeftButton, {}, at(1));
        for (const std::int64_t value : {2, 4, 4, 8}) {
            QTest::mouseMove(track, at(value));
        }
        QTest::mouseRelease(track, Qt::LeftButton, {}, at(8));
        QTest::mouseMove(track, at(2)); // after the end nothing follows the pointer
        QCOMPARE(told,
                 (QStringList{QStringLiteral("start"), QStringLiteral("2"), QStringLiteral("4"), QStringLiteral("8"),
                              QStringLiteral("end")}));
    }

    void aLateAnswerDoesNotPullTheHandleFromThePointer()
    {
        const auto slider = shownSlider(1);
        StopTrack* track = slider->track();
        QTest::mousePress(track, Qt::LeftButton, {}, QPoint(qRound(track->xOf(8)), 9));
        slider->setValue(1);
        QCOMPARE(slider->value(), std::int64_t{8});
        QTest::mouseRelease(track, Qt::LeftButton);
        slider->setValue(1);
        QCOMPARE(slider->value(), std::int64_t{1});
    }

    void wheelChangesOnlyWhatHasTheFocus()
    {
        const auto slider = shownSlider(2);
        QSignalSpy edited(slider.get(), &StopSlider::edited);
        QVERIFY(QTest::qWaitForWindowExposed(slider.get()));
        slider->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(slider.get()));
        slider->setFocus();
        turnWheel(slider->track(), 1);
        turnWheel(slider->spin(), 1);
        QVERIFY(edited.isEmpty());
        slider->track()->setFocus();
        turnWheel(slider->track(), 1);
        turnWheel(slider->spin(), 1);
        QCOMPARE(valuesOf(edited), (Values{4}));
    }

    void notesTheStopAndTheNearestThatFaresDifferently()
    {
        const auto slider = shownSlider(4);
        QVERIFY(slider->note().isEmpty());
        slider->setMarks({{1, CellState::OutOfMemory, 100 * gibibyte, 0, {}},
                          {2, CellState::OutOfMemory, 31 * gibibyte, 0, {}},
                          {3, CellState::Illegal, 0, 0, "does not divide 64 heads"},
                          {4, CellState::Fits, 0, 0, {}},
                          {8, CellState::Fits, 0, 0, {}}});
        QCOMPARE(slider->note(), QStringLiteral("4 fits · 2 lacks 31.0 GiB on stage 0"));
        slider->setValue(1);
        QCOMPARE(slider->note(), QStringLiteral("1 lacks 100 GiB on stage 0 · 4 fits"));
        slider->setDetail(QStringLiteral("8 tokens"));
        QCOMPARE(slider->note(), QStringLiteral("8 tokens · 1 lacks 100 GiB on stage 0 · 4 fits"));
    }

    void aMarkedIllegalValueHasAPlaceButIsNoStop()
    {
        const auto slider = shownSlider(2);
        StopTrack* track = slider->track();
        slider->setMarks({{3, CellState::Illegal, 0, 0, {}}});
        QVERIFY(track->xOf(2) < track->xOf(3) && track->xOf(3) < track->xOf(4));
        QSignalSpy edited(slider.get(), &StopSlider::edited);
        QTest::mouseClick(track, Qt::LeftButton, {}, QPoint(qRound(track->xOf(3)) + 4, 9));
        QCOMPARE(valuesOf(edited), (Values{4}));
    }

    void valuesLieOnTheTrackInTheirOrder()
    {
        const auto slider = shownSlider(2);
        double before = -1;
        for (const std::int64_t value : {1, 2, 3, 4, 6, 8}) {
            QVERIFY(slider->track()->xOf(value) > before);
            before = slider->track()->xOf(value);
        }
        QCOMPARE(slider->track()->xOf(100), slider->track()->xOf(8));
    }

    void aSolvedFieldShowsAndCannotBeEdited()
    {
        const auto slider = shownSlider(2);
        slider->setSolved(true);
        QSignalSpy edited(slider.get(), &StopSlider::edited);
        QTest::keyClick(slider->spin(), Qt::Key_Up);
        QTest::keyClicks(slider->spin(), QStringLiteral("4\r"));
        QTest::mouseClick(slider->track(), Qt::LeftButton, {}, QPoint(qRound(slider->track()->xOf(8)), 9));
        QVERIFY(edited.isEmpty());
        QCOMPARE(slider->value(), std::int64_t{2});
    }

    void livesWithoutStops()
    {
        StopSlider slider(QStringLiteral("layout.tp"), QStringLiteral("Tensor parallel"));
        slider.setValue(5);
        slider.show();
        QTest::keyClick(slider.track(), Qt::Key_Right);
        QTest::mouseClick(slider.track(), Qt::LeftButton);
        QCOMPARE(slider.value(), std::int64_t{5});
        QVERIFY(!slider.grab().isNull());
    }

    void everyControlHasAName()
    {
        const auto slider = shownSlider(2);
        QCOMPARE(namelessControls(*slider), QStringList());
        const QAccessibleInterface* track = QAccessible::queryAccessibleInterface(slider->track());
        QCOMPARE(track->role(), QAccessible::Slider);
        QVERIFY(slider->track()->accessibleDescription().startsWith(QStringLiteral("now 2.")));
    }
};

QTEST_MAIN(TestStopSlider)
#include "tst_stop_slider.moc"
