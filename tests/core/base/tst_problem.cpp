// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/problem.h"

#include <QtTest>

using namespace partita;

class TestProblem : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void describesItselfOnOneLine()
    {
        const Problem problem{"layout.tp", "3", "does not divide 64 heads", "try 2 or 4"};
        QCOMPARE(describe(problem), std::string("layout.tp: 3: does not divide 64 heads (try 2 or 4)"));
    }

    void leavesOutWhatIsUnknown() { QCOMPARE(describe({"", "", "not JSON", ""}), std::string("not JSON")); }
};

QTEST_GUILESS_MAIN(TestProblem)
#include "tst_problem.moc"
