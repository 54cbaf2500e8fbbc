// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/appearance.h"
#include "app/chart_board.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/field_shortcuts.h"
#include "app/notice_bar.h"
#include "app/pane_walk.h"
#include "app/presenter.h"
#include "app/preset_folders.h"
#include "app/shortcuts_dialog.h"
#include "widgets/headline_strip.h"
#include "widgets/labels.h"
#include "widgets/lesson_panel.h"
#include "widgets/pipeline_view.h"
#include "widgets/scenario_panel.h"
#include "widgets/sections/serving_section.h"
#include "widgets/stage_editor.h"

#include <QActionGroup>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMessageBox>

#include <algorithm>

namespace partita::ui {

namespace {

/// Pairs of axes worth a menu entry: rows, columns.
constexpr std::array planes{
    std::pair{PlaneAxis::Tp, PlaneAxis::Pp},
    std::pair{PlaneAxis::MicroBatch, PlaneAxis::Pp},
    std::pair{PlaneAxis::Tp, PlaneAxis::Cp},
    std::pair{PlaneAxis::Tp, PlaneAxis::Ep},
    std::pair{PlaneAxis::MicroBatches, PlaneAxis::Pp},
    std::pair{PlaneAxis::Sequence, PlaneAxis::Cp},
    std::pair{PlaneAxis::GlobalBatch, PlaneAxis::Devices},
    std::pair{PlaneAxis::ModelSize, PlaneAxis::Devices},
};

template <class Trigger>
QAction* add(QMenu& menu, const QString& text, const QKeySequence& shortcut, QObject* context, Trigger trigger)
{
    QAction* action = menu.addAction(text);
    action->setShortcut(shortcut);
    QObject::connect(action, &QAction::triggered, context, [trigger] { trigger(); });
    return action;
}

QAction* addChoice(QMenu& menu, QActionGroup& group, const QString& text, bool checked)
{
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    action->setChecked(checked);
    group.addAction(action);
    return action;
}

} // namespace

void MainWindow::buildMenus()
{
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildScenarioMenu();
    buildLessonsMenu();
    buildHelpMenu();
    new FieldShortcuts(*this);
}

void MainWindow::buildFileMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&File"));
    add(menu, tr("&Open or import…"), QKeySequence::Open, this, [this] { askToOpen(); });
    add(menu, tr("&Import trace…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I), this, [this] { askForTrace(); });
    m_recent = menu.addMenu(tr("Open &recent"));
    fillRecentFiles();
    menu.addSeparator();
    add(menu, tr("&Save"), QKeySequence::Save, this, [this] { saveOrAsk(); });
    add(menu, tr("Save &as…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), this, [this] { askToSave(); });
    menu.addSeparator();
    add(menu, tr("&Export charts…"), QKeySequence(Qt::CTRL | Qt::Key_E), this, [this] { exportCharts(); });
    add(menu, tr("Save &report…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), this, [this] { saveReport(); });
    add(menu, tr("Print pre&view…"), {}, this, [this] { printPreview(); });
    add(menu, tr("&Print…"), QKeySequence::Print, this, [this] { print(); });
    menu.addSeparator();
    add(menu, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), this, [this] { close(); });
}

void MainWindow::buildEditMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&Edit"));
    QAction* undo = m_workspace.history().createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = m_workspace.history().createRedoAction(this, tr("&Redo"));
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    menu.addActions({undo, redo});
    menu.addSeparator();
    add(menu, tr("&Copy chart"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), this,
        [this] { copyChart(*m_board->current()); });
    add(menu, tr("Copy &table"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_C), this,
        [this] { copyTable(*m_board->current()); });
}

void MainWindow::buildViewMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&View"));
    menu.addAction(findChild<QDockWidget*>(QStringLiteral("scenario"))->toggleViewAction());
    QAction* stages = findChild<QDockWidget*>(QStringLiteral("stages"))->toggleViewAction();
    stages->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_L));
    menu.addAction(stages);
    QAction* explain = findChild<QDockWidget*>(QStringLiteral("explain"))->toggleViewAction();
    explain->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_I));
    menu.addAction(explain);
    const std::vector<ChartDock*>& ofServing = m_charts->servingDocks();
    menu.addSection(tr("Training"));
    for (ChartDock* dock : m_board->docks()) {
        if (std::find(ofServing.begin(), ofServing.end(), dock) == ofServing.end()) {
            menu.addAction(dock->toggleViewAction());
        }
    }
    menu.addSection(tr("Serving"));
    QAction* serving = menu.addAction(tr("Ser&ve"));
    serving->setObjectName(QStringLiteral("serve"));
    serving->setCheckable(true);
    serving->setChecked(m_charts->showsServing());
    serving->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V));
    connect(serving, &QAction::toggled, this, [this](bool on) {
        m_board->showAll();
        m_charts->setServing(on);
        m_panel->serving()->setExpanded(on);
    });
    connect(m_charts.get(), &Charts::servingToggled, serving,
            [this, serving] { // cards open and close by themselves too
                const QSignalBlocker quiet(serving);
                serving->setChecked(m_charts->showsServing());
            });
    for (const ChartDock* dock : ofServing) {
        menu.addAction(dock->toggleViewAction());
    }
    menu.addSeparator();
    buildGoToMenu(*menu.addMenu(tr("&Go to")));
    add(menu, tr("&Fill the window with a chart"), QKeySequence(Qt::CTRL | Qt::Key_M), this,
        [this] { m_board->maximised() != nullptr ? m_board->showAll() : m_board->maximise(m_board->card()); });
    add(menu, tr("Chart as &table"), QKeySequence(Qt::CTRL | Qt::Key_T), this, [this] {
        ChartDock* dock = m_board->current();
        dock->showTable(!dock->showsTable());
    });
    m_charts->pipeline().fillMenu(*menu.addMenu(tr("&Pipeline")));
    buildHeatmapMenu(*menu.addMenu(tr("&Heatmap")));
    menu.addSeparator();

    QMenu& appearance = *menu.addMenu(tr("&Appearance"));
    auto* group = new QActionGroup(this);
    for (const auto& name : Names<Appearance>::table) {
        QAction* action = addChoice(appearance, *group, labelText(name.value), name.value == m_settings.appearance());
        connect(action, &QAction::triggered, this, [this, value = name.value] {
            m_settings.setAppearance(value);
            setAppearance(value);
        });
    }
    add(menu, tr("Pr&esent"), QKeySequence(Qt::Key_F11), this, [this] { present(); });
    m_fullScreen = menu.addAction(tr("F&ull screen"));
    m_fullScreen->setCheckable(true);
    m_fullScreen->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F11));
    connect(m_fullScreen, &QAction::toggled, this, [this](bool on) {
        // Leaves a maximised window maximised.
        on ? showFullScreen() : setWindowState(windowState() & ~Qt::WindowFullScreen);
    });
    add(menu, tr("&Reset layout"), {}, this, [this] { resetLayout(); });
}

/// Panes one after the other, and cards by number: the first four are places, which serving's cards take over.
void MainWindow::buildGoToMenu(QMenu& menu)
{
    m_walk = new PaneWalk(this);
    m_walk->add(findChild<QDockWidget*>(QStringLiteral("scenario")));
    m_walk->add(m_notices);
    m_walk->add(m_headline);
    m_walk->add(m_board);
    m_walk->add(&m_charts->searchDock());
    for (const char* name : {"stages", "lessons", "explain"}) {
        m_walk->add(findChild<QDockWidget*>(QLatin1String(name)));
    }
    add(menu, tr("&Next pane"), QKeySequence(Qt::Key_F6), this, [this] { m_walk->step(1); });
    add(menu, tr("&Previous pane"), QKeySequence(Qt::SHIFT | Qt::Key_F6), this, [this] { m_walk->step(-1); });
    menu.addSeparator();
    constexpr std::array<std::pair<const char*, const char*>, 9> cards{{{"memory", "serving-room"},
                                                                        {"step-time", "serving-token"},
                                                                        {"gantt", "serving-curve"},
                                                                        {"heatmap", "serving-layouts"},
                                                                        {"problems", nullptr},
                                                                        {"advice", nullptr},
                                                                        {"search", nullptr},
                                                                        {"compare", nullptr},
                                                                        {"published-runs", nullptr}}};
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const auto cardNow = [this, card = cards[i]] {
            const bool serves = card.second != nullptr && m_charts->showsServing();
            return m_board->findChild<ChartDock*>(QLatin1String(serves ? card.second : card.first));
        };
        QAction* action = add(menu, {}, QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)), this,
                              [this, cardNow] { goToCard(cardNow()); });
        const auto name = [action, cardNow] { action->setText(cardNow()->windowTitle()); };
        connect(m_charts.get(), &Charts::servingToggled, action, name);
        name();
    }
}

void MainWindow::goToCard(ChartDock* card)
{
    m_board->bringUp(card);
    if (QWidget* first = firstFocusIn(*card->widget())) {
        first->setFocus(Qt::TabFocusReason);
    }
}

/// Keys that nobody wanted: Escape leaves what fills the window, then the full screen.
void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape || event->modifiers() != Qt::NoModifier) {
        return QMainWindow::keyPressEvent(event);
    }
    if (m_board->maximised() != nullptr) {
        m_board->showAll();
    } else if (m_fullScreen->isChecked()) {
        m_fullScreen->setChecked(false);
    }
}

/// Short cuts to what the heatmap's own controls choose.
void MainWindow::buildHeatmapMenu(QMenu& menu)
{
    for (const auto& [rows, columns] : planes) {
        add(menu, tr("%1 × %2").arg(labelText(rows), labelText(columns)), {}, this,
            [this, rows = rows, columns = columns] { m_charts->setAxes(rows, columns); });
    }
    menu.addSeparator();
    for (const auto& name : Names<PlaneQuantity>::table) {
        add(menu, labelText(name.value), {}, this, [this, value = name.value] { m_charts->setQuantity(value); });
    }
}

void MainWindow::buildScenarioMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&Scenario"));
    QMenu& examples = *menu.addMenu(tr("&Start from"));
    const std::vector<std::string> folders = presetFolders();
    for (const std::string& folder : folders) {
        const QDir scenarios(QString::fromStdString(folder) + QStringLiteral("/scenarios"));
        const QFileInfoList files = scenarios.entryInfoList({QStringLiteral("*.partita")}, QDir::Files, QDir::Name);
        for (const QFileInfo& file : files) {
            QAction* action = examples.addAction(file.completeBaseName());
            connect(action, &QAction::triggered, this, [this, path = file.absoluteFilePath()] { startFrom(path); });
        }
    }
    menu.addMenu(tr("&Layers per stage"))->addActions(m_stages->commands());
    m_charts->compare().fillMenu(*menu.addMenu(tr("&Compare")));
    add(menu, tr("&First problem"), QKeySequence(Qt::Key_F8), this, [this] { goToFirstProblem(); });
}

void MainWindow::buildLessonsMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&Lessons"));
    QAction* list = findChild<QDockWidget*>(QStringLiteral("lessons"))->toggleViewAction();
    list->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L));
    menu.addAction(list);
    connect(list, &QAction::triggered, this, [this](bool shown) {
        if (shown) {
            m_lessons->leave();
        }
    });
    menu.addSeparator();
    m_lessons->fillMenu(menu);
}

void MainWindow::buildHelpMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&Help"));
    QAction* shortcuts =
        add(menu, tr("&Keyboard shortcuts"), {}, this, [this] { ShortcutsDialog(*menuBar(), this).exec(); });
    shortcuts->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)});
    add(menu, tr("&About Partita"), {}, this, [this] {
        QMessageBox::about(this, tr("About Partita"),
                           tr("Partita %1\n\nWhat a way of splitting a large language model over accelerators costs.\n"
                              "GPL-3.0-or-later")
                               .arg(QApplication::applicationVersion()));
    });
}

void MainWindow::fillRecentFiles()
{
    m_recent->clear();
    const QStringList files = m_settings.recentFiles();
    for (const QString& file : files) {
        // A path may hold an ampersand, which a menu would take for a mnemonic.
        QAction* action = m_recent->addAction(
            QDir::toNativeSeparators(QString(file).replace(QLatin1Char('&'), QStringLiteral("&&"))));
        action->setEnabled(QFileInfo::exists(file));
        connect(action, &QAction::triggered, this, [this, file] { openFile(file); });
    }
    if (!files.isEmpty()) {
        m_recent->addSeparator();
        add(*m_recent, tr("&Clear list"), {}, this, [this] {
            m_settings.clearRecentFiles();
            fillRecentFiles();
        });
    }
    m_recent->setEnabled(!files.isEmpty());
}

void MainWindow::updateTitle()
{
    const bool lesson = m_aside.showsLesson(); // a document's name is of what is set aside meanwhile
    setWindowTitle(QStringLiteral("%1[*] — Partita")
                       .arg(lesson ? tr("Lesson: %1").arg(m_aside.lessonTitle()) : m_document.title()));
    setWindowModified(!lesson && m_document.isModified());
    setWindowFilePath({});
}

} // namespace partita::ui
