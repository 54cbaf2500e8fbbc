// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lessons/lesson_play.h"

#include <QWidget>

#include <functional>

class QAction;
class QListWidget;
class QMenu;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace partita::ui {

class LessonText;
class ToneLabel;

/// A list of lessons, and the one that is played: page by page, its texts and its task following the scenario. Every
/// button is an action with a key.
class LessonPanel final : public QWidget {
    Q_OBJECT

public:
    /// The catalogue must outlive the panel.
    explicit LessonPanel(const Catalogue& catalogue, QWidget* parent = nullptr);
    ~LessonPanel() override;

    void setLessons(std::vector<Lesson> lessons);
    const std::vector<Lesson>& lessons() const { return m_lessons; }
    void setScenario(const Scenario& scenario, const Report& report);
    /// What the control of a field is called; without, fields go by their path.
    void setFieldWords(std::function<QString(const QString& field)> words) { m_fieldWords = std::move(words); }

    void start(std::size_t lesson); ///< at its first page
    void leave(); ///< back to the list
    const LessonPlay* play() const { return m_play.get(); } ///< null: none is played
    const Lesson* current() const { return m_play ? &m_play->lesson() : nullptr; }
    std::size_t page() const { return m_page; }
    void goTo(std::size_t page);
    QString chart() const; ///< to look at on the page that is shown; empty without one
    bool isSolved() const { return m_solved; } ///< the task of the page that is shown
    std::size_t hintsShown() const { return m_hints; }

    /// There is a scenario from before the lesson to go back to.
    void offerOwn(bool offered);

    /// What is told of the answer while the scenario is the one it was found with; else the question of the page, with
    /// a tick once it is found. Plain text; empty without one.
    QString caption() const;

    /// One entry a lesson, then what every button does.
    void fillMenu(QMenu& menu);

    QSize sizeHint() const override;

Q_SIGNALS:
    void started(const partita::Scenario& scenario, const QString& title); ///< to begin with; also when started over
    void pageShown(); ///< another one, or the same from the start
    void chartWanted(const QString& id); ///< to look at on this page
    void fieldWanted(const QString& field); ///< to move: those the lesson is about, one after the other
    /// Where a number of a text is from was asked for. Live: it follows the scenario; else it is as when it was found.
    void numberActivated(const partita::LessonPlay& play, const QString& placeholder, bool live);
    void left();
    void ownWanted(); ///< the scenario from before

private:
    QAction* addCommand(const QString& text, const QKeySequence& key, void (LessonPanel::*command)());
    QPushButton* buttonFor(QAction* action);
    QWidget* buildReader();
    void next();
    void back();
    void hint();
    void goToControl();
    void startOver();
    const LessonPage& shownPage() const;
    void showPage();
    void showTexts();
    void showTask(const LessonTask& task);
    bool isAsFound() const; ///< the scenario is the one that the answer was found with
    void scrollTo(QWidget& part);
    QString wordsOf(const std::vector<std::string>& fields) const;

    const Catalogue& m_catalogue;
    std::vector<Lesson> m_lessons;
    std::unique_ptr<LessonPlay> m_play;
    std::function<QString(const QString& field)> m_fieldWords;
    std::size_t m_page = 0;
    std::size_t m_hints = 0;
    std::size_t m_field = 0; ///< of those that may be moved, the one to go to next
    bool m_solved = false;
    std::unique_ptr<LessonPlay>
        m_found; ///< as it was when it was found: what is told of it is true of that layout only
    QStackedWidget* m_stack;
    QListWidget* m_list;
    QScrollArea* m_scroll = nullptr;
    ToneLabel* m_title = nullptr;
    QProgressBar* m_progress = nullptr;
    LessonText* m_text = nullptr;
    LessonText* m_question = nullptr;
    LessonText* m_verdict = nullptr;
    LessonText* m_hint = nullptr;
    QAction* m_next = nullptr;
    QAction* m_back = nullptr;
    QAction* m_hintAction = nullptr;
    QAction* m_control = nullptr;
    QAction* m_startOver = nullptr;
    QAction* m_leave = nullptr;
    QAction* m_own = nullptr;
    QPushButton* m_ownButton = nullptr;
    QPushButton* m_nextButton = nullptr;
    QPushButton* m_controlButton = nullptr;
};

} // namespace partita::ui
