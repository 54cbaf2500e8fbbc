// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/layout_changes.h"

#include "core/formats/layout_json.h"

#include <algorithm>
#include <charconv>

namespace partita {

namespace {

constexpr std::size_t longestText = 4096;

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> splitAt(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t at = text.find(separator);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(at + 1);
    }
}

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
        for (const std::string_view part : splitAt(text, '|')) {
            list.push_back(valueOf(part));
        }
        return list;
    }
    return std::string(text);
}

std::string keyFrom(std::string_view text)
{
    std::string key(text);
    std::replace(key.begin(), key.end(), '-', '_');
    return key == "zero" ? "zero_stage" : key;
}

} // namespace

Result<Layout> readLayoutChanges(std::string_view text, const Layout& base, std::int64_t devices)
{
    if (text.size() > longestText) {
        return Problem{"layout", {}, "is too long a text", {}};
    }
    Problems problems;
    nlohmann::json object = nlohmann::json::object();
    for (const std::string_view change : splitAt(text, ',')) {
        const std::size_t equals = change.find('=');
        const std::string key = keyFrom(trimmed(change.substr(0, equals)));
        if (equals == std::string_view::npos || key.empty()) {
            problems.push_back({"layout", std::string(change), "is not a change", "write tp=4, pp=2"});
        } else {
            object[key] = valueOf(trimmed(change.substr(equals + 1)));
        }
    }
    Layout layout = base;
    FieldReader fields(object, "layout", problems);
    describe(fields, layout);
    fields.rejectUnknownKeys();
    if (!problems.empty()) {
        return problems;
    }
    if (!object.contains("dp")) {
        layout.dp = static_cast<int>(solvedDp(layout, devices));
    }
    if (!object.contains("schedule")) {
        if (layout.schedule == ScheduleKind::OneFOneB && layout.vpp > 1) {
            layout.schedule = ScheduleKind::Interleaved;
        } else if (layout.schedule == ScheduleKind::Interleaved && layout.vpp == 1) {
            layout.schedule = ScheduleKind::OneFOneB;
        }
    }
    // A split by layer counts belongs to the number of chunks it was written for.
    if (!object.contains("layers_per_stage") && (layout.pp != base.pp || layout.vpp != base.vpp)) {
        layout.layersPerStage.clear();
    }
    return layout;
}

} // namespace partita
