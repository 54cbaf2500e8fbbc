// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/serving_scenario.h"

#include "core/base/words.h"
#include "core/runs/named_presets.h"
#include "core/serving/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace partita {

namespace {

/// The number behind a word, as in "(44 layers, 48 heads x 128)" before it: digits that end where `word` begins.
std::int64_t numberBefore(std::string_view text, std::string_view word)
{
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) {
        return 0;
    }
    std::size_t end = at;
    while (end > 0 && text[end - 1] == ' ') {
        --end;
    }
    std::size_t begin = end;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) {
        --begin;
    }
    std::int64_t value = 0;
    std::from_chars(text.data() + begin, text.data() + end, value);
    return value;
}

std::int64_t numberAfter(std::string_view text, std::string_view word)
{
    const std::size_t at = text.find(word);
    std::int64_t value = 0;
    if (at != std::string_view::npos) {
        const char* begin = text.data() + at + word.size();
        std::from_chars(begin, text.data() + text.size(), value);
    }
    return value;
}

/// A GPT of so many layers and heads of a size, as sources write one that has no name of its own.
std::optional<Model> describedGpt(const PublishedRun& run)
{
    const std::string text = lowered(run.model.name);
    const std::int64_t layers = numberBefore(text, "layers");
    const std::int64_t heads = numberBefore(text, "heads");
    const std::int64_t size = numberAfter(text, "heads x ");
    if (layers <= 0 || layers > 10'000 || heads <= 0 || heads > 10'000 || size <= 0 || size > 10'000) {
        return std::nullopt;
    }
    Model model;
    model.name = run.model.name;
    model.source = run.sourceTitle;
    model.hidden = heads * size;
    model.vocabulary = 51200;
    model.learnedPositions = 2048;
    model.tiedEmbeddings = true;
    model.norm = NormKind::Layer;
    Attention attention;
    attention.heads = attention.kvHeads = static_cast<int>(heads);
    attention.headDim = static_cast<int>(size);
    attention.qkvBias = attention.outputBias = true;
    DenseFfn ffn;
    ffn.width = 4 * model.hidden;
    ffn.gated = false;
    ffn.bias = true;
    model.kinds = {{attention, ffn, 2}};
    model.layers.assign(static_cast<std::size_t>(layers), 0);
    return model;
}

/// Devices named anywhere in a phrase: the longest name that stands there as words of its own.
const Accelerator* acceleratorIn(std::string_view phrase, const Catalogue& catalogue)
{
    std::string words;
    for (const char c : lowered(phrase)) {
        const bool gap = std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.';
        if (!gap || (!words.empty() && words.back() != '-')) {
            words += gap ? '-' : c;
        }
    }
    words = '-' + words + '-';
    const Accelerator* found = nullptr;
    std::size_t longest = 0;
    const auto consider = [&](const std::string& name, const std::string& id) {
        for (const char* end : {"-", "x"}) { // "H200-SXM-141GBx8"
            if (name.size() > longest && contains(words, '-' + name + end)) {
                found = catalogue.accelerator(id);
                longest = name.size();
            }
        }
    };
    for (const Accelerator& each : catalogue.accelerators) {
        consider(each.id, each.id);
    }
    for (const auto& [name, id] : catalogue.runNames.accelerators) {
        consider(name, id);
    }
    return found;
}

const Stack* engineOf(const PublishedRun& run, const Catalogue& catalogue)
{
    const std::string source = lowered(run.sourceTitle);
    const std::string notes = lowered(run.notes);
    const Stack* found = nullptr;
    std::size_t longest = 0;
    const std::string hardware = lowered(run.cluster.accelerator.value_or(""));
    for (const auto& [words, id] : catalogue.runNames.engines) {
        std::array<std::string, 3> parts; // of the source's title, the notes, the hardware
        std::size_t begin = 0;
        for (std::string& part : parts) {
            const std::size_t end = std::min(words.find("; ", begin), words.size());
            part = words.substr(begin, end - begin);
            begin = std::min(end + 2, words.size());
        }
        if (words.size() > longest && contains(source, parts[0]) && notes.rfind(parts[1], 0) == 0
            && contains(hardware, parts[2])) {
            found = catalogue.stack(id);
            longest = words.size();
        }
    }
    return found;
}

class Translator {
public:
    Translator(const PublishedRun& run, const Catalogue& catalogue)
        : m_run(run)
        , m_facts(*run.serving)
        , m_catalogue(catalogue)
    {
    }

    Result<RunScenario> translate()
    {
        m_result.scenario.name = m_run.id;
        addModel();
        addEngine();
        addLayout();
        addCluster();
        addWork();
        addFormats();
        if (!m_problems.empty()) {
            return m_problems;
        }
        return m_result;
    }

private:
    void refuse(const char* field, const std::string& value, std::string why)
    {
        m_problems.push_back({field, value, std::move(why), ""});
    }

    void assume(std::string text) { m_result.assumptions.push_back(std::move(text)); }

    void addModel()
    {
        if (const Model* preset = namedModel(m_run.model.name, m_catalogue)) {
            m_result.scenario.model = *preset;
            assume(fmt::format("model: {} (by its name)", preset->id));
        } else if (std::optional<Model> described = describedGpt(m_run)) {
            m_result.scenario.model = *std::move(described);
            assume("model: a GPT of the stated layers and heads");
        } else {
            refuse("model", m_run.model.name, fmt::format("{} is not a known model", m_run.model.name));
        }
    }

    void addEngine()
    {
        const Stack* engine = engineOf(m_run, m_catalogue);
        if (engine == nullptr) {
            refuse("source", m_run.sourceTitle, "names no known engine");
            return;
        }
        m_result.scenario.stack = *engine;
        assume(fmt::format("stack: {} (by the source)", engine->id));
    }

    void addLayout()
    {
        const PublishedRun::LayoutFacts& facts = m_run.layout;
        if (!facts.tp) {
            refuse("layout.tp", "", "is not stated");
            return;
        }
        const auto degree = [](const std::optional<std::int64_t>& value) {
            return static_cast<int>(std::clamp<std::int64_t>(value.value_or(1), 1, 1'000'000));
        };
        Layout& layout = m_result.scenario.layout;
        layout.tp = degree(facts.tp);
        layout.pp = degree(facts.pp);
        layout.cp = degree(facts.cp);
        layout.ep = degree(facts.ep);
        const std::int64_t devices = m_run.cluster.devices.value_or(1);
        const std::int64_t split = std::int64_t{layout.tp} * layout.pp * layout.cp;
        // TP 2 with EP 2 on four devices: the engine's tensor group has four, of which EP takes two for the experts.
        if (facts.ep && *facts.ep > 1 && degree(facts.dp) == 1 && split * *facts.ep == devices) {
            layout.tp = static_cast<int>(layout.tp * *facts.ep);
            assume(fmt::format("layout.tp: {} (experts over {} of them)", layout.tp, *facts.ep));
        }
        const std::int64_t ranks = std::int64_t{layout.tp} * layout.pp * layout.cp;
        layout.dp = static_cast<int>(std::clamp<std::int64_t>(facts.dp.value_or(devices / ranks), 1, 1'000'000));
        layout.globalBatch = layout.dp;
    }

    void addCluster()
    {
        const std::string hardware = m_run.cluster.accelerator.value_or("");
        const Accelerator* accelerator = acceleratorIn(hardware, m_catalogue);
        if (accelerator == nullptr) {
            refuse("hardware", hardware, fmt::format("{} is not a known accelerator", hardware));
            return;
        }
        const std::int64_t devices = m_result.scenario.layout.devices();
        const std::int64_t usual = typicalDevicesPerNode(*accelerator, m_catalogue);
        const std::int64_t perNode = std::max<std::int64_t>(1, std::min(usual, devices));
        if (devices % perNode != 0 || devices > mostDevices) {
            refuse("n_gpus", std::to_string(devices), fmt::format("is not a multiple of {} devices a node", perNode));
            return;
        }
        m_result.scenario.cluster = makeCluster(*accelerator, devices / perNode, perNode, m_catalogue);
    }

    void addWork()
    {
        Serving& serving = m_result.scenario.serving;
        if (!m_facts.prompt || !m_facts.output) {
            refuse("workload", "", "does not state the lengths of prompts and outputs");
            return;
        }
        const std::string notes = lowered(m_run.notes);
        if (contains(notes, "input tok")) {
            refuse("measured", "", "counts input tokens");
        }
        serving.prompt = std::clamp<std::int64_t>(*m_facts.prompt, 1, 1 << 24);
        serving.output = std::clamp<std::int64_t>(*m_facts.output, 1, 1 << 24);
        const bool clients = contains(notes, "concurrency");
        serving.batching = m_facts.batch && !clients ? Batching::Static : Batching::Continuous;
        const std::int64_t replicas = m_result.scenario.layout.dp;
        if (m_facts.batch) {
            // Stated of the whole: of a replica, and of each batch in its pipeline.
            const std::int64_t each = std::max<std::int64_t>(1, *m_facts.batch / perReplica(replicas));
            const std::int64_t flights = m_result.scenario.stack.engine.splitsBatch
                ? std::min<std::int64_t>(m_result.scenario.layout.pp, each)
                : 1;
            serving.inFlight = flights;
            serving.batch = std::max<std::int64_t>(1, each / flights);
        } else {
            serving.batch = m_result.scenario.stack.engine.mostSequences;
            assume("serving.batch: as many as the engine takes");
        }
        if (contains(notes, "mtp (1 draft token) is on") || contains(notes, "speculative mtp")) {
            serving.draftTokens = 1;
            assume("serving.draft_tokens: 1");
        }
    }

    std::int64_t perReplica(std::int64_t dp) const
    {
        return m_result.scenario.layout.ep > m_result.scenario.layout.tp ? 1 : dp;
    }

    void addFormats()
    {
        Serving& serving = m_result.scenario.serving;
        const std::string weights = lowered(m_facts.weightsType.value_or(""));
        if (weights.empty()) {
            refuse("layout.weights_dtype", "", "is not stated");
            return;
        }
        const std::string word = weights.substr(0, weights.find(' '));
        const std::optional<DataType> type = word == "fp4" ? DataType::NvFp4 : fromKey<DataType>(word);
        if (!type || *type == DataType::Tf32) {
            refuse("layout.weights_dtype", weights, fmt::format("{} is not a format of weights", weights));
            return;
        }
        serving.weights = *type;
        if (contains(weights, "moe")) {
            serving.quantised = QuantisedPart::Experts;
        }
        const bool integer = *type == DataType::Int8 || *type == DataType::Int4;
        if (integer && m_result.scenario.stack.engine.quantisesHead) {
            serving.quantised = QuantisedPart::LayersAndHead;
            serving.groupBytes = 4; // 16-bit scale and zero point
        }
        serving.weightGroup = std::max<std::int64_t>(0, numberAfter(weights, "group "));
        const std::string cache = lowered(m_facts.keyValueType.value_or(""));
        const bool narrow = *type == DataType::Fp8 || *type == DataType::NvFp4;
        const bool usual = narrow && m_result.scenario.stack.engine.shareOfFree;
        serving.keyValues = cache == "fp8" || (cache.empty() && usual) ? KeyValueFormat::Fp8
            : cache == "int8"                                          ? KeyValueFormat::Int8
                                                                       : KeyValueFormat::Bf16;
        if (cache.empty()) {
            assume(fmt::format("serving.key_values: {} (not stated)", keyOf(serving.keyValues)));
        }
    }

    const PublishedRun& m_run;
    const PublishedRun::ServingFacts& m_facts;
    const Catalogue& m_catalogue;
    RunScenario m_result;
    Problems m_problems;
};

ServingFigures predictedFigures(const ServingReport& report)
{
    ServingFigures figures;
    figures.tpot = report.tpot;
    figures.ttft = report.ttft;
    figures.tokensPerSecond = report.tokensPerSecond;
    figures.tokensPerSecondPerDevice = report.tokensPerSecondPerDevice;
    return figures;
}

} // namespace

Result<RunScenario> servingScenarioOf(const PublishedRun& run, const Catalogue& catalogue)
{
    if (!run.unscorable.empty()) {
        return Problem{"", run.id, run.unscorable, ""};
    }
    if (!run.serving) {
        return Problem{"", run.id, "is not a serving point", ""};
    }
    return Translator(run, catalogue).translate();
}

ServingFigures measuredFigures(const PublishedRun& run)
{
    ServingFigures figures;
    if (!run.serving) {
        return figures;
    }
    const PublishedRun::ServingFacts& facts = *run.serving;
    figures.tpot = facts.tpot;
    figures.ttft = facts.ttft;
    figures.tokensPerSecond = facts.tokensPerSecond;
    if (!figures.tokensPerSecond && facts.latency && facts.batch && facts.output) {
        figures.tokensPerSecond = static_cast<double>(*facts.batch * *facts.output) / *facts.latency;
    }
    figures.tokensPerSecondPerDevice = facts.tokensPerSecondPerDevice;
    if (!figures.tokensPerSecondPerDevice && figures.tokensPerSecond && run.cluster.devices) {
        figures.tokensPerSecondPerDevice = *figures.tokensPerSecond / static_cast<double>(*run.cluster.devices);
    }
    return figures;
}

ScoredRun scoreServing(const PublishedRun& run, const std::string& source, const Catalogue& catalogue)
{
    ScoredRun row;
    row.id = run.id;
    row.serves = true;
    row.source = source + "/" + run.sourceTitle;
    row.measuredServing = measuredFigures(run);
    const Result<RunScenario> scenario = servingScenarioOf(run, catalogue);
    if (!scenario) {
        const Problem& first = scenario.problems.front();
        row.skipped = first.field.empty() ? first.message : fmt::format("{}: {}", first.field, first.message);
        return row;
    }
    row.assumptions = scenario->assumptions;
    const Scenario& served = scenario->scenario;
    const Serving& work = served.serving;
    row.group = fmt::format("{}|{}|{}|{}/{}/{}|{}", run.sourceTitle, run.model.name, served.cluster.accelerator.id,
                            run.serving->batch.value_or(0), work.prompt, work.output, keyOf(work.weights));
    row.layout =
        fmt::format("tp {} pp {} dp {} ep {}", served.layout.tp, served.layout.pp, served.layout.dp, served.layout.ep);
    const ServingFigures& measured = row.measuredServing;
    const ServingReport report = serve(served);
    if (!report.legal()) {
        row.skipped = describe(report.problems.front());
    } else if (!measured.tpot && !measured.ttft && !measured.tokensPerSecond) {
        row.skipped = "nothing measured that is predicted";
    } else {
        row.predictedServing = predictedFigures(report);
        if (measured.tokensPerSecondPerDevice) {
            row.predictedTokens = report.tokensPerSecondPerDevice;
            row.measuredTokens = measured.tokensPerSecondPerDevice;
        }
        row.predictedFits = report.fits;
    }
    return row;
}

} // namespace partita
