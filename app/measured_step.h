// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/trace_comparison.h"

#include <QObject>
#include <QThread>

#include <memory>

namespace partita::ui {

/// A trace of a measured step, read beside the window.
class MeasuredStep final : public QObject {
    Q_OBJECT

public:
    explicit MeasuredStep(QObject* parent = nullptr);
    ~MeasuredStep() override;

    /// Whether the file says of itself, near its beginning, that it is a trace.
    static bool isTrace(const QString& path);
    /// Starts reading; a file still being read is finished first.
    void read(const QString& path);

Q_SIGNALS:
    void ready(const QString& path, const std::shared_ptr<const partita::MeasuredTimeline>& measured);
    void failed(const QString& path, const partita::Problems& problems);

private:
    std::unique_ptr<QThread> m_thread;
};

} // namespace partita::ui
