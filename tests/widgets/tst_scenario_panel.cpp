// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scenario_panel.h"

#include "core/training/evaluate.h"
#include "widgets/accessible_names.h"
#include "widgets/sections/cluster_section.h"
#include "widgets/sections/layout_section.h"
#include "widgets/sections/levels_editor.h"
#include "widgets/sections/model_section.h"
#include "widgets/sections/workload_section.h"
#include "widgets/stop_slider.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QWheelEvent>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

namespace {

/// arXiv:2407.21783, table 3.
Model llama70b()
{
    Model model;
    model.id = "llama-3.1-70b";
    model.name = "Llama 3.1 70B";
    model.hidden = 8192;
    model.vocabulary = 128256;
    LayerKind kind;
    kind.mixer = Attention{64, 8, 128};
    kind.feedForward = DenseFfn{28672};
    model.kinds = {kind};
    model.layers.assign(80, 0);
    return model;
}

/// arXiv:2401.04088, table 1.
Model mixtral()
{
    Model model;
    model.id = "mixtral-8x7b";
    model.name = "Mixtral 8x7B";
    model.hidden = 4096;
    model.vocabulary = 32000;
    LayerKind kind;
    kind.mixer = Attention{32, 8, 128};
    kind.feedForward = MoeFfn{8, 2, 14336};
    model.kinds = {kind};
    model.layers.assign(32, 0);
    return model;
}

Cluster h100s(std::int64_t nodes)
{
    Cluster cluster;
    cluster.id = "h100";
    cluster.name = "H100 SXM, InfiniBand";
    cluster.accelerator.id = "h100-sxm";
    cluster.accelerator.name = "H100 SXM5 80 GB";
    cluster.accelerator.memoryBytes = 79.1 * 1024 * 1024 * 1024;
    cluster.accelerator.memoryBandwidth = 3.35e12;
    cluster.accelerator.peak.bf16 = 989e12;
    cluster.accelerator.peak.vector = 67e12;
    cluster.accelerator.cores = 132;
    cluster.nodes = nodes;
    Level nvlink;
    nvlink.name = "NVLink 4";
    nvlink.domain = 8;
    nvlink.bandwidth = 450e9;
    nvlink.latency = 3e-6;
    Level infiniband;
    infiniband.name = "InfiniBand NDR 400";
    infiniband.domain = 0;
    infiniband.bandwidth = 50e9;
    infiniband.latency = 6e-6;
    cluster.levels = {nvlink, infiniband};
    return cluster;
}

Scenario scenario()
{
    Scenario result;
    result.model = llama70b();
    result.cluster = h100s(8);
    result.stack.id = "megatron-core";
    result.stack.name = "Megatron-Core";
    result.layout.tp = 8;
    result.layout.pp = 4;
    result.layout.vpp = 2;
    result.layout.dp = 2;
    result.layout.globalBatch = 256;
    result.layout.schedule = ScheduleKind::Interleaved;
    result.workload.sequenceLength = 8192;
    return result;
}

PresetChoices choices()
{
    Cluster small = h100s(1);
    small.id = "one-node";
    small.name = "One node";
    Stack other;
    other.id = "other";
    other.name = "Other stack";
    return {{llama70b(), mixtral()}, {h100s(8).accelerator}, {h100s(8), small}, {scenario().stack, other}};
}

/// A panel whose owner evaluates and answers every edit at once, as the window does.
struct Owned {
    ScenarioPanel panel;
    Scenario current = scenario();
    QStringList told;
    QList<bool> merges;

    Owned()
    {
        panel.setCatalogue(choices());
        panel.setScenario(current, evaluate(current));
        QObject::connect(&panel, &ScenarioPanel::edited, &panel,
                         [this](const Scenario& next, const QString& what, bool merge) {
                             current = next;
                             told << what;
                             merges << merge;
                             panel.setScenario(current, evaluate(current));
                         });
        panel.resize(320, 900);
        panel.show();
    }

    StopSlider* slider(LayoutField field) const { return panel.layoutSection()->slider(field); }

    template <class Control> Control* control(const QString& name) const
    {
        for (Control* one : panel.findChildren<Control*>()) {
            if (one->accessibleName() == name) {
                return one;
            }
        }
        return nullptr;
    }

    QString visibleText() const
    {
        QStringList texts;
        for (const QLabel* label : panel.findChildren<QLabel*>()) {
            if (label->isVisible()) {
                texts << label->text();
            }
        }
        return texts.join(QLatin1Char('\n'));
    }
};

void type(QAbstractSpinBox* box, const QString& text)
{
    box->selectAll();
    QTest::keyClicks(box, text);
    QTest::keyClick(box, Qt::Key_Return);
}

void choose(QComboBox* combo, int index)
{
    combo->setCurrentIndex(index);
    Q_EMIT combo->activated(index);
}

} // namespace

class TestScenarioPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void labelsThatWrapAreNotCut()
    {
        Owned owned;
        owned.panel.resize(owned.panel.minimumWidth(), 900);
        QCoreApplication::processEvents();
        owned.panel.show();
        QCoreApplication::processEvents();
        int wrapping = 0;
        for (const QLabel* label : owned.panel.findChildren<QLabel*>()) {
            if (label->isVisible() && label->hasHeightForWidth()) {
                ++wrapping;
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            }
        }
        QVERIFY(wrapping > 0);
    }
    void showingAScenarioEditsNothing()
    {
        Owned owned;
        Scenario other = scenario();
        other.model = mixtral();
        other.cluster = h100s(2);
        other.layout = Layout{};
        other.layout.dp = 16;
        other.layout.globalBatch = 32;
        owned.panel.setScenario(other, evaluate(other));
        owned.panel.setScenario(scenario(), evaluate(scenario()));
        QCOMPARE(owned.told, QStringList());
    }

    void namesTheModelWithItsExactParameterCount()
    {
        const Owned owned;
        QCOMPARE(owned.control<QComboBox>(QStringLiteral("Model preset"))->currentText(),
                 QStringLiteral("Llama 3.1 70B  70,553,706,496"));
        QVERIFY(owned.visibleText().contains(QStringLiteral("80 layers · h 8192 · 64 q / 8 kv heads · ffn 28672")));
        QCOMPARE(describeModel(mixtral()),
                 QStringLiteral("32 layers · h 4096 · 32 q / 8 kv heads · 8 experts of 14336, top 2"));
    }

    void theProductBalancesWhileADegreeChanges()
    {
        Owned owned;
        QCOMPARE(owned.panel.layoutSection()->product(), QStringLiteral("tp 8 × cp 1 × pp 4 × dp 2 = 64 ✓"));
        type(owned.slider(LayoutField::Pp)->spin(), QStringLiteral("2"));
        QCOMPARE(owned.panel.layoutSection()->product(), QStringLiteral("tp 8 × cp 1 × pp 2 × dp 4 = 64 ✓"));
        QCOMPARE(owned.told, QStringList{QStringLiteral("Set pipeline parallel to 2")});
        Layout expected = scenario().layout;
        expected.pp = 2;
        expected.dp = 4;
        QCOMPARE(owned.current.layout, expected);
    }

    void everySliderStopIsLegal()
    {
        Owned owned;
        for (const LayoutField field : {LayoutField::Tp, LayoutField::Pp, LayoutField::Cp}) {
            const std::vector<std::int64_t> stops = owned.slider(field)->track()->stops();
            QVERIFY(stops.size() > 1);
            for (const std::int64_t stop : stops) {
                const Scenario moved = withLayoutField(scenario(), field, stop, LayoutField::Dp);
                QVERIFY2(checkLayout(moved).empty(), qPrintable(QString::number(stop)));
            }
        }
    }

    void anIllegalDegreeIsKeptAndExplainedInPlace()
    {
        Owned owned;
        type(owned.slider(LayoutField::Tp)->spin(), QStringLiteral("3"));
        QCOMPARE(owned.current.layout.tp, 3);
        QCOMPARE(owned.slider(LayoutField::Tp)->spin()->value(), 3);
        QVERIFY(!evaluate(owned.current).legal());
        QVERIFY(!owned.slider(LayoutField::Tp)->problems().isEmpty());
    }

    void whatElseMovesIsTold()
    {
        Owned owned;
        // 255 sequences fit dp 1 only: with dp 2 again the batch must move, and the edit says so.
        owned.current.layout.pp = 8;
        owned.current.layout.dp = 1;
        owned.current.layout.vpp = 1;
        owned.current.layout.schedule = ScheduleKind::OneFOneB;
        owned.current.layout.globalBatch = 255;
        owned.panel.setScenario(owned.current, evaluate(owned.current));
        type(owned.slider(LayoutField::Pp)->spin(), QStringLiteral("4"));
        QVERIFY(owned.current.layout.globalBatch != 255);
        QVERIFY2(owned.told.back().contains(QStringLiteral("global batch 255 → ")), qPrintable(owned.told.back()));
        QVERIFY(owned.visibleText().contains(QStringLiteral("also moved: global batch 255 → ")));
    }

    void anotherDegreeCanBeTheSolvedOne()
    {
        Owned owned;
        owned.panel.setSolved(LayoutField::Pp);
        QVERIFY(owned.slider(LayoutField::Pp)->spin()->isReadOnly());
        QVERIFY(!owned.slider(LayoutField::Dp)->spin()->isReadOnly());
        type(owned.slider(LayoutField::Dp)->spin(), QStringLiteral("4"));
        Layout expected = scenario().layout;
        expected.dp = 4;
        expected.pp = 2;
        QCOMPARE(owned.current.layout, expected);
        for (const std::int64_t stop : owned.slider(LayoutField::Dp)->track()->stops()) {
            QVERIFY(checkLayout(withLayoutField(owned.current, LayoutField::Dp, stop, LayoutField::Pp)).empty());
        }
    }

    void aDragIsOneStepOfTheHistoryAndLeavesNoTraceOfWhatItPassed()
    {
        Owned owned;
        StopTrack* track = owned.slider(LayoutField::Tp)->track();
        const auto at = [track](std::int64_t value) { return QPoint(qRound(track->xOf(value)), 9); };
        QTest::mousePress(track, Qt::LeftButton, {}, at(8));
        QTest::mouseMove(track, at(2));
        QTest::mouseMove(track, at(1));
        QTest::mouseMove(track, at(8));
        QTest::mouseRelease(track, Qt::LeftButton, {}, at(8));
        QCOMPARE(owned.merges, (QList<bool>{false, true, true}));
        QCOMPARE(owned.current.layout, scenario().layout);
        QTest::keyClick(track, Qt::Key_Left);
        QCOMPARE(owned.merges.back(), false);
    }

    void expertDegreesShowOnlyWhereThereAreExperts()
    {
        Owned owned;
        QVERIFY(!owned.slider(LayoutField::Ep)->isVisible());
        owned.current.model = mixtral();
        owned.panel.setScenario(owned.current, evaluate(owned.current));
        QVERIFY(owned.slider(LayoutField::Ep)->isVisible());
        QVERIFY(owned.slider(LayoutField::Etp)->isVisible());
    }

    void everyProblemIsShownWhereverItBelongs()
    {
        Owned owned;
        Report report;
        report.problems = {{"layout.tp", "8", "reason A", ""},
                           {"layout.tp", "8", "reason B", "try 4"},
                           {"layout.layers_per_stage", "", "reason C", ""},
                           {"model.kinds[0].mixer.kvHeads", "3", "reason D", ""},
                           {"cluster.levels[1].bandwidth", "0", "reason E", ""},
                           {"workload.sequence_length", "1", "reason F", ""},
                           {"layout.ep", "1", "reason G", ""},
                           {"somewhere.else", "", "reason H", ""},
                           {"", "", "reason I", ""}};
        owned.panel.setScenario(scenario(), report);
        for (const Problem& problem : report.problems) {
            QVERIFY2(owned.visibleText().contains(QString::fromStdString(problem.message)), problem.message.c_str());
        }
        QCOMPARE(owned.slider(LayoutField::Tp)->problems(),
                 (QStringList{QStringLiteral("reason A"), QStringLiteral("reason B (try 4)")}));
        QCOMPARE(owned.panel.workload()->sequenceLength()->problems(), QStringList{QStringLiteral("reason F")});

        for (CollapsibleSection* section : owned.panel.findChildren<CollapsibleSection*>()) {
            section->setExpanded(false);
        }
        for (const Problem& problem : report.problems) {
            QVERIFY2(owned.visibleText().contains(QString::fromStdString(problem.message)), problem.message.c_str());
        }
        owned.panel.setScenario(scenario(), Report{});
        QVERIFY(!owned.visibleText().contains(QStringLiteral("reason")));
    }

    void calledUpFieldsOpenTheirSectionAndTakeTheFocus_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("control");
        QTest::newRow("degree") << QStringLiteral("layout.pp") << QStringLiteral("Pipeline parallel");
        QTest::newRow("size inside a fold")
            << QStringLiteral("model.kinds[0].mixer.heads") << QStringLiteral("Query heads");
        QTest::newRow("level") << QStringLiteral("cluster.levels[0].domain")
                               << QStringLiteral("Network levels, innermost first");
        QTest::newRow("batch") << QStringLiteral("layout.global_batch") << QStringLiteral("Global batch, sequences");
        QTest::newRow("only the section is known") << QStringLiteral("layout.shard_group") << QStringLiteral("Layout");
    }
    void calledUpFieldsOpenTheirSectionAndTakeTheFocus()
    {
        QFETCH(QString, field);
        QFETCH(QString, control);
        Owned owned;
        for (CollapsibleSection* section : owned.panel.findChildren<CollapsibleSection*>()) {
            section->setExpanded(false);
        }
        owned.panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&owned.panel));
        owned.panel.focusField(field);
        QVERIFY(owned.panel.focusWidget());
        QCOMPARE(owned.panel.focusWidget()->accessibleName(), control);
        QVERIFY(owned.panel.focusWidget()->isVisible());
    }

    void sizesOfAUniformModelAreEditable()
    {
        Owned owned;
        type(owned.control<QSpinBox>(QStringLiteral("Layers")), QStringLiteral("40"));
        QCOMPARE(owned.current.model.layerCount(), 40);
        QCOMPARE(owned.told.back(), QStringLiteral("Set layers to 40"));
        QVERIFY(owned.control<QComboBox>(QStringLiteral("Model preset"))
                    ->currentText()
                    .endsWith(QStringLiteral("(edited)")));
        const auto* reset = owned.control<QPushButton>(QStringLiteral("Back to the preset"));
        QVERIFY(!reset->isHidden());
        owned.control<QPushButton>(QStringLiteral("Back to the preset"))->click();
        QCOMPARE(owned.current.model, llama70b());
        QVERIFY(reset->isHidden());
    }

    void sizesRoundTripThroughAModel()
    {
        for (const Model& model : {llama70b(), mixtral()}) {
            QVERIFY(uniformSizes(model).has_value());
            QCOMPARE(withSizes(model, *uniformSizes(model)), model);
        }
        Model hybrid = llama70b();
        hybrid.kinds.push_back(hybrid.kinds.front());
        hybrid.layers.back() = 1;
        QVERIFY(!uniformSizes(hybrid));
        QVERIFY(!uniformSizes(Model{}));
    }

    void presetsReplaceTheirPartOfTheScenario()
    {
        Owned owned;
        choose(owned.control<QComboBox>(QStringLiteral("Model preset")), 1);
        QCOMPARE(owned.current.model, mixtral());
        QCOMPARE(owned.current.layout, scenario().layout);
        choose(owned.control<QComboBox>(QStringLiteral("Stack")), 1);
        QCOMPARE(owned.current.stack.id, std::string("other"));
        QCOMPARE(
            owned.told,
            (QStringList{QStringLiteral("Set model to Mixtral 8x7B"), QStringLiteral("Set stack to Other stack")}));
    }

    void aTypedNameChoosesItsPreset_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::newRow("as written") << "Mixtral 8x7B";
        QTest::newRow("small letters") << "mixtral 8x7b";
        QTest::newRow("a part that only it holds") << "8x7";
    }
    void aTypedNameChoosesItsPreset()
    {
        QFETCH(QString, typed);
        Owned owned;
        auto* combo = owned.control<QComboBox>(QStringLiteral("Model preset"));
        combo->lineEdit()->selectAll();
        QTest::keyClicks(combo->lineEdit(), typed);
        QTest::keyClick(combo->lineEdit(), Qt::Key_Return);
        QCOMPARE(owned.current.model, mixtral());
    }

    void undoIsTheWindowsOnceANumberIsEntered()
    {
        Owned owned;
        auto* nodes = owned.control<QSpinBox>(QStringLiteral("Nodes"));
        const auto takesUndo = [nodes] {
            QKeyEvent event(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
            event.ignore();
            QCoreApplication::sendEvent(nodes, &event);
            return event.isAccepted();
        };
        nodes->selectAll();
        QTest::keyClicks(nodes, QStringLiteral("16"));
        QVERIFY(takesUndo()); // what is being typed
        QTest::keyClick(nodes, Qt::Key_Return);
        QVERIFY(!takesUndo());
    }

    void typedNonsenseDoesNotChangeThePreset()
    {
        Owned owned;
        auto* combo = owned.control<QComboBox>(QStringLiteral("Model preset"));
        const QString before = combo->currentText();
        combo->lineEdit()->selectAll();
        QTest::keyClicks(combo->lineEdit(), QStringLiteral("no such model"));
        QTest::keyClick(combo->lineEdit(), Qt::Key_Return);
        QCOMPARE(combo->currentText(), before);
        QVERIFY(owned.told.isEmpty());
    }

    void moreNodesAreSolvedByDataParallel()
    {
        Owned owned;
        type(owned.control<QSpinBox>(QStringLiteral("Nodes")), QStringLiteral("16"));
        QCOMPARE(owned.current.cluster.devices(), std::int64_t{128});
        Layout expected = scenario().layout;
        expected.dp = 4;
        QCOMPARE(owned.current.layout, expected);
    }

    void theNodesLevelFollowsItsDevices()
    {
        Owned owned;
        type(owned.control<QSpinBox>(QStringLiteral("Devices per node")), QStringLiteral("4"));
        QCOMPARE(owned.current.cluster.levels.front().domain, std::int64_t{4});
        QVERIFY(owned.told.back().contains(QStringLiteral("NVLink 4 too")));
    }

    void levelsAreEditedInTheirUnits()
    {
        Owned owned;
        QTableWidget* table = owned.panel.findChild<LevelsEditor*>()->table();
        QCOMPARE(table->item(1, LevelsEditor::BandwidthColumn)->text(), QStringLiteral("50"));
        table->item(1, LevelsEditor::BandwidthColumn)->setText(QStringLiteral("100"));
        table->item(0, LevelsEditor::LatencyColumn)->setText(QStringLiteral("2.5"));
        table->item(1, LevelsEditor::DomainColumn)->setText(QStringLiteral("64"));
        QCOMPARE(owned.current.cluster.levels[1].bandwidth, 100e9);
        QCOMPARE(owned.current.cluster.levels[0].latency, 2.5e-6);
        QCOMPARE(owned.current.cluster.levels[1].domain, std::int64_t{64});
    }

    void aLevelThatIsNoNumberChangesNothingAndIsExplained()
    {
        Owned owned;
        auto* editor = owned.panel.findChild<LevelsEditor*>();
        QTableWidgetItem* cell = editor->table()->item(1, LevelsEditor::BandwidthColumn);
        cell->setText(QStringLiteral("fast"));
        QVERIFY(owned.told.isEmpty());
        QCOMPARE(cell->text(), QStringLiteral("fast"));
        QVERIFY(editor->table()->accessibleDescription().contains(QStringLiteral("fast")));
        cell->setText(QStringLiteral("25"));
        QCOMPARE(owned.current.cluster.levels[1].bandwidth, 25e9);
        QVERIFY(editor->table()->accessibleDescription().isEmpty());
    }

    void choicesOfTheLayoutAreOneEditEach()
    {
        Owned owned;
        choose(owned.control<QComboBox>(QStringLiteral("Sharding")), 3);
        choose(owned.control<QComboBox>(QStringLiteral("Recompute")), 4);
        owned.control<QCheckBox>(QStringLiteral("Sequence parallel"))->click();
        choose(owned.control<QComboBox>(QStringLiteral("Schedule")), 1);
        choose(owned.control<QComboBox>(QStringLiteral("Precision")), 3);
        choose(owned.control<QComboBox>(QStringLiteral("Weights kept in")), 1);
        choose(owned.control<QComboBox>(QStringLiteral("Gradients kept in")), 2);
        choose(owned.control<QComboBox>(QStringLiteral("Trained")), 1);
        owned.control<QSpinBox>(QStringLiteral("Adapter rank"))->setValue(64);
        Scenario expected = scenario();
        expected.layout.zeroStage = 3;
        expected.layout.recompute = Recompute::Full;
        expected.layout.sequenceParallel = false;
        expected.layout.schedule = ScheduleKind::OneFOneB;
        expected.workload.precision = Precision::Fp8;
        expected.workload.weights = WeightStorage::Fp8;
        expected.workload.gradients = GradientStorage::Bf16;
        expected.workload.training = Training::Lora;
        expected.workload.adapterRank = 64;
        QVERIFY(owned.current == expected);
        QCOMPARE(owned.told.front(), QStringLiteral("Set sharding to ZeRO-3 (FSDP)"));
    }

    void batchIsToldInTokensToo()
    {
        Owned owned;
        QVERIFY(owned.visibleText().contains(QStringLiteral("2,097,152 tokens a step")));
        type(owned.panel.workload()->sequenceLength()->spin(), QStringLiteral("4096"));
        QVERIFY(owned.visibleText().contains(QStringLiteral("1,048,576 tokens a step")));
    }

    void theWheelScrollsThePanelAndChangesNothing()
    {
        Owned owned;
        for (QWidget* control : owned.panel.findChildren<QWidget*>()) {
            const QPointF middle = QRectF(control->rect()).center();
            if (control->isVisible() && !control->hasFocus() && (control->focusPolicy() & Qt::TabFocus)) {
                QWheelEvent event(middle, control->mapToGlobal(middle), {}, QPoint(0, -120), Qt::NoButton,
                                  Qt::NoModifier, Qt::NoScrollPhase, false);
                QCoreApplication::sendEvent(control, &event);
            }
        }
        QVERIFY2(owned.told.isEmpty(), qPrintable(owned.told.join(QLatin1Char(' '))));
    }

    void everyControlHasAName()
    {
        const Owned owned;
        QCOMPARE(namelessControls(owned.panel), QStringList());
    }

    void tabVisitsTheControlsFromTopToBottom()
    {
        Owned owned;
        owned.panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&owned.panel));
        owned.slider(LayoutField::Tp)->track()->setFocus();
        QStringList visited;
        for (int i = 0; i < 4; ++i) {
            visited << owned.panel.focusWidget()->accessibleName();
            QTest::keyClick(owned.panel.focusWidget(), Qt::Key_Tab);
        }
        QCOMPARE(visited,
                 (QStringList{QStringLiteral("Tensor parallel, slider"), QStringLiteral("Tensor parallel"),
                              QStringLiteral("Pipeline parallel, slider"), QStringLiteral("Pipeline parallel")}));
    }

    void nothingIsWiderThanThePanel()
    {
        Owned owned;
        for (CollapsibleSection* section : owned.panel.findChildren<CollapsibleSection*>()) {
            section->setExpanded(true);
        }
        QCoreApplication::processEvents();
        QVERIFY(owned.panel.widget()->minimumSizeHint().width() <= owned.panel.viewport()->width());
    }
};

QTEST_MAIN(TestScenarioPanel)
#include "tst_scenario_panel.moc"
