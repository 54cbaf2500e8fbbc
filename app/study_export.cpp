// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_export.h"

#include "core/training/evaluate.h"

namespace partita::ui {

StudyExport::StudyExport(QObject* parent)
    : QObject(parent)
    , m_job(QStringLiteral("study export"))
{
    setObjectName(QStringLiteral("studyExport"));
}

void StudyExport::start(std::vector<std::string> ids, const Scenario& scenario, const Catalogue& catalogue,
                        const StudyAxes& axes, std::function<void(const std::string& id, const Made& chart)> made,
                        std::function<void()> finished)
{
    m_running = true;
    m_job.start(
        [this, ids = std::move(ids), scenario, &catalogue, axes, made = std::move(made),
         finished = std::move(finished)](const NewestJob::Outdated& outdated, const NewestJob::Deliver& deliver) {
            const Report report = evaluate(scenario);
            for (const std::string& id : ids) {
                const Made chart = report.legal() ? studyChart(id, scenario, report, catalogue, axes, outdated)
                                                  : Made(report.problems);
                if (outdated()) {
                    return;
                }
                deliver([made, id, chart] { made(id, chart); });
            }
            deliver([this, finished] {
                m_running = false;
                finished();
            });
        });
}

void StudyExport::cancel()
{
    m_running = false;
    m_job.cancel();
}

} // namespace partita::ui
