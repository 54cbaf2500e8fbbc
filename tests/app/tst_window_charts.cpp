// SPDX-License-Identifier: GPL-3.0-or-later
// What of the window's charts leaves it: exported, copied, presented, reopened; and the keys that do it.
#include "app/chart_board.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/export_dialog.h"
#include "app/main_window.h"
#include "app/notice_bar.h"
#include "app/presenter.h"
#include "app/report_document.h"
#include "app/report_html.h"
#include "app/study_cards.h"
#include "app/study_export.h"
#include "app/write_file.h"
#include "core/explain/explainer.h"
#include "core/formats/embedded_scenario.h"
#include "core/formats/scenario_file.h"
#include "core/training/evaluate.h"
#include "tests/app/open_window.h"
#include "widgets/memory_chart.h"
#include "widgets/pipeline_view.h"
#include "widgets/stop_slider.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>

#include <algorithm>

using namespace partita;
using namespace partita::ui;

namespace {

/// A field of a desktop whose habits claim every key.
class GreedyField final : public QLineEdit {
public:
    using QLineEdit::QLineEdit;

protected:
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::ShortcutOverride) {
            event->accept();
            return true;
        }
        return QLineEdit::event(event);
    }
};

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestWindowCharts : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { load(); }

    void init() { showNewWindow(); }

    void cleanup() { m_window.reset(); }

    void chartsOfAnotherScenarioAreNeitherExportedNorCopied()
    {
        settle();
        m_window->charts().scaling().setAxis(ScalingAxis::NetworkBandwidth); // takes no time
        openAndWait(m_window->charts().scaling());
        openAndWait(m_window->charts().sensitivity());
        QVERIFY(offered("scaling") && offered("sensitivity"));
        m_window->charts().scaling().dock()->close();
        m_window->charts().sensitivity().dock()->close();
        edit([](Layout& layout) { layout = otherLayout(layout); });
        settle();
        for (const char* stale : {"scaling", "sensitivity", "search"}) {
            QVERIFY2(!offered(stale), stale);
        }
        QApplication::clipboard()->clear();
        Q_EMIT m_window->charts().sensitivity().dock()->copyRequested();
        const QMimeData* copied = QApplication::clipboard()->mimeData();
        QVERIFY(copied == nullptr || copied->formats().isEmpty());
        QVERIFY(!m_window->notices().text().isEmpty());

        const QString folder = exportAll();
        QVERIFY(!QFile::exists(folder + QStringLiteral("/sensitivity.csv")));
        QVERIFY(!QFile::exists(folder + QStringLiteral("/search.csv")));
        QVERIFY(QFile::exists(folder + QStringLiteral("/step-time.csv")));

        openAndWait(m_window->charts().scaling());
        QVERIFY(offered("scaling"));
        const QByteArray table = contents(exportAll() + QStringLiteral("/scaling.csv"));
        QVERIFY2(table.contains("tp 8 · pp 8 · dp 1"), table.constData());
    }

    void everyExportedFileHoldsTheScenarioItShows_data()
    {
        QTest::addColumn<bool>("legal");
        QTest::newRow("the current one") << true;
        QTest::newRow("the last legal one, which the charts show") << false;
    }
    void everyExportedFileHoldsTheScenarioItShows()
    {
        QFETCH(bool, legal);
        edit([](Layout& layout) { layout = otherLayout(layout); });
        const Scenario shown = m_window->workspace().scenario();
        if (!legal) {
            edit([](Layout& layout) { layout.tp = 7; });
            QVERIFY(!m_window->workspace().report().legal());
        }
        settle();
        QCOMPARE(offered("heatmap"), legal);
        const QString folder = exportAll();
        const QStringList files = QDir(folder).entryList({QStringLiteral("*.svg"), QStringLiteral("*.png")});
        QVERIFY(files.size() >= 6);
        for (const QString& file : files) {
            const QByteArray bytes = contents(folder + u'/' + file);
            const Result<Scenario> held = readScenario(bytes.toStdString(), m_catalogue);
            QVERIFY2(held, qPrintable(file));
            QVERIFY2(held->layout == shown.layout, qPrintable(file));
        }
    }

    void theComparisonIsExportedWhole()
    {
        m_window->charts().compare().pinCurrent();
        edit([](Layout& layout) { layout = otherLayout(layout); });
        m_window->charts().compare().pinCurrent();
        edit([](Layout& layout) { layout.microBatch = 2; });
        settle();
        const QString folder = exportAll();
        for (const char* name :
             {"compare-step-time-ab", "compare-memory-ab", "compare-mfu-ab", "compare-pipelines-ab",
              "compare-step-time-ac", "compare-memory-ac", "compare-mfu-ac", "compare-pipelines-ac"}) {
            for (const char* suffix : {".svg", ".csv"}) {
                const QString path = folder + u'/' + QLatin1String(name) + QLatin1String(suffix);
                QVERIFY2(!contents(path).isEmpty(), qPrintable(path));
            }
        }
    }

    void anExportedFileIsDroppedAndGoesOn_data()
    {
        QTest::addColumn<QString>("suffix");
        for (const char* suffix : {"svg", "png", "pdf", "csv", "html"}) {
            QTest::newRow(suffix) << QString::fromLatin1(suffix);
        }
    }
    void anExportedFileIsDroppedAndGoesOn()
    {
        QFETCH(QString, suffix);
        Scenario other = m_window->workspace().scenario();
        other.layout = otherLayout(other.layout);
        const Report report = evaluate(other);
        const auto page = pageOf(other, m_catalogue);
        const auto format = fromKey<ChartFormat>(suffix.toStdString());
        const Explainer explainer(other, report, {}, reportScope(other));
        const QByteArray bytes = format
            ? chartBytes(MemoryChart(report), *format, page)
            : reportHtml(reportDocument(other, report, m_catalogue, explainer, {}), explainer);
        const QString path = m_folder->filePath(QStringLiteral("dropped.") + suffix);
        QVERIFY(writeFile(path, bytes).isEmpty());
        drop(path);
        QVERIFY2(m_window->workspace().scenario() == other, qPrintable(m_window->notices().text()));
        QVERIFY(m_window->document().path().isEmpty()); // saving asks
    }

    void aTableWithoutItsScenarioSaysSo()
    {
        const Scenario before = m_window->workspace().scenario();
        const QString path = m_folder->filePath(QStringLiteral("numbers.csv"));
        QVERIFY(writeFile(path, "a,b\r\n1,2\r\n").isEmpty());
        drop(path);
        QCOMPARE(m_window->workspace().scenario(), before);
        QVERIFY2(m_window->notices().text().contains(QStringLiteral("no scenario")),
                 qPrintable(m_window->notices().text()));
    }

    void anExportedComparisonComesBackWithItsPins_data()
    {
        QTest::addColumn<int>("pins");
        QTest::addColumn<QString>("suffix");
        for (const char* suffix : {"svg", "png", "pdf", "csv"}) {
            QTest::addRow("two, %s", suffix) << 2 << QString::fromLatin1(suffix);
        }
        QTest::newRow("four and the one beside them") << 4 << QStringLiteral("svg");
    }
    void anExportedComparisonComesBackWithItsPins()
    {
        QFETCH(int, pins);
        QFETCH(QString, suffix);
        CompareCard& card = m_window->charts().compare();
        for (int i = 0; i < pins; ++i) {
            edit([i](Layout& layout) { layout.microBatch = 1 << i; });
            card.pinCurrent();
        }
        if (pins == 4) {
            edit([](Layout& layout) {
                layout.vpp = 2;
                layout.schedule = ScheduleKind::Interleaved;
            });
        }
        settle();
        std::vector<Scenario> shown;
        for (const ComparedLayout& layout : card.shown()) {
            shown.push_back(layout.scenario);
        }
        QCOMPARE(shown.size(), static_cast<std::size_t>(pins == 4 ? 5 : 2));
        const Scenario worked = pins == 4 ? m_window->workspace().scenario() : shown.front();
        const QString folder = exportAll({*fromKey<ChartFormat>(suffix.toStdString())});
        const QByteArray file = contents(folder + QStringLiteral("/compare-mfu-ab.") + suffix);
        const QByteArray ofOne = contents(folder + QStringLiteral("/memory.") + suffix);
        m_window.reset();
        showNewWindow();
        const QString path = m_folder->filePath(QStringLiteral("chart.") + suffix);
        QVERIFY(writeFile(path, file).isEmpty());
        drop(path);
        CompareCard& again = m_window->charts().compare();
        QVERIFY2(again.pinned().size() == static_cast<std::size_t>(pins), qPrintable(m_window->notices().text()));
        std::vector<Scenario> restored;
        for (const ComparedLayout& layout : again.shown()) {
            restored.push_back(layout.scenario);
        }
        QVERIFY(restored == shown);
        QVERIFY(m_window->workspace().scenario() == worked);
        QVERIFY(again.dock()->isVisible());
        QVERIFY(writeFile(path, ofOne).isEmpty());
        drop(path); // of one scenario: pins stay
        QCOMPARE(again.pinned().size(), static_cast<std::size_t>(pins));
    }

    void slidesWithNothingToShowAreLeftOut()
    {
        settle();
        openAndWait(m_window->charts().sensitivity());
        m_window->charts().sensitivity().dock()->close();
        edit([](Layout& layout) { layout = otherLayout(layout); });
        settle();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000);
        Presenter& presenter = m_window->presenter();
        presenter.present(QStringLiteral("memory"));
        QStringList seen{presenter.current()};
        for (std::size_t i = 0; i < m_window->board().docks().size(); ++i) {
            QTest::keyClick(&presenter, Qt::Key_PageDown);
            if (seen.back() != presenter.current()) {
                seen << presenter.current();
            }
        }
        seen.removeAll(QStringLiteral("advice")); // a slide once it has been worked out
        QCOMPARE(seen,
                 QStringList({QStringLiteral("memory"), QStringLiteral("step-time"), QStringLiteral("gantt"),
                              QStringLiteral("heatmap"), QStringLiteral("published-runs")}));
        presenter.close();
        presenter.present(QStringLiteral("search")); // nothing found: the next that has something
        QVERIFY(presenter.current() != QStringLiteral("search"));
        presenter.close();
    }

    void leavingThePresenterGivesThePipelineBack()
    {
        PipelineView& pipeline = m_window->charts().pipeline();
        Presenter& presenter = m_window->presenter();
        presenter.present(QStringLiteral("gantt"));
        QTest::keyClick(&presenter, Qt::Key_Right);
        QTest::keyClick(&presenter, Qt::Key_S);
        QVERIFY(pipeline.playhead() && presenter.hasSpotlight());
        QTest::keyClick(&presenter, Qt::Key_Escape);
        QVERIFY(!pipeline.playhead());
        presenter.present(QStringLiteral("gantt"));
        QVERIFY(!presenter.hasSpotlight());
        presenter.close();
    }

    void captionsStayOnTheScreenAndOutOfTheShade()
    {
        Presenter& presenter = m_window->presenter();
        presenter.present(QStringLiteral("gantt"));
        presenter.resize(1280, 720);
        presenter.setCaption(
            QString(QStringLiteral("Which of these stages waits longest, and for whom? ")).repeated(6));
        const auto* gantt = dynamic_cast<const GanttChart*>(m_window->charts().pipeline().chart());
        QVERIFY(gantt != nullptr);
        int most = 0;
        for (int y = 100; y < 500; y += 20) {
            for (int x = 100; x < 1200; x += 20) {
                QMouseEvent move(QEvent::MouseMove, QPointF(x, y), presenter.mapToGlobal(QPointF(x, y)), Qt::NoButton,
                                 Qt::NoButton, Qt::NoModifier);
                QApplication::sendEvent(&presenter, &move);
                most = std::max(most, static_cast<int>(presenter.caption().count(u'\n')));
                const QRectF bounds = presenter.captionBounds();
                QVERIFY2(QRectF(presenter.rect()).contains(bounds), qPrintable(presenter.caption()));
            }
        }
        QVERIFY2(most >= 3, qPrintable(QString::number(most))); // the longest hovers were among them
        QTest::keyClick(&presenter, Qt::Key_S);
        const QImage shaded = presenter.grab().toImage();
        const QRect caption = presenter.captionBounds().toRect();
        QCOMPARE(shaded.pixelColor(5, caption.center().y()), Theme::fromPalette(presenter.palette()).card);
        QVERIFY(shaded.pixelColor(5, 5) != Theme::fromPalette(presenter.palette()).card);
        presenter.close();
    }

    void fewLanesFillTheScreen()
    {
        const auto* gantt = dynamic_cast<const GanttChart*>(m_window->charts().pipeline().chart());
        QVERIFY(gantt != nullptr && gantt->extent().lanes == 4);
        Theme large = Theme::light();
        large.scale = Presenter::leastScale;
        const QRectF screen(0, 0, 1850, 850);
        const GanttGeometry g = gantt->geometry(screen, textMetrics(large));
        QVERIFY(g.lanes.height() > 0.7 * screen.height());
    }

    void everyShortcutWorksWhileAFieldHasTheFocus_data()
    {
        QTest::addColumn<QKeySequence>("key");
        for (const QKeySequence& key :
             {QKeySequence(Qt::CTRL | Qt::Key_E), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E),
              QKeySequence(QKeySequence::Open), QKeySequence(QKeySequence::Save), QKeySequence(QKeySequence::Print),
              QKeySequence(Qt::CTRL | Qt::Key_D), QKeySequence(Qt::CTRL | Qt::Key_I),
              QKeySequence(Qt::CTRL | Qt::Key_L), QKeySequence(Qt::CTRL | Qt::Key_M),
              QKeySequence(Qt::CTRL | Qt::Key_T), QKeySequence(Qt::CTRL | Qt::Key_Q),
              QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
              QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_F8), QKeySequence(Qt::Key_F11)}) {
            QTest::newRow(qPrintable(key.toString())) << key;
        }
    }
    void everyShortcutWorksWhileAFieldHasTheFocus()
    {
        QFETCH(QKeySequence, key);
        const QList<QAction*> actions = m_window->findChildren<QAction*>();
        QVERIFY2(std::any_of(actions.begin(), actions.end(),
                             [&](const QAction* action) { return action->shortcuts().contains(key); }),
                 "no menu names the key");
        GreedyField greedy(m_window.get());
        std::vector<QWidget*> fields{&greedy};
        for (auto* box : m_window->findChildren<QSpinBox*>()) {
            fields.push_back(box);
            fields.push_back(box->findChild<QLineEdit*>());
        }
        QVERIFY(fields.size() > 3);
        for (QWidget* field : fields) {
            QVERIFY(!claims(*field, key[0]));
        }
    }

    void whatFieldsNeedStaysTheirs_data()
    {
        QTest::addColumn<QKeySequence>("key");
        for (const QKeySequence& key :
             {QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_5), QKeySequence(Qt::Key_Left),
              QKeySequence(QKeySequence::Undo), QKeySequence(QKeySequence::Copy), QKeySequence(QKeySequence::Paste)}) {
            QTest::newRow(qPrintable(key.toString())) << key;
        }
    }
    void whatFieldsNeedStaysTheirs()
    {
        QFETCH(QKeySequence, key);
        GreedyField greedy(m_window.get());
        QVERIFY(claims(greedy, key[0]));
    }

    void exportIsAskedForFromANumberField()
    {
        auto* field = m_window->findChildren<QSpinBox*>().front();
        QApplication::setActiveWindow(m_window.get());
        field->setFocus();
        bool asked = false;
        QTimer answer;
        answer.setInterval(10);
        connect(&answer, &QTimer::timeout, this, [&] {
            if (auto* dialog = qobject_cast<ExportDialog*>(QApplication::activeModalWidget())) {
                asked = true;
                dialog->reject();
            }
        });
        answer.start();
        QTest::keyClick(field, Qt::Key_E, Qt::ControlModifier);
        QVERIFY(asked);
    }

    void studiesThatNobodyOpenedAreWorkedOutToBeExported()
    {
        const std::vector<ExportOffer> offers = m_window->exportOffers();
        for (const QString& id : studies) {
            const auto offer =
                std::find_if(offers.begin(), offers.end(), [&](const auto& each) { return each.id == id; });
            QVERIFY2(offer != offers.end() && !offer->ready && offer->isStudy, qPrintable(id));
        }
        ExportDialog dialog(offers);
        QVERIFY(!dialog.choice().charts.contains(studies.front())); // takes time: only where it is asked for
        for (QCheckBox* box : dialog.findChildren<QCheckBox*>()) {
            if (box->text().contains(QStringLiteral("worked out first"))) {
                QVERIFY(box->isEnabled());
                box->setChecked(true);
            }
        }
        ExportChoice choice = dialog.choice();
        for (const QString& id : studies) {
            QVERIFY2(choice.charts.contains(id), qPrintable(id));
        }
        choice.charts = studies;
        choice.formats = {ChartFormat::Csv};
        const QString folder = m_folder->filePath(QStringLiteral("studies"));
        QDir().mkpath(folder);
        m_window->writeCharts(choice, folder);
        QVERIFY(m_window->notices().text().contains(QStringLiteral("Working out")));
        QVERIFY(QDir(folder).isEmpty()); // nobody waits for them
        QTRY_VERIFY_WITH_TIMEOUT(m_window->notices().text().contains(QStringLiteral("were exported")), 120000);
        QCOMPARE(QDir(folder).entryList(QDir::Files).size(), studies.size());
        QVERIFY(!m_window->findChild<StudyExport*>()->running());
    }

    void studiesThatAreWorkedOutCanBeStopped()
    {
        ExportChoice choice;
        choice.charts = studies;
        choice.formats = {ChartFormat::Csv};
        const QString folder = m_folder->filePath(QStringLiteral("stopped"));
        QDir().mkpath(folder);
        m_window->writeCharts(choice, folder);
        QVERIFY(m_window->findChild<StudyExport*>()->running());
        QPushButton* stop = nullptr;
        for (QPushButton* button : m_window->notices().findChildren<QPushButton*>()) {
            stop = button->text() == QStringLiteral("Stop") ? button : stop;
        }
        QVERIFY(stop != nullptr);
        QTest::mouseClick(stop, Qt::LeftButton);
        QVERIFY(!m_window->findChild<StudyExport*>()->running());
        QVERIFY(m_window->notices().text().contains(QStringLiteral("stopped")));
        m_window->writeCharts(choice, folder); // as if nothing had been
        QTRY_VERIFY_WITH_TIMEOUT(m_window->notices().text().contains(QStringLiteral("were exported")), 120000);
        QCOMPARE(QDir(folder).entryList(QDir::Files).size(), studies.size());
    }

private:
    static Layout otherLayout(Layout layout)
    {
        layout.tp = 8;
        layout.pp = 8;
        layout.dp = 1;
        return layout;
    }

    static bool claims(QWidget& field, QKeyCombination key)
    {
        const bool prints = key.key() < 0x80 && (key.keyboardModifiers() & ~Qt::ShiftModifier) == 0;
        QKeyEvent event(QEvent::ShortcutOverride, key.key(), key.keyboardModifiers(),
                        prints ? QString(QChar(key.key())) : QString());
        event.setAccepted(false);
        QApplication::sendEvent(&field, &event);
        return event.isAccepted();
    }

    void drop(const QString& path)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &event);
    }

    template <class Change> void edit(Change change)
    {
        Scenario scenario = m_window->workspace().scenario();
        change(scenario.layout);
        m_window->workspace().edit(scenario, QStringLiteral("edit"));
    }

    void settle()
    {
        QCoreApplication::processEvents();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->planeSweep().running(), 60000);
        QCoreApplication::processEvents();
    }

    template <class Card> void openAndWait(Card& card)
    {
        card.dock()->show();
        card.dock()->raise();
        QTRY_VERIFY_WITH_TIMEOUT(card.isUpToDate(), 60000);
    }

    bool offered(const char* id) const
    {
        const std::vector<ExportOffer> offers = m_window->exportOffers();
        return std::any_of(offers.begin(), offers.end(),
                           [id](const ExportOffer& offer) { return offer.id == QLatin1String(id) && offer.ready; });
    }

    /// Into a folder of its own, as SVG, PNG and CSV.
    QString exportAll(const std::vector<ChartFormat>& formats = {ChartFormat::Svg, ChartFormat::Png, ChartFormat::Csv})
    {
        ExportDialog dialog(m_window->exportOffers());
        ExportChoice choice = dialog.choice();
        choice.formats = formats;
        const QString folder = m_folder->filePath(QStringLiteral("export%1").arg(++m_exports));
        QDir().mkpath(folder);
        m_window->writeCharts(choice, folder);
        return folder;
    }

    const QStringList studies{QStringLiteral("scaling"), QStringLiteral("sensitivity"), QStringLiteral("placement")};
    int m_exports = 0;
};

QTEST_MAIN(TestWindowCharts)
#include "tst_window_charts.moc"
