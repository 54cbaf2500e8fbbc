// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_fields.h"

namespace partita {

namespace {

using nlohmann::json;

void readSplit(const json& object, const std::string& path, PublishedRun& run, Problems& problems)
{
    RunFields fields(object, path, problems);
    fields.integer("tp", run.layout.tp);
    fields.integer("pp", run.layout.pp);
    fields.integer("dp", run.layout.dp);
    fields.integer("ep", run.layout.ep);
    fields.integer("cp", run.layout.cp);
    fields.text("weights_dtype", run.serving->weightsType);
    fields.text("kv_dtype", run.serving->keyValueType);
}

void readWork(const json& object, const std::string& path, PublishedRun::ServingFacts& facts, Problems& problems)
{
    RunFields fields(object, path, problems);
    fields.integer("batch", facts.batch);
    fields.integer("input_len", facts.prompt);
    fields.integer("output_len", facts.output);
}

void readTimes(const json& object, const std::string& path, PublishedRun::ServingFacts& facts, Problems& problems)
{
    RunFields fields(object, path, problems);
    const auto milliseconds = [&](std::string_view key, std::optional<double>& seconds) {
        fields.number(key, seconds, positive);
        if (seconds) {
            *seconds /= 1000;
        }
    };
    milliseconds("tpot_ms", facts.tpot);
    milliseconds("ttft_ms", facts.ttft);
    milliseconds("latency_ms", facts.latency);
    fields.number("tokens_per_s", facts.tokensPerSecond, positive);
    fields.number("tokens_per_s_per_gpu", facts.tokensPerSecondPerDevice, positive);
}

} // namespace

PublishedRun readServingPoint(const json& row, const std::string& path, Problems& problems)
{
    PublishedRun run;
    run.namesPresets = true;
    run.serving.emplace();
    RunFields fields(row, path, problems);
    run.id = fields.text("id");
    run.sourceTitle = fields.text("source");
    run.sourceUrl = fields.text("url");
    run.model.name = fields.text("model");
    run.notes = fields.text("notes");
    fields.text("hardware", run.cluster.accelerator);
    fields.integer("n_gpus", run.cluster.devices);
    readSplit(section(row, "layout", path, problems), memberPath(path, "layout"), run, problems);
    readWork(section(row, "workload", path, problems), memberPath(path, "workload"), *run.serving, problems);
    readTimes(section(row, "measured", path, problems), memberPath(path, "measured"), *run.serving, problems);
    if (row.contains("suspect") && row["suspect"] != false && !row["suspect"].is_null()) {
        run.unscorable = "suspect: faster than the hardware allows";
    }
    return run;
}

} // namespace partita
