// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/stack_fit.h"
#include "core/runs/run_scenario.h"
#include "core/training/evaluate.h"
#include "tests/core/runs/sample_runs.h"

#include <QTest>

#include <cmath>

using namespace partita;
using namespace partita::calibration;

namespace {

/// Runs "measured" on a stack that reaches less than its preset says.
RunFile slowRuns(double efficiency)
{
    std::string rows;
    for (int i = 0; i < 6; ++i) {
        rows += (i > 0 ? "," : "") + denseRow("r" + std::to_string(i), R"(, "vpp": 1)");
    }
    RunFile file{"sweep", readOrFail(rows).runs};
    for (std::size_t i = 0; i < file.runs.size(); ++i) {
        PublishedRun& run = file.runs[i];
        run.layout.globalBatch = 32 * static_cast<std::int64_t>(i + 1);
        Scenario scenario = scenarioOf(run, presetCatalogue())->scenario;
        scenario.stack.efficiency = efficiency;
        run.measured.tokensPerSecondPerDevice = evaluate(scenario).tokensPerSecondPerDevice;
    }
    return file;
}

double meanError(const RunFile& file, const Catalogue& catalogue)
{
    double sum = 0;
    for (const PublishedRun& run : file.runs) {
        const double predicted = evaluate(scenarioOf(run, catalogue)->scenario).tokensPerSecondPerDevice;
        sum += std::abs(predicted / *run.measured.tokensPerSecondPerDevice - 1);
    }
    return sum / static_cast<double>(file.runs.size());
}

} // namespace

class TestStackFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFitExplainsWhatOneConstantCaused()
    {
        const RunFile runs = slowRuns(0.8);
        std::string told;
        const auto numbers =
            fitStacks({runs}, presetCatalogue(), [&](const std::string& text) { told += text; }).numbers;
        QVERIFY(told.find("before") != std::string::npos && told.find("sweep") != std::string::npos);
        Catalogue fitted = presetCatalogue();
        for (const FittedNumber& number : numbers) {
            for (Accelerator& accelerator : fitted.accelerators) {
                if (!number.isStack && accelerator.id.rfind(number.owner + "-", 0) == 0) {
                    accelerator.kernels.sustained = number.value;
                }
            }
            for (Stack& stack : fitted.stacks) {
                if (number.isStack && stack.id == number.owner) {
                    stack.efficiency = number.key == "efficiency" ? number.value : stack.efficiency;
                    stack.fusedElementwise = number.key == "fused_elementwise" ? number.value : stack.fusedElementwise;
                    stack.tpOverlap = number.key == "tp_overlap" ? number.value : stack.tpOverlap;
                    stack.attentionEfficiency =
                        number.key == "attention_efficiency" ? number.value : stack.attentionEfficiency;
                    stack.hostPerKernel =
                        number.key == "host_per_kernel_us" ? number.value * 1e-6 : stack.hostPerKernel;
                    stack.stepOverhead = number.key == "step_overhead_ms" ? number.value * 1e-3 : stack.stepOverhead;
                }
            }
        }
        QVERIFY(meanError(runs, presetCatalogue()) > 0.05);
        QVERIFY(meanError(runs, fitted) < 0.02);
    }

    void fewRunsChangeNothing()
    {
        RunFile runs = slowRuns(0.8);
        runs.runs.resize(4);
        const Fit fit = fitStacks({runs}, presetCatalogue(), [](const std::string&) {});
        QCOMPARE(fit.rows, std::size_t{4});
        QVERIFY(fit.numbers.empty());
    }

    void valuesThatAreThereAlreadyChangeNoFile()
    {
        const Stack& stack = *presetCatalogue().stack("megatron-core");
        const std::filesystem::path presets = PARTITA_SOURCE_DIR "/presets";
        const auto same =
            changedPresets(std::vector<FittedNumber>{{true, "megatron-core", "efficiency", stack.efficiency}}, presets);
        QVERIFY(bool(same) && same->empty());
        const auto other =
            changedPresets(std::vector<FittedNumber>{{true, "megatron-core", "efficiency", 0.123}}, presets);
        QVERIFY(bool(other) && other->size() == 1);
        QVERIFY(other->front().text.find("0.123") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestStackFit)
#include "tst_stack_fit.moc"
