// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>

#include <atomic>
#include <functional>
#include <memory>

namespace partita::ui {

/// Works beside the window, one job at a time: a new one ends the one before it.
class NewestJob final : public QObject {
    Q_OBJECT

public:
    using Outdated = std::function<bool()>; ///< to be asked often; true ends the work
    using Deliver =
        std::function<void(std::function<void()>)>; ///< runs a function in the window's thread, unless outdated
    using Work = std::function<void(const Outdated&, const Deliver&)>; ///< in the thread beside the window

    explicit NewestJob(const QString& name, QObject* parent = nullptr);
    ~NewestJob() override;

    void start(Work work);
    void cancel();

private:
    QThread m_thread;
    std::unique_ptr<QObject> m_worker;
    std::atomic<quint64> m_latest = 0;
};

} // namespace partita::ui
