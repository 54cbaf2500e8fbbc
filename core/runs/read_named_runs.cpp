// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/words.h"
#include "core/runs/run_fields.h"

#include <cctype>

namespace partita {

namespace {

using nlohmann::json;

void readModel(const json& object, const std::string& path, PublishedRun::ModelFacts& model, Problems& problems)
{
    RunFields fields(object, path, problems);
    readShape(fields, model);
    fields.integer("ffn", model.ffnHidden);
    fields.integer("experts", model.experts);
    fields.integer("topk", model.topK);
    fields.flag("moe", model.moe);
}

void readHardware(const json& object, const std::string& path, PublishedRun::ClusterFacts& cluster, Problems& problems)
{
    RunFields fields(object, path, problems);
    fields.text("gpu", cluster.accelerator);
    fields.integer("num_gpus", cluster.devices);
    fields.integer("gpus_per_node", cluster.devicesPerNode);
    fields.text("intra_link", cluster.intraNode);
    fields.text("inter_link", cluster.interNode);
    if (cluster.interNode && contains(*cluster.interNode, "8x")) {
        *cluster.interNode += " per node";
    }
}

void readLayout(const json& object, const std::string& path, PublishedRun& run, Problems& problems)
{
    RunFields fields(object, path, problems);
    PublishedRun::LayoutFacts& layout = run.layout;
    readSplit(fields, layout);
    fields.integer("etp", layout.etp);
    fields.integer("seq", run.model.sequence);
    fields.flag("sp", layout.sequenceParallel);
    if (layout.recompute && layout.recompute->rfind("selective", 0) == 0) {
        layout.recompute = "selective";
    }
}

/// The unit is in the notes where it is stated at all; such a number is what a framework printed.
void readMeasured(const json& object, const std::string& path, PublishedRun& run, Problems& problems)
{
    RunFields fields(object, path, problems);
    PublishedRun::Measured& measured = run.measured;
    fields.number("tokens_per_s_per_gpu", measured.tokensPerSecondPerDevice, positive);
    fields.number("step_time_s", measured.stepTime, positive);
    fields.flag("oom", measured.outOfMemory);
    std::optional<double> peak;
    fields.number("peak_mem_gb", peak);
    if (peak) {
        measured.peakMemoryGib = gibibytesOf(*peak, contains(run.notes, "GiB") ? "GiB" : "GB");
        measured.peakMemoryKind = contains(run.notes, "max_memory_allocated") ? "allocated" : "unknown";
    }
}

/// What sources say in words only.
void readNotes(const std::string& notes, PublishedRun& run)
{
    if (contains(notes, "LoRA") || contains(run.where, "LoRA")) {
        run.training = Training::Lora;
    } else if (contains(notes, "INFERENCE")) {
        run.unscorable = "inference: not a training run";
    }
    if (contains(notes, "without MTP")) {
        run.model.multiTokenPrediction = false;
    } else if (contains(notes, "with MTP")) {
        run.model.multiTokenPrediction = true;
    }
    if (contains(notes, "cp_comm_type=a2a") || run.layout.schedule == "ulysses") {
        run.layout.contextExchange = "all-to-all";
    }
    if (contains(notes, "Muon")) {
        run.layout.optimizer = "muon";
    }
    const std::size_t dense = notes.find(" dense layer");
    if (dense != std::string::npos && dense > 0 && std::isdigit(static_cast<unsigned char>(notes[dense - 1])) != 0) {
        run.model.denseLayers = notes[dense - 1] - '0';
    }
}

} // namespace

PublishedRun readNamedRun(const json& row, const std::string& path, Problems& problems)
{
    PublishedRun run;
    run.namesPresets = true;
    RunFields fields(row, path, problems);
    run.id = fields.text("id");
    run.part = run.stack = run.id.substr(0, run.id.find('-'));
    run.sourceTitle = fields.text("source");
    run.sourceUrl = fields.text("url");
    run.where = fields.text("table");
    run.notes = fields.text("notes");
    readModel(section(row, "model", path, problems), path + ".model", run.model, problems);
    readHardware(section(row, "hardware", path, problems), path + ".hardware", run.cluster, problems);
    readLayout(section(row, "layout", path, problems), path + ".layout", run, problems);
    readMeasured(section(row, "measured", path, problems), path + ".measured", run, problems);
    readNotes(run.notes, run);
    return run;
}

} // namespace partita
