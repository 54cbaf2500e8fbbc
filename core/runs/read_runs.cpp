// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/published_run.h"

#include "core/runs/run_fields.h"

#include <fmt/format.h>

#include <set>

namespace partita {

namespace {

using nlohmann::json;

void readModel(const json& object, const std::string& path, PublishedRun::ModelFacts& model, Problems& problems)
{
    RunFields fields(object, path, problems);
    readShape(fields, model);
    fields.integer("ffn_hidden", model.ffnHidden);
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
    readSplit(fields, layout);
    fields.flag("sequence_parallel", layout.sequenceParallel);
    fields.text("sharding_note", layout.shardingNote);
    fields.text("optimizer", layout.optimizer);
}

void readMeasured(const json& object, const std::string& path, PublishedRun::Measured& measured, Problems& problems)
{
    RunFields fields(object, path, problems);
    fields.number("tokens_per_s_per_device", measured.tokensPerSecondPerDevice, positive);
    fields.number("step_time_s", measured.stepTime, positive);
    fields.text("peak_memory_kind", measured.peakMemoryKind);
    fields.flag("out_of_memory", measured.outOfMemory);
    std::optional<double> peak;
    std::optional<std::string> unit;
    fields.number("peak_memory", peak);
    fields.text("peak_memory_unit", unit);
    if (!peak || !unit) {
        return;
    }
    const std::string_view word = std::string_view(*unit).substr(0, unit->find(' ')); // "GB (as printed)"
    measured.peakMemoryGib = gibibytesOf(*peak, word);
    if (!measured.peakMemoryGib) {
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
    RunFields source(section(row, "source", path, problems), path + ".source", problems);
    run.sourceTitle = source.text("title");
    run.sourceUrl = source.text("url");
    run.where = source.text("where");
    readModel(section(row, "model", path, problems), path + ".model", run.model, problems);
    readCluster(section(row, "cluster", path, problems), path + ".cluster", run.cluster, problems);
    readLayout(section(row, "layout", path, problems), path + ".layout", run.layout, problems);
    readMeasured(section(row, "measured", path, problems), path + ".measured", run.measured, problems);
    for (const auto& inferred : section(row, "inferred", path, problems).items()) {
        run.inferredFields.push_back(inferred.key());
    }
    return run;
}

PublishedRun readRow(const json& row, const std::string& path, Problems& problems)
{
    if (row.contains("hardware") && row.contains("workload")) {
        return readServingPoint(row, path, problems);
    }
    return row.contains("hardware") ? readNamedRun(row, path, problems) : readRun(row, path, problems);
}

} // namespace

Result<PublishedRuns> readPublishedRuns(std::string_view text)
{
    Result<json> tree = parseJson(text);
    if (!tree) {
        return tree.problems;
    }
    if (!tree->is_array()) {
        return Problem{"", shown(*tree), "is not a list of runs",
                       "a JSON array of objects with id, model, cluster, layout and measured"};
    }
    if (tree->empty()) {
        return Problem{"", "", "holds no runs", "a row for every run"};
    }
    PublishedRuns result;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < tree->size(); ++i) {
        const json& row = (*tree)[i];
        const std::string place = elementPath("", i);
        Problems problems;
        PublishedRun run;
        if (row.is_object()) {
            run = readRow(row, place, problems);
        } else {
            problems.push_back({place, shown(row), "is not a run", "an object"});
        }
        if (run.id.empty()) {
            run.id = place;
            if (row.is_object()) {
                problems.push_back({place + ".id", "", "is missing", "a unique name"});
            }
        } else if (!seen.insert(run.id).second) {
            problems.push_back({place + ".id", run.id, "is there twice", "a unique name"});
        }
        if (!problems.empty()) {
            Problem first = problems.front();
            first.field = first.field.substr(std::min(first.field.size(), place.size() + 1));
            run.unscorable = fmt::format("{}: {}", first.field.empty() ? "row" : first.field, first.message);
        }
        result.runs.push_back(std::move(run));
        result.problems.insert(result.problems.end(), problems.begin(), problems.end());
    }
    return result;
}

} // namespace partita
