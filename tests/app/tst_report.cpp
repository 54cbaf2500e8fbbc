// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/default_scenario.h"
#include "app/report_html.h"
#include "app/report_pages.h"
#include "app/serving_text.h"
#include "core/formats/embedded_scenario.h"
#include "core/formats/scenario_file.h"
#include "core/serving/serve.h"
#include "core/training/evaluate.h"
#include "widgets/headline_strip.h"
#include "widgets/step_time_chart.h"

#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include <set>
#include <variant>

using namespace partita;
using namespace partita::ui;

class TestReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        loadFonts();
        m_catalogue = loadPresets();
        m_scenario = *defaultScenario(m_catalogue);
    }

    void whatDoesNotFitIsSaidToNot_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("fits");
        QTest::newRow("fits") << QStringLiteral("llama-3.1-70b") << true;
        QTest::newRow("does not fit") << QStringLiteral("llama-3.1-405b") << false;
    }

    /// In the headline, before the table of serving, and in every chart of it.
    void whatDoesNotFitIsSaidToNot()
    {
        QFETCH(QString, model);
        QFETCH(bool, fits);
        Scenario scenario = m_scenario;
        scenario.model = *m_catalogue.model(model.toStdString());
        scenario.cluster.nodes = 1;
        scenario.layout = Layout();
        scenario.layout.tp = 8;
        scenario.serving.batch = 16;
        const Made made(scenario, m_catalogue);
        const ReportTable& headline = std::get<ReportTable>(made.document.blocks[2]);
        const QString served = headline.table.rows.back().back();
        QCOMPARE(headline.table.rows.back().front(), QStringLiteral("Served"));
        QVERIFY2(served.contains(QStringLiteral("Out of memory")) != fits, qPrintable(served));
        const QByteArray html = reportHtml(made.document, made.explainer);
        QCOMPARE(html.contains("The figures are those it would have if it fitted."), !fits);
        int charts = 0;
        for (const ReportBlock& block : made.document.blocks) {
            const auto* chart = std::get_if<ReportChart>(&block);
            if (chart != nullptr && chart->chart->id().startsWith(QStringLiteral("serving-"))) {
                ++charts;
                const QString text = chart->chart->description();
                QVERIFY2((text.contains(QStringLiteral("Out of memory")) || text.contains(QStringLiteral("no room")))
                             != fits,
                         qPrintable(text));
            }
        }
        QCOMPARE(charts, 3);
    }

    void htmlIsOneWellFormedFileWithTheScenarioInside()
    {
        const Made made(m_scenario, m_catalogue);
        const QByteArray html = reportHtml(made.document, made.explainer);
        QCOMPARE(html, reportHtml(made.document, made.explainer));
        QCOMPARE(embeddedScenarios(html.toStdString()), std::vector{writeScenario(m_scenario, m_catalogue)});
        QVERIFY(!html.contains("src=") && !html.contains("@import") && !html.contains("<link"));
        int charts = 0;
        int formulas = 0;
        QXmlStreamReader reader(html);
        while (!reader.atEnd()) {
            if (reader.readNext() == QXmlStreamReader::StartElement) {
                charts += reader.name() == QStringLiteral("svg") ? 1 : 0;
                formulas += reader.name() == QStringLiteral("math") ? 1 : 0;
            }
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString() + QString::number(reader.lineNumber())));
        QCOMPARE(charts, 4);
        QVERIFY(formulas > 20);
    }

    void htmlIsDarkOnDarkScreensOnly()
    {
        const Made made(m_scenario, m_catalogue);
        const QByteArray html = reportHtml(made.document, made.explainer);
        const QByteArray dark = Theme::darkMode().card.name().toUtf8();
        const qsizetype rule = html.indexOf("@media screen and (prefers-color-scheme: dark)");
        QVERIFY(rule > 0);
        QVERIFY(html.indexOf(dark) > rule);
        QCOMPARE(html.count("--page: " + dark), 1);
        QVERIFY(html.contains("--page: #ffffff"));
        QVERIFY(!html.contains("/* colours */"));
    }

    void htmlHasWhatAReviewerAsksFor()
    {
        const Made made(m_scenario, m_catalogue);
        const QString html = QString::fromUtf8(reportHtml(made.document, made.explainer));
        for (const char* text : {"Peak memory", "Assumptions", "Limits", "Sources", "step_time_s", "arXiv:2205.05198",
                                 "memory.stages[0].activations", "model.hidden", "@page"}) {
            QVERIFY2(html.contains(QString::fromUtf8(text)), text);
        }
    }

    void aServedScenarioReportsItsServing()
    {
        Scenario scenario = m_scenario;
        QVERIFY(!reportHtml(Made(scenario, m_catalogue).document, Made(scenario, m_catalogue).explainer)
                     .contains("<h2>Serving</h2>"));
        scenario.serving.batch = 16;
        scenario.serving.ttftLimit = 1;
        const Made made(scenario, m_catalogue);
        const QString html = QString::fromUtf8(reportHtml(made.document, made.explainer));
        for (const char* text : {"<h2>Serving</h2>", "Time to the first token", "serving.tpot_s", "steady state"}) {
            QVERIFY2(html.contains(QString::fromUtf8(text)), text);
        }
        QCOMPARE(html.count(QStringLiteral("<svg")), 7);
    }

    void everyNumberIsWrittenOneWay_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"dense", "experts", "served"}) {
            QTest::newRow(kind) << QString::fromLatin1(kind);
        }
    }
    /// Headline, tables, chart and the window's strip say what the derivations do.
    void everyNumberIsWrittenOneWay()
    {
        QFETCH(QString, kind);
        Scenario scenario = m_scenario;
        if (kind == QStringLiteral("experts")) {
            scenario.model = *m_catalogue.model("mixtral-8x7b");
            scenario.layout.tp = 2;
            scenario.layout.ep = 4;
            scenario.layout.dp = 8;
        } else if (kind == QStringLiteral("served")) {
            scenario.serving.prompt = 3000;
            scenario.serving.batch = 17;
        }
        const Made made(scenario, m_catalogue);
        QVERIFY(made.report.legal());
        const auto text = [&](const std::string& path) {
            const Result<Derivation> derivation = made.explainer.explain(path);
            return derivation ? QString::fromStdString(derivation->valueText()) : QStringLiteral("no ") + path.c_str();
        };
        const auto plain = [](QString shown) { return shown.replace(QChar(0x00A0), u' '); };
        const QStringList headline = cells(made.document, QStringLiteral("Headline"));
        for (const char* path :
             {"memory.peak_bytes", "memory.limit_bytes", "step_time_s", "mfu.causal", "mfu.full", "hfu.causal",
              "tokens_per_s", "tokens_per_s_per_device", "bubble_fraction", "training_days", "training_cost_usd"}) {
            QVERIFY2(plain(headline.join(u'|')).contains(text(path)), path);
        }
        int parts = 0;
        for (const ReportBlock& block : made.document.blocks) {
            const auto* shown = std::get_if<ReportChart>(&block);
            const auto* chart = shown == nullptr ? nullptr : dynamic_cast<const StepTimeChart*>(shown->chart.get());
            if (chart != nullptr) {
                for (const auto& part : chart->geometry({0, 0, 640, 400}, textMetrics(Theme::paper())).parts) {
                    QCOMPARE(plain(part.time.text), text("time.parts." + std::string(keyOf(part.kind))));
                    QVERIFY(cells(made.document, QStringLiteral("Part")).contains(part.time.text));
                    ++parts;
                }
            }
        }
        QVERIFY(parts > 3);
        const QStringList stages = cells(made.document, QStringLiteral("Stage"));
        QVERIFY(plain(stages.join(u'|')).contains(text("stages[0].forward_s")));
        if (kind != QStringLiteral("served")) {
            return;
        }
        const QString table = cells(made.document, QStringLiteral("Serving")).join(u'|');
        HeadlineStrip strip;
        strip.setReport(scenario, made.report);
        strip.setServing(serve(scenario));
        const auto figure = [&](const char* key) { return strip.figure(QString::fromLatin1(key))->value(); };
        const std::string served = servingText(scenario, serve(scenario));
        for (const auto& [key, path] : {std::pair{"ttft", "serving.ttft_s"},
                                        {"tpot", "serving.tpot_s"},
                                        {"served_tokens_per_second", "serving.tokens_per_s"},
                                        {"concurrency", "serving.max_concurrency"},
                                        {"cost", "serving.cost_per_million_tokens_usd"},
                                        {"kv_room", "serving.kv.tokens"}}) {
            const QString number = text(path).section(QStringLiteral(" tokens"), 0, 0);
            QVERIFY2(figure(key).startsWith(number), qPrintable(figure(key) + u' ' + number));
            QVERIFY2(table.contains(number), path);
            QVERIFY2(QString::fromStdString(served).contains(number), path);
        }
    }

    void assumptionsAndConstantsStandOnceAndAreReferredToByNumber_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("serves");
        QTest::newRow("dense") << "llama-3.1-70b" << false;
        QTest::newRow("experts") << "qwen3-30b-a3b" << false;
        QTest::newRow("served") << "llama-3.1-70b" << true;
    }
    void assumptionsAndConstantsStandOnceAndAreReferredToByNumber()
    {
        QFETCH(QString, model);
        QFETCH(bool, serves);
        Scenario scenario = m_scenario;
        scenario.model = *m_catalogue.model(model.toStdString());
        if (!scenario.model.kinds.empty() && model.startsWith(QStringLiteral("qwen"))) {
            scenario.layout.tp = 4;
            scenario.layout.ep = 4;
            scenario.layout.dp = 4;
        }
        scenario.serving.batch = serves ? 16 : scenario.serving.batch;
        QVERIFY(evaluate(scenario).legal());
        const Made made(scenario, m_catalogue);
        const QString html = QString::fromUtf8(reportHtml(made.document, made.explainer));
        std::set<QString> ids;
        std::set<QString> texts;
        int assumptions = 0;
        int constants = 0;
        static const QRegularExpression anchor(QStringLiteral(" id=\"([^\"]+)\""));
        for (auto found = anchor.globalMatch(html); found.hasNext();) {
            QVERIFY(ids.insert(found.next().captured(1)).second);
        }
        static const QRegularExpression stated(QStringLiteral("<p id=\"A\\d+\">A\\d+\\. (.*)</p>"));
        for (auto found = stated.globalMatch(html); found.hasNext();) {
            const QString text = found.next().captured(1);
            QVERIFY2(texts.insert(text).second, qPrintable(text));
            ++assumptions;
        }
        static const QRegularExpression given(QStringLiteral("<tr id=\"C\\d+\"><td>C\\d+</td>(.*)</tr>"));
        for (auto found = given.globalMatch(html); found.hasNext();) {
            const QString row = found.next().captured(1);
            QVERIFY2(texts.insert(row).second, qPrintable(row));
            QVERIFY2(!row.contains(QStringLiteral("<td></td>")), qPrintable(row)); // name, value, and where from
            ++constants;
        }
        QVERIFY2(assumptions > 10 && constants > 20, qPrintable(QString::number(assumptions)));
        static const QRegularExpression reference(QStringLiteral("href=\"#([^\"]+)\""));
        std::set<QString> used;
        for (auto found = reference.globalMatch(html); found.hasNext();) {
            const QString id = found.next().captured(1);
            QVERIFY2(ids.count(id) == 1, qPrintable(id));
            used.insert(id);
        }
        for (const QString& id : ids) {
            QVERIFY2(!(id.startsWith(u'A') || id.startsWith(u'C')) || used.count(id) == 1, qPrintable(id));
        }
    }

    void noSectionIsEmpty()
    {
        for (const bool serves : {false, true}) {
            Scenario scenario = m_scenario;
            scenario.serving.batch = serves ? 16 : scenario.serving.batch;
            const std::vector<ReportBlock> blocks = Made(scenario, m_catalogue).document.blocks;
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                if (const auto* heading = std::get_if<ReportHeading>(&blocks[i])) {
                    QVERIFY2(i + 1 < blocks.size() && !std::holds_alternative<ReportHeading>(blocks[i + 1]),
                             qPrintable(heading->text));
                }
                const auto* list = std::get_if<ReportList>(&blocks[i]);
                const auto* table = std::get_if<ReportTable>(&blocks[i]);
                QVERIFY(list == nullptr || !list->items.isEmpty());
                QVERIFY(table == nullptr || !table->table.rows.empty());
            }
        }
    }

    void everyPageKeepsWithinItsMargins_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<bool>("letter");
        QTest::newRow("A4") << 4 << false;
        QTest::newRow("Letter") << 4 << true;
        QTest::newRow("A4, 16 stages of 5 chunks") << 16 << false;
        QTest::newRow("Letter, 40 stages") << 40 << true;
    }
    void everyPageKeepsWithinItsMargins()
    {
        QFETCH(int, stages);
        QFETCH(bool, letter);
        const Made made(piped(stages), m_catalogue);
        const QSizeF paper = letter ? QSizeF(816, 1056) : QSizeF(793.7, 1122.5);
        const double margin = 57;
        const ReportPages pages(made.document, paper - QSizeF(2 * margin, 2 * margin));
        QVERIFY(pages.count() >= 4);
        for (std::size_t i = 0; i < pages.count(); ++i) {
            QImage image(paper.toSize(), QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            painter.translate(margin, margin);
            pages.paint(painter, i);
            painter.end();
            QVERIFY2(isBlankOutside(image, margin - 4), qPrintable(QStringLiteral("page %1").arg(i)));
        }
    }

    void paperUnfoldsAsFarAsTheScreen()
    {
        const Made made(m_scenario, m_catalogue);
        const QByteArray html = reportHtml(made.document, made.explainer);
        int deepest = 0;
        QStringList formulas;
        for (const ReportBlock& block : made.document.blocks) {
            if (const auto* derivation = std::get_if<ReportDerivation>(&block)) {
                for (const ReportTerm& term : derivation->terms) {
                    deepest = std::max(deepest, term.level);
                    formulas += term.formula.isEmpty() ? QStringList() : QStringList(term.text);
                }
            }
        }
        QCOMPARE(deepest, unfoldedLevels - 1);
        QVERIFY(formulas.size() > 100);
        QCOMPARE(formulas.removeDuplicates(), qsizetype{0}); // each value once
        QVERIFY(html.contains("<a href=\"https://arxiv.org/abs/2205.05198\">"));
        QVERIFY(reportPdf(made.document, false).contains("/URI (https://arxiv.org/abs/2205.05198)"));
    }

    void linksEndWhereTheAddressDoes()
    {
        const auto links = linksIn(QStringLiteral("A (https://a.org/b?c=1), arXiv:2104.04473; see https://d.e/f."));
        QCOMPARE(links.size(), std::size_t{3});
        QCOMPARE(links[0].url, QStringLiteral("https://a.org/b?c=1"));
        QCOMPARE(links[1].url, QStringLiteral("https://arxiv.org/abs/2104.04473"));
        QCOMPARE(links[2].url, QStringLiteral("https://d.e/f"));
    }

    void everyStageIsInThePdf()
    {
        const QString program = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
        if (program.isEmpty()) {
            QSKIP("pdftotext is not installed");
        }
        const Made made(piped(40), m_catalogue);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("report.pdf"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QByteArray pdf = reportPdf(made.document, false);
        file.write(pdf);
        file.close();
        QCOMPARE(embeddedScenarios(pdf.toStdString()), std::vector{writeScenario(made.scenario, m_catalogue)});
        QProcess process;
        process.start(program, {QStringLiteral("-layout"), path, QStringLiteral("-")});
        QVERIFY(process.waitForFinished());
        const QString text = QString::fromUtf8(process.readAllStandardOutput());
        QVERIFY(text.contains(QStringLiteral("Memory per stage")));
        for (const StageReport& stage : made.report.stages) {
            QVERIFY(stage.layers > 0);
        }
        static const QRegularExpression lastStage(QStringLiteral("\\n *39 +[0-9.]"));
        QVERIFY(lastStage.match(text).hasMatch());
        QVERIFY(text.count(QStringLiteral("working")) >= 2); // a table that goes on repeats its header
    }

private:
    struct Made {
        Made(const Scenario& of, const Catalogue& catalogue)
            : scenario(of)
            , report(evaluate(of))
            , explainer(of, report, {}, reportScope(of))
            , document(reportDocument(of, report, catalogue, explainer))
        {
        }
        Scenario scenario;
        Report report;
        Explainer explainer;
        ReportDocument document;
    };

    Scenario piped(int stages) const
    {
        Scenario scenario = m_scenario;
        scenario.layout.tp = 1;
        scenario.layout.pp = stages;
        scenario.cluster = makeCluster(scenario.cluster.accelerator, stages * 8 / 8, 8, m_catalogue);
        scenario.layout.dp = 8;
        scenario.layout.globalBatch = 8 * stages;
        return scenario;
    }

    static bool isBlankOutside(const QImage& image, double margin)
    {
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const bool inside =
                    x >= margin && y >= margin && x < image.width() - margin && y < image.height() - margin;
                if (!inside && image.pixel(x, y) != qRgb(255, 255, 255)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Of the tables whose first column has the name.
    static QStringList cells(const ReportDocument& document, const QString& name)
    {
        QStringList all;
        for (const ReportBlock& block : document.blocks) {
            const auto* table = std::get_if<ReportTable>(&block);
            if (table != nullptr && table->table.header.front() == name) {
                for (const QStringList& row : table->table.rows) {
                    all += row;
                }
            }
        }
        return all;
    }

    Catalogue m_catalogue;
    Scenario m_scenario;
};

QTEST_MAIN(TestReport)
#include "tst_report.moc"
