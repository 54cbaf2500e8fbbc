// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/serve.h"

#include "core/serving/key_values.h"
#include "core/serving/serving_advice.h"
#include "core/serving/step_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr double shortest = 1e-300; ///< s; divided by instead of nothing

/// Fills a report for the scenario, in the order in which the numbers need each other.
class Server {
public:
    Server(const Scenario& scenario, const StepModel& steps, ServingReport& report, ServingTerms& terms)
        : m_scenario(scenario)
        , m_serving(scenario.serving)
        , m_engine(scenario.stack.engine)
        , m_steps(steps)
        , m_report(report)
        , m_terms(terms)
    {
    }

    void run()
    {
        fillBytes();
        fillBatch();
        if (m_serving.batching == Batching::Static) {
            serveStatically();
        } else {
            serveContinuously();
        }
        fillRates();
    }

private:
    double promptTokens() const { return static_cast<double>(m_serving.prompt); }
    double outputTokens() const { return static_cast<double>(m_serving.output); }
    int ranks() const { return m_report.layout.attentionRanks; }
    bool disaggregated() const { return m_serving.prefillReplicas > 0; }
    double decodingReplicas() const
    {
        return m_report.layout.replicas - static_cast<double>(m_serving.prefillReplicas);
    }

    void fillBytes()
    {
        const ServingLayout& layout = m_report.layout;
        m_report.weightBytesPerDevice = m_steps.stages().fullest();
        m_report.checkpointBytes = checkpointBytes(m_scenario.model, m_serving);
        m_report.keyValueBytesPerToken = keyValueBytesPerToken(m_scenario.model, m_serving.keyValues);
        m_report.keyValueCopies = keyValueCopies(m_scenario.model, layout);
        m_report.cache = cacheRoom(m_scenario, layout, m_steps.stages());
        const CacheRoom& cache = m_report.cache;
        m_report.keyValueBytesPerTokenPerDevice =
            cache.tokens > 0 ? cache.room[RoomKind::KeyValues] * ranks() / cache.tokens : 0;
        m_report.fits = cache.requests >= 1;
        m_report.maxConcurrency =
            decodingReplicas() * std::min(cache.requests, static_cast<double>(m_engine.mostSequences));
        m_report.eviction = m_engine.reservesOutput
            ? "a request waits until there is room for its whole output; nothing is evicted"
            : "the request that came last is evicted and computed again";
    }

    /// Sequences a replica has room for: whole requests where their output is reserved, else as they are on average.
    double roomFor() const
    {
        const CacheRoom& cache = m_report.cache;
        const bool whole = m_engine.reservesOutput || m_serving.batching == Batching::Static;
        return std::min(whole ? cache.requests : cache.steadyRequests, static_cast<double>(m_engine.mostSequences));
    }

    void fillBatch()
    {
        const double asked = static_cast<double>(m_serving.batch) * m_report.layout.inFlight;
        // Weights that do not fit are shown at the batch asked for, as if they did.
        m_terms.room = roomFor();
        const double running = m_report.fits ? std::min(asked, std::max(1.0, m_terms.room)) : asked;
        m_terms.asked = asked;
        m_terms.running = running;
        m_report.waiting = decodingReplicas() * (asked - running);
        m_report.concurrency = decodingReplicas() * running;
        m_report.batch = running / m_report.layout.inFlight;
    }

    /// Of one attention rank: the batch of a replica is spread over them.
    StepWork decodeWork(double context) const
    {
        StepWork work;
        work.decoding = m_report.batch / ranks();
        work.context = context;
        work.verified = 1 + static_cast<double>(m_serving.draftTokens);
        return work;
    }

    double meanContext() const { return std::max(0.0, meanHeldTokens(m_serving) - 1); }

    /// Tokens a verify step yields (Leviathan et al. 2023): (1 - a^(g+1)) / (1 - a).
    double tokensPerStep() const
    {
        const double a = m_serving.acceptance;
        const double g = static_cast<double>(m_serving.draftTokens);
        return a < 1 ? (1 - std::pow(a, g + 1)) / (1 - a) : g + 1;
    }

    /// s between tokens of steps that only decode, by part.
    TimeBreakdown decodeParts()
    {
        m_terms.decode = decodeWork(meanContext());
        m_terms.tokensPerStep = tokensPerStep();
        m_terms.drafting = 1 + m_serving.draftCost * static_cast<double>(m_serving.draftTokens);
        const StepTime step = m_steps.time(m_terms.decode);
        const int inFlight = m_report.layout.inFlight;
        TimeBreakdown parts = step.parts;
        parts[TimeKind::Bubble] += step.round(inFlight, m_engine.overlapsStages) - step.total();
        m_report.decodeStep = parts.total();
        const double busy = inFlight * step.total();
        m_report.pipelineIdle =
            m_report.layout.pp > 1 ? std::max(0.0, 1 - busy / (m_report.layout.pp * m_report.decodeStep)) : 0;
        m_report.floor = m_steps.floor(m_terms.decode) / m_terms.tokensPerStep;
        return parts.scaled(m_terms.drafting / m_terms.tokensPerStep);
    }

    /// Prompt tokens beside sequences that decode.
    StepWork promptWork(double tokens, double prompts, double before, double decoding) const
    {
        StepWork work = decodeWork(meanContext());
        work.decoding = decoding;
        work.prefilling = tokens;
        work.prompts = prompts;
        work.before = before;
        return work;
    }

    double chunkTokens() const
    {
        const std::int64_t stated = m_serving.chunk > 0 ? m_serving.chunk : m_engine.stepTokens;
        return std::max(1.0, static_cast<double>(stated));
    }

    /// s of one prompt of all its chunks by part, without sequences that decode; chunks fill the pipeline.
    const TimeBreakdown& promptParts(double& first)
    {
        const double chunks = std::ceil(promptTokens() / chunkTokens());
        const double tokens = promptTokens() / chunks;
        // The time of a chunk grows linearly with what lies before it: the middle one is the mean.
        m_terms.chunks = chunks;
        m_terms.prompt = promptWork(tokens, 1, (chunks - 1) / 2 * tokens, 0);
        const StepTime middle = m_steps.time(m_terms.prompt);
        first = middle.total() + (chunks - 1) * middle.slowestStage;
        // Steady state: what a prompt takes of the pipeline's time is its slowest stage, for every chunk.
        m_terms.promptParts = middle.parts.scaled(chunks * middle.slowestStage / std::max(middle.total(), shortest));
        return m_terms.promptParts;
    }

    void serveContinuously()
    {
        const TimeBreakdown decode = decodeParts();
        double first = 0;
        const TimeBreakdown& prompt = promptParts(first);
        m_report.prefill = first;
        if (disaggregated()) {
            serveApart(decode, first, prompt.total());
            return;
        }
        // While a request generates its tokens every other one of the replica brings one prompt: engines that mix
        // steps read weights once for both.
        const double others = std::max(0.0, m_report.concurrency / decodingReplicas() / ranks() - 1);
        const double perToken = others / outputTokens();
        TimeBreakdown parts = decode;
        TimeBreakdown added = prompt.scaled(perToken);
        const double shared = sharedWithPrompts(perToken * promptTokens());
        m_terms.others = others;
        m_terms.promptsPerToken = perToken;
        m_terms.shared = shared;
        added = added.scaled(std::max(0.0, 1 - shared / std::max(added.total(), shortest)));
        parts += added;
        m_report.time = parts;
        m_report.tpot = parts.total();
        // A new request waits for half a step, then its chunks pass beside those that decode.
        const double beside = others > 0 ? m_report.decodeStep * std::ceil(promptTokens() / chunkTokens()) : 0;
        m_report.ttft = first + std::min(beside, first) + (others > 0 ? m_report.decodeStep / 2 : 0);
    }

    /// s a token that mixing saves: a step with prompts in it reads the weights that its decoding sequences need
    /// anyway.
    double sharedWithPrompts(double promptTokensPerStep)
    {
        if (!m_engine.mixedSteps || promptTokensPerStep <= 0) {
            return 0;
        }
        // Steps that carry a chunk: all where prompts are many, else one in so many.
        const double carrying = std::min(1.0, promptTokensPerStep / std::min(chunkTokens(), promptTokens()));
        const double inStep = promptTokensPerStep / carrying;
        m_terms.carrying = carrying;
        m_terms.mixedPrompt = promptWork(inStep, inStep / promptTokens(), 0, 0);
        m_terms.mixed = promptWork(inStep, inStep / promptTokens(), 0, m_terms.decode.decoding);
        const double apart = m_steps.time(m_terms.decode).slowestStage + m_steps.time(m_terms.mixedPrompt).slowestStage;
        const double together = m_steps.time(m_terms.mixed).slowestStage;
        return carrying * std::max(0.0, apart - together);
    }

    /// Prompts on replicas of their own; keys cross the network between the two.
    void serveApart(const TimeBreakdown& decode, double first, double perPrompt)
    {
        m_report.time = decode;
        m_report.tpot = decode.total();
        const Cluster& cluster = m_scenario.cluster;
        const int outermost = static_cast<int>(cluster.levels.size()) - 1;
        const double bytes = sequenceBytes(m_scenario.model, m_serving.keyValues, promptTokens())
            / (static_cast<double>(m_report.layout.tp) * m_report.layout.pp);
        const double transfer = pointToPointTime(cluster, outermost, bytes);
        const double asked = m_report.concurrency / (outputTokens() * m_report.tpot);
        const double taken = static_cast<double>(m_serving.prefillReplicas) * ranks() / perPrompt;
        m_terms.transferBytes = bytes;
        m_terms.transfer = transfer;
        m_terms.askedPrompts = asked;
        m_terms.takenPrompts = taken;
        m_report.ttft = first + transfer + m_report.decodeStep;
        if (asked > taken) { // prompts cannot keep up: sequences that decode are fewer
            m_report.concurrency *= taken / asked;
            m_report.batch *= taken / asked;
            m_report.warnings.push_back(fmt::format("{} prefill replicas take in {:.0f} % of the prompts that decoding "
                                                    "could finish: give prefill more replicas.",
                                                    m_serving.prefillReplicas, 100 * taken / asked));
        }
    }

    /// All prompts at once, then steps until every output is there; what finds no room comes in further waves.
    void serveStatically()
    {
        const TimeBreakdown decode = decodeParts();
        const double perRank = m_report.batch / ranks();
        const double tokens = promptTokens() * perRank;
        const double most = std::max(chunkTokens(), promptTokens());
        const double chunks = std::max(1.0, std::ceil(tokens / most));
        m_terms.chunks = chunks;
        m_terms.prompt = promptWork(tokens / chunks, perRank / chunks, 0, 0);
        const StepTime step = m_steps.time(m_terms.prompt);
        m_report.prefill = step.total() + (chunks * m_report.layout.inFlight - 1) * step.slowestStage;
        m_report.time = decode;
        m_report.tpot = decode.total();
        m_report.ttft = m_report.prefill;
    }

    void fillRates()
    {
        ServingReport& r = m_report;
        r.latency = r.ttft + std::max(0.0, outputTokens() - 1) * r.tpot;
        const bool isStatic = m_serving.batching == Batching::Static;
        const double perRequest = isStatic ? r.latency : outputTokens() * r.tpot + ownPrompt();
        // Static batches that find no room come in waves, the last of them part full.
        const double full = isStatic && r.waiting > 0
            ? (1 + r.waiting / r.concurrency) / std::ceil(1 + r.waiting / r.concurrency - 1e-9)
            : 1;
        r.tokensPerSecond = perRequest > 0 ? full * r.concurrency * outputTokens() / perRequest : 0;
        r.requestsPerSecond = r.tokensPerSecond / outputTokens();
        const double devices = static_cast<double>(m_scenario.layout.devices());
        r.tokensPerSecondPerDevice = r.tokensPerSecond / devices;
        r.meetsTtft = m_serving.ttftLimit <= 0 || r.ttft <= m_serving.ttftLimit;
        r.meetsTpot = m_serving.tpotLimit <= 0 || r.tpot <= m_serving.tpotLimit;
        r.goodput = r.fits && r.waiting <= 0 && r.meetsTtft && r.meetsTpot ? r.requestsPerSecond : 0;
        const double price = m_scenario.cluster.accelerator.pricePerHour;
        r.costPerMillionTokens = r.tokensPerSecond > 0 ? price * devices / 3600 / r.tokensPerSecond * 1e6 : 0;
    }

    /// s of a request's life in which its own prompt is taken in and it does not decode.
    double ownPrompt() const { return disaggregated() ? 0 : m_report.prefill; }

    const Scenario& m_scenario;
    const Serving& m_serving;
    const Engine& m_engine;
    const StepModel& m_steps;
    ServingReport& m_report;
    ServingTerms& m_terms;
};

ServingReport served(const Scenario& scenario, const StepModel& steps, ServingTerms& terms)
{
    ServingReport report;
    report.layout = steps.layout();
    Server(scenario, steps, report, terms).run();
    return report;
}

} // namespace

ServingReport serve(const Scenario& scenario, ServingTerms* terms)
{
    ServingReport report;
    report.problems = checkServing(scenario);
    if (!report.legal()) {
        return report;
    }
    const StepModel steps(scenario);
    ServingTerms between;
    report = served(scenario, steps, terms != nullptr ? *terms : between);
    const std::vector<std::string> advice = adviseServing(scenario, report);
    report.warnings.insert(report.warnings.end(), advice.begin(), advice.end());
    return report;
}

std::vector<ServingReport> sweepBatch(const Scenario& scenario, const std::vector<std::int64_t>& batches)
{
    std::vector<ServingReport> reports;
    Scenario each = scenario;
    if (!checkServing(scenario).empty()) {
        return reports;
    }
    const StepModel steps(each); // refers to each: a batch changes no constant of it
    for (const std::int64_t batch : batches) {
        each.serving.batch = batch;
        ServingTerms between;
        reports.push_back(served(each, steps, between));
        if (reports.back().waiting > 0) {
            break;
        }
    }
    return reports;
}

std::vector<std::int64_t> batchLadder(std::int64_t largest)
{
    std::vector<std::int64_t> ladder;
    for (std::int64_t batch = 1; batch < largest; batch *= 2) {
        ladder.push_back(batch);
    }
    ladder.push_back(std::max<std::int64_t>(1, largest));
    return ladder;
}

} // namespace partita
