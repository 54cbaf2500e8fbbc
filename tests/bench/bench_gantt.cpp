// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/schedule.h"
#include "widgets/chart_export.h"
#include "widgets/gantt_chart.h"

#include <QImage>
#include <QPainter>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

/// A frame of the Gantt chart at 64 stages and 16384 ops each must stay below 16 ms.
class BenchGantt : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        loadFonts();
        const auto schedule = makeSchedule(ScheduleKind::Interleaved, 64, 2048, 4);
        StageTimes times = equalStageTimes((*schedule).placement, 0.01, 0.01, 0.01);
        times.transfer = 0.0008;
        m_timeline = std::make_shared<const Timeline>(*simulate(*schedule, times));
    }

    void construct()
    {
        QBENCHMARK
        {
            GanttChart chart(m_timeline);
        }
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
        chart.curve = heldActivations(*m_timeline, 0);
        const double makespan = m_timeline->makespan;
        chart.view = {makespan * 0.3, makespan * (0.3 + 0.7 * share), 0, 64};
        chart.marks.op = OpRef{10, 8000};
        QImage image(1600, 900, QImage::Format_RGB32);
        const Theme theme = Theme::light();
        QBENCHMARK
        {
            QPainter painter(&image);
            painter.fillRect(image.rect(), theme.card);
            chart.paint(painter, image.rect(), theme);
        }
    }

    void layout()
    {
        GanttChart chart(m_timeline);
        const TextMetrics metrics = textMetrics(Theme::light());
        QBENCHMARK
        {
            const GanttGeometry g = chart.geometry({0, 0, 1600, 900}, metrics);
            QVERIFY(!g.blocks.empty());
        }
    }

private:
    std::shared_ptr<const Timeline> m_timeline;
};

QTEST_MAIN(BenchGantt)
#include "bench_gantt.moc"
