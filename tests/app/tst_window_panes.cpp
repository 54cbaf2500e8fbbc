// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a room: what opens and closes in it, what stays where it is, and how keys get about.
#include "app/board_area.h"
#include "app/chart_board.h"
#include "app/charts.h"
#include "app/main_window.h"
#include "app/notice_bar.h"
#include "app/pane_walk.h"
#include "app/shortcuts_dialog.h"
#include "core/formats/files.h"
#include "core/formats/scenario_file.h"
#include "tests/app/open_window.h"
#include "widgets/elided_label.h"
#include "widgets/headline_strip.h"
#include "widgets/lesson_panel.h"
#include "widgets/memory_chart.h"
#include "widgets/pipeline_view.h"
#include "widgets/search_view.h"
#include "widgets/stop_slider.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>
#include <QToolTip>

#include <algorithm>

using namespace partita;
using namespace partita::ui;

namespace {

const QSize laptop(1280, 800);

} // namespace

class TestWindowPanes : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { load(); }

    void init()
    {
        showNewWindow();
        m_window->resize(laptop);
        settle();
    }

    void cleanup() { m_window.reset(); }

    void noPanelThatOpensMakesTheWindowGrow()
    {
        QCOMPARE(m_window->size(), laptop);
        act(Qt::CTRL | Qt::Key_L);
        settle();
        QCOMPARE(m_window->size(), laptop);
        m_window->lessons().start(0);
        settle();
        QCOMPARE(m_window->size(), laptop);
        act(Qt::CTRL | Qt::Key_I);
        settle();
        QCOMPARE(m_window->size(), laptop);
        m_window->charts().searchDock().toggleViewAction()->trigger();
        settle();
        QCOMPARE(m_window->size(), laptop);
        m_window->notices().tell(QStringLiteral("Said"), {QStringLiteral("and"), QStringLiteral("said")});
        settle();
        QCOMPARE(m_window->size(), laptop);
        QVERIFY(m_window->minimumSizeHint().height() <= laptop.height());
        QVERIFY(m_window->minimumSizeHint().width() <= laptop.width());
    }

    void noCardMakesTheWindowGrowBesideAllPanels()
    {
        const QSize small(1264, 680); // 1280 × 720 without the window manager's frame
        m_window->resize(small);
        act(Qt::CTRL | Qt::Key_L);
        act(Qt::CTRL | Qt::Key_I);
        m_window->lessons().start(0);
        settle();
        QCOMPARE(m_window->size(), small);
        QStringList tooWide;
        for (ChartDock* dock : m_window->board().docks()) {
            m_window->board().bringUp(dock);
            settle();
            if (m_window->size() != small || m_window->minimumSizeHint().width() > small.width()) {
                tooWide << QStringLiteral("%1 %2").arg(dock->objectName()).arg(m_window->minimumSizeHint().width());
                dock->close();
            }
        }
        QCOMPARE(tooWide, QStringList());
    }

    /// The board scrolls sideways only where panels are as narrow as they can be.
    void panelsGiveWayBeforeTheBoardScrolls()
    {
        m_window->resize(1264, 680);
        act(Qt::CTRL | Qt::Key_9);
        m_window->lessons().start(0);
        const auto* area = m_window->findChild<BoardArea*>();
        const auto* lessons = m_window->findChild<QDockWidget*>(QStringLiteral("lessons"));
        QTRY_VERIFY(m_window->board().minimumSizeHint().width() <= area->viewport()->width()
                    || lessons->width() <= lessons->minimumSizeHint().width());
        QCOMPARE(m_window->size(), QSize(1264, 680));
    }

    void panelsThatCloseGiveTheirRoomBack()
    {
        const QStringList before = settledPlaces();
        for (const QList<QKeySequence>& opened : {QList<QKeySequence>{Qt::CTRL | Qt::Key_L},
                                                  {Qt::CTRL | Qt::Key_I},
                                                  {Qt::CTRL | Qt::Key_L, Qt::CTRL | Qt::Key_I}}) {
            for (const QKeySequence& key : opened) {
                act(key);
            }
            QVERIFY(settledPlaces() != before);
            for (const QKeySequence& key : opened) {
                act(key);
            }
            QCOMPARE(settledPlaces(), before);
        }
        m_window->lessons().start(0);
        QVERIFY(settledPlaces() != before);
        m_window->findChild<QDockWidget*>(QStringLiteral("lessons"))->close();
        m_window->board().pointAt({});
        QCOMPARE(settledPlaces().filter(QStringLiteral("gantt")), before.filter(QStringLiteral("gantt")));
    }

    void aCardThatIsGoneToIsScrolledIntoSight()
    {
        act(Qt::CTRL | Qt::Key_L);
        m_window->resize(1280, 620);
        settle();
        auto* area = m_window->findChild<BoardArea*>();
        QVERIFY(area->widget()->height() > area->viewport()->height());
        act(Qt::CTRL | Qt::Key_4);
        settle();
        const QWidget& map = m_window->charts().heatmapDock();
        const QRect at(map.mapTo(area->viewport(), QPoint(0, 0)), map.size());
        const int seen = at.intersected(area->viewport()->rect()).height();
        QCOMPARE(seen, std::min(at.height(), area->viewport()->height()));
    }

    void theFocusWalksFromPaneToPane()
    {
        m_window->activateWindow();
        act(Qt::CTRL | Qt::Key_L);
        act(Qt::CTRL | Qt::Key_I);
        m_window->charts().searchDock().toggleViewAction()->trigger();
        settle();
        const auto in = [this](const char* name) {
            const QWidget* pane = m_window->findChild<QWidget*>(QLatin1String(name));
            return pane->isAncestorOf(QApplication::focusWidget());
        };
        act(Qt::CTRL | Qt::Key_1);
        QVERIFY(in("memory"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(in("search"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(in("stages"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(in("explain"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(in("scenario"));
        const QWidget* control = QApplication::focusWidget();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(in("explain"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QCOMPARE(QApplication::focusWidget(), control); // where it was
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(m_window->findChild<HeadlineStrip*>()->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(in("memory")); // of the cards, the one it was on
    }

    void numbersGoToCards_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<QString>("card");
        QTest::addColumn<QString>("ofServing");
        const auto row = [](int number, const char* card, const char* ofServing = nullptr) {
            QTest::newRow(card) << number << QString::fromLatin1(card)
                                << QString::fromLatin1(ofServing != nullptr ? ofServing : card);
        };
        row(1, "memory", "serving-room");
        row(2, "step-time", "serving-token");
        row(3, "gantt", "serving-curve");
        row(4, "heatmap", "serving-layouts");
        row(5, "problems");
        row(6, "advice");
        row(7, "search");
        row(8, "compare");
        row(9, "published-runs");
    }

    void numbersGoToCards()
    {
        QFETCH(int, number);
        QFETCH(QString, card);
        QFETCH(QString, ofServing);
        const auto goes = [&](const QString& to) {
            act(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number));
            const auto* dock = m_window->findChild<ChartDock*>(to);
            return dock->isVisible() && !dock->visibleRegion().isEmpty()
                && dock->isAncestorOf(QApplication::focusWidget());
        };
        QVERIFY(goes(card));
        m_window->charts().setServing(true);
        QVERIFY(goes(ofServing));
    }

    void escapeLeavesWhatFillsTheWindow()
    {
        ChartBoard& board = m_window->board();
        const QAction* fullScreen = action(QStringLiteral("F&ull screen"));
        QWidget* pipeline = &m_window->charts().pipeline();
        act(Qt::CTRL | Qt::Key_3);
        act(Qt::SHIFT | Qt::Key_F11);
        act(Qt::CTRL | Qt::Key_M);
        QVERIFY(board.maximised() != nullptr && fullScreen->isChecked());
        QTest::keyClick(pipeline, Qt::Key_Period); // an operation is selected
        QTest::keyClick(pipeline, Qt::Key_Escape);
        QVERIFY(board.maximised() != nullptr); // the chart wanted that one for itself
        QTest::keyClick(pipeline, Qt::Key_Escape);
        QVERIFY(board.maximised() == nullptr && fullScreen->isChecked());
        QTest::keyClick(pipeline, Qt::Key_Escape);
        QVERIFY(!fullScreen->isChecked());
    }

    void theKeysAreListed()
    {
        const ShortcutsDialog dialog(*m_window->menuBar());
        const auto* table = dialog.findChild<QTableWidget*>();
        QStringList keys;
        for (int row = 0; row < table->rowCount(); ++row) {
            keys << table->item(row, 0)->text();
        }
        for (const char* key : {"F6", "Shift+F6", "Ctrl+1", "Ctrl+9", "Esc"}) {
            QVERIFY2(keys.contains(QLatin1String(key)), key);
        }
    }

    void theKeysFitALaptop()
    {
        ShortcutsDialog dialog(*m_window->menuBar(), m_window.get());
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        QVERIFY(dialog.width() <= laptop.width() && dialog.height() <= laptop.height());
        auto* table = dialog.findChild<QTableWidget*>();
        QVERIFY(table->hasFocus());
        QTRY_VERIFY(table->horizontalHeader()->length() <= table->viewport()->width());
        for (int row = 0; row < table->rowCount(); ++row) {
            QVERIFY2(table->columnWidth(0) >= table->fontMetrics().horizontalAdvance(table->item(row, 0)->text()),
                     qPrintable(table->item(row, 0)->text()));
        }
        QTest::keyClick(table, Qt::Key_End, Qt::ControlModifier);
        const QRect last = table->visualItemRect(table->item(table->rowCount() - 1, 0));
        QVERIFY(table->viewport()->rect().contains(last));
        QTest::keyClick(&dialog, Qt::Key_Escape);
        QVERIFY(!dialog.isVisible());
    }

    void headlineAndCardsSpeakOfTheSameThing()
    {
        const auto consistent = [&](bool serving) {
            settle();
            const auto* headline = m_window->findChild<HeadlineStrip*>();
            bool right = m_window->charts().showsServing() == serving
                && headline->figure(QStringLiteral("mfu"))->isVisible() != serving
                && headline->figure(QStringLiteral("tpot"))->isVisible() == serving;
            for (const ChartDock* dock : m_window->board().docks()) {
                const bool ofServing = dock->objectName().startsWith(QStringLiteral("serving"));
                right = right
                    && (dock->isHidden() || dock->objectName() == QStringLiteral("problems") || ofServing == serving);
            }
            return right && m_window->size() == laptop;
        };
        const auto card = [this](const char* name) { return m_window->findChild<ChartDock*>(QLatin1String(name)); };
        QVERIFY(consistent(false));
        act(Qt::CTRL | Qt::SHIFT | Qt::Key_V);
        QVERIFY(consistent(true));
        QVERIFY(card("serving-room")->isVisible() && card("serving-token")->isVisible()
                && card("serving-curve")->isVisible() && card("serving-layouts")->isVisible());
        card("search")->toggleViewAction()->trigger(); // of training: the others of training come with it
        QVERIFY(consistent(false));
        QVERIFY(card("memory")->isVisible() && card("search")->isVisible()
                && !card("search")->visibleRegion().isEmpty());
        card("serving-curve")->toggleViewAction()->trigger();
        QVERIFY(consistent(true));
        QVERIFY(!card("serving-curve")->visibleRegion().isEmpty());
        act(Qt::CTRL | Qt::Key_D); // a pin opens Compare
        QVERIFY(consistent(false));
        m_window->charts().setServing(true);
        for (const char* name :
             {"serving-room", "serving-token", "serving-curve", "serving-layouts", "serving-widths"}) {
            QVERIFY(consistent(true));
            card(name)->toggleViewAction()->trigger();
        }
        QVERIFY(consistent(false)); // with the last of them
        act(Qt::CTRL | Qt::SHIFT | Qt::Key_V);
        m_window->board().arrange();
        QVERIFY(consistent(false));
        act(Qt::CTRL | Qt::SHIFT | Qt::Key_V);
        m_window->close();
        showWindow();
        QVERIFY(consistent(true)); // as it was left
        act(Qt::CTRL | Qt::SHIFT | Qt::Key_V);
        QVERIFY(consistent(false));
        QVERIFY(card("memory")->isVisible() && card("gantt")->isVisible());
    }

    void nothingMovesWhileASliderIsDragged_data()
    {
        QTest::addColumn<QString>("key");
        for (const char* key : {"layout.tp", "layout.pp", "layout.microBatch", "layout.globalBatch"}) {
            QTest::newRow(key) << QString::fromLatin1(key);
        }
    }

    void nothingMovesWhileASliderIsDragged()
    {
        QFETCH(QString, key);
        const QList<StopSlider*> sliders = m_window->findChildren<StopSlider*>();
        const auto slider =
            std::find_if(sliders.begin(), sliders.end(), [&](const StopSlider* each) { return each->key() == key; });
        QVERIFY(slider != sliders.end());
        StopTrack* track = (*slider)->track();
        track->setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000); // they say how sure step times are
        QTest::keyClick(track, Qt::Key_Home);
        settle();
        const auto now = [&] { // what a stop lacks may take two lines below its own slider
            const QPoint own = track->mapTo(m_window.get(), QPoint(0, 0));
            return places() << QStringLiteral("%1,%2").arg(own.x()).arg(own.y());
        };
        const QStringList before = now();
        QSet<QString> headlines;
        for (int i = 0; i < 8; ++i) {
            QTest::keyClick(track, Qt::Key_Right);
            settle();
            QCOMPARE(now(), before);
            headlines << m_window->findChild<HeadlineStrip*>()->figure(QStringLiteral("memory"))->value();
        }
        QVERIFY(headlines.size() > 2); // it did change what is shown
    }

    void adoptingALayoutMovesNothing()
    {
        const QStringList before = places();
        Scenario next = m_scenario;
        for (const auto& [tp, pp] : {std::pair{8, 1}, {1, 1}, {7, 3}, {2, 16}, {64, 1}, {8, 8}}) {
            next.layout.tp = tp;
            next.layout.pp = pp;
            next.layout.dp = std::max(1, 64 / tp / pp);
            m_window->workspace().edit(next, QStringLiteral("Adopt"));
            settle();
            QCOMPARE(places(), before);
        }
    }

    void memoryOverTimeComesAtTheFirstPressOfItsKey()
    {
        PipelineView& view = m_window->charts().pipeline();
        const auto seen = [&view] {
            const auto& chart = static_cast<const GanttChart&>(*view.chart());
            return !chart.geometry(view.chartArea(), textMetrics(view.theme())).strip.isEmpty();
        };
        QVERIFY(!seen()); // the legend has the room
        QTest::keyClick(&view, Qt::Key_G);
        QVERIFY(seen());
        QTest::keyClick(&view, Qt::Key_G);
        QVERIFY(!seen());
        Scenario high = m_scenario;
        high.layout.pp = 8;
        high.layout.dp = 1;
        m_window->workspace().edit(high, QStringLiteral("Eight stages"));
        QTest::keyClick(&view, Qt::Key_G);
        QVERIFY(seen() || view.accessibleDescription().contains(QStringLiteral("No room")));
    }

    void noTextIsCutOff_data()
    {
        QTest::addColumn<QStringList>("open");
        QTest::newRow("as it opens") << QStringList{};
        for (const char* card : {"search", "compare", "advice", "published-runs", "placement", "scaling"}) {
            QTest::newRow(card) << QStringList{QLatin1String(card)};
        }
        QTest::newRow("serving") << QStringList{QStringLiteral("serving-curve")};
        QTest::newRow("everything beside") << QStringList{QStringLiteral("search"), QStringLiteral("stages"),
                                                          QStringLiteral("explain"), QStringLiteral("lessons")};
    }

    /// What a label says is seen in full, wraps, or ends in an ellipsis with all of it in the tool tip.
    void noTextIsCutOff()
    {
        QFETCH(QStringList, open);
        if (open.contains(QStringLiteral("compare"))) {
            Scenario other = m_scenario;
            other.layout.tp = 4;
            other.layout.dp = 4;
            act(Qt::CTRL | Qt::Key_D);
            m_window->workspace().edit(other, QStringLiteral("Other"));
            act(Qt::CTRL | Qt::Key_D);
        }
        for (const QString& name : open) {
            auto* dock = m_window->findChild<QDockWidget*>(name);
            if (auto* card = qobject_cast<ChartDock*>(dock)) {
                m_window->board().bringUp(card);
            } else {
                dock->show();
            }
        }
        settle();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->layoutSearch().running(), 60000);
        settle();
        QCOMPARE(m_window->size(), laptop);
        int seen = 0;
        for (const QLabel* label : m_window->findChildren<QLabel*>()) {
            if (!label->isVisible() || label->visibleRegion().isEmpty() || label->text().isEmpty()
                || qobject_cast<const ElidedLabel*>(label) != nullptr) {
                continue;
            }
            ++seen;
            const QSize room = label->size();
            const QSize needed(label->wordWrap() ? room.width() : label->minimumSizeHint().width(),
                               label->wordWrap() ? label->heightForWidth(room.width())
                                                 : label->minimumSizeHint().height());
            QVERIFY2(needed.width() <= room.width() && needed.height() <= room.height() + 1,
                     qPrintable(QStringLiteral("%1: %2x%3 in %4x%5")
                                    .arg(label->text())
                                    .arg(needed.width())
                                    .arg(needed.height())
                                    .arg(room.width())
                                    .arg(room.height())));
        }
        QVERIFY(seen > 5);
        for (const QAbstractButton* button : m_window->findChildren<QAbstractButton*>()) {
            const auto* push = qobject_cast<const QPushButton*>(button);
            if (push != nullptr && push->isVisible() && qobject_cast<const HeadlineFigure*>(button) == nullptr) {
                QVERIFY2(push->fontMetrics().horizontalAdvance(push->text().remove(u'&')) <= push->width(),
                         qPrintable(push->text()));
            }
        }
    }

    void aLegendThatIsShortenedSaysSo()
    {
        act(Qt::CTRL | Qt::Key_7);
        const auto* view = m_window->findChild<MemoryView*>();
        const auto& chart = static_cast<const MemoryChart&>(*view->chart());
        const MemoryGeometry g = chart.geometry(view->chartArea(), textMetrics(view->theme()));
        if (g.legend.back().category == LegendRest) {
            const QString rest = chart.textAt(g.legend.back().label.rect.center(), view->chartArea(), view->theme());
            QVERIFY(rest.contains(QStringLiteral("fragmentation")));
            QVERIFY(view->chartArea().contains(g.legend.back().label.rect));
        } else {
            QVERIFY(std::any_of(g.legend.begin(), g.legend.end(), [](const LegendEntry& entry) {
                return entry.category == static_cast<int>(MemoryKind::Fragmentation);
            }));
        }
    }

    void theOwnScenarioComesBackFromALesson()
    {
        Scenario mine = m_scenario;
        mine.layout.globalBatch = 128;
        m_window->workspace().edit(mine, QStringLiteral("Mine"));
        LessonPanel& lessons = m_window->lessons();
        QAction* back = action(QStringLiteral("Back to &my scenario"));
        QVERIFY(!back->isEnabled());
        lessons.start(2);
        QVERIFY(current() != mine && back->isEnabled());
        lessons.start(3); // from one to the next
        back->trigger();
        QVERIFY(current() == mine && lessons.current() == nullptr && !back->isEnabled());
        act(QKeySequence::Undo);
        QVERIFY(current() != mine);
        act(QKeySequence::Redo);
        QVERIFY(current() == mine);

        lessons.start(2);
        lessons.leave();
        QVERIFY(m_window->notices().text().contains(QStringLiteral("lesson")));
        QTest::mouseClick(m_window->notices().findChildren<QPushButton*>().front(), Qt::LeftButton);
        QVERIFY(current() == mine && !m_window->notices().isVisible());
    }

    void aLessonNeverEndsUpInTheFileOfTheOwnScenario()
    {
        const QString path = m_folder->filePath(QStringLiteral("mine.partita"));
        Scenario mine = m_scenario;
        mine.layout.globalBatch = 128;
        m_window->workspace().edit(mine, QStringLiteral("Mine"));
        QVERIFY(m_window->saveFile(path));
        m_window->lessons().start(2);
        // Nothing of the user's is unsaved: the window closes without a question, the file as it was.
        m_window->close();
        QVERIFY(!m_window->isVisible());
        QVERIFY(current() == mine);
        const Result<Scenario> kept = readScenario(*readFile(path.toStdString()), m_catalogue);
        QVERIFY(kept);
        QCOMPARE(kept->layout.globalBatch, 128);
    }

    void aCrashInALessonLosesNothing()
    {
        Scenario mine = m_scenario;
        mine.layout.globalBatch = 128;
        m_window->workspace().edit(mine, QStringLiteral("Mine"));
        m_window->lessons().start(2);
        m_window->document().keepNow();
        m_window.reset();
        showWindow();
        const std::vector<Recovery::Leftover> left = m_window->document().leftovers();
        QCOMPARE(left.size(), std::size_t{1});
        QVERIFY(m_window->document().restore(left.front()).empty());
        QCOMPARE(current().layout.globalBatch, 128);
    }

private:
    const Scenario& current() { return m_window->workspace().scenario(); }
    static void settle()
    {
        for (int i = 0; i < 3; ++i) {
            QCoreApplication::sendPostedEvents();
            QCoreApplication::processEvents();
        }
    }
    QAction* action(const QString& text) const
    {
        const QList<QAction*> actions = m_window->findChildren<QAction*>();
        const auto found =
            std::find_if(actions.begin(), actions.end(), [&](const QAction* each) { return each->text() == text; });
        return found != actions.end() ? *found : nullptr;
    }
    void act(const QKeySequence& shortcut)
    {
        OpenWindow::act(shortcut);
        settle();
    }
    /// The same once nothing moves any more.
    QStringList settledPlaces() const
    {
        QStringList last;
        QStringList now = places();
        while (last != now) {
            last = now;
            QTest::qWait(250);
            now = places();
        }
        return now;
    }
    /// Where cards and figures are.
    QStringList places() const
    {
        QStringList all;
        const auto add = [&](const QWidget* widget, const QString& name) {
            if (widget->isVisible() && !widget->visibleRegion().isEmpty()) { // not behind a tab
                const QRect at(widget->mapTo(m_window.get(), QPoint(0, 0)), widget->size());
                all << QStringLiteral("%1 %2,%3 %4x%5")
                           .arg(name)
                           .arg(at.x())
                           .arg(at.y())
                           .arg(at.width())
                           .arg(at.height());
            }
        };
        for (const ChartDock* dock : m_window->board().docks()) {
            add(dock, dock->objectName());
        }
        for (const HeadlineFigure* figure : m_window->findChildren<HeadlineFigure*>()) {
            add(figure, figure->key());
        }
        return all;
    }
};

QTEST_MAIN(TestWindowPanes)
#include "tst_window_panes.moc"
