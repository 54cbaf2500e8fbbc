// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kernel_time.h"

#include "tests/core/kernels/accelerators.h"

#include <QtTest>

#include <cmath>

using namespace partita;
using namespace partita::test;

namespace {

/// Nemotron-H-56B's: 256 heads of 64, 8 groups, state 256.
ScanShape dual(std::int64_t tokens)
{
    return {ScanKind::StateSpaceDual, tokens, 256, 64, 8, 256, 256};
}

ScanShape selective(std::int64_t tokens)
{
    return {ScanKind::Selective, tokens, 8192, 1, 1, 16, 1};
}

/// Qwen3-Next's: 32 value heads of 128, 16 key heads of 128.
ScanShape delta(std::int64_t tokens)
{
    return {ScanKind::GatedDelta, tokens, 32, 128, 16, 128, 64};
}

} // namespace

class TestScan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Per token 2 Q d_in + 2 Q N G + 4 N d_in (NVIDIA's recipe for Nemotron-H, in multiply-adds there).
    void countsFlopsOfStateSpaceDuality()
    {
        const double inner = 256.0 * 64;
        QCOMPARE(dual(8192).flops(), 8192 * (2 * 256 * inner + 2 * 256.0 * 256 * 8 + 4 * 256 * inner));
    }

    void staysUnderPeakAndBandwidth()
    {
        for (const Accelerator& accelerator : {a100(), h100()}) {
            for (const ScanShape& shape : {dual(8192), selective(8192), delta(8192)}) {
                const bool onVectorUnits = shape.kind == ScanKind::Selective;
                const double peak = onVectorUnits ? accelerator.peak.vector : accelerator.peak.bf16;
                for (const Pass pass : {Pass::Forward, Pass::Backward}) {
                    const double time = scanTime(shape, pass, accelerator);
                    QVERIFY(time * peak > shape.flops());
                    QVERIFY(time * accelerator.memoryBandwidth > shape.bytes());
                }
            }
        }
    }

    void isLinearInTokens()
    {
        for (const ScanShape& shape : {dual(4096), selective(4096), delta(4096)}) {
            ScanShape longer = shape;
            longer.tokens *= 8;
            const double ratio = scanTime(longer, Pass::Forward, h100()) / scanTime(shape, Pass::Forward, h100());
            QVERIFY(std::abs(ratio - 8) < 1e-9);
            QVERIFY(scanTime(shape, Pass::Backward, h100()) > 2 * scanTime(shape, Pass::Forward, h100()));
        }
    }

    /// The reason for state-space layers: at long lengths the scan costs less than attention of the same width.
    void overtakesAttentionAtLength()
    {
        AttentionShape attention;
        attention.heads = attention.kvHeads = 128;
        attention.queryKeyDim = attention.valueDim = 128;
        attention.queries = attention.keys = 65536;
        QVERIFY(scanTime(dual(65536), Pass::Forward, h100())
                < 0.2 * attentionTime(attention, Pass::Forward, AttentionKernel::Flash, h100()));
    }

    /// causal_conv1d of 4096 tokens and 6144 channels on the H100: 44.5 us measured (aiconfigurator).
    void timesTheShortConvolution()
    {
        const double time = convolutionTime(4096.0 * 6144, Pass::Forward, h100()) + h100().kernels.launch;
        QVERIFY2(std::abs(time / 44.5e-6 - 1) < 0.15, qPrintable(QString::number(time * 1e6)));
        QVERIFY(convolutionTime(1e6, Pass::Backward, h100()) > 1.4 * convolutionTime(1e6, Pass::Forward, h100()));
        QCOMPARE(convolutionTime(0, Pass::Forward, h100()), 0.0);
    }

    void costsNothingWhenEmpty() { QCOMPARE(scanTime(dual(0), Pass::Forward, h100()), 0.0); }
};

QTEST_GUILESS_MAIN(TestScan)
#include "tst_scan.moc"
