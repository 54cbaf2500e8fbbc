// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layout_words.h"

#include "core/layout/layout_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

std::string layoutKey(std::string_view word)
{
    std::string key(word);
    std::replace(key.begin(), key.end(), '-', '_');
    return key == "zero" ? "zero_stage" : key == "sp" ? "sequence_parallel" : key;
}

Result<std::array<Axis, 5>> readRankOrder(std::string_view text)
{
    std::array<Axis, 5> order{};
    std::size_t count = 0;
    bool valid = true;
    for (std::size_t begin = 0; valid && begin <= text.size();) {
        const std::size_t end = std::min(text.find('-', begin), text.size());
        const std::optional<Axis> axis = fromKey<Axis>(text.substr(begin, end - begin));
        const auto written = order.begin() + static_cast<std::ptrdiff_t>(count);
        valid = axis && count < order.size() && std::find(order.begin(), written, *axis) == written;
        if (valid) {
            order[count++] = *axis;
        }
        begin = end + 1;
    }
    if (!valid || count != order.size()) {
        return Problem{"", fmt::format("\"{}\"", text.substr(0, 60)), "must name each axis once, innermost first",
                       rankOrderText({Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp})};
    }
    return order;
}

} // namespace partita
