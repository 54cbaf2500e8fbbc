// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/evaluate.h"
#include "tests/widgets/accessible_names.h"
#include "widgets/lesson_panel.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

namespace {

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

} // namespace

class TestLessonPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_panel = std::make_unique<LessonPanel>(catalogue());
        m_panel->setLessons(loadLessons({PARTITA_SOURCE_DIR "/presets"}, catalogue()).lessons);
        m_panel->resize(420, 700);
        connect(m_panel.get(), &LessonPanel::started, this, [this](const Scenario& scenario) { show(scenario); });
        m_panel->show();
        m_panel->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
    }

    void everyLessonIsPlayedByKeyboard_data()
    {
        QTest::addColumn<int>("lesson");
        const std::vector<Lesson> lessons = loadLessons({PARTITA_SOURCE_DIR "/presets"}, catalogue()).lessons;
        for (std::size_t i = 0; i < lessons.size(); ++i) {
            QTest::newRow(lessons[i].id.c_str()) << static_cast<int>(i);
        }
    }
    void everyLessonIsPlayedByKeyboard()
    {
        QFETCH(int, lesson);
        QSignalSpy charts(m_panel.get(), &LessonPanel::chartWanted);
        auto* list = m_panel->findChild<QListWidget*>();
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Home);
        for (int i = 0; i < lesson; ++i) {
            QTest::keyClick(list, Qt::Key_Down);
        }
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(m_panel->current() != nullptr);
        const Lesson played = *m_panel->current();
        QCOMPARE(QString::fromStdString(played.id), QString::fromUtf8(QTest::currentDataTag()));
        for (std::size_t page = 0; page < played.pages.size(); ++page) {
            QCOMPARE(m_panel->page(), page);
            QVERIFY(!charts.isEmpty());
            const QString shown = allText();
            QVERIFY2(!shown.contains(u'{') && !shown.contains(u'—'), qPrintable(shown));
            if (const std::optional<LessonTask>& task = played.pages[page].task) {
                solve(played, *task);
            }
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space); // the button that goes on has the focus
        }
        QVERIFY(m_panel->current() == nullptr); // finished: the list again
    }

    void rowsOfTheListHoldTheirTextsAtAnyWidth()
    {
        auto* list = m_panel->findChild<QListWidget*>();
        for (const int width : {420, 300, 240, 700, 280}) {
            m_panel->resize(width, 700);
            QCoreApplication::processEvents();
            int bottom = list->visualItemRect(list->item(0)).top();
            for (int row = 0; row < list->count(); ++row) {
                const QRect rect = list->visualItemRect(list->item(row));
                QCOMPARE(rect.top(), bottom);
                QCOMPARE(rect.height(), list->sizeHintForIndex(list->model()->index(row, 0)).height());
                bottom = rect.top() + rect.height();
            }
        }
    }

    void hintsComeOneByOne()
    {
        m_panel->start(2);
        m_panel->goTo(1);
        const auto hint = [this] { actionNamed(QStringLiteral("&Hint"))->trigger(); };
        QVERIFY(!allText().contains(QStringLiteral("Hint 1")));
        hint();
        QVERIFY(allText().contains(QStringLiteral("Hint 1")) && !allText().contains(QStringLiteral("Hint 2")));
        hint();
        QVERIFY(allText().contains(QStringLiteral("Hint 2")));
        QVERIFY(!actionNamed(QStringLiteral("&Hint"))->isEnabled());
    }

    void movingWhatIsKeptIsToldAndDoesNotCount()
    {
        m_panel->start(2);
        m_panel->goTo(1);
        Scenario scenario = m_panel->current()->scenario;
        scenario.layout.globalBatch = 64;
        scenario.layout.zeroStage = 2;
        show(scenario);
        QVERIFY(!m_panel->isSolved());
        QVERIFY(allText().contains(QStringLiteral("layout.zero_stage")));
        scenario.layout.zeroStage = m_panel->current()->scenario.layout.zeroStage;
        show(scenario);
        QVERIFY(m_panel->isSolved());
    }

    void whatIsToldOfAFoundAnswerIsSaidToBeOfThen()
    {
        m_panel->start(0);
        m_panel->goTo(1);
        const LessonTask& task = *m_panel->current()->pages[1].task;
        const Scenario first = m_panel->current()->scenario;
        const Result<Scenario> solution = withFields(first, task.solution, catalogue());
        QVERIFY(solution);
        const QString question = m_panel->caption();
        QVERIFY2(question.contains(QStringLiteral("let tensor parallelism leave the node")), qPrintable(question));
        const QString then = QStringLiteral("What it was like then");

        show(*solution);
        const QString solved = m_panel->caption();
        QVERIFY2(solved.startsWith(QStringLiteral("TP exposed was")), qPrintable(solved));
        QVERIFY(!allText().contains(then));

        show(first);
        QVERIFY(m_panel->isSolved()); // stays found out
        QCOMPARE(m_panel->caption(), QStringLiteral("✓ ") + question);
        QVERIFY2(allText().contains(then), qPrintable(allText()));

        Scenario further = *solution;
        further.layout.globalBatch *= 2; // kept in this lesson: what is told is not of this one either
        show(further);
        QCOMPARE(m_panel->caption(), QStringLiteral("✓ ") + question);

        show(*solution);
        QCOMPARE(m_panel->caption(), solved);
        QVERIFY(!allText().contains(then));
    }

    void startingOverGoesBackToTheFirstScenario()
    {
        m_panel->start(2);
        m_panel->goTo(1);
        QSignalSpy started(m_panel.get(), &LessonPanel::started);
        actionNamed(QStringLiteral("Start &over"))->trigger();
        QCOMPARE(started.count(), 1);
        QCOMPARE(m_panel->page(), std::size_t{0});
    }

    void everyKeyIsAMenuItemAndEveryControlHasAName()
    {
        QMenu menu;
        m_panel->fillMenu(menu);
        for (const QAction* action : m_panel->actions()) {
            QVERIFY(menu.actions().contains(action));
            QVERIFY(!action->shortcut().isEmpty());
        }
        QVERIFY(menu.actions().size() > 12 + 5);
        m_panel->start(0);
        QCOMPARE(namelessControls(*m_panel), QStringList());
    }

private:
    void show(const Scenario& scenario) { m_panel->setScenario(scenario, evaluate(scenario)); }

    void solve(const Lesson& lesson, const LessonTask& task)
    {
        QVERIFY(!m_panel->isSolved());
        QVERIFY(allText().contains(QStringLiteral("Not yet")) || lesson.pages.size() > 1);
        const Result<Scenario> solution = withFields(lesson.scenario, task.solution, catalogue());
        QVERIFY(solution);
        show(*solution);
        QVERIFY(m_panel->isSolved());
        QVERIFY(allText().contains(QStringLiteral("Found")));
        QVERIFY2(!allText().contains(u'—'), qPrintable(allText()));
    }

    QAction* actionNamed(const QString& text) const
    {
        for (QAction* action : m_panel->actions()) {
            if (action->text() == text) {
                return action;
            }
        }
        qFatal("no such action");
    }

    QString allText() const
    {
        QString all;
        for (const QLabel* label : m_panel->findChildren<QLabel*>()) {
            all += label->isVisible() ? label->text() + u'\n' : QString();
        }
        return all;
    }

    std::unique_ptr<LessonPanel> m_panel;
};

QTEST_MAIN(TestLessonPanel)
#include "tst_lesson_panel.moc"
