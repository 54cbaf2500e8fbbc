// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/typed_layout.h"

#include "core/base/words.h"
#include "core/cluster/cluster.h"
#include "core/formats/layout_json.h"
#include "core/layout/layer_split.h"
#include "core/pipeline/schedule.h"
#include "core/scenario/rules.h"
#include "core/scenario/split_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace partita {

namespace {

constexpr std::size_t longestText = 4096;
constexpr std::string_view dot = "·"; // between the parts of a printed line

nlohmann::json valueOf(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
        return number;
    }
    if (text == "on" || text == "true") {
        return true;
    }
    if (text == "off" || text == "false") {
        return false;
    }
    if (text.find('|') != std::string_view::npos) {
        nlohmann::json list = nlohmann::json::array();
        for (const std::string_view part : splitAt(text, "|")) {
            list.push_back(valueOf(part));
        }
        return list;
    }
    return std::string(text);
}

template <class E> std::optional<std::string> keyOfLabel(std::string_view label)
{
    const auto& table = Names<E>::table;
    const auto named = std::find_if(table.begin(), table.end(), [&](const auto& name) { return name.label == label; });
    return named == table.end() ? std::nullopt : std::optional(std::string(named->key));
}

std::optional<std::string_view> after(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix ? std::optional(trimmed(text.substr(prefix.size()))) : std::nullopt;
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// "tp 4 pp 2" and "TP4 PP2" as "tp=4,pp=2"; empty where the text is not a list of names and numbers.
std::string degreesApart(std::string_view text)
{
    std::string pairs;
    const auto take = [&](auto is) {
        const std::size_t length =
            static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is) - text.begin());
        const std::string_view taken = text.substr(0, length);
        text.remove_prefix(length);
        return taken;
    };
    const auto isGap = [](char c) { return c == ' ' || c == '\t'; };
    take(isGap);
    while (!text.empty()) {
        const std::string_view name = take(isLetter);
        take(isGap);
        text.remove_prefix(!text.empty() && text.front() == '=' ? 1 : 0);
        take(isGap);
        const std::string_view number = take(isDigit);
        const std::string_view gap = take([&](char c) { return isGap(c) || c == ','; });
        if (name.empty() || number.empty() || (gap.empty() && !text.empty())) {
            return {};
        }
        pairs += fmt::format("{}{}={}", pairs.empty() ? "" : ",", name, number);
    }
    return pairs;
}

/// A field's value as limits of a search spell it.
std::string limitValue(const nlohmann::json& value)
{
    if (value.is_boolean()) {
        return value.get<bool>() ? "on" : "off";
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The words of a question as a JSON object of a layout's fields.
class Words {
public:
    explicit Words(std::string_view text)
    {
        const std::string pairs = degreesApart(text);
        text = pairs.empty() ? text : std::string_view(pairs);
        const bool isLine = text.find(dot) != std::string_view::npos;
        for (const std::string_view part : splitAt(text, isLine ? dot : ",")) {
            if (keyOfLabel<ScheduleKind>(part)) { // which may have a comma
                take(part);
                continue;
            }
            for (const std::string_view word : splitAt(part, ",")) {
                take(word);
            }
        }
    }

    bool has(const char* key) const { return object.contains(key); }
    /// A line that says all that layoutText() says of a layout.
    bool wholeLine() const
    {
        const auto isOne = [this](const char* key) { return !has(key) || object[key] == 1; };
        const bool shards = !isOne("dp") || !isOne("cp");
        return problems.empty() && !m_assigned && has("dp") && (has("zero_stage") || !shards)
            && (has("schedule") || isOne("pp"));
    }

    /// The fields that a search can keep, as limits; none where a split of layers is named, which no search makes.
    std::string limits() const
    {
        std::string text;
        if (wholeLine() || has("layers_per_stage")) {
            return text;
        }
        for (const auto& [key, value] : object.items()) {
            const std::string word = fmt::format("{}={}", key, limitValue(value));
            SearchSpace space;
            if (narrow(space, Limit::Fix, word).empty()) {
                text += (text.empty() ? "" : ",") + word;
            }
        }
        return text;
    }

    /// The fields named.
    std::vector<std::string> fields() const
    {
        std::vector<std::string> keys;
        for (const auto& [key, value] : object.items()) {
            keys.push_back(key);
        }
        return keys;
    }

    nlohmann::json object = nlohmann::json::object();
    Problems problems;

private:
    void take(std::string_view word)
    {
        const std::size_t equals = word.find('=');
        if (equals != std::string_view::npos) {
            m_assigned = true;
            set(word, layoutKey(trimmed(word.substr(0, equals))), valueOf(trimmed(word.substr(equals + 1))));
        } else if (!takePrinted(word)) {
            refuse(word, "is not a change", "write tp=4, pp=2, or tp 4 · pp 2");
        }
    }

    /// What layoutText() calls a field's value.
    bool takePrinted(std::string_view word)
    {
        if (const auto schedule = keyOfLabel<ScheduleKind>(word)) {
            set(word, "schedule", *schedule);
        } else if (word == "no sequence parallelism") {
            set(word, "sequence_parallel", false);
        } else if (word == "sp" || word == "sequence parallelism") {
            set(word, "sequence_parallel", true);
        } else if (const auto stage = after(word, "ZeRO-")) {
            set(word, "zero_stage", valueOf(*stage));
        } else if (const auto recompute = after(word, "recompute ")) {
            set(word, "recompute", keyOfLabel<Recompute>(*recompute).value_or(std::string(*recompute)));
        } else if (readRankOrder(word)) {
            set(word, "rank_order", std::string(word));
        } else if (const auto layers = after(word, "layers "); layers && !readLayerSplit(*layers).empty()) {
            set(word, "layers_per_stage", readLayerSplit(*layers));
        } else {
            const std::size_t space = word.find_last_of(' ');
            const auto joined =
                static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), isLetter) - word.begin());
            const std::size_t ends = space == std::string_view::npos ? joined : space;
            const nlohmann::json value = valueOf(trimmed(word.substr(ends)));
            if (ends == 0 || (!value.is_number() && !value.is_boolean())) {
                return false;
            }
            std::string key(trimmed(word.substr(0, ends)));
            std::replace(key.begin(), key.end(), ' ', '_');
            set(word, layoutKey(key), value);
        }
        return true;
    }

    void set(std::string_view word, const std::string& key, nlohmann::json value)
    {
        if (key.empty()) {
            refuse(word, "is not a change", "write tp=4, pp=2, or tp 4 · pp 2");
        } else if (object.contains(key) && object[key] != value) {
            problems.push_back({"layout." + key, std::string(word), "is given another value, too", {}});
        } else {
            object[key] = std::move(value);
        }
    }

    void refuse(std::string_view word, std::string message, std::string suggestion)
    {
        problems.push_back({"layout", std::string(word), std::move(message), std::move(suggestion)});
    }

    bool m_assigned = false; ///< by an equals sign
};

struct Degree {
    const char* key;
    int Layout::*field;
};

constexpr std::array degrees{
    Degree{"tp", &Layout::tp}, Degree{"cp", &Layout::cp}, Degree{"pp", &Layout::pp},
    Degree{"dp", &Layout::dp}, Degree{"ep", &Layout::ep}, Degree{"etp", &Layout::etp},
};

/// What the words leave open of a layout, and a clause for each.
class Filling {
public:
    Filling(const Words& words, Layout base, const Scenario& scenario)
        : m_words(words)
        , m_base(std::move(base))
        , m_start(m_base)
        , m_scenario(scenario)
    {
        if (words.wholeLine()) {
            m_start = Layout();
            m_start.globalBatch = m_base.globalBatch;
            m_clauses.emplace_back("what such a line leaves out is as usual");
            return;
        }
        const auto named =
            std::count_if(degrees.begin(), degrees.end(), [&](const Degree& degree) { return words.has(degree.key); });
        m_namesDegrees = named > 0;
        if (named < 2) {
            return;
        }
        for (const Degree& degree : degrees) {
            m_start.*(degree.field) = 1;
        }
        m_start.vpp = 1;
        m_clauses.emplace_back(words.has("vpp") ? "degrees not named are 1" : "degrees and chunks not named are 1");
    }

    /// The layout whose fields the words are read into.
    const Layout& start() const { return m_start; }

    Layout finished(const Layout& read)
    {
        // Chunks and a schedule of several stages ask for them; 1F1B is also what a single one is called.
        const bool scheduled = m_words.has("schedule") && read.schedule != ScheduleKind::OneFOneB;
        const bool chunked = m_words.has("vpp") && read.vpp > 1;
        const bool pipelined = (scheduled || chunked) && !m_words.has("pp") && read.pp == 1;
        Clauses clauses;
        Layout layout = settled(read, clauses);
        if (pipelined || (m_namesDegrees && !m_words.wholeLine() && !isLegal(layout))) {
            if (const std::optional<Layout> other = makeRoom(read, pipelined ? 2 : 1)) {
                clauses.clear();
                layout = settled(*other, clauses);
                sayWhatGaveWay(layout, clauses);
            }
        }
        m_clauses.insert(m_clauses.end(), clauses.begin(), clauses.end());
        return layout;
    }

    std::string sentence(const Layout& layout)
    {
        if (!m_words.wholeLine()) {
            m_clauses.emplace_back("all else is the advice's");
        }
        return fmt::format("Read as {}: {}.", layoutText(layout), fmt::join(m_clauses, ", "));
    }

private:
    using Clauses = std::vector<std::string>;

    /// What follows from the degrees of a layout, with a clause for each.
    Layout settled(Layout layout, Clauses& clauses) const
    {
        if (!m_words.has("dp")) {
            layout.dp = static_cast<int>(solvedDp(layout, m_scenario.cluster.devices()));
            clauses.emplace_back("dp follows from the devices");
        }
        fitSchedule(layout, clauses);
        if (m_words.has("schedule") && layout.pp == 1) {
            clauses.push_back(
                fmt::format("{} is the schedule of several stages, and there is one", labelOf(layout.schedule)));
        }
        const int mostSharded = m_scenario.stack.offer.pipelineZeroStage;
        if (!m_words.has("zero_stage") && layout.pp > 1 && layout.zeroStage > mostSharded) {
            layout.zeroStage = mostSharded;
            clauses.push_back(fmt::format("ZeRO is what {} has in a pipeline", m_scenario.stack.name));
        }
        // A split by layer counts belongs to the number of chunks it was written for.
        if (!m_words.has("layers_per_stage") && (layout.pp != m_base.pp || layout.vpp != m_base.vpp)) {
            layout.layersPerStage.clear();
        }
        fitMicroBatch(layout, clauses);
        return layout;
    }

    void fitSchedule(Layout& layout, Clauses& clauses) const
    {
        if (!m_words.has("schedule")) {
            if (layout.pp == 1 && !m_words.has("vpp")) {
                layout.schedule = ScheduleKind::OneFOneB;
                layout.vpp = 1;
            } else if (layout.schedule == ScheduleKind::OneFOneB && layout.vpp > 1) {
                layout.schedule = ScheduleKind::Interleaved;
            } else if (layout.schedule == ScheduleKind::Interleaved && layout.vpp == 1) {
                layout.schedule = ScheduleKind::OneFOneB;
            }
        }
        const ScheduleFacts facts = describe(layout.schedule);
        const int needed = facts.chunks != 0 ? facts.chunks : std::max(facts.minChunks, layout.vpp);
        if (!m_words.has("vpp") && layout.vpp != needed) {
            layout.vpp = needed;
            clauses.push_back(fmt::format("vpp is what {} needs", labelOf(layout.schedule)));
        }
    }

    /// The largest micro-batch up to the base's that replicas can share the batch in.
    void fitMicroBatch(Layout& layout, Clauses& clauses) const
    {
        if (m_words.has("micro_batch") || layout.dp < 1 || layout.microBatch < 1 || layout.globalBatch < layout.dp
            || layout.globalBatch % layout.dp != 0 || layout.globalBatch / layout.dp % layout.microBatch == 0) {
            return;
        }
        const std::int64_t from = layout.microBatch;
        layout.microBatch = divisors(layout.globalBatch / layout.dp, from).back();
        clauses.push_back(
            fmt::format("micro-batch {} → {} so that {} replicas share the batch", from, layout.microBatch, layout.dp));
    }

    bool isLegal(const Layout& layout) const
    {
        Scenario scenario = m_scenario;
        scenario.layout = layout;
        return checkLayout(scenario).empty()
            && checkSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp).empty();
    }

    /// A layout with the degrees not named moved until what is named is legal: the fewest of them, by the fewest
    /// octaves, stages first, then context and tensor ranks. Where none is legal, the one that changes least of those
    /// that take as many devices as there are; nothing where there are none.
    std::optional<Layout> makeRoom(const Layout& read, int leastStages) const
    {
        struct Way {
            Layout layout;
            int moved = 0;
            double octaves = 0;
        };
        std::vector<Way> ways;
        const auto values = [&](const char* key, int value, std::int64_t within) {
            return m_words.has(key) ? std::vector<std::int64_t>{value} : divisors(within, within);
        };
        const std::int64_t devices = deviceCount(m_scenario.cluster);
        const std::int64_t forModel = !m_words.has("dp") ? devices : read.dp < 1 ? 0 : devices / read.dp;
        if (forModel < 1 || devices > mostDevices || (m_words.has("dp") && devices % read.dp != 0)) {
            return std::nullopt;
        }
        for (const std::int64_t tp : values("tp", read.tp, forModel)) {
            for (const std::int64_t cp : values("cp", read.cp, forModel)) {
                for (const std::int64_t pp : values("pp", read.pp, forModel)) {
                    const std::int64_t split = boundedProduct(boundedProduct(tp, cp), pp);
                    if (pp < leastStages || split < 1 || forModel % split != 0
                        || (m_words.has("dp") && forModel != split)) {
                        continue;
                    }
                    Way way{read};
                    way.layout.tp = static_cast<int>(tp);
                    way.layout.cp = static_cast<int>(cp);
                    way.layout.pp = static_cast<int>(pp);
                    fitExperts(way.layout, devices / pp);
                    for (const Degree& degree : degrees) {
                        const int before = m_start.*(degree.field);
                        const int after = way.layout.*(degree.field);
                        if (m_words.has(degree.key) || degree.field == &Layout::dp || before == after) {
                            continue;
                        }
                        ++way.moved;
                        way.octaves += std::abs(std::log2(static_cast<double>(after) / std::max(1, before)));
                    }
                    ways.push_back(std::move(way));
                }
            }
        }
        const auto order = [this](const Way& way) {
            return std::tuple(way.moved, way.octaves, way.layout.tp != m_start.tp, way.layout.cp != m_start.cp);
        };
        std::stable_sort(ways.begin(), ways.end(), [&](const Way& a, const Way& b) { return order(a) < order(b); });
        const auto way = std::find_if(ways.begin(), ways.end(), [&](const Way& each) {
            Clauses unused;
            return isLegal(settled(each.layout, unused));
        });
        if (way == ways.end()) {
            return ways.empty() ? std::nullopt : std::optional(ways.front().layout); // at least as many devices
        }
        return way->layout;
    }

    /// Experts over no more ranks than a stage has.
    void fitExperts(Layout& layout, std::int64_t stageRanks) const
    {
        const auto largest = [](std::int64_t ranks, std::int64_t most) {
            return static_cast<int>(divisors(ranks, most).back());
        };
        if (layout.ep < 1 || layout.etp < 1) {
            return;
        }
        if (!m_words.has("etp") && stageRanks % layout.etp != 0) {
            layout.etp = largest(stageRanks, layout.etp);
        }
        if (!m_words.has("ep") && stageRanks % layout.etp == 0) {
            layout.ep = largest(stageRanks / layout.etp, layout.ep);
        }
    }

    void sayWhatGaveWay(const Layout& layout, Clauses& clauses) const
    {
        Clauses moved;
        for (const Degree& degree : degrees) {
            const int before = m_start.*(degree.field);
            const int after = layout.*(degree.field);
            if (!m_words.has(degree.key) && degree.field != &Layout::dp && before != after) {
                moved.push_back(fmt::format("{} {} → {}", degree.key, before, after));
            }
        }
        if (!moved.empty()) {
            clauses.push_back(fmt::format("{} {} way to what is named", fmt::join(moved, " and "),
                                          moved.size() == 1 ? "gives" : "give"));
        }
    }

    const Words& m_words;
    Layout m_base;
    Layout m_start;
    const Scenario& m_scenario;
    bool m_namesDegrees = false;
    Clauses m_clauses;
};

} // namespace

Result<TypedLayout> readTypedLayout(std::string_view text, const Layout& base, const Scenario& scenario)
{
    if (text.size() > longestText) {
        return Problem{"layout", {}, "is too long a text", {}};
    }
    Words words(text);
    Filling filling(words, base, scenario);
    Layout layout = filling.start();
    FieldReader fields(words.object, "layout", words.problems);
    describe(fields, layout);
    fields.rejectUnknownKeys();
    if (!words.problems.empty()) {
        return words.problems;
    }
    layout = filling.finished(layout);
    return TypedLayout{layout, words.limits(), words.fields(), filling.sentence(layout)};
}

Result<WhyNot> whyNotTyped(const Scenario& scenario, const Layout& pick, const SearchSpace& limits,
                           std::string_view text, int threads, const std::function<bool()>& stop)
{
    const Result<TypedLayout> typed = readTypedLayout(text, pick, scenario);
    if (!typed) {
        return typed.problems;
    }
    Scenario picked = scenario;
    picked.layout = pick;
    WhyNot answer = whyNot(picked, typed->layout, limits, typed->named);
    answer.readAs = typed->readAs;
    LayoutCost asked = answer.wanted;
    asked.fits = asked.fits && answer.broken.empty(); // else it is none to be had
    answer.bestWith = findBestWith(scenario, asked, answer.reference, limits, typed->kept, threads, stop);
    if (answer.bestWith) {
        answer.text += describe(*answer.bestWith) + '\n';
    }
    answer.text += typed->readAs + '\n'; // the verdict comes first
    return answer;
}

} // namespace partita
