// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kernel_time.h"

#include "tests/core/kernels/accelerators.h"

#include <QtTest>

using namespace partita;
using namespace partita::test;

class TestMemoryPass : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void streamsAtAShareOfTheBandwidth()
    {
        const double gigabyte = memoryPassTime(1e9, h100());
        QCOMPARE(gigabyte, 1e9 / (0.835 * 3.35e12));
        QCOMPARE(memoryPassTime(3e9, h100()), 3 * gigabyte);
        QVERIFY(memoryPassTime(1e9, a100()) > gigabyte);
    }

    void costsNothingWithoutBytes()
    {
        QCOMPARE(memoryPassTime(0, h100()), 0.0);
        QCOMPARE(memoryPassTime(1e9, Accelerator{}), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestMemoryPass)
#include "tst_memory_pass.moc"
