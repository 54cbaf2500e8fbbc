// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/optimum.h"
#include "core/advice/why_not.h"
#include "core/explain/joint_explainer.h"
#include "core/formats/search_json.h"

namespace partita {

// Figures of layouts that a search or an advisor found. Every layout is a part of its own, under "P.report.", and is
// evaluated when asked for. What is passed as runs must outlive the explainers.

/// Figures of a layout under a path, as `search --json` names them: "P.step_time_s". The scenario has the layout.
void addLayoutRow(JointExplainer& explainer, const std::string& path, const Scenario& scenario,
                  const LayoutFigures& figures, const std::vector<ComparableRun>& runs);
/// What a row takes: "P.devices", "P.device_hours_per_billion_tokens", with a price "P.usd_per_billion_tokens", with a
/// token budget "P.device_days".
void addTaken(JointExplainer& explainer, const std::string& path, const Scenario& scenario,
              const LayoutFigures& figures);
/// The row of a layout less another: "P.change.step_time_s".
void addChange(JointExplainer& explainer, const std::string& path, const LayoutFigures& figures,
               const std::string& otherPath, const LayoutFigures& other);

/// What `search --json` prints. headRoom: share of memory that was left free.
std::unique_ptr<JointExplainer> explainSearch(const Scenario& scenario, const SearchAnswer& answer, double headRoom,
                                              const std::vector<ComparableRun>& runs);
/// What `advise --json` prints.
std::unique_ptr<JointExplainer> explainAdvice(const Scenario& scenario, const Advice& advice,
                                              const std::optional<Optimum>& optimum,
                                              const std::optional<WhyNot>& whyNot,
                                              const std::vector<ComparableRun>& runs);

/// What decided about an answer: "why_not.wanted.lacks_bytes", "why_not.difference.change_s".
std::string decidingPath(const WhyNot& answer);

} // namespace partita
