// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scenario_panel.h"

#include "widgets/sections/cluster_section.h"
#include "widgets/sections/layout_section.h"
#include "widgets/sections/model_section.h"
#include "widgets/sections/serving_section.h"
#include "widgets/sections/workload_section.h"
#include "widgets/text.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QVBoxLayout>

namespace partita::ui {

namespace {
constexpr int usualWidth = 320;
constexpr int leastWidth = 272; // sliders and names still read; below it labels and stops are cut
constexpr int margin = 12;
} // namespace

ScenarioPanel::ScenarioPanel(QWidget* parent)
    : QScrollArea(parent)
    , m_loose(new ToneLabel(Tone::Bad, 0.88))
    , m_model(new ModelSection)
    , m_cluster(new ClusterSection)
    , m_layout(new LayoutSection)
    , m_workload(new WorkloadSection)
    , m_serving(new ServingSection)
    , m_sections{m_model, m_cluster, m_layout, m_workload, m_serving}
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(margin, margin, margin, margin);
    column->setSpacing(10);
    column->addWidget(m_loose);
    m_loose->hide();
    for (ScenarioSection* section : m_sections) {
        column->addWidget(section);
        connect(section, &ScenarioSection::edited, this, &ScenarioPanel::take);
        connect(section, &ScenarioSection::stopExplained, this, &ScenarioPanel::stopExplained);
    }
    m_serving->setExpanded(false); // most scenarios train; the serving charts open it
    column->addStretch();
    connect(m_layout, &LayoutSection::solvedChosen, this, &ScenarioPanel::setSolved);
    setWidget(content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setMinimumWidth(leastWidth);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Scenario"));
    setFocusPolicy(Qt::NoFocus); // its controls take the focus, it only scrolls
    paintAsCard();
}

QSize ScenarioPanel::sizeHint() const
{
    return {usualWidth, QScrollArea::sizeHint().height()};
}

void ScenarioPanel::setCatalogue(const PresetChoices& choices)
{
    for (ScenarioSection* section : m_sections) {
        section->setChoices(choices);
    }
    if (m_hasScenario) {
        showState();
    }
}

void ScenarioPanel::setScenario(const Scenario& scenario, const Report& report)
{
    m_state.scenario = scenario;
    m_state.report = report;
    m_hasScenario = true;
    showState();
}

void ScenarioPanel::setStopMarks(LayoutField field, const std::vector<StopMark>& marks)
{
    m_layout->setStopMarks(field, marks);
    m_workload->setStopMarks(field, marks);
}

void ScenarioPanel::setSolved(LayoutField field)
{
    m_state.solved = field;
    if (m_hasScenario) {
        showState();
    }
}

void ScenarioPanel::take(const Scenario& scenario, const QString& what, bool merge)
{
    // Shown at once, so that the next edit starts from this one however long the owner takes to answer.
    m_state.scenario = scenario;
    showState();
    Q_EMIT edited(scenario, what, merge);
}

void ScenarioPanel::showState()
{
    for (ScenarioSection* section : m_sections) {
        section->setState(m_state);
    }
    showProblems();
}

ScenarioSection* ScenarioPanel::sectionOf(const QString& field) const
{
    ScenarioSection* best = nullptr;
    int longest = 0;
    for (ScenarioSection* section : m_sections) {
        const int length = section->matchLength(field);
        if (length > longest) {
            longest = length;
            best = section;
        }
    }
    return best;
}

void ScenarioPanel::showProblems()
{
    QStringList loose;
    for (ScenarioSection* section : m_sections) {
        Problems own;
        for (const Problem& problem : m_state.report.problems) {
            if (sectionOf(toText(problem.field)) == section) {
                own.push_back(problem);
            }
        }
        section->setProblems(own);
    }
    for (const Problem& problem : m_state.report.problems) {
        if (!sectionOf(toText(problem.field))) {
            loose << QStringLiteral("✗ ") + toText(describe(problem));
        }
    }
    m_loose->setText(loose.join(QLatin1Char('\n')));
    m_loose->setVisible(!loose.isEmpty());
}

void ScenarioPanel::focusField(const QString& field)
{
    ScenarioSection* section = sectionOf(field);
    if (!section) {
        return;
    }
    section->setExpanded(true);
    FieldEditor* editor = section->editorOf(field);
    QWidget* target = section->header();
    if (editor) {
        target = editor->control();
    }
    for (QWidget* around = target->parentWidget(); around && around != section; around = around->parentWidget()) {
        if (auto* fold = qobject_cast<CollapsibleSection*>(around)) {
            fold->setExpanded(true);
        }
    }
    target->setFocus(Qt::ShortcutFocusReason);
    ensureWidgetVisible(target);
}

QString ScenarioPanel::wordsOf(const QString& field) const
{
    const ScenarioSection* section = sectionOf(field);
    const FieldEditor* editor = section != nullptr ? section->editorOf(field) : nullptr;
    return editor != nullptr ? editor->control()->accessibleName() : QString();
}

void ScenarioPanel::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_painting) {
        paintAsCard();
    }
}

void ScenarioPanel::paintAsCard()
{
    m_painting = true;
    QPalette own = viewport()->palette();
    const Theme theme = Theme::fromPalette(palette());
    own.setColor(QPalette::Window, theme.card);
    own.setColor(QPalette::Base,
                 theme.dark ? theme.window : theme.card); // fields read as wells where borders are faint
    viewport()->setPalette(own);
    m_painting = false;
}

} // namespace partita::ui
