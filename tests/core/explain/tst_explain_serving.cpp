// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/derivation_text.h"
#include "core/explain/explainer.h"
#include "core/formats/json_text.h"
#include "core/formats/serving_report_json.h"
#include "core/serving/serve.h"
#include "core/training/evaluate.h"
#include "tests/core/explain/recomputed.h"
#include "tests/core/serving/served.h"

#include <QtTest>

#include <functional>
#include <set>

using namespace partita;

namespace {

Scenario asked(Scenario scenario, const std::function<void(Serving&)>& change)
{
    change(scenario.serving);
    return scenario;
}

Scenario under(Scenario scenario, const char* stack)
{
    scenario.stack = *shippedPresets().stack(stack);
    return scenario;
}

Scenario wide()
{
    Scenario s = served("deepseek-v3", "h200-sxm-141gb", 4, 1, 8);
    s.layout.ep = 32;
    s.serving.weights = DataType::Fp8;
    s.serving.keyValues = KeyValueFormat::Fp8Latent;
    return s;
}

Scenario inChunks()
{
    Scenario s = served("llama-3.1-70b", "h100-sxm-80gb", 4, 2, 1);
    s.serving.prompt = 20000;
    s.serving.chunk = 2048;
    s.serving.weights = DataType::Int4;
    return s;
}

std::vector<Named> grid()
{
    const Scenario dense = served("llama-3.1-70b", "h100-sxm-80gb", 8);
    Scenario context = served("llama-3.1-8b", "h100-sxm-80gb", 2);
    context.layout.cp = 2;
    context.cluster = served("llama-3.1-8b", "h100-sxm-80gb", 4).cluster;
    return {
        {"dense", dense},
        {"one sequence", asked(dense, [](Serving& s) { s.batch = 1; })},
        {"more asked for than fit", asked(dense, [](Serving& s) { s.batch = 5000; })},
        {"weights that do not fit", served("llama-3.1-405b", "h100-sxm-80gb", 8)},
        {"limits, drafts",
         asked(dense,
               [](Serving& s) {
                   s.ttftLimit = 0.5;
                   s.tpotLimit = 0.01;
                   s.draftTokens = 3;
               })},
        {"drafts that are always right",
         asked(dense,
               [](Serving& s) {
                   s.draftTokens = 2;
                   s.acceptance = 1;
               })},
        {"static, with waves",
         asked(under(dense, "fastertransformer"),
               [](Serving& s) {
                   s.batching = Batching::Static;
                   s.batch = 900;
               })},
        {"prefill apart",
         asked(served("llama-3.1-8b", "h100-sxm-80gb", 1, 1, 4), [](Serving& s) { s.prefillReplicas = 1; })},
        {"prefill apart, starved",
         asked(served("llama-3.1-8b", "h100-sxm-80gb", 1, 1, 8),
               [](Serving& s) {
                   s.prefillReplicas = 1;
                   s.prompt = 8000;
                   s.output = 32;
                   s.batch = 128;
               })},
        {"pipeline, chunks, INT4", inChunks()},
        {"TensorRT-LLM, pipeline", under(served("llama-3.1-70b", "h100-sxm-80gb", 4, 2), "tensorrt-llm")},
        {"stages that wait", under(served("llama-3.1-70b", "h100-sxm-80gb", 2, 4), "gpt-fast")},
        {"experts over data-parallel attention", wide()},
        {"context parallel", context},
        {"sequence shared between ranks",
         asked(served("deepseek-v3", "h200-sxm-141gb", 8),
               [](Serving& s) {
                   s.weights = DataType::Fp8;
                   s.decodeContext = 8;
               })},
        {"windows and experts", served("gpt-oss-120b", "h100-sxm-80gb", 4)},
        {"hybrid", served("jamba-v0.1", "h100-sxm-80gb", 4)},
        {"state space", served("mamba2-hybrid-8b", "h100-sxm-80gb", 1)},
        {"tied, one device", served("gpt2", "a100-sxm-80gb", 1)},
    };
}

Explainer explainerOf(const Scenario& scenario)
{
    return Explainer(scenario, evaluate(scenario), {}, Explainer::Scope::TrainingAndServing);
}

bool isServing(const std::string& path)
{
    return path.rfind("serving.", 0) == 0;
}

} // namespace

class TestExplainServing : public QObject {
    Q_OBJECT

private:
    static void addGrid() { addRows(grid()); }
    static Scenario scenarioAt(int index) { return grid()[static_cast<std::size_t>(index)].scenario; }

private Q_SLOTS:
    void everyKeyOfTheReportIsDerived_data() { addGrid(); }
    void everyKeyOfTheReportIsDerived()
    {
        QFETCH(int, index);
        const Scenario scenario = scenarioAt(index);
        const ServingReport report = serve(scenario);
        QVERIFY2(report.legal(), report.legal() ? "" : describe(report.problems.front()).c_str());
        const Explainer explainer = explainerOf(scenario);
        std::map<std::string, nlohmann::json> leaves;
        collectLeaves(*parseJson(writeServingReport(report)), "serving", leaves);
        std::set<std::string> reported;
        for (const std::string& path : explainer.reportedValues()) {
            if (isServing(path)) {
                reported.insert(path);
            }
        }
        for (const auto& [path, value] : leaves) {
            const Result<Derivation> derivation = explainer.explain(path);
            QVERIFY2(derivation && reported.erase(path) == 1, path.c_str());
            if (value.is_string()) {
                QCOMPARE(derivation->text, value.get<std::string>());
            } else if (value.is_null()) {
                QCOMPARE(derivation->text, std::string("unlimited"));
            } else {
                const double number = value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
                QVERIFY2(derivation->value == number, path.c_str());
            }
        }
        QVERIFY2(reported.empty(), reported.empty() ? "" : reported.begin()->c_str());
    }

    void everyDerivationComesOutOfItsOwnTerms_data() { addGrid(); }
    void everyDerivationComesOutOfItsOwnTerms()
    {
        QFETCH(int, index);
        const Explainer explainer = explainerOf(scenarioAt(index));
        std::vector<std::string> values = explainer.allValues();
        std::erase_if(values, [](const std::string& path) { return !isServing(path); });
        QVERIFY(values.size() > 80);
        // Degrees are inputs; a limit that is not set is met; without room there is nothing to divide.
        const std::string flaw = flawIn(explainer, values, [&](const std::string& path) {
            return path.rfind("serving.layout.", 0) == 0
                || (path == "serving.meets_ttft" && scenarioAt(index).serving.ttftLimit <= 0)
                || (path == "serving.meets_tpot" && scenarioAt(index).serving.tpotLimit <= 0)
                || (path == "serving.kv.bytes_per_token_per_device" && explainer.explain(path)->value == 0);
        });
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    void collectivesAreUnfoldedToTheLinksTheyCross()
    {
        const Explainer explainer = explainerOf(served("llama-3.1-70b", "h100-sxm-80gb", 8));
        const std::string text = derivationText(explainer, *explainer.explain("serving.time.parts.tp_exposed"), 9);
        for (const char* part : {"all-reduce of ", "cluster levels: bandwidth x efficiency"}) {
            QVERIFY2(text.find(part) != std::string::npos, part);
        }
    }

    void aTreeUnfoldsDownToPresets()
    {
        const Explainer explainer = explainerOf(served("llama-3.1-70b", "h100-sxm-80gb", 8));
        const std::string text = derivationText(explainer, *explainer.explain("serving.tpot_s"), 9);
        for (const char* part :
             {"accelerator NVIDIA H100", "stack vLLM", "serving.weights, serving.quantised", "down projection"}) {
            QVERIFY2(text.find(part) != std::string::npos, part);
        }
    }

    void whatCannotBeServedSaysWhy()
    {
        Scenario scenario = served("llama-3.1-70b", "h100-sxm-80gb", 8);
        scenario.layout.tp = 7;
        const auto derivation = explainerOf(scenario).explain("serving.tpot_s");
        QVERIFY(!derivation);
        QCOMPARE(derivation.problems, serve(scenario).problems);
    }

    void withoutServingThereAreNoneOfItsValues()
    {
        const Scenario scenario = served("llama-3.1-8b", "h100-sxm-80gb", 1);
        const Explainer explainer(scenario, evaluate(scenario));
        const std::vector<std::string> values = explainer.allValues();
        QVERIFY(std::none_of(values.begin(), values.end(), isServing));
    }
};

QTEST_GUILESS_MAIN(TestExplainServing)
#include "tst_explain_serving.moc"
