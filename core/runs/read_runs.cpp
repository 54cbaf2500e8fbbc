// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/published_run.h"

#include "core/formats/json_fields.h"

#include <set>

namespace partita {

namespace {

using nlohmann::json;

/// Members of one run; a member that is absent or null stays absent, one of the wrong type is a Problem.
class RunFields {
public:
    RunFields(const json& object, std::string path, Problems& problems)
        : m_reader(object, std::move(path), problems)
    {
    }

    void integer(std::string_view key, std::optional<std::int64_t>& field, std::int64_t low = 1)
    {
        if (const json* value = m_reader.member(key)) {
            field = readInteger(*value, memberPath(m_reader.path(), key), {low}, m_reader.problems());
        }
    }
    void number(std::string_view key, std::optional<double>& field)
    {
        if (const json* value = m_reader.member(key)) {
            field = readNumber(*value, memberPath(m_reader.path(), key), {}, m_reader.problems());
        }
    }
    void flag(std::string_view key, std::optional<bool>& field)
    {
        if (const json* value = m_reader.member(key)) {
            field = readFlag(*value, memberPath(m_reader.path(), key), m_reader.problems());
        }
    }
    void text(std::string_view key, std::optional<std::string>& field)
    {
        if (const json* value = m_reader.member(key)) {
            field = readText(*value, memberPath(m_reader.path(), key), m_reader.problems());
        }
    }
    std::string text(std::string_view key)
    {
        std::optional<std::string> field;
        text(key, field);
        return field.value_or("");
    }

private:
    FieldReader m_reader;
};

const json& section(const json& row, const char* key)
{
    static const json empty = json::object();
    const auto found = row.find(key);
    return found != row.end() && found->is_object() ? *found : empty;
}

void readModel(const json& object, const std::string& path, PublishedRun::ModelFacts& model, Problems& problems)
{
    RunFields fields(object, path, problems);
    model.name = fields.text("name");
    fields.integer("layers", model.layers);
    fields.integer("hidden", model.hidden);
    fields.integer("ffn_hidden", model.ffnHidden);
    fields.integer("heads", model.heads);
    fields.integer("kv_heads", model.kvHeads);
    fields.integer("vocab", model.vocabulary);
    fields.integer("seq_len", model.sequence);
    fields.flag("gated_ffn", model.gatedFfn);
    fields.flag("tied_embeddings", model.tiedEmbeddings);
    fields.text("attention", model.attention);
    fields.text("attention_detail", model.attentionDetail);
}

void readCluster(const json& object, const std::string& path, PublishedRun::ClusterFacts& cluster, Problems& problems)
{
    RunFields fields(object, path, problems);
    fields.text("accelerator", cluster.accelerator);
    fields.text("inter_node", cluster.interNode);
    fields.text("intra_node", cluster.intraNode);
    fields.integer("devices", cluster.devices);
    fields.integer("devices_per_node", cluster.devicesPerNode);
}

void readLayout(const json& object, const std::string& path, PublishedRun::LayoutFacts& layout, Problems& problems)
{
    RunFields fields(object, path, problems);
    fields.integer("tp", layout.tp);
    fields.integer("cp", layout.cp);
    fields.integer("pp", layout.pp);
    fields.integer("vpp", layout.vpp);
    fields.integer("dp", layout.dp);
    fields.integer("ep", layout.ep);
    fields.integer("zero_stage", layout.zeroStage, 0);
    fields.integer("micro_batch", layout.microBatch);
    fields.integer("global_batch", layout.globalBatch);
    fields.flag("sequence_parallel", layout.sequenceParallel);
    fields.text("sharding_note", layout.shardingNote);
    fields.text("recompute", layout.recompute);
    fields.text("schedule", layout.schedule);
    fields.text("precision", layout.precision);
    fields.text("optimizer", layout.optimizer);
}

void readMeasured(const json& object, const std::string& path, PublishedRun::Measured& measured, Problems& problems)
{
    RunFields fields(object, path, problems);
    fields.number("tokens_per_s_per_device", measured.tokensPerSecondPerDevice);
    fields.number("step_time_s", measured.stepTime);
    fields.text("peak_memory_kind", measured.peakMemoryKind);
    fields.flag("out_of_memory", measured.outOfMemory);
    std::optional<double> peak;
    std::optional<std::string> unit;
    fields.number("peak_memory", peak);
    fields.text("peak_memory_unit", unit);
    if (!peak || !unit) {
        return;
    }
    constexpr double gibPerGb = 1e9 / 1073741824.0;
    const std::string_view word = std::string_view(*unit).substr(0, unit->find(' ')); // "GB (as printed)"
    if (word == "GiB") {
        measured.peakMemoryGib = peak;
    } else if (word == "GB") {
        measured.peakMemoryGib = *peak * gibPerGb;
    } else if (word == "MiB") {
        measured.peakMemoryGib = *peak / 1024;
    } else if (word == "MB") {
        measured.peakMemoryGib = *peak * gibPerGb / 1000;
    } else {
        problems.push_back({path + ".peak_memory_unit", *unit, "is not a unit of memory", "GiB, GB, MiB or MB"});
    }
}

PublishedRun readRun(const json& row, const std::string& path, Problems& problems)
{
    PublishedRun run;
    RunFields fields(row, path, problems);
    run.id = fields.text("id");
    run.stack = fields.text("stack");
    run.notes = fields.text("notes");
    RunFields source(section(row, "source"), path + ".source", problems);
    run.sourceTitle = source.text("title");
    run.sourceUrl = source.text("url");
    run.where = source.text("where");
    readModel(section(row, "model"), path + ".model", run.model, problems);
    readCluster(section(row, "cluster"), path + ".cluster", run.cluster, problems);
    readLayout(section(row, "layout"), path + ".layout", run.layout, problems);
    readMeasured(section(row, "measured"), path + ".measured", run.measured, problems);
    for (const auto& inferred : section(row, "inferred").items()) {
        run.inferredFields.push_back(inferred.key());
    }
    return run;
}

} // namespace

Result<PublishedRuns> readPublishedRuns(std::string_view text)
{
    Result<json> tree = parseJson(text);
    if (!tree) {
        return tree.problems;
    }
    if (!tree->is_array()) {
        return Problem{"", shown(*tree), "is not a list of runs", "a JSON array of objects with id, model, cluster, layout and measured"};
    }
    PublishedRuns result;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < tree->size(); ++i) {
        const json& row = (*tree)[i];
        const std::string place = elementPath("", i);
        if (!row.is_object()) {
            result.problems.push_back({place, shown(row), "is not a run", "an object"});
            continue;
        }
        Problems problems;
        PublishedRun run = readRun(row, place, problems);
        if (run.id.empty()) {
            problems.push_back({place + ".id", "", "is missing", "a unique name"});
        } else if (!seen.insert(run.id).second) {
            problems.push_back({place + ".id", run.id, "is there twice", "a unique name"});
        }
        if (problems.empty()) {
            result.runs.push_back(std::move(run));
        }
        result.problems.insert(result.problems.end(), problems.begin(), problems.end());
    }
    return result;
}

} // namespace partita
