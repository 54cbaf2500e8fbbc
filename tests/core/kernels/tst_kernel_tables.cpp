// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/kernels/kernel_time.h"

#include "core/calibration/kernel_tables.h"

#include <QtTest>

#include <cmath>
#include <functional>

using namespace partita;
using namespace partita::calibration;

namespace {

template <class Shape>
double meanError(const std::vector<Measured<Shape>>& rows, const std::function<double(const Shape&)>& predict,
                 const std::function<bool(const Shape&)>& counts)
{
    double sum = 0;
    int n = 0;
    for (const Measured<Shape>& row : rows) {
        if (counts(row.shape)) {
            sum += std::abs(predict(row.shape) / row.seconds - 1);
            ++n;
        }
    }
    return n > 0 ? sum / n : 1;
}

} // namespace

/// The constants of the presets against the tables they were fitted to (tests/calibration prints more).
class TestKernelTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void predictsMeasuredGemms_data()
    {
        QTest::addColumn<QString>("table");
        QTest::addColumn<QString>("preset");
        QTest::addColumn<double>(
            "mostForDecoding"); // weights that stay in a large cache between runs are measured too fast
        QTest::newRow("A100") << "a100_sxm"
                              << "a100-sxm-80gb" << 0.10;
        QTest::newRow("H100") << "h100_sxm"
                              << "h100-sxm-80gb" << 0.10;
        QTest::newRow("H200") << "h200_sxm"
                              << "h200-sxm-141gb" << 0.10;
        QTest::newRow("L40S") << "l40s"
                              << "l40s" << 0.30;
        QTest::newRow("B200") << "b200_sxm"
                              << "b200-sxm" << 0.13;
        QTest::newRow("GB200") << "gb200"
                               << "gb200" << 0.13;
        QTest::newRow("B300") << "b300_sxm"
                              << "b300-sxm" << 0.13;
        QTest::newRow("GB300") << "gb300"
                               << "gb300" << 0.13;
    }

    void predictsMeasuredGemms()
    {
        QFETCH(QString, table);
        QFETCH(QString, preset);
        QFETCH(double, mostForDecoding);
        const std::filesystem::path folder = std::filesystem::path(PARTITA_SHARED_DIR) / "data" / "kernels" / "gemm";
        const auto rows = readGemms(folder / ("aiconfigurator_" + table.toStdString() + ".csv"), "bfloat16");
        if (rows.empty()) {
            QSKIP("no measured tables here");
        }
        const Catalogue catalogue = loadCatalogue({std::filesystem::path(PARTITA_SOURCE_DIR) / "presets"});
        const Accelerator* accelerator = catalogue.accelerator(preset.toStdString());
        QVERIFY(accelerator != nullptr);
        const auto predict = [&](const GemmShape& shape) {
            return gemmTime(shape, DataType::Bf16, *accelerator) + accelerator->kernels.launch;
        };
        const double training = meanError<GemmShape>(rows, predict, [](const GemmShape& s) { return s.m >= 256; });
        QVERIFY2(training < 0.12, qPrintable(QString::number(training)));
        const double decoding = meanError<GemmShape>(rows, predict, [](const GemmShape& s) { return s.m < 256; });
        QVERIFY2(decoding < mostForDecoding, qPrintable(QString::number(decoding)));
    }

    void predictsMeasuredConvolutions()
    {
        const std::filesystem::path file = std::filesystem::path(PARTITA_SHARED_DIR) / "data" / "kernels" / "attn"
            / "h100_sxm_linear_attention_trtllm_1.3.0rc20_mamba2_perf.csv";
        const auto rows = readConvolutions(file);
        if (rows.empty()) {
            QSKIP("no measured tables here");
        }
        const Catalogue catalogue = loadCatalogue({std::filesystem::path(PARTITA_SOURCE_DIR) / "presets"});
        const Accelerator* accelerator = catalogue.accelerator("h100-sxm-80gb");
        QVERIFY(accelerator != nullptr);
        const double error = meanError<double>(
            rows,
            [&](double elements) {
                return convolutionTime(elements, Pass::Forward, *accelerator) + accelerator->kernels.launch;
            },
            [](double) { return true; });
        QVERIFY2(error < 0.12, qPrintable(QString::number(error)));
    }
};

QTEST_GUILESS_MAIN(TestKernelTables)
#include "tst_kernel_tables.moc"
