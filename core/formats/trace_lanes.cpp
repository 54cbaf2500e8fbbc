// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/trace_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr std::size_t mostSpans = 4'000'000;
constexpr std::size_t mostLanes = 4096;
constexpr double latestTime = 1e18; // µs
constexpr double microseconds = 1e6;
constexpr std::size_t longestName = 200;

/// The category, where it is one of ours, else the name; arguments say more than either.
std::optional<NamedOp> pipelineOp(const TraceEvent& event)
{
    std::optional<NamedOp> op = namedOp(event.name);
    // Others may call a category "host", too: ops of the whole step must also be named as ours.
    if (const std::optional<OpKind> kind = fromKey<OpKind>(event.category);
        kind && (isPipelineOp(*kind) || event.name == opText(*kind, 0, 0, -1, -1))) {
        op = op.value_or(NamedOp());
        op->kind = *kind;
    }
    if (op) {
        const auto prefer = [](auto given, auto& field) { field = given >= 0 ? given : field; };
        prefer(event.given.microBatch, op->microBatch);
        prefer(event.given.chunk, op->chunk);
        prefer(event.given.stage, op->stage);
        if (op->kind == OpKind::ForwardBackward) {
            prefer(event.given.partner, op->partner);
            prefer(event.given.partnerChunk, op->partnerChunk);
        }
    }
    return op;
}

/// The zero-bubble papers call the input gradient B where W is apart.
void tellInputGradients(std::vector<TraceLane>& lanes)
{
    const auto has = [&](OpKind kind) {
        return std::any_of(lanes.begin(), lanes.end(), [kind](const TraceLane& lane) {
            return std::any_of(lane.spans.begin(), lane.spans.end(),
                               [kind](const TraceSpan& span) { return span.kind == kind; });
        });
    };
    if (!has(OpKind::BackwardWeight) || has(OpKind::BackwardInput)) {
        return;
    }
    for (TraceLane& lane : lanes) {
        for (TraceSpan& span : lane.spans) {
            if (span.kind == OpKind::Backward) {
                span.kind = OpKind::BackwardInput;
            }
        }
    }
}

} // namespace

std::string shortTraceName(const std::string& text)
{
    std::size_t end = std::min(text.size(), longestName);
    while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end; // not inside a UTF-8 sequence
    }
    return text.substr(0, end);
}

bool LaneCollector::take(const TraceEvent& event)
{
    if (event.phase == "M") {
        return name(event);
    }
    if (event.phase != "X" && event.phase != "B" && event.phase != "E") {
        ++m_otherEvents;
        return true;
    }
    if (!(std::abs(event.time) <= latestTime)
        || (event.phase == "X" && !(event.duration >= 0 && event.duration <= latestTime))) {
        ++m_untimed;
        return true;
    }
    Lane* lane = laneOf(event);
    if (lane == nullptr) {
        return false;
    }
    if (event.phase == "E") {
        return close(*lane, event.time);
    }
    if (event.phase == "B") {
        lane->open.push_back(event);
        return withinLimits();
    }
    return add(*lane, event);
}

bool LaneCollector::refuse(std::string message)
{
    problems.push_back({"traceEvents", "", std::move(message), "cut the trace to one step"});
    return false;
}

LaneCollector::Lane* LaneCollector::laneOf(const TraceEvent& event)
{
    const Key key(event.process, event.thread);
    const auto found = m_lanes.find(key);
    if (found != m_lanes.end()) {
        return &found->second;
    }
    if (m_lanes.size() == mostLanes) {
        refuse(fmt::format("has more than {} threads", mostLanes));
        return nullptr;
    }
    return &m_lanes[key];
}

bool LaneCollector::withinLimits()
{
    return ++m_spans <= mostSpans || refuse(fmt::format("holds more than {} spans", mostSpans));
}

bool LaneCollector::name(const TraceEvent& event)
{
    if (event.name == "thread_name") {
        Lane* lane = laneOf(event);
        if (lane == nullptr) {
            return false;
        }
        lane->lane.name = shortTraceName(event.givenName);
    } else if (event.name == "process_name" && m_processes.size() < mostLanes) {
        m_processes[event.process] = shortTraceName(event.givenName);
    }
    return true;
}

bool LaneCollector::close(Lane& lane, double time)
{
    if (lane.open.empty() || time < lane.open.back().time) {
        ++m_unpaired;
        return true;
    }
    TraceEvent event = std::move(lane.open.back());
    lane.open.pop_back();
    --m_spans;
    event.duration = time - event.time;
    return add(lane, event);
}

bool LaneCollector::add(Lane& lane, const TraceEvent& event)
{
    const std::optional<NamedOp> op = pipelineOp(event);
    if (op && !m_hasOps) {
        keepOnlyOps();
    }
    if (m_hasOps && !op) {
        ++m_otherSpans;
        return true;
    }
    TraceSpan span;
    span.name = shortTraceName(event.name);
    span.start = event.time;
    span.duration = event.duration;
    if (op) {
        span.kind = op->kind;
        span.microBatch = op->microBatch;
        span.chunk = op->chunk;
        span.partner = op->partner;
        span.partnerChunk = op->partnerChunk;
        lane.lane.stage = op->stage >= 0 ? op->stage : lane.lane.stage;
    }
    lane.lane.spans.push_back(std::move(span));
    return withinLimits();
}

void LaneCollector::keepOnlyOps()
{
    m_hasOps = true;
    for (auto& [key, lane] : m_lanes) {
        m_otherSpans += lane.lane.spans.size();
        m_spans -= lane.lane.spans.size();
        lane.lane.spans.clear();
    }
}

/// Keeps the outermost of ops that lie in one another ("forward-compute" inside "forward_step").
void LaneCollector::dropNested(std::vector<TraceSpan>& spans)
{
    double end = -std::numeric_limits<double>::infinity();
    const auto isNested = [&end](const TraceSpan& span) {
        const bool inside = span.duration > 0 && span.start < end && span.start + span.duration <= end;
        end = inside ? end : std::max(end, span.start + span.duration);
        return inside;
    };
    std::vector<TraceSpan> outermost;
    for (TraceSpan& span : spans) {
        if (!isNested(span)) {
            outermost.push_back(std::move(span));
        }
    }
    m_nested += spans.size() - outermost.size();
    spans = std::move(outermost);
}

/// Name and stage, as far as the lane and its process tell them.
void LaneCollector::complete(TraceLane& lane, const Key& key) const
{
    const auto process = m_processes.find(key.first);
    const std::string processName = process == m_processes.end() ? std::string() : process->second;
    for (const std::string& text : {lane.name, processName}) {
        lane.stage = lane.stage >= 0 ? lane.stage : stageIn(text);
    }
    if (lane.name.empty()) {
        lane.name = !processName.empty()
            ? processName
            : shortTraceName(fmt::format("process {}, thread {}", key.first.shown(), key.second.shown()));
    }
}

std::vector<TraceLane> LaneCollector::takeLanes()
{
    std::vector<TraceLane> lanes;
    for (auto& [key, collected] : m_lanes) {
        m_unpaired += collected.open.size();
        TraceLane& lane = collected.lane;
        if (lane.spans.empty()) {
            continue;
        }
        complete(lane, key);
        std::stable_sort(lane.spans.begin(), lane.spans.end(), [](const TraceSpan& a, const TraceSpan& b) {
            return a.start != b.start ? a.start < b.start : a.duration > b.duration;
        });
        if (m_hasOps) {
            dropNested(lane.spans);
        }
        lanes.push_back(std::move(lane));
    }
    std::stable_sort(lanes.begin(), lanes.end(), [](const TraceLane& a, const TraceLane& b) {
        return std::pair(a.stage < 0, a.stage) < std::pair(b.stage < 0, b.stage);
    });
    tellInputGradients(lanes);
    return lanes;
}

void LaneCollector::addIgnored(ImportedTrace& trace) const
{
    const auto line = [&](std::size_t count, std::string_view what) {
        if (count > 0) {
            trace.ignored.push_back(fmt::format("{} {}", count, what));
        }
    };
    line(m_otherSpans, "spans that are no pipeline op");
    line(m_nested, "pipeline ops inside others");
    line(m_otherEvents, "counters, flows and other events without a duration");
    line(m_untimed, "events without a usable time");
    line(m_unpaired, "beginnings or ends without their other half");
}

Result<ImportedTrace> LaneCollector::finish()
{
    ImportedTrace trace;
    trace.lanes = takeLanes();
    trace.hasPipelineOps = m_hasOps;
    addIgnored(trace);
    if (trace.lanes.empty()) {
        return Problem{"traceEvents", "", "holds no span with a start and a duration",
                       "export the trace with complete (\"X\") events"};
    }
    double origin = std::numeric_limits<double>::infinity();
    for (const TraceLane& lane : trace.lanes) {
        origin = std::min(origin, lane.spans.front().start);
    }
    for (TraceLane& lane : trace.lanes) {
        for (TraceSpan& span : lane.spans) {
            span.start = (span.start - origin) / microseconds;
            span.duration /= microseconds;
            trace.duration = std::max(trace.duration, span.start + span.duration);
        }
    }
    return trace;
}

} // namespace partita
