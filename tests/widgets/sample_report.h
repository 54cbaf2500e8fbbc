// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"
#include "core/pipeline/schedule.h"
#include "core/training/report.h"

#include <memory>

/// A report with everything the charts show: memory that falls along the pipeline, a loss on the last stage.
inline partita::Report sampleReport(int stages)
{
    using namespace partita;
    Report report;
    report.memoryLimit = 79.1 * partita::gibibyte;
    for (int i = 0; i < stages; ++i) {
        StageReport stage;
        stage.memory[MemoryKind::Weights] = 9.4 * partita::gibibyte;
        stage.memory[MemoryKind::Gradients] = 13.5 * partita::gibibyte;
        stage.memory[MemoryKind::OptimizerStates] = 10.6 * partita::gibibyte;
        stage.memory[MemoryKind::Activations] = 27.0 * partita::gibibyte * (stages - i) / stages;
        stage.memory[MemoryKind::HeadAndLoss] = i == stages - 1 ? 6.2 * partita::gibibyte : 0;
        stage.memory[MemoryKind::CommunicationBuffers] = 2.6 * partita::gibibyte;
        stage.memory[MemoryKind::Framework] = 3.1 * partita::gibibyte;
        report.stages.push_back(stage);
    }
    report.time[TimeKind::Gemm] = 3.34;
    report.time[TimeKind::Attention] = 0.83;
    report.time[TimeKind::Elementwise] = 0.77;
    report.time[TimeKind::TpExposed] = 0.26;
    report.time[TimeKind::DpExposed] = 0.143;
    report.time[TimeKind::Bubble] = 0.6449;
    report.time[TimeKind::Optimizer] = 0.44;
    report.stepTime = report.time.total();
    return report;
}

/// Ops of the whole step behind those of the pipeline, and exchange inside these.
inline void addStepOps(partita::Timeline& timeline)
{
    using namespace partita;
    const auto op = [](OpKind kind, double start, double seconds) {
        TimelineOp made;
        made.kind = kind;
        made.start = start;
        made.end = start + seconds;
        made.microBatch = -1;
        made.chunk = -1;
        return made;
    };
    const double joined = timeline.makespan + 0.02;
    for (StageTimeline& stage : timeline.stages) {
        stage.after = {op(OpKind::ReduceScatter, stage.ops.back().end, 0.02), op(OpKind::Optimizer, joined, 0.03),
                       op(OpKind::AllGather, joined + 0.03, 0.01)};
    }
    timeline.exchange.assign(timeline.placement.links.size(), PassExchange());
    for (PassExchange& pass : timeline.exchange) {
        pass.forward[ExchangeGroup::Tensor] = 0.002;
        pass.inputGradient[ExchangeGroup::Expert] = 0.003;
    }
}

inline partita::Timeline sampleTimeline(partita::ScheduleKind kind, int stages, int microBatches, int chunks)
{
    using namespace partita;
    const auto schedule = makeSchedule(kind, stages, microBatches, chunks);
    StageTimes times = equalStageTimes((*schedule).placement, 0.01, 0.01, 0.01);
    times.transfer = 0.0008;
    return *simulate(*schedule, times);
}
