// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout_search.h"

#include "app/background_thread.h"
#include "core/layout/layout_text.h"
#include "core/search/stack_limits.h"

#include <QElapsedTimer>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace partita::ui {

namespace {

constexpr int pauseMilliseconds = 250;
constexpr qint64 sliceMilliseconds = 150;
constexpr int rowsOfSize = 10;

} // namespace

/// Turns what a search finds into states, evaluating every layout once. Called by one thread at a time.
class LayoutSearch::Reporter {
public:
    Reporter(const Scenario& scenario, const SearchSpace& space, std::function<bool()> outdated)
        : m_scenario(scenario)
        , m_space(space)
        , m_outdated(std::move(outdated))
        , m_warnings(searchWarnings(scenario, space))
    {
        m_begun.start();
    }

    bool due() const { return m_reported == 0 || m_begun.elapsed() - m_reported >= sliceMilliseconds; }

    SearchState state(const SearchResult& result, bool running)
    {
        SearchState state;
        state.result = result;
        if (!m_beyondStack) {
            m_beyondStack = layoutsBeyondStack(m_scenario, m_space, result.counts, m_outdated);
        }
        state.beyondStack = m_beyondStack.value_or(0);
        state.warnings = m_warnings;
        state.best = figuresOfAll(result.best);
        state.front = figuresOfAll(result.front);
        state.seconds = static_cast<double>(m_begun.elapsed()) / 1000;
        state.running = running;
        m_reported = std::max<qint64>(1, m_begun.elapsed());
        return state;
    }

private:
    std::vector<LayoutFigures> figuresOfAll(const std::vector<FoundLayout>& layouts)
    {
        std::vector<LayoutFigures> figures;
        for (const FoundLayout& found : layouts) {
            // The text leaves out what the layouts of a search share.
            const auto [at, isNew] = m_known.try_emplace(layoutText(found.layout));
            if (isNew || at->second.layout != found.layout) {
                at->second = figuresOf(m_scenario, found.layout);
            }
            figures.push_back(at->second);
        }
        return figures;
    }

    const Scenario& m_scenario;
    const SearchSpace& m_space;
    std::function<bool()> m_outdated;
    std::vector<std::string> m_warnings;
    std::optional<std::int64_t> m_beyondStack; ///< once something is told
    QElapsedTimer m_begun;
    qint64 m_reported = 0;
    std::map<std::string, LayoutFigures> m_known;
};

LayoutSearch::LayoutSearch(QObject* parent)
    : QObject(parent)
    , m_worker(std::make_unique<QObject>())
{
    m_worker->moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("layout search"));
    m_thread.start();
    QMetaObject::invokeMethod(m_worker.get(), giveWayToWindow, Qt::QueuedConnection);
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &LayoutSearch::begin);
}

LayoutSearch::~LayoutSearch()
{
    ++m_latest;
    m_thread.quit();
    m_thread.wait();
}

LayoutSearch::Wanted LayoutSearch::wantedOf(const Scenario& scenario, const SearchSpace& space, bool sizes)
{
    Wanted wanted{scenario, space, sizes};
    Layout kept;
    kept.globalBatch = scenario.layout.globalBatch;
    kept.rankOrder = scenario.layout.rankOrder;
    kept.shardGroup = scenario.layout.shardGroup;
    wanted.scenario.layout = kept;
    wanted.scenario.name.clear();
    return wanted;
}

void LayoutSearch::follow(const Scenario& scenario, const SearchSpace& space, bool sizes)
{
    Wanted wanted = wantedOf(scenario, space, sizes);
    if (m_wanted && !sizes && m_wanted->sizes) {
        wanted.sizes = true; // they are there, or on their way; nobody has to look at them
    }
    if (m_wanted && *m_wanted == wanted) {
        return;
    }
    m_wanted = std::move(wanted);
    ++m_latest; // what is being searched is not wanted any more
    m_state.running = true;
    m_pause.start();
}

bool LayoutSearch::isOf(const Scenario& scenario, const SearchSpace& space) const
{
    return m_searched && *m_searched == wantedOf(scenario, space, m_searched->sizes);
}

void LayoutSearch::start(const Scenario& scenario, const SearchSpace& space, bool sizes)
{
    m_wanted = wantedOf(scenario, space, sizes);
    begin();
}

void LayoutSearch::stop()
{
    if (!m_state.running) {
        return; // it has ended: what it proved stays
    }
    m_stopped = m_latest.load(); // the search hands over what it has, and the bound of the rest
    m_pause.stop();
    m_state.running = false;
    m_state.result.complete = false;
    Q_EMIT advanced();
}

void LayoutSearch::begin()
{
    m_pause.stop();
    const quint64 generation = ++m_latest;
    m_searched = m_wanted;
    m_state = {};
    m_state.running = true;
    QMetaObject::invokeMethod(
        m_worker.get(), [this, generation, wanted = *m_wanted] { run(generation, wanted); }, Qt::QueuedConnection);
    Q_EMIT advanced();
}

/// On the worker's thread, which is one of those that search.
void LayoutSearch::run(quint64 generation, const Wanted& wanted)
{
    const auto outdated = [this, generation] { return m_latest != generation; };
    const auto stop = [&] { return outdated() || m_stopped == generation; };
    if (outdated()) {
        return;
    }
    Reporter reporter(wanted.scenario, wanted.space, outdated);
    SearchOptions options;
    options.top = rowsShown;
    options.front = true;
    options.threads = std::max(1, QThread::idealThreadCount() - 1); // one is left for the window
    options.wantsBound = [&] { return !outdated(); };
    const Result<SearchResult> found =
        searchLayouts(wanted.scenario, wanted.space, options, stop, [&](const SearchResult& soFar) {
            if (reporter.due() && !stop()) {
                hand(generation, reporter.state(soFar, true));
            }
        });
    if (outdated()) {
        return;
    }
    SearchState state;
    if (found) {
        state = reporter.state(*found, false);
    } else {
        state.problems = found.problems;
    }
    if (found && found->complete && wanted.sizes) {
        runSizes(generation, wanted, std::move(state));
    } else {
        hand(generation, std::move(state));
    }
}

void LayoutSearch::runSizes(quint64 generation, const Wanted& wanted, SearchState state)
{
    const auto stop = [this, generation] { return m_latest != generation || m_stopped == generation; };
    SearchOptions options;
    options.top = rowsOfSize;
    options.threads = std::max(1, QThread::idealThreadCount() - 1);
    state.running = true;
    hand(generation, state);
    state.bySize = fastestBySize(wanted.scenario, wanted.space, state.result.best, options, stop,
                                 [&](const std::vector<LayoutFigures>& soFar) {
                                     state.bySize = soFar;
                                     hand(generation, state);
                                 })
                       .layouts;
    state.running = false;
    hand(generation, std::move(state));
}

void LayoutSearch::hand(quint64 generation, SearchState state)
{
    QMetaObject::invokeMethod(
        this,
        [this, generation, state = std::move(state)] {
            const bool late = state.running && m_stopped == generation;
            if (generation == m_latest && !late) {
                m_state = state;
                Q_EMIT advanced();
            }
        },
        Qt::QueuedConnection);
}

} // namespace partita::ui
