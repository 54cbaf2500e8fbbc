// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/preset_change.h"
#include "core/formats/catalogue.h"
#include "core/formats/files.h"

#include <QTest>

#include <cmath>

using namespace partita;
using namespace partita::calibration;

class TestPresetChange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyTheNumberChanges()
    {
        const std::string text = "{\n  \"a\": 1.5, \"efficiency\": 0.9,\n  \"tp_efficiency\": 0.3\n}\n";
        const Result<std::string> changed = withNumber(text, "efficiency", 0.75);
        QVERIFY(bool(changed));
        QCOMPARE(*changed, std::string("{\n  \"a\": 1.5, \"efficiency\": 0.75,\n  \"tp_efficiency\": 0.3\n}\n"));
    }

    void aKeyThatIsNotThereOnceIsRefused()
    {
        QVERIFY(!withNumber("{\"a\": 1}", "b", 2));
        QVERIFY(!withNumber("{\"a\": 1, \"c\": {\"a\": 2}}", "a", 2));
    }

    void kernelsAreReplacedAndReadBack()
    {
        const std::filesystem::path file = PARTITA_SOURCE_DIR "/presets/accelerators/a100-sxm-80gb.json";
        const Result<std::string> text = readFile(file);
        const Accelerator preset = *loadCatalogue({PARTITA_SOURCE_DIR "/presets"}).accelerator("a100-sxm-80gb");
        const std::string once = *withKernels(*text, preset.kernels);
        QCOMPARE(*withKernels(once, preset.kernels), once);
        KernelConstants other = preset.kernels;
        other.gemmEfficiency = 0.5;
        QVERIFY(withKernels(once, other)->find("0.5") != std::string::npos && *withKernels(once, other) != once);
        QVERIFY(!withKernels("[]", other));
    }

    void threeDigitsAreKept()
    {
        QCOMPARE(threeDigits(0.123456), 0.123);
        QCOMPARE(threeDigits(12.345), 12.3);
        QCOMPARE(threeDigits(98765.4), 98765.0); // no digit before the point is lost
        QCOMPARE(threeDigits(0), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestPresetChange)
#include "tst_preset_change.moc"
