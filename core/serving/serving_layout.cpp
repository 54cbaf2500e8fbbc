// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/serving_layout.h"

#include "core/model/check_model.h"
#include "core/scenario/rules.h"
#include "core/scenario/split_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace partita {

namespace {

/// Tensor ranks a sequence's keys can be spread over without taking a head from a rank that needs it.
int mostDecodeContext(const Model& model, int tp)
{
    int most = tp;
    for (const LayerKind& kind : model.kinds) {
        if (const auto* attention = std::get_if<Attention>(&kind.mixer)) {
            most = std::min(most, std::max(1, tp / std::max(1, attention->kvHeads)));
        }
    }
    return most;
}

class Checker {
public:
    explicit Checker(const Scenario& scenario)
        : m_scenario(scenario)
        , m_serving(scenario.serving)
    {
    }

    Problems run()
    {
        m_problems = checkModel(m_scenario.model);
        for (Problem& problem : m_problems) {
            problem.field = "model." + problem.field;
        }
        if (!m_problems.empty()) {
            return std::move(m_problems);
        }
        m_problems = checkLayout(withoutTraining(m_scenario));
        checkNumbers();
        checkFormats();
        if (m_problems.empty()) {
            checkDecodeContext();
            checkPrefillReplicas();
        }
        return std::move(m_problems);
    }

private:
    void add(const char* field, std::int64_t value, std::string message, std::string suggestion)
    {
        m_problems.push_back({field, fmt::to_string(value), std::move(message), std::move(suggestion)});
    }

    void atLeast(const char* field, std::int64_t value, std::int64_t least)
    {
        if (value < least) {
            add(field, value, fmt::format("must be at least {}", least), fmt::format("try {}", least));
        } else if (value > most) {
            add(field, value, fmt::format("must be at most {}", most), fmt::format("try {}", most));
        }
    }

    void checkNumbers()
    {
        atLeast("serving.prompt", m_serving.prompt, 1);
        atLeast("serving.output", m_serving.output, 1);
        atLeast("serving.batch", m_serving.batch, 1);
        atLeast("serving.in_flight", m_serving.inFlight, 0);
        atLeast("serving.chunk", m_serving.chunk, 0);
        atLeast("serving.decode_context", m_serving.decodeContext, 1);
        atLeast("serving.draft_tokens", m_serving.draftTokens, 0);
        atLeast("serving.prefill_replicas", m_serving.prefillReplicas, 0);
    }

    void checkFormats()
    {
        if (m_serving.weights == DataType::Tf32) {
            m_problems.push_back({"serving.weights", "tf32", "is not a format weights are stored in", "try bf16"});
        }
        if (m_serving.keyValues == KeyValueFormat::Fp8Latent
            && !anyLayer([](const LayerKind& kind) { return std::holds_alternative<LatentAttention>(kind.mixer); })) {
            m_problems.push_back({"serving.key_values", std::string(keyOf(m_serving.keyValues)),
                                  "is a format of latent attention, which the model has not", "try fp8"});
        }
        if (m_serving.weights != DataType::Bf16 && m_serving.quantised == QuantisedPart::Experts
            && !anyLayer([](const LayerKind& kind) { return std::holds_alternative<MoeFfn>(kind.feedForward); })) {
            m_problems.push_back({"serving.quantised", std::string(keyOf(m_serving.quantised)),
                                  "names experts, which the model has not", "try layers"});
        }
    }

    template <class Is> bool anyLayer(Is is) const
    {
        return std::any_of(m_scenario.model.kinds.begin(), m_scenario.model.kinds.end(), is);
    }

    void checkDecodeContext()
    {
        const int tp = m_scenario.layout.tp;
        const int largest = mostDecodeContext(m_scenario.model, tp);
        if (tp % m_serving.decodeContext != 0 || m_serving.decodeContext > largest) {
            add("serving.decode_context", m_serving.decodeContext,
                fmt::format("does not divide tp {} into ranks that hold the same keys (at most {} do)", tp, largest),
                fmt::format("try {}", std::gcd(tp, largest)));
        }
    }

    void checkPrefillReplicas()
    {
        const int replicas = servingLayout(m_scenario).replicas;
        if (m_serving.prefillReplicas > 0 && m_serving.prefillReplicas >= replicas) {
            add("serving.prefill_replicas", m_serving.prefillReplicas,
                fmt::format("leaves none of {} replicas to decode", replicas),
                replicas > 1 ? fmt::format("try {}", replicas - 1) : "try 0");
        }
    }

    static constexpr std::int64_t most = std::int64_t{1} << 30;

    const Scenario& m_scenario;
    const Serving& m_serving;
    Problems m_problems;
};

} // namespace

Scenario withoutTraining(const Scenario& scenario)
{
    Scenario served = scenario;
    Layout& layout = served.layout;
    const auto chunks = static_cast<std::size_t>(std::max(1, layout.pp));
    layout.vpp = 1;
    if (layout.layersPerStage.size() != chunks) {
        layout.layersPerStage.clear();
    }
    layout.schedule = ScheduleKind::OneFOneB;
    layout.recompute = Recompute::None;
    layout.sequenceParallel = false;
    layout.zeroStage = 0;
    layout.shardGroup = 0;
    layout.microBatch = 1;
    layout.globalBatch = std::max(1, layout.dp);
    // A prompt is cut into whatever pieces context parallelism asks for; the last is padded.
    served.workload.sequenceLength = boundedProduct(std::max(1, layout.cp), 2 * std::max(1, layout.tp));
    return served;
}

ServingLayout servingLayout(const Scenario& scenario)
{
    const Layout& layout = scenario.layout;
    ServingLayout served;
    served.tp = layout.tp;
    served.cp = layout.cp;
    served.pp = layout.pp;
    served.ep = layout.ep;
    served.etp = layout.etp;
    const bool moe = isMoe(scenario.model);
    const std::int64_t expertRanks = std::int64_t{layout.ep} * layout.etp;
    if (moe && expertRanks < layout.tp) {
        served.etp = std::max(1, layout.tp / layout.ep);
    } else if (moe && expertRanks > layout.tp) {
        served.attentionRanks = static_cast<int>(std::gcd(expertRanks / layout.tp, std::int64_t{layout.dp}));
    }
    served.replicas = std::max(1, layout.dp / served.attentionRanks);
    served.decodeContext = static_cast<int>(scenario.serving.decodeContext);
    const std::int64_t asked = scenario.serving.inFlight;
    served.inFlight = asked > 0             ? static_cast<int>(std::min<std::int64_t>(asked, layout.pp))
        : scenario.stack.engine.splitsBatch ? layout.pp
                                            : 1;
    return served;
}

Problems checkServing(const Scenario& scenario)
{
    return Checker(scenario).run();
}

std::string servingText(const Layout& layout)
{
    std::string text;
    for (const auto& [name, degree] :
         {std::pair{"tp", layout.tp}, std::pair{"cp", layout.cp}, std::pair{"pp", layout.pp},
          std::pair{"dp", layout.dp}, std::pair{"ep", layout.ep}}) {
        if (degree > 1 || std::string_view(name) == "dp") {
            text += fmt::format("{}{} {}", text.empty() ? "" : " · ", name, degree);
        }
    }
    return text;
}

Layout splitForServing(const Layout& training, const Layout& serving)
{
    Layout layout = training;
    layout.tp = serving.tp;
    layout.cp = serving.cp;
    layout.pp = serving.pp;
    layout.dp = serving.dp;
    layout.ep = serving.ep;
    layout.etp = serving.etp;
    if (layout.pp != training.pp) { // chunks and layers belong to the stages they were chosen for
        layout.vpp = 1;
        layout.schedule = ScheduleKind::OneFOneB;
        layout.layersPerStage.clear();
    }
    layout.shardGroup = 0;
    return layout;
}

} // namespace partita
