// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/trace_import.h"

#include "core/formats/trace_lanes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace partita {

namespace {

using nlohmann::json;

constexpr std::size_t mostDepth = 64;

template <class I> void assignIndex(double number, I& field)
{
    if (number >= 0 && number <= std::numeric_limits<I>::max()) {
        field = static_cast<I>(number);
    }
}

void readArgument(TraceEvent& event, std::string_view key, double number)
{
    if (key == "microBatch" || key == "micro_batch" || key == "microbatch" || key == "microbatch_id" || key == "mb") {
        assignIndex(number, event.given.microBatch);
    } else if (key == "chunk" || key == "chunk_id" || key == "model_chunk" || key == "model_chunk_id") {
        assignIndex(number, event.given.chunk);
    } else if (key == "backwardMicroBatch") {
        assignIndex(number, event.given.partner);
    } else if (key == "backwardChunk") {
        assignIndex(number, event.given.partnerChunk);
    } else if (key == "stage" || key == "stage_id" || key == "pp_rank") {
        assignIndex(number, event.given.stage);
    }
}

/// Follows the parser through the text and hands on one event after the other; nothing else is kept.
class EventReader : public nlohmann::json_sax<json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(json::number_integer_t value) override { return number(static_cast<double>(value)); }
    bool number_unsigned(json::number_unsigned_t value) override { return number(static_cast<double>(value)); }
    bool number_float(json::number_float_t value, const std::string&) override { return number(value); }
    bool binary(json::binary_t&) override { return false; }

    bool string(std::string& value) override
    {
        if (inEvent()) {
            if (m_key == "name") {
                m_event.name = std::move(value);
            } else if (m_key == "ph") {
                m_event.phase = std::move(value);
            } else if (m_key == "cat") {
                m_event.category = std::move(value);
            } else if (m_key == "pid") {
                m_event.process = {true, 0, shortTraceName(value)};
            } else if (m_key == "tid") {
                m_event.thread = {true, 0, shortTraceName(value)};
            }
        } else if (inArguments() && m_key == "name") {
            m_event.givenName = std::move(value);
        }
        return true;
    }

    bool key(std::string& value) override
    {
        m_key = std::move(value);
        if (m_depth == 1) {
            m_rootKey = m_key;
        } else if (inEvent()) {
            m_eventKey = m_key;
        }
        return true;
    }

    bool start_object(std::size_t) override
    {
        if (m_depth == 0) {
            m_listDepth = 2;
        } else if (m_inList && m_depth == m_listDepth) {
            m_event = {};
            m_isEvent = true;
        }
        return open();
    }

    bool end_object() override
    {
        const bool ends = inEvent();
        --m_depth;
        if (ends) {
            m_isEvent = false;
            return lanes.take(m_event);
        }
        return true;
    }

    bool start_array(std::size_t) override
    {
        if (m_depth == 0) {
            m_listDepth = 1;
            m_inList = m_found = true;
        } else if (m_depth == 1 && m_listDepth == 2 && m_rootKey == "traceEvents") {
            m_inList = m_found = true;
        }
        return open();
    }

    bool end_array() override
    {
        m_inList = m_inList && m_depth != m_listDepth;
        --m_depth;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override
    {
        lanes.problems.push_back({"", "", fmt::format("is not JSON, or was cut off, at byte {}", position), ""});
        return false;
    }

    bool foundEvents() const { return m_found; }

    LaneCollector lanes;

private:
    bool inEvent() const { return m_isEvent && m_depth == m_listDepth + 1; }
    bool inArguments() const { return m_isEvent && m_depth == m_listDepth + 2 && m_eventKey == "args"; }

    bool number(double value)
    {
        if (inEvent()) {
            if (m_key == "ts") {
                m_event.time = value;
            } else if (m_key == "dur") {
                m_event.duration = value;
            } else if (m_key == "pid") {
                m_event.process = {false, value, {}};
            } else if (m_key == "tid") {
                m_event.thread = {false, value, {}};
            }
        } else if (inArguments()) {
            readArgument(m_event, m_key, value);
        }
        return true;
    }

    bool open()
    {
        if (++m_depth > mostDepth) {
            lanes.problems.push_back({"", "", fmt::format("is nested deeper than {} levels", mostDepth), ""});
            return false;
        }
        return true;
    }

    std::size_t m_depth = 0;
    std::size_t m_listDepth = 0; ///< of the list of events, once the root is known
    bool m_inList = false;
    bool m_isEvent = false;
    bool m_found = false;
    std::string m_key;
    std::string m_rootKey;
    std::string m_eventKey;
    TraceEvent m_event;
};

} // namespace

bool looksLikeTrace(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos
        && (text[first] == '[' || text.find("\"traceEvents\"") != std::string_view::npos);
}

Result<ImportedTrace> readTrace(std::string_view text)
{
    if (text.size() > mostTraceBytes) {
        return Problem{"", fmt::format("{} bytes", text.size()),
                       fmt::format("is larger than the {} bytes that are read", mostTraceBytes),
                       "cut the trace to one step"};
    }
    EventReader reader;
    json::sax_parse(text, &reader);
    if (!reader.lanes.problems.empty()) {
        return std::move(reader.lanes.problems);
    }
    if (!reader.foundEvents()) {
        return Problem{"traceEvents", "", "is missing", "a Chrome trace: {\"traceEvents\": [...]} or a list of events"};
    }
    return reader.lanes.finish();
}

} // namespace partita
