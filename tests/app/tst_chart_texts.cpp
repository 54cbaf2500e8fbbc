// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_file.h"
#include "app/comparison_charts.h"
#include "app/default_scenario.h"
#include "app/preset_folders.h"
#include "app/serving_data.h"
#include "app/study_charts.h"
#include "core/formats/scenario_file.h"
#include "core/training/evaluate.h"
#include "widgets/compare_chart.h"

#include <QFontMetricsF>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTransform>
#include <QXmlStreamReader>
#include <QtTest>

#include <algorithm>
#include <map>

using namespace partita;
using namespace partita::ui;

namespace {

/// Layouts and models as different as charts meet them: few devices and many, long names, many stages, deep
/// pipelines, experts, long contexts; some fit, some do not.
const QStringList scenarios{
    QStringLiteral(R"({"name": "Llama 3.1 70B on 64 H100", "model": "llama-3.1-70b", "cluster": "hgx-h100",
        "layout": {"tp": 8, "pp": 4, "dp": 2, "zero_stage": 1, "global_batch": 64, "schedule": "1f1b"},
        "workload": {"sequence_length": 8192}, "stack": "megatron-core"})"),
    QStringLiteral(R"({"name": "DeepSeek-V3 on 2,048 H800", "model": "deepseek-v3", "cluster": "h800-2048",
        "layout": {"pp": 16, "dp": 128, "ep": 64, "zero_stage": 1, "global_batch": 15360, "schedule": "dualpipe",
                   "recompute": "selective"},
        "workload": {"sequence_length": 4096}, "stack": "megatron-core"})"),
    QStringLiteral(R"({"name": "Llama 3.1 405B, long context", "model": "llama-3.1-405b", "cluster": "llama3-h100",
        "layout": {"tp": 8, "pp": 16, "cp": 16, "dp": 8, "vpp": 4, "zero_stage": 1, "global_batch": 128,
                   "schedule": "interleaved"},
        "workload": {"sequence_length": 131072}, "stack": "megatron-core"})"),
    QStringLiteral(R"({"name": "Llama 3.1 70B, served", "model": "llama-3.1-70b", "cluster": "hgx-h100",
        "layout": {"tp": 8, "dp": 8, "global_batch": 64},
        "workload": {"sequence_length": 8192}, "serving": {"batch": 32}, "stack": "megatron-core"})"),
    QStringLiteral(R"({"name": "8x7B", "model": "mixtral-8x7b", "cluster": "hgx-a100",
        "layout": {"tp": 2, "pp": 4, "dp": 8, "ep": 4, "zero_stage": 1, "global_batch": 256, "schedule": "1f1b"},
        "workload": {"sequence_length": 32768}, "stack": "torchtitan"})"),
};

struct PlacedText {
    QString text;
    QRectF ink;
};

QTransform transformOf(QStringView text)
{
    static const QRegularExpression pattern(QStringLiteral("matrix\\(([^)]*)\\)"));
    const auto match = pattern.match(text.toString());
    if (!match.hasMatch()) {
        return {};
    }
    const QStringList n = match.captured(1).split(u',');
    return {n[0].toDouble(), n[1].toDouble(), n[2].toDouble(), n[3].toDouble(), n[4].toDouble(), n[5].toDouble()};
}

/// Every text of a picture and where its glyphs lie, in units of the view box.
std::vector<PlacedText> textsOf(const QByteArray& svg)
{
    std::vector<PlacedText> texts;
    std::vector<QTransform> stack{QTransform()};
    QXmlStreamReader reader(svg);
    QFont font;
    QPointF at;
    bool inText = false;
    while (!reader.atEnd()) {
        const auto token = reader.readNext();
        if (token == QXmlStreamReader::StartElement) {
            const auto attributes = reader.attributes();
            stack.push_back(transformOf(attributes.value(QStringLiteral("transform"))) * stack.back());
            inText = reader.name() == QStringLiteral("text");
            if (inText) {
                font = Theme::paper().font;
                font.setPixelSize(qRound(attributes.value(QStringLiteral("font-size")).toDouble()));
                font.setHintingPreference(QFont::PreferNoHinting);
                font.setBold(attributes.value(QStringLiteral("font-weight")).toInt() >= 600);
                at = {attributes.value(QStringLiteral("x")).toDouble(),
                      attributes.value(QStringLiteral("y")).toDouble()};
            }
        } else if (token == QXmlStreamReader::EndElement) {
            stack.pop_back();
            inText = false;
        } else if (token == QXmlStreamReader::Characters && inText && !reader.isWhitespace()) {
            const QString text = reader.text().toString();
            const QRectF ink = QFontMetricsF(font).tightBoundingRect(text).translated(at);
            texts.push_back({text, stack.back().mapRect(ink)});
        }
    }
    return reader.hasError() ? std::vector<PlacedText>{} : texts;
}

/// What is wrong with the texts of a picture.
QStringList flawsIn(const QByteArray& svg, const QSizeF& size)
{
    const std::vector<PlacedText> texts = textsOf(svg);
    const QRectF box = QRectF(QPointF(0, 0), size).adjusted(-1, -1, 1, 1);
    QStringList flaws;
    if (texts.empty()) {
        flaws << QStringLiteral("no text");
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].text.contains(QChar(0x2026))) {
            flaws << QStringLiteral("cut: %1").arg(texts[i].text);
        }
        if (!box.contains(texts[i].ink)) {
            flaws << QStringLiteral("outside: %1").arg(texts[i].text);
        }
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
            const QRectF both = texts[i].ink & texts[j].ink;
            if (both.width() > 1 && both.height() > 1) {
                flaws << QStringLiteral("overlap: %1 / %2").arg(texts[i].text, texts[j].text);
            }
        }
    }
    return flaws;
}

} // namespace

class TestChartTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        loadFonts();
        m_catalogue = loadPresets();
        for (const QString& text : scenarios) {
            QJsonObject file = QJsonDocument::fromJson(text.toUtf8()).object();
            file.insert(QStringLiteral("$schema"), QStringLiteral("partita-scenario"));
            file.insert(QStringLiteral("version"), 1);
            const auto scenario = readScenario(QJsonDocument(file).toJson().toStdString(), m_catalogue);
            QVERIFY2(scenario, qPrintable(text));
            m_evaluated.emplace_back(*scenario, std::make_shared<const Report>(evaluate(*scenario)));
            QVERIFY2(m_evaluated.back().second->legal(), qPrintable(text));
        }
    }

    void textsAreWholeApartAndInside_data()
    {
        QTest::addColumn<int>("scenario");
        QTest::addColumn<int>("format");
        for (int i = 0; i < scenarios.size(); ++i) {
            for (const Name<PageFormat>& format : Names<PageFormat>::table) {
                QTest::addRow("%s, %s", m_evaluated[static_cast<std::size_t>(i)].first.name.c_str(),
                              std::string(format.key).c_str())
                    << i << static_cast<int>(format.value);
            }
        }
    }
    void textsAreWholeApartAndInside()
    {
        QFETCH(int, scenario);
        QFETCH(int, format);
        const auto at = static_cast<std::size_t>(scenario);
        const ChartPage page = pageOf(m_evaluated[at].first, m_catalogue, static_cast<PageFormat>(format));
        QStringList flaws;
        for (const auto& chart : chartsOfScenario(at)) {
            for (const QString& flaw : flawsIn(toSvg(*chart, page), pageSize(*chart, page))) {
                flaws << QStringLiteral("%1: %2").arg(chart->id(), flaw);
            }
        }
        QVERIFY2(flaws.isEmpty(), qPrintable(QStringLiteral("\n") + flaws.join(QLatin1Char('\n'))));
    }

private:
    using Charts = std::vector<std::shared_ptr<const Chart>>;

    /// Made once: searches and sweeps take their time.
    const Charts& chartsOfScenario(std::size_t at)
    {
        Charts& charts = m_charts[at];
        if (!charts.empty()) {
            return charts;
        }
        const auto& [scenario, report] = m_evaluated[at];
        for (auto& chart : ui::chartsOf(scenario, *report)) {
            charts.push_back(std::move(chart));
        }
        const std::shared_ptr<const ServingData> served = servingData(scenario);
        if (served->report.legal()) {
            for (auto& chart : servingChartsOf(served)) {
                charts.push_back(std::move(chart));
            }
        }
        auto compared = m_evaluated;
        std::rotate(compared.begin(), compared.begin() + static_cast<std::ptrdiff_t>(at), compared.end());
        compared.resize(CompareChart::mostPinned);
        for (auto& chart : comparisonCharts(comparedLayouts(compared))) {
            charts.push_back(std::move(chart));
        }
        for (const std::string& id : studyChartIds()) {
            if (auto chart = studyChart(id, scenario, *report, m_catalogue, {})) {
                charts.push_back(*std::move(chart));
            }
        }
        return charts;
    }

    Catalogue m_catalogue;
    std::vector<std::pair<Scenario, std::shared_ptr<const Report>>> m_evaluated;
    std::map<std::size_t, Charts> m_charts;
};

QTEST_MAIN(TestChartTexts)
#include "tst_chart_texts.moc"
