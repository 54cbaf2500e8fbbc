// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/price.h"
#include "core/explain/layout_values.h"
#include "core/formats/advice_json.h"
#include "tests/core/explain/recomputed.h"
#include "tests/core/serving/served.h"

#include <QtTest>

using namespace partita;

namespace {

const std::vector<ComparableRun> noRuns;

Scenario scenarioOf(const char* model, std::int64_t nodes)
{
    Scenario scenario;
    scenario.model = *shippedPresets().model(model);
    scenario.stack = *shippedPresets().stack("megatron-core");
    scenario.cluster = makeCluster(*shippedPresets().accelerator("h100-sxm-80gb"), nodes, 8, shippedPresets());
    scenario.workload.sequenceLength = 4096;
    scenario.workload.trainingTokens = 1e12;
    scenario.layout.globalBatch = 64;
    return scenario;
}

SearchAnswer searched(const Scenario& scenario, FrontAgainst against, double headRoom)
{
    SearchSpace space;
    space.headRoom = headRoom;
    SearchOptions options;
    options.top = 3;
    options.front = against == FrontAgainst::Memory;
    SearchAnswer answer;
    answer.result = *searchLayouts(
        scenario, space, options, [] { return false; }, nullptr);
    for (const FoundLayout& found : answer.result.best) {
        answer.best.push_back(figuresOf(scenario, found.layout));
    }
    for (const FoundLayout& found : answer.result.front) {
        answer.front.push_back(figuresOf(scenario, found.layout));
    }
    if (against != FrontAgainst::Memory) {
        SizeSearch sizes = fastestBySize(
            scenario, space, answer.result.best, options, [] { return false; }, nullptr);
        answer.front = frontOf(std::move(sizes.layouts), against);
        answer.frontDevices = std::move(sizes.devices);
    }
    answer.against = against;
    answer.pricePerHour = scenario.cluster.accelerator.pricePerHour;
    answer.priceOrigin = priceOrigin(scenario.cluster.accelerator);
    return answer;
}

/// Numbers that are counted, measured, checked or set: they have no formula, and say so.
bool mayBeBare(const std::string& path)
{
    const auto endsWith = [&](std::string_view end) {
        return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
    };
    return path.rfind("counts.", 0) == 0 || path.rfind("front_devices", 0) == 0
        || path.find("layout.") != std::string::npos || endsWith("complete") || endsWith(".legal")
        || endsWith("evaluated") || endsWith(".chosen");
}

/// The first key of a JSON report that has no derivation of its value, or what is wrong with one.
std::string flawOf(const ExplainedValues& values, const std::string& jsonText)
{
    std::map<std::string, nlohmann::json> leaves;
    collectLeaves(*parseJson(jsonText), {}, leaves);
    for (const auto& [path, value] : leaves) {
        if (value.is_null() || value == "") {
            continue; // nothing is said
        }
        const Result<Derivation> derivation = values.explain(path);
        if (!derivation) {
            return path + " is not derived";
        }
        const bool same = value.is_string() ? derivation->text == value.get<std::string>()
            : value.is_boolean()            ? derivation->value == (value.get<bool>() ? 1 : 0)
                                            : derivation->value == value.get<double>();
        if (!same) {
            return path + " is another value";
        }
    }
    return flawIn(values, values.reportedValues(), mayBeBare);
}

} // namespace

class TestExplainLayouts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFigureOfASearchIsDerived_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<FrontAgainst>("against");
        QTest::addColumn<double>("headRoom");
        QTest::newRow("against memory") << QByteArray("llama-3.1-8b") << 2 << FrontAgainst::Memory << 0.;
        QTest::newRow("against devices, with head-room")
            << QByteArray("llama-3.1-8b") << 2 << FrontAgainst::Devices << 0.1;
        QTest::newRow("against cost") << QByteArray("llama-3.1-8b") << 4 << FrontAgainst::Cost << 0.;
        QTest::newRow("nothing fits") << QByteArray("llama-3.1-405b") << 1 << FrontAgainst::Memory << 0.;
    }
    void everyFigureOfASearchIsDerived()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, nodes);
        QFETCH(FrontAgainst, against);
        QFETCH(double, headRoom);
        Scenario scenario = scenarioOf(model.constData(), nodes);
        scenario.cluster.accelerator.pricePerHour = 2.5;
        const SearchAnswer answer = searched(scenario, against, headRoom);
        const auto values = explainSearch(scenario, answer, headRoom, noRuns);
        const std::string flaw = flawOf(*values, writeSearch(answer));
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    void aRowUnfoldsDownToPresets()
    {
        const Scenario scenario = scenarioOf("llama-3.1-8b", 2);
        const SearchAnswer answer = searched(scenario, FrontAgainst::Memory, 0);
        const auto values = explainSearch(scenario, answer, 0, noRuns);
        const std::string text = derivationText(*values, *values->explain("best[1].step_time_s"), 9);
        QVERIFY(text.find("best[1].report.time.parts.gemm") != std::string::npos);
        QVERIFY(text.find("accelerator NVIDIA H100") != std::string::npos);
        // Every value of the row's report, its paths those of the row.
        std::vector<std::string> all = values->allValues();
        std::erase_if(all, [](const std::string& path) { return path.rfind("best[1].report.", 0) != 0; });
        QVERIFY(all.size() > 100);
        const std::string flaw =
            flawIn(*values, all, [](const std::string& path) { return path.find(".in_flight") != std::string::npos; });
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    void aRowLessAnotherIsADifference()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b", 2);
        JointExplainer values;
        std::vector<LayoutFigures> rows;
        for (const int tp : {2, 4}) {
            scenario.layout.tp = tp;
            scenario.layout.dp = 16 / tp;
            rows.push_back(figuresOf(scenario, scenario.layout));
            addLayoutRow(values, tp == 2 ? "row" : "current", scenario, rows.back(), noRuns);
        }
        addChange(values, "row", rows[0], "current", rows[1]);
        QCOMPARE(values.explain("row.change.step_time_s")->value, rows[0].stepTime - rows[1].stepTime);
        const std::string flaw = flawIn(values, values.reportedValues(), mayBeBare);
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    void everyFigureOfAnAdviceIsDerived_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<Voice>("voice");
        QTest::addColumn<double>("headRoom");
        QTest::newRow("constraint first") << QByteArray("llama-3.1-70b") << 4 << Voice::ConstraintFirst << 0.;
        QTest::newRow("constraint first, head-room")
            << QByteArray("llama-3.1-8b") << 1 << Voice::ConstraintFirst << 0.2;
        QTest::newRow("topology first") << QByteArray("llama-3.1-70b") << 4 << Voice::TopologyFirst << 0.;
        QTest::newRow("nothing fits") << QByteArray("llama-3.1-405b") << 1 << Voice::ConstraintFirst << 0.;
        QTest::newRow("serving") << QByteArray("llama-3.1-70b") << 1 << Voice::ServingRecipe << 0.;
    }
    void everyFigureOfAnAdviceIsDerived()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, nodes);
        QFETCH(Voice, voice);
        QFETCH(double, headRoom);
        Scenario scenario =
            trains(voice) ? scenarioOf(model.constData(), nodes) : served(model.constData(), "h100-sxm-80gb", 8);
        SearchSpace limits;
        limits.headRoom = headRoom;
        const Advice advice = trains(voice) ? advise(scenario, voice, limits) : advise(scenario, voice);
        QVERIFY(advice.problems.empty());
        std::optional<Optimum> optimum;
        if (trains(voice)) {
            optimum = findOptimum(scenario, advice, 1, [] { return false; });
        }
        const auto values = explainAdvice(scenario, advice, optimum, std::nullopt, noRuns);
        const std::string flaw = flawOf(*values, writeAdvice(advice, optimum, std::nullopt));
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    void whyNotIsDerivedTermByTerm_data()
    {
        QTest::addColumn<int>("tp");
        QTest::addColumn<Verdict>("verdict");
        QTest::newRow("slower") << 8 << Verdict::Slower;
        QTest::newRow("out of memory") << 1 << Verdict::OutOfMemory;
        QTest::newRow("illegal") << 3 << Verdict::Illegal;
    }
    void whyNotIsDerivedTermByTerm()
    {
        QFETCH(int, tp);
        QFETCH(Verdict, verdict);
        const Scenario scenario = scenarioOf("llama-3.1-70b", 4);
        const Advice advice = advise(scenario, Voice::ConstraintFirst);
        Scenario advised = scenario;
        advised.layout = advice.pick.layout;
        Layout wanted = advice.pick.layout;
        wanted.tp = tp;
        wanted.layersPerStage.clear();
        wanted.cp = wanted.pp = wanted.vpp = 1;
        wanted.schedule = ScheduleKind::OneFOneB;
        wanted.zeroStage = 0;
        wanted.recompute = Recompute::None;
        if (verdict == Verdict::Slower) {
            wanted.pp = 4;
            wanted.recompute = Recompute::Full;
            wanted.zeroStage = 1;
            wanted.globalBatch /= 2; // compared for as many sequences
        }
        wanted.dp = 32 / tp / wanted.pp;
        WhyNot answer = whyNot(advised, wanted);
        answer.readAs = "asked in a test";
        const std::string kept = "tp=" + std::to_string(tp) + ",recompute=none";
        answer.bestWith = findBestWith(scenario, answer.wanted, answer.reference, {}, kept, 1, [] { return false; });
        QCOMPARE(answer.verdict, verdict);
        const auto values = explainAdvice(scenario, advice, std::nullopt, answer, noRuns);
        const nlohmann::json json = *parseJson(writeAdvice(advice, std::nullopt, answer));
        nlohmann::json part;
        part["why_not"] = json.at("why_not");
        part["why_not"].erase("problems");
        const std::string flaw = flawOf(*values, part.dump());
        QVERIFY2(flaw.empty(), flaw.c_str());
    }
};

QTEST_GUILESS_MAIN(TestExplainLayouts)
#include "tst_explain_layouts.moc"
