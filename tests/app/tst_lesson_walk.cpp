// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"
#include "app/preset_folders.h"
#include "app/settings.h"
#include "core/formats/flat_json.h"
#include "tests/app/open_window.h"
#include "widgets/lesson_panel.h"
#include "widgets/stop_slider.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace partita;
using namespace partita::ui;

namespace {

/// Keys go to where the focus is, as they do from a keyboard.
void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QWidget* target = QApplication::focusWidget();
    if (QWidget* popup = QApplication::activePopupWidget()) {
        target = popup->focusWidget() != nullptr ? popup->focusWidget() : popup;
    }
    QVERIFY2(target != nullptr, "nothing has the focus");
    QTest::keyClick(target, key, modifiers);
}

/// "layout.globalBatch" and "layout.global_batch" are one field.
QString plainKey(QString key)
{
    return key.remove(u'_').toLower();
}

} // namespace

/// Lessons in the real window, with nothing but keys.
class LessonWalk : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }
    void everyLessonIsWalkedAndSolvedByKeys_data();
    void everyLessonIsWalkedAndSolvedByKeys();
    void aLessonIsChosenFromTheListAndLeftByKeys();

private:
    LessonPanel& panel() const { return m_window->lessons(); }
    void openFromMenu(const QString& title);
    void solve(const LessonTask& task);
    FieldEditor* editorOf(const std::string& field) const;
    void goTo(FieldEditor& editor, QWidget* control);
    void tabTo(QWidget* control);
    void set(const std::string& field, const QString& wanted);
    void moveSlider(StopSlider& slider, std::int64_t target); ///< or as far as its stops go
    void choose(QComboBox& combo, int target);
    QString panelText() const;

    bool m_types = false; ///< numbers into boxes and choices out of lists, where arrows would do
};

void LessonWalk::initTestCase()
{
    load();
}

void LessonWalk::init()
{
    showNewWindow();
    m_window->resize(1280, 800);
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void LessonWalk::everyLessonIsWalkedAndSolvedByKeys_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<bool>("types");
    const std::vector<std::string> folders = presetFolders();
    const LoadedLessons loaded = loadLessons({folders.begin(), folders.end()}, loadPresets());
    QVERIFY(loaded.lessons.size() >= 12);
    for (const Lesson& lesson : loaded.lessons) {
        const QString id = QString::fromStdString(lesson.id);
        QTest::newRow(qPrintable(id + QStringLiteral(", arrows"))) << id << false;
        QTest::newRow(qPrintable(id + QStringLiteral(", typed"))) << id << true;
    }
}

void LessonWalk::everyLessonIsWalkedAndSolvedByKeys()
{
    QFETCH(QString, id);
    QFETCH(bool, types);
    m_types = types;
    const std::vector<Lesson>& lessons = panel().lessons();
    const auto lesson =
        std::find_if(lessons.begin(), lessons.end(), [&](const Lesson& one) { return one.id == id.toStdString(); });
    QVERIFY(lesson != lessons.end());
    openFromMenu(QString::fromStdString(lesson->title));
    QVERIFY(panel().isVisible() && panel().current() != nullptr);
    QVERIFY(panel().isAncestorOf(QApplication::focusWidget()));
    QVERIFY(m_window->workspace().scenario() == lesson->scenario);
    for (std::size_t page = 0; page < lesson->pages.size(); ++page) {
        QCOMPARE(panel().page(), page);
        if (const std::optional<LessonTask>& task = lesson->pages[page].task) {
            solve(*task);
            QVERIFY2(panel().isSolved(), qPrintable(panelText()));
            QVERIFY2(panelText().contains(QStringLiteral("Found")), qPrintable(panelText()));
        }
        press(Qt::Key_Right, Qt::AltModifier);
    }
    QVERIFY(panel().current() == nullptr); // finished: the list again
    while (m_window->workspace().history().canUndo()) {
        press(Qt::Key_Z, Qt::ControlModifier);
    }
    QVERIFY(m_window->workspace().scenario() == m_scenario);
}

void LessonWalk::aLessonIsChosenFromTheListAndLeftByKeys()
{
    QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(panel().isVisible() && panel().isAncestorOf(QApplication::focusWidget()));
    press(Qt::Key_Home);
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    press(Qt::Key_Return);
    QVERIFY(panel().current() != nullptr);
    QCOMPARE(panel().current()->id, panel().lessons()[2].id);
    press(Qt::Key_Space); // on the button that goes on
    QCOMPARE(panel().page(), std::size_t{1});
    press(Qt::Key_Down, Qt::AltModifier);
    QVERIFY(panelText().contains(QStringLiteral("Hint 1")));
    press(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(panel().page(), std::size_t{0});
    press(Qt::Key_Up, Qt::AltModifier);
    QVERIFY(panel().current() == nullptr && panel().isAncestorOf(QApplication::focusWidget()));
}

void LessonWalk::openFromMenu(const QString& title)
{
    QTest::keyClick(m_window.get(), Qt::Key_L, Qt::AltModifier);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY2(menu != nullptr, "Alt+L opens no menu");
    const auto onTitle = [&] { return menu->activeAction() != nullptr && menu->activeAction()->text() == title; };
    for (int i = 0; i < menu->actions().size() && !onTitle(); ++i) {
        press(Qt::Key_Down);
    }
    QVERIFY(onTitle());
    press(Qt::Key_Return);
}

FieldEditor* LessonWalk::editorOf(const std::string& field) const
{
    const QString wanted = plainKey(QString::fromStdString(field));
    for (FieldEditor* editor : m_window->findChildren<FieldEditor*>()) {
        if (plainKey(editor->key()) == wanted) {
            return editor;
        }
    }
    return nullptr;
}

/// Sliders stop at what divides the devices, so that one degree may have to give way before another can grow.
void LessonWalk::solve(const LessonTask& task)
{
    QVERIFY(!panel().isSolved());
    for (std::size_t round = 0; round < task.solution.size() && !panel().isSolved(); ++round) {
        for (const auto& [field, value] : task.solution) {
            set(field, QString::fromStdString(value).remove(u'"'));
        }
    }
}

void LessonWalk::set(const std::string& field, const QString& wanted)
{
    FieldEditor* editor = editorOf(field);
    QVERIFY2(editor != nullptr, field.c_str());
    if (auto* slider = qobject_cast<StopSlider*>(editor)) {
        if (slider->track()->isEnabled()) { // a solved degree follows
            moveSlider(*slider, wanted.toLongLong());
        }
    } else if (auto* combo = qobject_cast<QComboBox*>(editor->control())) {
        goTo(*editor, combo);
        const int item = combo->findData(wanted);
        choose(*combo, item >= 0 ? item : wanted.toInt()); // stages of sharding are their own index
    } else {
        auto* box = qobject_cast<QCheckBox*>(editor->control());
        QVERIFY2(box != nullptr, field.c_str());
        goTo(*editor, box);
        press(Qt::Key_Space);
        QCOMPARE(box->isChecked(), wanted == QLatin1String("true"));
    }
}

/// By Tab through the window, or by the key that leads to what the lesson is about.
void LessonWalk::goTo(FieldEditor& editor, QWidget* control)
{
    if (m_types) {
        for (std::size_t i = 0; i < panel().current()->touch.size(); ++i) {
            press(Qt::Key_Return, Qt::AltModifier);
            if (editor.isAncestorOf(QApplication::focusWidget())) {
                break;
            }
        }
        QVERIFY(editor.isAncestorOf(QApplication::focusWidget()));
    }
    tabTo(control);
}

void LessonWalk::tabTo(QWidget* control)
{
    constexpr int most = 400;
    for (int i = 0; i < most && QApplication::focusWidget() != control; ++i) {
        QWidget* before = QApplication::focusWidget();
        press(Qt::Key_Tab);
        QVERIFY2(QApplication::focusWidget() != before || before->inherits("partita::ui::LessonText"),
                 before->metaObject()->className()); // that walks through its numbers first
    }
    QCOMPARE(QApplication::focusWidget(), control);
    QVERIFY2(!control->visibleRegion().isEmpty(), "has the focus but is out of sight");
}

void LessonWalk::moveSlider(StopSlider& slider, std::int64_t target)
{
    if (m_types) {
        goTo(slider, slider.spin());
        QTest::keyClicks(slider.spin(), QString::number(target)); // replaces what the focus selected
        press(Qt::Key_Return);
        QCOMPARE(slider.value(), target);
        return;
    }
    goTo(slider, slider.track());
    const bool up = slider.value() < target;
    for (std::int64_t before = 0; slider.value() != before && (slider.value() < target) == up;) {
        before = slider.value();
        if (before == target) {
            return;
        }
        press(up ? Qt::Key_Right : Qt::Key_Left);
    }
}

void LessonWalk::choose(QComboBox& combo, int target)
{
    if (m_types) {
        press(Qt::Key_Space); // opens the list
        QTRY_VERIFY(QApplication::activePopupWidget() != nullptr);
    }
    const int from = combo.currentIndex();
    for (int i = 0; i < std::abs(target - from); ++i) {
        press(target > from ? Qt::Key_Down : Qt::Key_Up);
    }
    if (m_types) {
        press(Qt::Key_Return);
    }
    QCOMPARE(combo.currentIndex(), target);
}

QString LessonWalk::panelText() const
{
    QString all;
    for (const QLabel* label : panel().findChildren<QLabel*>()) {
        all += label->isVisible() ? label->text() + u'\n' : QString();
    }
    return all;
}

QTEST_MAIN(LessonWalk)
#include "tst_lesson_walk.moc"
