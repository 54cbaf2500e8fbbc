// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/report_json.h"

#include "core/formats/files.h"
#include "core/formats/json_text.h"

#include <QtTest>

#include <cmath>
#include <fstream>

using namespace partita;

namespace {

Report example()
{
    Report report;
    report.fits = true;
    report.stages.resize(2);
    for (std::size_t i = 0; i < Names<MemoryKind>::table.size(); ++i) {
        report.stages[0].memory.bytes[i] = 1e9 * static_cast<double>(i + 1);
        report.stages[1].memory.bytes[i] = 0.5 + static_cast<double>(i);
    }
    for (std::size_t i = 0; i < Names<TimeKind>::table.size(); ++i) {
        report.time.seconds[i] = 0.1 * static_cast<double>(i + 1);
    }
    report.stepTime = report.time.total();
    report.memoryLimit = 80e9;
    report.tokensPerSecond = 1e5;
    report.tokensPerSecondPerDevice = 1562.5;
    report.mfu = {0.5, 0.45, 0.4};
    report.hfu = {0.6, 0.55, 0.5};
    report.bubbleFraction = 0.125;
    report.parameters.embedding = 10;
    report.parameters.layers.mixer = 32;
    report.parameters.active = 40;
    report.warnings = {"TP leaves the node"};
    return report;
}

nlohmann::json parsed(const std::string& text)
{
    return *parseJson(text);
}

} // namespace

class TestReportJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsWhatScriptsReadFromIt()
    {
        const nlohmann::json json = parsed(writeReport(example()));
        QCOMPARE(json.at("fits").get<bool>(), true);
        QCOMPARE(json.at("step_time_s").get<double>(), example().stepTime);
        QCOMPARE(json.at("tokens_per_s").get<double>(), 1e5);
        QCOMPARE(json.at("tokens_per_s_per_device").get<double>(), 1562.5);
        QCOMPARE(json.at("mfu").at("full").get<double>(), 0.5);
        QCOMPARE(json.at("mfu").at("causal").get<double>(), 0.45);
        QCOMPARE(json.at("mfu").at("6n").get<double>(), 0.4);
        QCOMPARE(json.at("hfu").at("causal").get<double>(), 0.55);
        QCOMPARE(json.at("bubble_fraction").get<double>(), 0.125);
        QCOMPARE(json.at("memory").at("peak_bytes").get<double>(), 45e9);
        QCOMPARE(json.at("memory").at("limit_bytes").get<double>(), 80e9);
        QCOMPARE(json.at("parameters").at("total").get<int>(), 42);
        QCOMPARE(json.at("parameters").at("active").get<int>(), 40);
        QVERIFY(json.at("problems").empty());
        QCOMPARE(json.at("warnings").size(), std::size_t{1});
    }

    void partsSumToTheirTotals()
    {
        const nlohmann::json json = parsed(writeReport(example()));
        double seconds = 0;
        for (const auto& part : json.at("time").at("parts")) {
            seconds += part.get<double>();
        }
        QVERIFY(std::abs(seconds / json.at("step_time_s").get<double>() - 1) < 1e-12);
        QCOMPARE(json.at("memory").at("stages").size(), std::size_t{2});
        for (const auto& stage : json.at("memory").at("stages")) {
            double bytes = 0;
            for (const auto& [name, value] : stage.items()) {
                bytes += name == "total" ? 0 : value.get<double>();
            }
            QCOMPARE(bytes, stage.at("total").get<double>());
        }
    }

    void anIllegalLayoutHasProblemsAndNoTimes()
    {
        Report report;
        report.problems = {{"layout.tp", "3", "does not divide 64 heads", "2 or 4"}};
        const nlohmann::json json = parsed(writeReport(report));
        QCOMPARE(json.at("fits").get<bool>(), false);
        QVERIFY(!json.contains("step_time_s"));
        const nlohmann::json& problem = json.at("problems").at(0);
        QCOMPARE(problem.at("field").get<std::string>(), std::string("layout.tp"));
        QCOMPARE(problem.at("value").get<std::string>(), std::string("3"));
        QCOMPARE(problem.at("message").get<std::string>(), std::string("does not divide 64 heads"));
        QCOMPARE(problem.at("suggestion").get<std::string>(), std::string("2 or 4"));
    }

    void textThatIsNotUtf8DoesNotStopTheReport()
    {
        Report report;
        report.problems = {{"model", "\xff\xfe", "is not known", ""}};
        QVERIFY(parseJson(writeReport(report)));
    }

    void filesAreReadWholeOrNotAtAll()
    {
        QTemporaryDir folder;
        const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "file";
        std::ofstream(path, std::ios::binary) << std::string(100000, 'x') << '\0';
        QCOMPARE(readFile(path)->size(), std::size_t{100001});
        QCOMPARE(readFile(path, 100001)->size(), std::size_t{100001});
        QCOMPARE(describe(readFile(path, 100000).problems.at(0)),
                 path.string() + ": is larger than the 100000 bytes that are read");
        QCOMPARE(readFile(path.parent_path()).problems.at(0).message, std::string("is a folder"));
        QCOMPARE(readFile(path / "x").problems.at(0).message, std::string("does not exist"));
        QVERIFY(!readFile("/dev/zero"));
    }
};

QTEST_GUILESS_MAIN(TestReportJson)
#include "tst_report_json.moc"
