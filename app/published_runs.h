// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/error_band.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <memory>
#include <vector>

namespace partita::ui {

/// The runs that come with the program, read and evaluated once beside the window.
class PublishedRuns final : public QObject {
    Q_OBJECT

public:
    /// The catalogue must outlive this.
    explicit PublishedRuns(const Catalogue& catalogue, QObject* parent = nullptr);
    ~PublishedRuns() override;

    /// Starts reading; again does nothing.
    void start();
    /// Empty until they are there.
    const std::vector<ComparableRun>& runs() const { return m_runs; }
    const ComparableRun* run(const QString& id) const;

Q_SIGNALS:
    void ready();

private:
    const Catalogue& m_catalogue;
    std::vector<ComparableRun> m_runs;
    std::atomic<bool> m_stop = false;
    std::unique_ptr<QThread> m_thread;
};

} // namespace partita::ui
