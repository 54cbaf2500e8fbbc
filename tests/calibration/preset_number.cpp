// SPDX-License-Identifier: GPL-3.0-or-later
#include "preset_number.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace partita::calibration {

bool writeNumber(const std::filesystem::path& preset, const std::string& key, double value)
{
    std::ifstream in(preset);
    std::stringstream buffer;
    buffer << in.rdbuf();
    std::string text = buffer.str();
    const std::string marker = fmt::format("\"{}\": ", key);
    const std::size_t at = text.find(marker);
    if (!in || at == std::string::npos || text.find(marker, at + 1) != std::string::npos) {
        return false;
    }
    const std::size_t begin = at + marker.size();
    const std::size_t end = text.find_first_of(",\n}", begin);
    text.replace(begin, end - begin, fmt::format("{}", value));
    std::ofstream out(preset);
    out << text;
    return static_cast<bool>(out.flush());
}

} // namespace partita::calibration
