// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_fields.h"

#include "core/base/units.h"

namespace partita {

using nlohmann::json;

void readShape(RunFields& fields, PublishedRun::ModelFacts& model)
{
    model.name = fields.text("name");
    fields.integer("layers", model.layers);
    fields.integer("hidden", model.hidden);
    fields.integer("heads", model.heads);
    fields.integer("kv_heads", model.kvHeads);
    fields.integer("vocab", model.vocabulary);
}

void readSplit(RunFields& fields, PublishedRun::LayoutFacts& layout)
{
    fields.integer("tp", layout.tp);
    fields.integer("cp", layout.cp);
    fields.integer("pp", layout.pp);
    fields.integer("vpp", layout.vpp);
    fields.integer("dp", layout.dp);
    fields.integer("ep", layout.ep);
    fields.integer("zero_stage", layout.zeroStage, 0);
    fields.integer("micro_batch", layout.microBatch);
    fields.integer("global_batch", layout.globalBatch);
    fields.text("recompute", layout.recompute);
    fields.text("schedule", layout.schedule);
    fields.text("precision", layout.precision);
}

std::optional<double> gibibytesOf(double amount, std::string_view unit)
{
    if (unit == "GiB") {
        return amount;
    }
    if (unit == "MiB") {
        return amount / 1024;
    }
    if (unit == "GB") {
        return amount * (gigabyte / gibibyte);
    }
    if (unit == "MB") {
        return amount * (gigabyte / gibibyte) / 1000;
    }
    return std::nullopt;
}

const json& section(const json& row, const char* key, const std::string& path, Problems& problems)
{
    static const json empty = json::object();
    const auto found = row.find(key);
    if (found == row.end() || found->is_null()) {
        return empty;
    }
    if (!found->is_object()) {
        problems.push_back({memberPath(path, key), shown(*found), "must be an object", ""});
        return empty;
    }
    return *found;
}

} // namespace partita
