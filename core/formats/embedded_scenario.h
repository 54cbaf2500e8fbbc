// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita {

// Charts and reports carry the scenario they were made from, so that they can be opened again: SVG, HTML and the XMP
// packet of a PDF as an XML element, PNG as a text chunk. CSV has no place for it.

/// Whether bytes are a picture or a document rather than a scenario's own text.
bool isCarrier(std::string_view bytes);
/// The scenario's text that a carrier holds; nothing where there is none, or where another program compressed it.
std::optional<std::string> embeddedScenario(std::string_view bytes);

/// An element with its own namespace for SVG, HTML and XMP.
std::string scenarioElement(std::string_view scenario);
/// A complete XMP packet (ISO 16684-1) with title and scenario.
std::string scenarioXmp(std::string_view title, std::string_view scenario);
/// The PNG with an international text chunk (PNG specification 11.3.4.5) behind its header; bytes that are no PNG come
/// back as they are.
std::string pngWithScenario(std::string_view png, std::string_view scenario);

} // namespace partita
