// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/search/search.h"
#include "widgets/search_view.h"

#include <QObject>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <memory>
#include <optional>

namespace partita::ui {

/// Searches the layouts of the scenario beside the window: the newest request wins, the best so far comes in slices.
class LayoutSearch final : public QObject {
    Q_OBJECT

public:
    static constexpr int rowsShown = 100; ///< the fastest

    explicit LayoutSearch(QObject* parent = nullptr);
    ~LayoutSearch() override;

    /// Searches what the scenario and the space hold, once edits have paused; nothing when that is what has been, or is
    /// being, searched. Of the scenario's layout only what a search keeps counts: adopting a find does not start again.
    /// sizes: afterwards the best of half the nodes, a quarter ... too.
    void follow(const Scenario& scenario, const SearchSpace& space, bool sizes = false);
    /// The same at once and again.
    void start(const Scenario& scenario, const SearchSpace& space, bool sizes = false);
    void stop(); ///< what has been found stays, and the bound of the rest follows
    bool running() const { return m_state.running; }
    /// Whether the state is what a search of these has found, or is finding.
    bool isOf(const Scenario& scenario, const SearchSpace& space) const;
    const SearchState& state() const { return m_state; }

Q_SIGNALS:
    void advanced();

private:
    struct Wanted {
        Scenario scenario; ///< its layout reduced to what a search keeps
        SearchSpace space;
        bool sizes = false;

        bool operator==(const Wanted&) const = default;
    };
    class Reporter;

    static Wanted wantedOf(const Scenario& scenario, const SearchSpace& space, bool sizes);
    void begin();
    void run(quint64 generation, const Wanted& wanted);
    void runSizes(quint64 generation, const Wanted& wanted, SearchState state);
    void hand(quint64 generation, SearchState state);

    QThread m_thread;
    std::unique_ptr<QObject> m_worker; ///< lives in m_thread; where the searches run
    std::atomic<quint64> m_latest = 0;
    std::atomic<quint64> m_stopped = 0; ///< the one that was told to stop
    QTimer m_pause; ///< of edits
    std::optional<Wanted> m_wanted;
    std::optional<Wanted> m_searched; ///< what the state is of
    SearchState m_state;
};

} // namespace partita::ui
