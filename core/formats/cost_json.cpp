// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/cost_json.h"

#include "core/formats/json_fields.h"
#include "core/formats/layout_json.h"

namespace partita {

nlohmann::ordered_json costObject(const LayoutCost& cost)
{
    nlohmann::ordered_json json{{"layout", layoutObject(cost.layout)}, {"legal", cost.legal()}};
    if (!cost.legal()) {
        json["objection"] = cost.objection;
        return json;
    }
    json["fits"] = cost.fits;
    if (!cost.figures.empty()) {
        json["figures"] = cost.figures;
        json["time_per_token_s"] = jsonNumber(cost.stepTime);
        return json;
    }
    json["step_time_s"] = jsonNumber(cost.stepTime);
    json["mfu"] = jsonNumber(cost.mfu);
    json["peak_memory_bytes"] = jsonNumber(cost.memory.total());
    json["peak_stage"] = cost.peakStage;
    json["lacks_bytes"] = jsonNumber(cost.lacks());
    return json;
}

} // namespace partita
