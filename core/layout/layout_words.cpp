// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layout_words.h"

#include "core/layout/layout_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace partita {

std::string layoutKey(std::string_view word)
{
    constexpr std::array shortened{std::pair{"zero", "zero_stage"}, std::pair{"sp", "sequence_parallel"},
                                   std::pair{"mb", "micro_batch"}, std::pair{"mbs", "micro_batch"},
                                   std::pair{"gbs", "global_batch"}};
    std::string key(word);
    for (char& letter : key) {
        letter = letter == '-' ? '_' : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    const auto known =
        std::find_if(shortened.begin(), shortened.end(), [&](const auto& each) { return key == each.first; });
    return known == shortened.end() ? key : known->second;
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
