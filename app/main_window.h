// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/document.h"
#include "app/layout_search.h"
#include "app/measured_step.h"
#include "app/memory_verdict.h"
#include "app/plane_sweep.h"
#include "app/published_runs.h"
#include "app/set_aside.h"
#include "app/settings.h"
#include "app/workspace.h"
#include "core/formats/catalogue.h"

#include <QMainWindow>
#include <QTimer>

#include <functional>

namespace partita {
class ExplainedValues;
class Explainer;
class LessonPlay;
struct ServingPoint;
struct ServingReport;
} // namespace partita

namespace partita::ui {

class Chart;
class Charts;
class ChartBoard;
class ChartDock;
class ExplainPanel;
struct ChartPage;
struct ExportChoice;
enum class PageFormat;
enum class Palette;
struct ExportOffer;
struct OtherFigure;
struct ReportDocument;
class HeadlineStrip;
class LessonPanel;
class NoticeBar;
class PaneWalk;
class Presenter;
class ProblemList;
class ScenarioPanel;
class StageEditor;

/// Lays out the panels, owns the actions, and passes scenarios and reports between panels and workspace.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    MainWindow(const Catalogue& catalogue, const Scenario& scenario, Settings& settings, const QString& recoveryFolder);
    ~MainWindow() override;

    Workspace& workspace() { return m_workspace; }
    Document& document() { return m_document; }
    PlaneSweep& planeSweep() { return m_sweep; }
    MemoryVerdict& memoryVerdict() { return m_verdict; }
    MeasuredStep& measuredStep() { return m_measured; }
    LayoutSearch& layoutSearch() { return m_search; }
    PublishedRuns& publishedRuns() { return m_published; }
    NoticeBar& notices() { return *m_notices; }
    ChartBoard& board() { return *m_board; }
    Charts& charts() { return *m_charts; }
    ExplainPanel& explainPanel() { return *m_explain; }
    ScenarioPanel& panel() { return *m_panel; }
    StageEditor& stages() { return *m_stages; }
    LessonPanel& lessons() { return *m_lessons; }
    Presenter& presenter() { return *m_presenter; }

    /// Opens or imports a file, or lays a trace beside the prediction; what is wrong with it is told in the notice bar.
    bool openFile(const QString& path);
    bool saveFile(const QString& path);
    /// What can be exported as it stands, those that cannot yet greyed; of a scenario that is not legal, the last
    /// legal's.
    std::vector<ExportOffer> exportOffers() const;
    void writeCharts(const ExportChoice& choice, const QString& folder);
    /// Offers what crashed windows left behind.
    void offerRecovery();

protected:
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp: panels and what flows between them
    void buildPanels();
    void buildLessons();
    void giveLessonItsHeight();
    void endLesson();
    void goBackToOwn();
    void withdrawOffer(); ///< what endLesson() asks
    void connectPanels();
    void showReport();
    void showServing();
    void showMarks(const StopMarks& marks);
    void showProblems();
    void askForPlane();
    void showHeadline();
    void loadRun(const QString& id);
    void adoptCell(std::size_t row, std::size_t column);
    /// A scenario has one split: where a step of training no longer fits, that is told.
    void adoptForServing(const ServingPoint& point);
    void connectSearch();
    void sayWhatIsUpToDate();
    void followSearch();
    void restoreWindow();
    void resetLayout();

    // window_presenter.cpp: charts and lessons for a room
    void buildPresenter();
    bool isTeaching() const; ///< one is played and its panel is there to be read
    void present();
    void captionPresenter();
    void turnPage(int by);

    // window_menus.cpp: actions
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildGoToMenu(QMenu& menu);
    void goToCard(ChartDock* card);
    void buildHeatmapMenu(QMenu& menu);
    void buildScenarioMenu();
    void buildLessonsMenu();
    void buildHelpMenu();
    void fillRecentFiles();
    void updateTitle();

    // window_explain.cpp: where numbers come from
    void buildExplain();
    void explain(const QString& path);
    void raiseExplain();
    void renewExplainer();
    void explainOperation(int stage, int index);
    void explainCell(int x, int y);
    void explainStop(LayoutField field, std::int64_t value);
    void explainFigure(const OtherFigure& figure);
    void explainFix();
    void explainOfLesson(const LessonPlay& play, const QString& placeholder, bool live);
    std::shared_ptr<const Explainer> ownExplainer() const;
    void explainRow(const LayoutFigures& row, const QString& figure, bool asked);
    /// What is not of the scenario in the window, and stays when that changes.
    void explainOther(std::shared_ptr<const ExplainedValues> values, const QString& where, const QString& path);

    // window_files.cpp: what the actions on files and charts do
    void askToOpen();
    void askForTrace();
    void showMeasured(const QString& path, const std::shared_ptr<const MeasuredTimeline>& measured);
    bool askToSave();
    bool saveOrAsk();
    bool mayReplace(); ///< asks when there is unsaved work
    /// A page for what the dock shows: with all scenarios of a comparison.
    ChartPage pageFor(const ChartDock& dock, PageFormat size, Palette palette) const;
    void exportChart(const ChartDock& dock);
    void copyChart(const ChartDock& dock);
    const Chart* chartToCopy(const ChartDock& dock); ///< null, and told, when it is not ready
    // window_reports.cpp: charts and reports for elsewhere
    void exportCharts();
    struct Exported;
    std::vector<Exported> exported() const;
    void copyTable(const ChartDock& dock);
    void withReport(const std::function<void(const ReportDocument&, const Explainer&)>& use);
    void saveReport();
    void printPreview();
    void print();

    void tellProblems(const QString& text, const Problems& problems);
    void startFrom(const QString& path);
    void goToFirstProblem();

    const Catalogue& m_catalogue;
    Settings& m_settings;
    Workspace m_workspace;
    SetAside m_aside;
    Document m_document;
    PlaneSweep m_sweep;
    LayoutSearch m_search;
    PublishedRuns m_published;
    MeasuredStep m_measured;
    MemoryVerdict m_verdict;
    QTimer m_planeRequest; ///< fires behind the paint events of an edit
    QTimer m_explainRequest; ///< the same for the panel that explains
    ExplainPanel* m_explain = nullptr;
    bool m_explainsOther = false; ///< than the window's scenario
    bool m_explainsLesson = false; ///< a number that a lesson makes of the window's scenario
    ScenarioPanel* m_panel = nullptr;
    StageEditor* m_stages = nullptr;
    LessonPanel* m_lessons = nullptr;
    Presenter* m_presenter = nullptr;
    HeadlineStrip* m_headline = nullptr;
    NoticeBar* m_notices = nullptr;
    int m_lessonOffer = 0; ///< the notice in which endLesson() asked last
    ProblemList* m_problems = nullptr;
    std::shared_ptr<const ServingReport> m_served; ///< null unless serving is shown
    ChartBoard* m_board = nullptr;
    std::unique_ptr<Charts> m_charts;
    PaneWalk* m_walk = nullptr;
    QMenu* m_recent = nullptr;
    QAction* m_fullScreen = nullptr;
    QByteArray m_firstLayout; ///< of the docks, to go back to
};

} // namespace partita::ui
