// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layer_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace partita {

namespace {

constexpr std::string_view plus = " + ";
constexpr std::string_view times = "×";
constexpr std::size_t mostChunks = std::size_t{1} << 20;

std::optional<int> wholeNumber(std::string_view text)
{
    constexpr int most = 1 << 20;
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value >= 0 && value <= most ? std::optional(value) : std::nullopt;
}

} // namespace

std::vector<int> withLayers(std::vector<int> split, std::size_t chunk, int layers)
{
    std::vector<std::size_t> others;
    for (std::size_t i = chunk + 1; i < split.size(); ++i) {
        others.push_back(i);
    }
    for (std::size_t i = chunk; i-- > 0;) {
        others.push_back(i);
    }
    int wanted = std::max(0, layers) - split[chunk];
    for (const std::size_t other : others) {
        const int moved = std::min(wanted, split[other]); // all that is given when wanted is negative
        split[other] -= moved;
        split[chunk] += moved;
        wanted -= moved;
    }
    return split;
}

std::vector<int> withCut(std::vector<int> split, std::size_t cut, int firstLayer)
{
    const auto at = split.begin() + static_cast<std::ptrdiff_t>(cut);
    const int before = std::accumulate(split.begin(), at - 1, 0);
    const int both = *(at - 1) + *at;
    *(at - 1) = std::clamp(firstLayer - before, 0, both);
    *at = both - *(at - 1);
    return split;
}

std::string layerSplitText(const std::vector<int>& split)
{
    std::string text;
    for (auto at = split.begin(); at != split.end();) {
        const auto next = std::find_if(at, split.end(), [&](int layers) { return layers != *at; });
        const auto run = next - at;
        text += fmt::format("{}{}{}", text.empty() ? std::string_view() : plus,
                            run > 1 ? fmt::format("{}{}", run, times) : std::string(), *at);
        at = next;
    }
    return text;
}

std::vector<int> readLayerSplit(std::string_view text)
{
    std::vector<int> split;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(plus), text.size());
        const std::string_view run = text.substr(0, end);
        const std::size_t sign = run.find(times);
        const bool one = sign == std::string_view::npos;
        const std::optional<int> count = one ? std::optional(1) : wholeNumber(run.substr(0, sign));
        const std::optional<int> layers = wholeNumber(one ? run : run.substr(sign + times.size()));
        if (!count || !layers || split.size() + static_cast<std::size_t>(*count) > mostChunks) {
            return {};
        }
        split.insert(split.end(), static_cast<std::size_t>(*count), *layers);
        text.remove_prefix(std::min(end + plus.size(), text.size()));
    }
    return split;
}

} // namespace partita
