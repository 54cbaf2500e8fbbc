// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/schedule.h"

#include <algorithm>

namespace partita {

// p stages, m micro-batches, v chunks per rank; F, B, W: a stage's forward, input gradient and weight gradient of one
// micro-batch; F&B: a forward beside a whole backward.
ScheduleFacts describe(ScheduleKind kind)
{
    ScheduleFacts facts;
    facts.chunks = 1;
    facts.transfers = "as 1F1B: each micro-batch crosses every stage boundary once each way";
    switch (kind) {
    case ScheduleKind::GPipe:
        facts.memory = "every stage holds all m micro-batches when the forwards end";
        facts.bubble = "(p - 1)(F + B + W)";
        break;
    case ScheduleKind::OneFOneB:
        facts.memory = "stage i holds min(p - i, m) micro-batches";
        facts.bubble = "(p - 1)(F + B + W)";
        break;
    case ScheduleKind::Interleaved:
        facts.memory = "stage i holds min(m v, 2(p - i - 1) + (v - 1)p + 1) / v micro-batches";
        facts.bubble = "(p - 1)(F + B + W) / v, and more when p does not divide m";
        facts.transfers = "v times 1F1B";
        facts.chunks = 0;
        facts.minChunks = 2;
        break;
    case ScheduleKind::OneFOneBOverlap:
        facts.memory = "stage i holds min(m v, 2(p - i - 1) + (v - 1)p + 2) / v micro-batches";
        facts.bubble = "(p - 1)(2 F&B - F - B - W) / v, and more when p does not divide m";
        facts.transfers = "v times 1F1B";
        facts.chunks = 0;
        facts.pairsForwardBackward = true;
        break;
    case ScheduleKind::BreadthFirst:
        facts.memory = "every stage holds all m micro-batches when the forwards end";
        facts.bubble = "(p - 1)(F + B + W) / v";
        facts.transfers = "v times 1F1B";
        facts.chunks = 0;
        break;
    case ScheduleKind::ZbH1:
        facts.memory = "no stage holds more than p micro-batches, as the first stage of 1F1B";
        facts.bubble = "(p - 1)(F + B - W)";
        facts.splitsBackward = true;
        break;
    case ScheduleKind::ZbH2:
        facts.memory = "no stage holds more than 2p - 1 micro-batches";
        facts.bubble = "none inside a stage when F = B = W; the last stage starts and ends (p - 1)F late";
        facts.splitsBackward = true;
        break;
    case ScheduleKind::ZbV:
        facts.memory = "no stage holds more than p micro-batches";
        facts.bubble = "none inside a stage when F = B = W; the last stage starts and ends (p - 1)F / 2 late";
        facts.transfers = "2 times 1F1B, less the turn, which stays on the last rank";
        facts.chunks = 2;
        facts.minChunks = 2;
        facts.splitsBackward = true;
        break;
    case ScheduleKind::VHalf:
        facts.memory = "about half of 1F1B: p / 2 + 1 micro-batches";
        facts.bubble = "(3p - 7)F / 2 when F = B = W, for even p from 4";
        facts.transfers = "2 times 1F1B, less the turn, which stays on the last rank";
        facts.chunks = 2;
        facts.minChunks = 2;
        facts.splitsBackward = true;
        break;
    case ScheduleKind::VMin:
        facts.memory = "about a third of 1F1B: (p + 2) / 3 micro-batches, rounded up";
        facts.bubble = "(4p - 5)F / 2 when F = B = W; far more when they differ or transfers take time";
        facts.transfers = "2 times 1F1B, less the turn, which stays on the last rank";
        facts.chunks = 2;
        facts.minChunks = 2;
        facts.splitsBackward = true;
        break;
    case ScheduleKind::DualPipe:
        facts.memory = "p + 1 micro-batches and two copies of the weights";
        facts.bubble = "(p / 2 - 1)(F&B + B - 2W)";
        facts.weightCopies = 2;
        facts.splitsBackward = true;
        facts.pairsForwardBackward = true;
        facts.evenStages = true;
        facts.evenMicroBatches = true;
        facts.microBatchesPerStage = 2;
        break;
    case ScheduleKind::DualPipeV:
        facts.memory = "p + 1 / 2 micro-batches";
        facts.bubble = "(p - 1)(F&B + B - 2W) / 2";
        facts.transfers = "2 times 1F1B, less the turn, which stays on the last rank";
        facts.chunks = 2;
        facts.minChunks = 2;
        facts.splitsBackward = true;
        facts.pairsForwardBackward = true;
        facts.microBatchesPerStage = 2;
        break;
    }
    return facts;
}

double statedActivations(ScheduleKind kind, int stages, int microBatches, int chunks, int stage)
{
    const double p = stages;
    const double m = microBatches;
    switch (kind) {
    case ScheduleKind::GPipe:
    case ScheduleKind::BreadthFirst:
        return m;
    case ScheduleKind::OneFOneB:
        return std::min(p - stage, m);
    case ScheduleKind::Interleaved:
        return std::min(m * chunks, 2 * (p - stage - 1) + (chunks - 1) * p + 1) / chunks;
    case ScheduleKind::OneFOneBOverlap: // one chunk more: the forward half of a pair starts before the backward half
                                        // frees
        return std::min(m * chunks, 2 * (p - stage - 1) + (chunks - 1) * p + 2) / chunks;
    case ScheduleKind::ZbH1:
    case ScheduleKind::ZbV:
        return std::min(p, m);
    case ScheduleKind::ZbH2:
        return std::min(2 * p - 1, m);
    case ScheduleKind::VHalf:
        return std::min(p / 2 + 1, m);
    case ScheduleKind::VMin:
        return std::min(static_cast<double>((stages + 4) / 3), m);
    case ScheduleKind::DualPipe:
        return std::min(p + 1, m);
    case ScheduleKind::DualPipeV:
        return std::min(p + 0.5, m);
    }
    return m;
}

} // namespace partita
