// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace partita {

/// "scenario", and of those behind the first "scenario-b", ...: no reader has to know of a list.
std::string embeddedName(std::string_view name, std::size_t index);

/// The text of the element that carries the scenario, in SVG, HTML or the XMP of a PDF: under whatever prefix its
/// namespace has there, with character references and CDATA sections read.
std::optional<std::string> scenarioElement(std::string_view xml, std::size_t index);

} // namespace partita
