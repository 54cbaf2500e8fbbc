// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue_json.h"

#include "core/formats/cluster_json.h"
#include "core/formats/layout_json.h"
#include "core/formats/model_json.h"
#include "core/formats/report_parts.h"

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

template <class T, class Write> Json listOf(std::vector<T> presets, Write write)
{
    Json list = Json::array();
    for (T& preset : presets) {
        FieldWriter fields;
        write(fields, preset);
        list.push_back(fields.take());
    }
    return list;
}

} // namespace

std::string writeCatalogue(const Catalogue& catalogue, std::string_view kind)
{
    const auto wanted = [kind](std::string_view name) { return kind.empty() || kind == name; };
    const auto plain = [](FieldWriter& fields, auto& preset) { describe(fields, preset); };
    Json json = Json::object();
    if (wanted("models")) {
        json["models"] = listOf(catalogue.models, [](FieldWriter& fields, Model& model) {
            describe(fields, model);
            fields.set("parameters", parameterCounts(parameters(model)));
        });
    }
    if (wanted("accelerators")) {
        json["accelerators"] = listOf(catalogue.accelerators, plain);
    }
    if (wanted("clusters")) {
        json["clusters"] = listOf(catalogue.clusters, [&](FieldWriter& fields, Cluster& cluster) {
            writeCluster(fields, cluster, catalogue.accelerators);
        });
    }
    if (wanted("stacks")) {
        json["stacks"] = listOf(catalogue.stacks, plain);
    }
    return jsonText(json);
}

} // namespace partita
