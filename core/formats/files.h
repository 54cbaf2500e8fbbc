// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace partita {

/// The bytes of a file. A file that cannot be read, is a folder or is larger than maxBytes is a Problem whose field is
/// its path.
Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes = std::size_t{8} << 20);

/// Problems of a place, a file for one, or of what it holds: "place: field".
Problems within(std::string_view place, Problems problems);

} // namespace partita
