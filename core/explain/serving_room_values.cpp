// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"
#include "core/explain/served_context.h"

#include <fmt/format.h>

namespace partita {

namespace {

/// What a device's memory is held for, and how many requests go into the rest.
class RoomOf : public ServedValues {
public:
    RoomOf(Ledger& ledger, const ServedContext& served)
        : ServedValues(ledger, served)
    {
    }

    void addReported() const
    {
        const CacheRoom& cache = m_served.report.cache;
        for (const Name<RoomKind>& kind : Names<RoomKind>::table) {
            bytes(fmt::format("memory.{}", kind.key), fmt::format("{} on the device that fills first", kind.label),
                  cache.room[kind.value],
                  [this_ = *this, value = kind.value](Derivation& d) { this_.deriveRoom(d, value); });
        }
        bytes("memory.total", "memory of a device", cache.room.total(), [this_ = *this](Derivation& d) {
            d.formula = "sum(b)";
            d.terms = {this_.m_ledger.list("b", "what it is held for", this_.roomPaths(RoomKind::Unused, true))};
        });
        m_ledger.add(servingPath("memory.stage"), "stage that fills first", Measure::Count, cache.stage,
                     [this_ = *this](Derivation& d) {
                         d.formula = "argmax(-r)";
                         d.terms = {this_.byStage("r", "whole requests, by stage", "requests")};
                     });
    }

    void addIntermediate() const
    {
        for (std::size_t i = 0; i < m_served.rooms.size(); ++i) {
            addStage(i);
        }
        const StepActivations step = stepActivations(m_served.scenario);
        bytes("activations", "activations of the largest step", step.bytes(), [this_ = *this, step](Derivation& d) {
            d.formula = "2*t*(4*h + w) + 4*q*V";
            d.terms = {given("t", "tokens of the largest step", Measure::Tokens, step.tokens,
                             this_.engineOrigin("step_tokens; serving.prompt where steps are not mixed")),
                       given("h", "hidden size", Measure::Count, step.hidden, "model.hidden"),
                       given("w", "elements of a token inside the widest layer", Measure::Count, step.widest,
                             "model, layout.tp"),
                       given("q", "sequences that have logits", Measure::Count, step.sequences,
                             this_.engineOrigin("most_sequences, at most serving.batch")),
                       given("V", "vocabulary", Measure::Count, step.vocabulary, "model.vocabulary")};
        });
    }

private:
    Term byStage(std::string_view symbol, std::string_view name, std::string_view what) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < m_served.rooms.size(); ++i) {
            paths.push_back(stagePath(i, what));
        }
        return m_ledger.list(symbol, name, paths);
    }
    static Term layers(const std::vector<double>& counts)
    {
        return givenList("n", "layers of a kind", Measure::Count, counts, {}, "model, layout");
    }
    Term ranks() const { return term("a", "layout.attention_dp"); }
    Term memory() const
    {
        const Accelerator& accelerator = m_served.scenario.cluster.accelerator;
        return given("M", "memory of a device", Measure::Bytes, accelerator.memoryBytes,
                     fmt::format("accelerator {}: memory", accelerator.name));
    }
    Term share() const
    {
        return given("s", "share of the memory the engine takes", Measure::Share, engine().memoryShare,
                     engineOrigin("memory_share"));
    }

    /// Paths of the kinds before one in the stack, itself included on demand.
    static std::vector<std::string> roomPaths(RoomKind last, bool included)
    {
        std::vector<std::string> paths;
        for (const Name<RoomKind>& kind : Names<RoomKind>::table) {
            if (kind.value < last || (included && kind.value == last)) {
                paths.push_back(servingPath(fmt::format("memory.{}", kind.key)));
            }
        }
        return paths;
    }

    void deriveRoom(Derivation& d, RoomKind kind) const
    {
        const Stack& stack = m_served.scenario.stack;
        switch (kind) {
        case RoomKind::Weights:
            d.formula = "w";
            d.terms = {m_ledger.term("w", stagePath(fullest(), "weights"))};
            return;
        case RoomKind::Activations:
            d.formula = "x";
            d.terms = {term("x", "activations")};
            return;
        case RoomKind::Graphs:
            d.formula = "g";
            d.terms = {given("g", "captured graphs", Measure::Bytes, engine().graphs ? engine().graphBytes : 0,
                             engineOrigin("graphs, graph_memory"))};
            return;
        case RoomKind::Framework:
            d.formula = "f";
            d.terms = {given("f", "context and framework", Measure::Bytes, stack.frameworkBytes,
                             engineOrigin("framework_bytes"))};
            return;
        case RoomKind::Communicators:
            d.formula = "g*b";
            d.terms = {given("g", "groups that exchange", Measure::Count, communicators(layout()), "layout"),
                       given("b", "buffers of a group", Measure::Bytes, stack.commBufferBytes,
                             engineOrigin("comm_buffer_bytes"))};
            return;
        case RoomKind::KeyValues:
            d.formula = engine().shareOfFree ? "max(0, s*(M - sum(b)))" : "max(0, s*M - sum(b))";
            d.terms = {share(), memory(),
                       m_ledger.list("b", "what else is held", roomPaths(RoomKind::KeyValues, false))};
            return;
        case RoomKind::Unused:
            d.formula = "max(0, M - sum(b))";
            d.terms = {memory(), m_ledger.list("b", "what is held", roomPaths(RoomKind::Unused, false))};
            return;
        }
    }

    void addStage(std::size_t stage) const
    {
        const StageRoom& room = m_served.rooms[stage];
        const auto requests = [&](std::string_view key, std::string_view name, double value, std::string_view each) {
            m_ledger.add(stagePath(stage, key), fmt::format("{}, stage {}", name, stage), Measure::Plain, value,
                         [this_ = *this, stage, each = std::string(each)](Derivation& d) {
                             d.formula = "a*floor(K/w)";
                             d.terms = {this_.ranks(), this_.m_ledger.term("K", stagePath(stage, "room_bytes")),
                                        this_.m_ledger.term("w", stagePath(stage, each))};
                         });
        };
        requests("requests", "whole requests at once", room.requests, "sequence_bytes");
        requests("steady_requests", "requests at once, in steady state", room.steadyRequests, "mean_bytes");
        const auto sequences = [&](std::string_view key, std::string_view name, double value) {
            m_ledger.add(stagePath(stage, key), fmt::format("keys and values of {}, a device of stage {}", name, stage),
                         Measure::Bytes, value, [this_ = *this, stage, key = std::string(key)](Derivation& d) {
                             d.formula = "sum(n*b)";
                             d.terms = {layers(this_.m_served.layers[stage]), this_.kinds("b", "of one layer", key)};
                         });
        };
        sequences("sequence_bytes", "a whole sequence", room.longestBytes);
        sequences("mean_bytes", "a sequence in steady state", room.meanBytes);
        m_ledger.add(stagePath(stage, "room_bytes"), fmt::format("room for keys and values, stage {}", stage),
                     Measure::Bytes, room.room[RoomKind::KeyValues], [this_ = *this, stage](Derivation& d) {
                         std::vector<std::string> held = roomPaths(RoomKind::KeyValues, false);
                         held.front() = stagePath(stage, "weights");
                         d.formula = this_.engine().shareOfFree ? "max(0, s*(M - sum(b)))" : "max(0, s*M - sum(b))";
                         d.terms = {this_.share(), this_.memory(), this_.m_ledger.list("b", "what else is held", held)};
                     });
    }
};

} // namespace

void addServingRoom(Ledger& ledger, const ServedContext& served)
{
    addServingFamily<RoomOf>(ledger, served);
}

} // namespace partita
