// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lesson_panel.h"

#include "widgets/lesson_delegate.h"
#include "widgets/lesson_text.h"
#include "widgets/text.h"
#include "widgets/tone_label.h"

#include <QAccessible>
#include <QAction>
#include <QHBoxLayout>
#include <QListWidget>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTextDocument>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int usualWidth = 360;
constexpr double titleSize = 1.3;
constexpr double questionSize = 1.1;

} // namespace

LessonPanel::LessonPanel(const Catalogue& catalogue, QWidget* parent)
    : QWidget(parent)
    , m_catalogue(catalogue)
    , m_stack(new QStackedWidget)
    , m_list(new LessonList)
{
    m_next = addCommand(tr("&Next page"), Qt::ALT | Qt::Key_Right, &LessonPanel::next);
    m_back = addCommand(tr("&Previous page"), Qt::ALT | Qt::Key_Left, &LessonPanel::back);
    m_hintAction = addCommand(tr("&Hint"), Qt::ALT | Qt::Key_Down, &LessonPanel::hint);
    m_control = addCommand(tr("Go to the &control"), Qt::ALT | Qt::Key_Return, &LessonPanel::goToControl);
    m_startOver = addCommand(tr("Start &over"), Qt::ALT | Qt::Key_Home, &LessonPanel::startOver);
    m_leave = addCommand(tr("&All lessons"), Qt::ALT | Qt::Key_Up, &LessonPanel::leave);

    m_own = addCommand(tr("Back to &my scenario"), Qt::ALT | Qt::SHIFT | Qt::Key_Home, &LessonPanel::ownWanted);
    m_ownButton = buttonFor(m_own);
    offerOwn(false);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);
    column->addWidget(m_ownButton);
    m_list->setAccessibleName(tr("Lessons"));
    connect(m_list, &QListWidget::itemActivated, this,
            [this] { start(static_cast<std::size_t>(std::max(0, m_list->currentRow()))); });
    m_stack->addWidget(m_list);
    m_stack->addWidget(buildReader());
    leave();
}

LessonPanel::~LessonPanel() = default;

QAction* LessonPanel::addCommand(const QString& text, const QKeySequence& key, void (LessonPanel::*command)())
{
    auto* action = new QAction(text, this);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, command);
    addAction(action);
    return action;
}

QPushButton* LessonPanel::buttonFor(QAction* action)
{
    auto* button = new QPushButton;
    const auto follow = [button, action] {
        button->setText(action->text().remove(u'&')); // the menu bar has the letters
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->shortcut().toString(QKeySequence::NativeText));
        button->setAccessibleName(action->text().remove(u'&'));
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow();
    return button;
}

QWidget* LessonPanel::buildReader()
{
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    m_title = new ToneLabel(Tone::Plain, titleSize);
    m_progress = new QProgressBar;
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(6);
    m_progress->setAccessibleName(tr("Pages read"));
    m_text = new LessonText(Tone::Plain, 1);
    m_question = new LessonText(Tone::Plain, questionSize);
    m_verdict = new LessonText(Tone::Muted, 1);
    m_hint = new LessonText(Tone::Muted, 1);

    m_text->setAccessibleName(tr("Text of the page")); // until there is one, which is its own name
    m_question->setAccessibleName(tr("Question"));
    m_verdict->setAccessibleName(tr("Whether it is found"));
    m_hint->setAccessibleName(tr("Hints"));
    for (const LessonText* text : {m_text, m_question, m_hint}) {
        connect(text, &LessonText::numberActivated, this,
                [this](const QString& placeholder) { Q_EMIT numberActivated(*m_play, placeholder, true); });
    }
    connect(m_verdict, &LessonText::numberActivated, this,
            [this](const QString& placeholder) { Q_EMIT numberActivated(*m_found, placeholder, false); });

    auto* body = new QWidget;
    auto* texts = new QVBoxLayout(body);
    texts->setContentsMargins(0, 0, 8, 0);
    texts->setSpacing(12);
    m_controlButton = buttonFor(m_control);
    m_controlButton->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    for (QWidget* part : {m_text, m_verdict, m_hint}) {
        texts->addWidget(part);
    }
    texts->addStretch(1);
    m_scroll = new QScrollArea;
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Page of the lesson"));
    m_scroll->setWidget(body);

    auto* top = new QHBoxLayout; // with one more button at the bottom the panel would widen a small window
    top->addWidget(m_progress, 1);
    top->addWidget(buttonFor(m_leave));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(buttonFor(m_hintAction));
    buttons->addStretch(1);
    buttons->addWidget(buttonFor(m_back));
    m_nextButton = buttonFor(m_next);
    m_nextButton->setDefault(true);
    buttons->addWidget(m_nextButton);

    column->addWidget(m_title);
    column->addLayout(top);
    column->addWidget(m_scroll, 1);
    column->addWidget(m_question); // in sight however far one has read
    column->addWidget(m_controlButton);
    column->addLayout(buttons);
    return page;
}

void LessonPanel::setLessons(std::vector<Lesson> lessons)
{
    leave();
    m_lessons = std::move(lessons);
    m_list->clear();
    for (const Lesson& lesson : m_lessons) {
        auto* item = new QListWidgetItem(
            tr("%1 (%2 min)\n%3").arg(toText(lesson.title)).arg(lesson.minutes).arg(toText(lesson.summary)), m_list);
        item->setData(Qt::AccessibleTextRole, tr("%1. %2").arg(toText(lesson.title), toText(lesson.summary)));
    }
    m_list->setCurrentRow(0);
}

void LessonPanel::start(std::size_t lesson)
{
    if (lesson >= m_lessons.size()) {
        return;
    }
    m_list->setCurrentRow(static_cast<int>(lesson));
    m_play = std::make_unique<LessonPlay>(m_lessons[lesson], m_catalogue);
    m_stack->setCurrentIndex(1);
    m_title->setText(toText(current()->title));
    m_progress->setMaximum(static_cast<int>(current()->pages.size()));
    goTo(0);
    Q_EMIT started(current()->scenario, toText(current()->title));
    m_nextButton->setFocus();
}

void LessonPanel::leave()
{
    m_found.reset();
    m_play.reset();
    m_stack->setCurrentIndex(0);
    for (QAction* action : {m_next, m_back, m_hintAction, m_control, m_startOver, m_leave}) {
        action->setEnabled(false);
    }
    if (isVisible()) {
        m_list->setFocus();
    }
    Q_EMIT left();
}

void LessonPanel::offerOwn(bool offered)
{
    m_own->setEnabled(offered);
    m_ownButton->setVisible(offered);
}

QSize LessonPanel::sizeHint() const
{
    return {usualWidth, QWidget::sizeHint().height()};
}

const LessonPage& LessonPanel::shownPage() const
{
    return current()->pages[m_page];
}

void LessonPanel::goTo(std::size_t page)
{
    if (!m_play) {
        return;
    }
    m_page = std::min(page, current()->pages.size() - 1);
    m_hints = 0;
    m_field = 0;
    m_solved = false;
    m_found.reset();
    showPage();
}

void LessonPanel::next()
{
    m_page + 1 < current()->pages.size() ? goTo(m_page + 1) : leave();
}

void LessonPanel::back()
{
    goTo(m_page - 1);
}

void LessonPanel::hint()
{
    ++m_hints;
    showTexts();
    scrollTo(*m_hint);
}

void LessonPanel::goToControl()
{
    const std::vector<std::string>& fields = current()->touch;
    const std::string& field = fields[m_field % fields.size()];
    ++m_field;
    Q_EMIT fieldWanted(toText(field));
}

void LessonPanel::startOver()
{
    goTo(0);
    Q_EMIT started(current()->scenario, toText(current()->title));
}

void LessonPanel::showPage()
{
    m_progress->setValue(static_cast<int>(m_page) + 1);
    m_progress->setAccessibleDescription(tr("page %1 of %2").arg(m_page + 1).arg(current()->pages.size()));
    m_back->setEnabled(m_page > 0);
    m_startOver->setEnabled(true);
    m_leave->setEnabled(true);
    m_next->setEnabled(true);
    showTexts();
    m_scroll->ensureVisible(0, 0);
    if (const QString wanted = chart(); !wanted.isEmpty()) {
        Q_EMIT chartWanted(wanted);
    }
    Q_EMIT pageShown();
}

/// A page without one goes on with the chart of the page before.
QString LessonPanel::chart() const
{
    for (std::size_t i = m_play ? m_page + 1 : 0; i-- > 0;) {
        if (!current()->pages[i].chart.empty()) {
            return toText(current()->pages[i].chart);
        }
    }
    return {};
}

void LessonPanel::setScenario(const Scenario& scenario, const Report& report)
{
    if (m_play) {
        m_play->setScenario(scenario, report);
        showTexts();
    }
}

void LessonPanel::showTexts()
{
    m_text->setMarkdown(LessonText::linked(*m_play, shownPage().text));
    const std::optional<LessonTask>& task = shownPage().task;
    if (task) {
        showTask(*task);
    } else {
        for (LessonText* text : {m_question, m_verdict, m_hint}) {
            text->setMarkdown({});
        }
    }
    const bool last = m_page + 1 == current()->pages.size();
    m_next->setText(last ? tr("&Finish") : task && !m_solved ? tr("&Skip") : tr("&Next page"));
    m_hintAction->setEnabled(task && !m_solved && m_hints < task->hints.size());
    m_control->setEnabled(!current()->touch.empty());
    m_controlButton->setVisible(task && m_control->isEnabled());
}

void LessonPanel::showTask(const LessonTask& task)
{
    const bool solves = m_play->solves(task);
    const bool fresh = solves && !m_solved;
    m_solved = m_solved || solves; // what was found out stays found out while one plays on
    if (fresh) {
        m_found = std::make_unique<LessonPlay>(*m_play);
    }
    m_question->setMarkdown(LessonText::linked(*m_play, task.question));
    QStringList hints;
    for (std::size_t i = 0; i < m_hints && i < task.hints.size(); ++i) {
        hints << tr("Hint %1: %2").arg(i + 1).arg(LessonText::linked(*m_play, task.hints[i]));
    }
    m_hint->setMarkdown(m_solved ? QString() : hints.join(QStringLiteral("\n\n")));
    const std::vector<std::string> elsewhere = m_play->movedElsewhere();
    QString verdict;
    if (m_solved) {
        verdict = (isAsFound() ? tr("✓ Found. %1") : tr("✓ Found. What it was like then: %1"))
                      .arg(LessonText::linked(*m_found, task.solved));
    } else if (!elsewhere.empty()) {
        verdict = tr("✗ Changed, but to be kept in this lesson: %1. To be moved: %2.")
                      .arg(wordsOf(elsewhere), wordsOf(current()->touch));
    } else {
        verdict = tr("Not yet.");
    }
    const Tone open = elsewhere.empty() ? Tone::Muted : Tone::Bad;
    m_verdict->setTone(isAsFound() ? Tone::Good : m_solved ? Tone::Muted : open);
    m_verdict->setMarkdown(verdict);
    if (fresh) {
        scrollTo(*m_verdict);
        QAccessibleEvent told(m_verdict, QAccessible::Alert);
        QAccessible::updateAccessibility(&told);
    }
}

bool LessonPanel::isAsFound() const
{
    return m_found && *m_found->scenarioIn(nowPlace) == *m_play->scenarioIn(nowPlace);
}

/// As their controls are called.
QString LessonPanel::wordsOf(const std::vector<std::string>& fields) const
{
    QStringList words;
    for (const std::string& field : fields) {
        const QString word = m_fieldWords ? m_fieldWords(toText(field)) : QString();
        words << (word.isEmpty() ? toText(field) : word);
    }
    words.removeDuplicates();
    return words.join(QStringLiteral(", "));
}

/// Once the texts have their places.
void LessonPanel::scrollTo(QWidget& part)
{
    QTimer::singleShot(0, &part, [this, &part] { m_scroll->ensureWidgetVisible(&part, 0, 0); });
}

QString LessonPanel::caption() const
{
    if (!m_play || !shownPage().task) {
        return {};
    }
    QTextDocument plain;
    const LessonTask& task = *shownPage().task;
    plain.setMarkdown(toText(isAsFound() ? m_found->text(task.solved) : m_play->text(task.question)));
    return m_found && !isAsFound() ? tr("✓ %1").arg(plain.toPlainText()) : plain.toPlainText();
}

void LessonPanel::fillMenu(QMenu& menu)
{
    for (std::size_t i = 0; i < m_lessons.size(); ++i) {
        QAction* action = menu.addAction(toText(m_lessons[i].title).replace(u'&', QStringLiteral("&&")));
        action->setToolTip(toText(m_lessons[i].summary));
        connect(action, &QAction::triggered, this, [this, i] { start(i); });
    }
    menu.addSeparator();
    menu.addActions({m_next, m_back, m_hintAction, m_control, m_startOver, m_leave, m_own});
}

} // namespace partita::ui
