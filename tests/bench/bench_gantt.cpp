// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/schedule.h"
#include "widgets/chart_export.h"
#include "widgets/gantt_chart.h"

#include <QImage>
#include <QPainter>
#include <QtTest>

#include <algorithm>
#include <ctime>
#include <limits>
#include <sys/resource.h>

using namespace partita;
using namespace partita::ui;

namespace {

/// CPU time, the best of some: what else the machine does leaves it alone.
template <class Work> void measure(Work work)
{
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 7; ++i) {
        const std::clock_t start = std::clock();
        work();
        best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    QTest::setBenchmarkResult(best, QTest::WalltimeMilliseconds);
}

} // namespace

/// At 64 stages, 1024 micro-batches and 4 chunks, 524288 ops: first paint below 50 ms, a frame below 16 ms.
class BenchGantt : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        loadFonts();
        const auto schedule = makeSchedule(ScheduleKind::Interleaved, 64, 1024, 4);
        StageTimes times = equalStageTimes((*schedule).placement, 0.01, 0.01, 0.01);
        times.transfer = 0.0008;
        m_timeline = std::make_shared<const Timeline>(*simulate(*schedule, times));
    }

    void construct()
    {
        measure([&] { GanttChart chart(m_timeline); });
    }

    /// From a timeline to its first picture.
    void firstPaint()
    {
        const Theme theme = Theme::light();
        measure([&] {
            GanttChart chart(m_timeline);
            chart.curves = {heldActivations(*m_timeline, 0)};
            QImage image(1600, 900, QImage::Format_RGB32);
            QPainter painter(&image);
            painter.fillRect(image.rect(), theme.card);
            chart.paint(painter, image.rect(), theme);
        });
    }

    /// Fitted, with the memory of every stage below.
    void frameWithAllCurves()
    {
        GanttChart chart(m_timeline);
        for (int stage = 0; stage < 64; ++stage) {
            chart.curves.push_back(heldActivations(*m_timeline, stage));
        }
        QImage image(1600, 900, QImage::Format_RGB32);
        const Theme theme = Theme::light();
        measure([&] {
            QPainter painter(&image);
            painter.fillRect(image.rect(), theme.card);
            chart.paint(painter, image.rect(), theme);
        });
    }

    /// The highest resident size so far, with ops, graph, sums and curves of all stages held.
    void memory()
    {
        const GanttChart chart(m_timeline);
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        QTest::setBenchmarkResult(static_cast<double>(usage.ru_maxrss) * 1024, QTest::BytesAllocated);
    }

    void frame_data()
    {
        QTest::addColumn<double>("share");
        for (const double share : {1.0, 0.1, 0.03, 0.01, 0.001}) {
            QTest::addRow("%g of the step", share) << share;
        }
    }
    void frame()
    {
        QFETCH(double, share);
        GanttChart chart(m_timeline);
        chart.curves = {heldActivations(*m_timeline, 0)};
        const double makespan = m_timeline->makespan;
        chart.view = {makespan * 0.3, makespan * (0.3 + 0.7 * share), 0, 64};
        chart.marks.op = OpRef{10, 4000};
        QImage image(1600, 900, QImage::Format_RGB32);
        const Theme theme = Theme::light();
        measure([&] {
            QPainter painter(&image);
            painter.fillRect(image.rect(), theme.card);
            chart.paint(painter, image.rect(), theme);
        });
    }

    void layout()
    {
        GanttChart chart(m_timeline);
        const TextMetrics metrics = textMetrics(Theme::light());
        measure([&] {
            const GanttGeometry g = chart.geometry({0, 0, 1600, 900}, metrics);
            QVERIFY(!g.blocks.empty());
        });
    }

private:
    std::shared_ptr<const Timeline> m_timeline;
};

QTEST_MAIN(BenchGantt)
#include "bench_gantt.moc"
