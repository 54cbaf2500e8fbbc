// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/flat_json.h"

#include "core/formats/json_fields.h"
#include "core/formats/layout_json.h"
#include "core/formats/report_json.h"
#include "core/formats/scenario_file.h"

#include <algorithm>

namespace partita {

using nlohmann::json;

namespace {

void add(FlatJson& flat, const std::string& path, const json& value)
{
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            add(flat, memberPath(path, key), member);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            add(flat, elementPath(path, i), value[i]);
        }
    } else if (value.is_boolean()) {
        flat[path] = value.get<bool>() ? 1.0 : 0.0;
    } else if (value.is_number()) {
        flat[path] = value.get<double>();
    } else if (value.is_string()) {
        flat[path] = value.get<std::string>();
    }
}

} // namespace

FlatJson flatten(std::string_view jsonText)
{
    FlatJson flat;
    if (const Result<json> value = parseJson(jsonText)) {
        add(flat, {}, *value);
    }
    return flat;
}

FlatJson flatten(const Layout& layout)
{
    return flatten(layoutObject(layout).dump());
}

FlatJson flatten(const Report& report, const Scenario& scenario, const Catalogue& catalogue)
{
    FlatJson flat = flatten(writeReport(report));
    FlatJson settings = flatten(writeScenario(scenario, catalogue));
    flat.merge(settings);
    return flat;
}

Result<Scenario> withFields(const Scenario& scenario, const FieldValues& fields, const Catalogue& catalogue)
{
    Result<json> file = parseJson(writeScenario(scenario, catalogue));
    if (!file) {
        return file.problems;
    }
    json whole; // parts in place of the ids of their presets, where one is changed
    for (const auto& [path, text] : fields) {
        const Result<json> value = parseJson(text);
        if (!value) {
            return Problem{path, text, "is not JSON", {}};
        }
        json* place = &*file;
        std::string_view rest = path;
        for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
            const std::string key(rest.substr(0, dot));
            const bool top = place == &*file;
            place = &(*place)[key];
            rest.remove_prefix(dot + 1);
            if (top && place->is_string()) {
                if (whole.is_null()) {
                    whole = parseJson(writeScenario(scenario, Catalogue())).value.value_or(json::object());
                }
                *place = whole.value(key, *place);
            }
            if (!place->is_object() && !place->is_null()) {
                return Problem{path, shown(*place), "has no parts", {}};
            }
        }
        (*place)[std::string(rest)] = *value;
    }
    return readScenario(file->dump(), catalogue);
}

std::vector<std::string> differingFields(const Scenario& a, const Scenario& b, const Catalogue& catalogue)
{
    const FlatJson first = flatten(writeScenario(a, catalogue));
    const FlatJson second = flatten(writeScenario(b, catalogue));
    std::vector<std::string> fields;
    const auto compare = [&](const FlatJson& left, const FlatJson& right) {
        for (const auto& [path, value] : left) {
            const auto other = right.find(path);
            if (path != "name" && (other == right.end() || other->second != value)) {
                fields.push_back(path);
            }
        }
    };
    compare(first, second);
    compare(second, first);
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    return fields;
}

} // namespace partita
