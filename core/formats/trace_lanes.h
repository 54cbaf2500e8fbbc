// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// From the events of a trace to its pipeline lanes. Internal to core/formats.

#include "core/formats/trace_import.h"
#include "core/formats/trace_names.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace partita {

/// A process or thread: traces use numbers and texts.
struct TraceId {
    bool isText = false;
    double number = 0;
    std::string text;

    bool operator<(const TraceId& other) const
    {
        return std::tie(isText, number, text) < std::tie(other.isText, other.number, other.text);
    }
    std::string shown() const { return isText ? text : fmt::format("{}", number); }
};

/// What of an event matters here.
struct TraceEvent {
    std::string name;
    std::string phase;
    std::string category;
    TraceId process;
    TraceId thread;
    double time = std::numeric_limits<double>::quiet_NaN();
    double duration = std::numeric_limits<double>::quiet_NaN();
    std::string givenName; ///< args.name of a metadata event
    NamedOp given; ///< what args say of micro-batch and chunk
};

/// The text, cut to what a name may hold here.
std::string shortTraceName(const std::string& text);

/// Puts events into lanes. From the first pipeline op on only such ops are kept.
class LaneCollector {
public:
    /// False when the trace is too large to go on; then problems say so.
    bool take(const TraceEvent& event);

    Result<ImportedTrace> finish();

    Problems problems;

private:
    struct Lane {
        TraceLane lane; ///< spans in µs
        std::vector<TraceEvent> open; ///< begun and not ended
    };
    using Key = std::pair<TraceId, TraceId>;

    bool refuse(std::string message);
    Lane* laneOf(const TraceEvent& event);
    bool withinLimits();
    bool name(const TraceEvent& event);
    bool close(Lane& lane, double time);
    bool add(Lane& lane, const TraceEvent& event);
    void keepOnlyOps();
    void dropNested(std::vector<TraceSpan>& spans);
    void complete(TraceLane& lane, const Key& key) const;
    std::vector<TraceLane> takeLanes();
    void addIgnored(ImportedTrace& trace) const;

    std::map<Key, Lane> m_lanes;
    std::map<TraceId, std::string> m_processes;
    bool m_hasOps = false;
    std::size_t m_spans = 0; ///< held, begun ones included
    std::size_t m_otherEvents = 0;
    std::size_t m_otherSpans = 0;
    std::size_t m_untimed = 0;
    std::size_t m_unpaired = 0;
    std::size_t m_nested = 0;
};

} // namespace partita
