// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kernel_time.h"

#include "tests/core/kernels/accelerators.h"

#include <QtTest>

#include <array>
#include <cmath>

using namespace partita;
using namespace partita::test;

namespace {

double rate(const GemmShape& shape, const Accelerator& accelerator, DataType type = DataType::Bf16)
{
    return shape.flops() / gemmTime(shape, type, accelerator);
}

/// As benchmarks time it: kernels back to back.
double measurableRate(const GemmShape& shape, const Accelerator& accelerator)
{
    return shape.flops() / (gemmTime(shape, DataType::Bf16, accelerator) + accelerator.kernels.launch);
}

constexpr std::array<std::int64_t, 9> sides{1, 16, 65, 256, 1000, 4096, 4097, 14336, 65536};

} // namespace

class TestGemm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neverBeatsPeakOrBandwidth_data()
    {
        QTest::addColumn<DataType>("type");
        QTest::addColumn<bool>("accumulate");
        QTest::addColumn<qint64>("count");
        for (const DataType type : {DataType::Bf16, DataType::Fp16, DataType::Tf32, DataType::Fp8, DataType::NvFp4}) {
            for (const qint64 count : {1, 7, 256}) {
                for (const bool accumulate : {false, true}) {
                    QTest::addRow("%s x%lld%s", keyOf(type).data(), static_cast<long long>(count),
                                  accumulate ? " accumulated" : "")
                        << type << accumulate << count;
                }
            }
        }
    }

    void neverBeatsPeakOrBandwidth()
    {
        QFETCH(DataType, type);
        QFETCH(bool, accumulate);
        QFETCH(qint64, count);
        Accelerator fourBit = h100();
        fourBit.peak.fp4 = 2 * fourBit.peak.fp8;
        for (const Accelerator& accelerator : {a100(), h100(), fourBit}) {
            for (const std::int64_t m : sides) {
                for (const std::int64_t n : sides) {
                    for (const std::int64_t k : sides) {
                        const GemmShape shape{m, n, k, count, accumulate};
                        const double time = gemmTime(shape, type, accelerator);
                        const double bytes = bytesPerElement(type) * static_cast<double>(count * (m * k + k * n));
                        QVERIFY(std::isfinite(time));
                        QVERIFY(time * peakFor(accelerator, type) > shape.flops());
                        QVERIFY(time * accelerator.memoryBandwidth > bytes);
                    }
                }
            }
        }
    }

    void growsWithEverySide()
    {
        for (const Accelerator& accelerator : {a100(), h100()}) {
            for (const std::int64_t m : sides) {
                for (const std::int64_t n : sides) {
                    for (const std::int64_t k : sides) {
                        const double time = gemmTime({m, n, k}, DataType::Bf16, accelerator);
                        QVERIFY(gemmTime({2 * m, n, k}, DataType::Bf16, accelerator) >= time);
                        QVERIFY(gemmTime({m, 2 * n, k}, DataType::Bf16, accelerator) >= time);
                        QVERIFY(gemmTime({m, n, 2 * k}, DataType::Bf16, accelerator) > time);
                        QVERIFY(gemmTime({m, n, k, 2}, DataType::Bf16, accelerator) >= time);
                    }
                }
            }
        }
    }

    /// n = k = 8192 and a narrow n, TFLOP/s measured with TensorRT-LLM's kernels (aiconfigurator), and the best shape
    /// of the MAMF benchmark (stas00/ml-engineering: A100 271, H100 795).
    void meetsPublishedRates_data()
    {
        QTest::addColumn<bool>("isHopper");
        QTest::addColumn<qint64>("m");
        QTest::addColumn<qint64>("n");
        QTest::addColumn<double>("measured");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("A100, decoding") << false << 64LL << 8192LL << 94.0 << 0.10;
        QTest::newRow("A100, one wave") << false << 512LL << 8192LL << 217.0 << 0.10;
        QTest::newRow("A100, square") << false << 8192LL << 8192LL << 263.0 << 0.08;
        QTest::newRow("A100, narrow") << false << 1024LL << 1024LL << 197.0 << 0.10;
        QTest::newRow("H100, decoding") << true << 64LL << 8192LL << 170.0 << 0.10;
        QTest::newRow("H100, one wave") << true << 512LL << 8192LL << 766.0 << 0.10;
        QTest::newRow("H100, square") << true << 8192LL << 8192LL << 790.0 << 0.05;
        QTest::newRow("H100, narrow") << true << 1024LL << 1024LL << 556.0 << 0.15;
        QTest::newRow("H100, narrow and long") << true << 8192LL << 1024LL << 797.0 << 0.10;
    }

    void meetsPublishedRates()
    {
        QFETCH(bool, isHopper);
        QFETCH(qint64, m);
        QFETCH(qint64, n);
        QFETCH(double, measured);
        QFETCH(double, tolerance);
        const double predicted = measurableRate({m, n, 8192}, isHopper ? h100() : a100()) / teraflops;
        QVERIFY2(std::abs(predicted / measured - 1) < tolerance, qPrintable(QString::number(predicted)));
    }

    /// 96 tiles of 128 x 256 fit the A100's 108 cores at once, 112 do not: measured 258 and 189 TFLOP/s.
    void losesPastAWholeWave()
    {
        const double oneWave = rate({512, 6144, 8192}, a100());
        const double next = rate({512, 7168, 8192}, a100());
        QVERIFY(next < 0.85 * oneWave);
        Accelerator balanced = a100();
        balanced.kernels.gemmWaveLoss = 0;
        QVERIFY(rate({512, 7168, 8192}, balanced) > next);
    }

    /// What tensor parallelism does to a projection: the same tokens, an eighth of the columns.
    void runsNarrowProductsSlowerPerFlop()
    {
        for (const Accelerator& accelerator : {a100(), h100()}) {
            double last = rate({2048, 8192, 4096}, accelerator);
            for (const std::int64_t tp : {4, 8, 16, 32}) {
                const double split = rate({2048, 8192 / tp, 4096}, accelerator);
                QVERIFY2(split < last, qPrintable(QString::number(tp)));
                last = split;
            }
        }
        QVERIFY(rate({4096, 4096, 128}, h100()) < 0.6 * rate({4096, 4096, 8192}, h100()));
    }

    void runsTinyExpertsSlower()
    {
        const GemmShape dense{8192, 4096, 2048};
        const GemmShape experts{32, 4096, 2048, 256};
        QCOMPARE(dense.flops(), experts.flops());
        QVERIFY(rate(experts, h100()) < 0.35 * rate(dense, h100()));
        const GemmShape large{1024, 4096, 2048, 8};
        QVERIFY(rate(large, h100()) > 0.9 * rate(dense, h100()));
    }

    void readsWeightsOnceWhenDecoding()
    {
        const GemmShape shape{16, 8192, 8192};
        const double weights = 2.0 * 8192 * 8192;
        const double time = gemmTime(shape, DataType::Bf16, h100());
        QVERIFY(time > weights / h100().memoryBandwidth);
        QVERIFY(time < 1.4 * weights / h100().memoryBandwidth);
        // Twice the tokens, hardly more time; half the bytes, about half of it.
        QVERIFY(gemmTime({32, 8192, 8192}, DataType::Bf16, h100()) < 1.1 * time);
        QVERIFY(gemmTime(shape, DataType::Fp8, h100()) < 0.6 * time);
    }

    void gainsFromPeakBandwidthAndNarrowTypes()
    {
        Accelerator faster = h100();
        faster.peak.bf16 *= 1.5;
        faster.peak.fp16 *= 1.5;
        QVERIFY(rate({8192, 8192, 8192}, faster) > 1.3 * rate({8192, 8192, 8192}, h100()));
        Accelerator wider = h100();
        wider.memoryBandwidth *= 1.5;
        QVERIFY(rate({16, 8192, 8192}, wider) > 1.3 * rate({16, 8192, 8192}, h100()));
        QVERIFY(rate({8192, 8192, 8192}, wider) >= rate({8192, 8192, 8192}, h100()));
        const GemmShape large{8192, 8192, 8192};
        QVERIFY(rate(large, h100(), DataType::Fp8) > 1.6 * rate(large, h100()));
        // No 8-bit products on the A100: they run as 16-bit ones.
        QVERIFY(rate(large, a100(), DataType::Fp8) < 1.05 * rate(large, a100()));
    }

    void paysForAccumulation()
    {
        const GemmShape gradient{4096, 14336, 8192, 1, true};
        GemmShape product = gradient;
        product.accumulate = false;
        const double ratio = rate(gradient, a100()) / rate(product, a100());
        QVERIFY2(ratio > 0.90 && ratio < 0.97, qPrintable(QString::number(ratio)));
        // With few tokens the FP32 sum is most of the traffic.
        QVERIFY(gemmTime({4096, 14336, 128, 1, true}, DataType::Bf16, h100())
                > 2.5 * gemmTime({4096, 14336, 128, 1, false}, DataType::Bf16, h100()));
    }

    void costsNothingWhenEmpty()
    {
        QCOMPARE(gemmTime({0, 8, 8}, DataType::Bf16, h100()), 0.0);
        QCOMPARE(gemmTime({8, 8, 8, 0}, DataType::Bf16, h100()), 0.0);
        QCOMPARE(gemmTime({8, 8, 8}, DataType::Bf16, Accelerator{}), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestGemm)
#include "tst_gemm.moc"
