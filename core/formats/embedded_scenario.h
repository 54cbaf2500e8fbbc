// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// Charts and reports carry the scenario they were made from, so that they can be opened again, and behind it those it
// was compared with, mostEmbedded in all: SVG, HTML and the XMP packet of a PDF as XML elements, PNG as text chunks,
// CSV as comment lines at its end.

inline constexpr std::size_t mostEmbedded = 5;

/// Whether bytes are a picture, a document or a table rather than a scenario's own text.
bool isCarrier(std::string_view bytes);
/// The texts of the scenarios that a carrier holds; none where there are none, or where another program compressed
/// them.
std::vector<std::string> embeddedScenarios(std::string_view bytes);
/// Whether one is gone, or cannot be read, though some behind it are there.
bool missesScenario(std::string_view bytes);

/// Elements with their own namespace for SVG, HTML and XMP.
std::string scenarioElements(const std::vector<std::string>& scenarios);
/// A complete XMP packet (ISO 16684-1) with title and scenarios.
std::string scenarioXmp(std::string_view title, const std::vector<std::string>& scenarios);
/// The PNG with international text chunks (PNG specification 11.3.4.5) behind its header; bytes that are no PNG come
/// back as they are.
std::string pngWithScenarios(std::string_view png, const std::vector<std::string>& scenarios);
/// The table (RFC 4180, with a header) with a line for each scenario: one more row whose first cell begins with "# ",
/// for programs that know comments, and else one cell of text among empty ones. What JSON needs and CSV or spreadsheets
/// would take apart is percent-encoded; white space between JSON's tokens is left out.
std::string csvWithScenarios(std::string_view csv, const std::vector<std::string>& scenarios);

} // namespace partita
