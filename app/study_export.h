// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/newest_job.h"
#include "app/study_charts.h"

namespace partita::ui {

/// Works out charts that take a search, a sweep or the published runs, one after the other beside the window.
class StudyExport final : public QObject {
    Q_OBJECT

public:
    using Made = Result<std::shared_ptr<const Chart>>;

    explicit StudyExport(QObject* parent = nullptr);

    /// ids: of studyChartIds(); the catalogue must outlive the work. made is called once for each, then finished.
    void start(std::vector<std::string> ids, const Scenario& scenario, const Catalogue& catalogue,
               const StudyAxes& axes, std::function<void(const std::string& id, const Made& chart)> made,
               std::function<void()> finished);
    /// Neither of them is called any more.
    void cancel();
    bool running() const { return m_running; }

private:
    NewestJob m_job;
    bool m_running = false;
};

} // namespace partita::ui
