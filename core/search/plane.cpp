// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/plane.h"

#include "core/search/fast_model.h"
#include "core/search/in_threads.h"
#include "core/search/resource_front.h"
#include "core/search/search.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace partita {

namespace {

void move(Scenario& scenario, PlaneAxis axis, std::int64_t value)
{
    if (const std::optional<LayoutField> field = layoutField(axis)) {
        scenario.layout = withField(scenario, *field, value);
    }
}

/// Sets the number of micro-batches through what is free to follow. False where nothing whole does.
bool setMicroBatches(Layout& layout, std::int64_t count, bool batchIsGiven)
{
    const std::int64_t parts = count * layout.dp;
    if (!batchIsGiven) {
        layout.globalBatch = parts * layout.microBatch;
        return true;
    }
    const bool divides = layout.globalBatch % parts == 0;
    layout.microBatch = divides ? layout.globalBatch / parts : layout.microBatch;
    return divides;
}

Problem noModel(std::int64_t size)
{
    return {"model", fmt::format("{}", size), "no model of this family has that many parameters", {}};
}

PlaneCell cellOf(const Scenario& scenario)
{
    PlaneCell cell;
    const Report report = evaluateFigures(scenario);
    if (!report.legal()) {
        cell.state = CellState::Illegal;
        cell.reason = describe(report.problems.front());
        return cell;
    }
    cell.layout = scenario.layout;
    cell.state = report.fits ? CellState::Fits : CellState::OutOfMemory;
    cell.stage = report.peakStage;
    cell.lacks = report.fits ? 0 : report.peakMemory() - report.memoryLimit;
    for (const auto& name : Names<PlaneQuantity>::table) {
        cell.values[static_cast<std::size_t>(name.value)] = quantityOf(report, name.value);
    }
    return cell;
}

/// Narrows a search to one value of an axis. False where there is no such scenario.
bool fix(Scenario& scenario, SearchSpace& space, PlaneAxis axis, std::int64_t value)
{
    if (Bounds SearchSpace::*bounds = boundsOn(axis)) {
        space.*bounds = {value, value};
        return true;
    }
    if (axis == PlaneAxis::GlobalBatch) {
        scenario.layout.globalBatch = value;
        return true;
    }
    if (axis == PlaneAxis::Devices) {
        scenario.cluster.nodes =
            std::max<std::int64_t>(1, value / std::max<std::int64_t>(1, scenario.cluster.devicesPerNode));
        return true;
    }
    return setSurroundings(scenario, axis, value);
}

/// The limit that a value of an axis breaks; empty where there is none.
std::string brokenOn(PlaneAxis axis, std::int64_t value, const SearchSpace& limits)
{
    Bounds SearchSpace::*bounds = boundsOn(axis);
    if (bounds == nullptr || (limits.*bounds).hold(value)) {
        return {};
    }
    SearchSpace alone;
    alone.*bounds = limits.*bounds;
    return "outside the limits: " + describe(alone);
}

PlaneCell illegalCell(std::string reason)
{
    PlaneCell cell;
    cell.state = CellState::Illegal;
    cell.reason = std::move(reason);
    return cell;
}

/// The fastest layout of a space; where none fits, the leanest. Pending when stop said so.
PlaneCell bestCell(const Scenario& scenario, const SearchSpace& space, std::vector<Layout> known,
                   const std::function<bool()>& stop, FastModel* model)
{
    SearchOptions options;
    options.model = model;
    options.known = std::move(known);
    options.top = 1;
    options.countSpace = false;
    const Result<SearchResult> found = searchLayouts(scenario, space, options, stop, nullptr);
    if (found && !found->complete) {
        return {};
    }
    if (found && (!found->best.empty() || found->leanest)) {
        Scenario best = withHeadRoom(scenario, space);
        best.layout = found->best.empty() ? found->leanest->layout : found->best.front().layout;
        return cellOf(best);
    }
    return illegalCell(found ? "no layout" : describe(found.problems.front()));
}

/// The layouts of the cells around one, moved to its place; some may not be legal there.
std::vector<Layout> layoutsAround(const Scenario& moved, const Plane& plane, std::size_t row, std::size_t column)
{
    std::vector<Layout> layouts;
    for (std::size_t r = row - std::min<std::size_t>(row, 1); r < std::min(row + 2, plane.rows.size()); ++r) {
        for (std::size_t c = column - std::min<std::size_t>(column, 1); c < std::min(column + 2, plane.columns.size());
             ++c) {
            const PlaneCell& cell = plane.cells[plane.index(r, c)];
            if (cell.state != CellState::Fits && cell.state != CellState::OutOfMemory) {
                continue;
            }
            Layout layout = cell.layout;
            layout.globalBatch = moved.layout.globalBatch;
            setField(layout, plane.rowAxis, plane.rows[row]);
            setField(layout, plane.columnAxis, plane.columns[column]);
            layout.dp = static_cast<int>(moved.cluster.devices() / (std::int64_t{layout.tp} * layout.cp * layout.pp));
            layouts.push_back(layout);
        }
    }
    return layouts;
}

/// Whether times depend on how many devices a cluster has beyond those of a layout: where its outermost level is a
/// mesh or a ring of all of them (collective.h).
bool countsDevices(const Cluster& cluster)
{
    return std::any_of(cluster.levels.begin(), cluster.levels.end(), [](const Level& level) {
        return level.domain <= 0 && (level.fabric == Fabric::Mesh || level.fabric == Fabric::Ring);
    });
}

/// What cells share that differ in their layouts alone, of one thread.
class SharedModels {
public:
    SharedModels(const Plane& plane, const Cluster& cluster)
        : m_plane(plane)
        , m_countsDevices(countsDevices(cluster))
    {
    }

    /// The same number for cells that share a model; none where no other cell has these surroundings.
    std::optional<std::size_t> keyOf(std::size_t row, std::size_t column) const
    {
        const bool rows = sharedAlong(m_plane.rowAxis);
        const bool columns = sharedAlong(m_plane.columnAxis);
        return rows ? columns ? 0 : column : columns ? std::optional(row) : std::nullopt;
    }

    /// Null where there is no key.
    FastModel* modelOf(const Scenario& moved, std::size_t row, std::size_t column)
    {
        const std::optional<std::size_t> key = keyOf(row, column);
        if (!key) {
            return nullptr;
        }
        std::unique_ptr<FastModel>& model = m_models[*key];
        if (!model) {
            model = std::make_unique<FastModel>(moved);
        }
        return model.get();
    }

private:
    bool sharedAlong(PlaneAxis axis) const
    {
        return movesLayoutOnly(axis) || (axis == PlaneAxis::Devices && !m_countsDevices);
    }

    const Plane& m_plane;
    bool m_countsDevices;
    std::map<std::size_t, std::unique_ptr<FastModel>> m_models; ///< by row or column
};

/// Hands out cells in an order, of those that share a model all to the thread that has begun with it as long as there
/// are others: what a model has learnt is not learnt again.
class CellQueue {
public:
    struct Entry {
        std::size_t cell = 0;
        std::optional<std::size_t> key; ///< SharedModels
    };

    explicit CellQueue(std::vector<Entry> entries)
        : m_entries(std::move(entries))
    {
    }

    int newcomer()
    {
        const std::lock_guard lock(m_mutex);
        return m_threads++;
    }

    std::optional<std::size_t> take(int thread)
    {
        const std::lock_guard lock(m_mutex);
        auto next = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
            return !entry.key || m_owners.try_emplace(*entry.key, thread).first->second == thread;
        });
        next = next == m_entries.end() ? m_entries.begin() : next;
        if (next == m_entries.end()) {
            return std::nullopt;
        }
        const std::size_t cell = next->cell;
        m_entries.erase(next);
        return cell;
    }

private:
    std::mutex m_mutex;
    std::vector<Entry> m_entries; ///< left
    std::map<std::size_t, int> m_owners; ///< by key
    int m_threads = 0;
};

/// The scenario's own layout at that place, however it fares there.
PlaneCell keptCell(const Scenario& scenario, const Plane& plane, std::size_t row, std::size_t column)
{
    const Result<Scenario> moved =
        scenarioAt(scenario, plane.rowAxis, plane.rows[row], plane.columnAxis, plane.columns[column]);
    if (moved) {
        return cellOf(*moved);
    }
    return illegalCell(describe(moved.problems.front()));
}

std::size_t nearest(const std::vector<std::int64_t>& stops, std::int64_t value)
{
    const auto at = std::lower_bound(stops.begin(), stops.end(), value);
    return static_cast<std::size_t>(std::min(at - stops.begin(), static_cast<std::ptrdiff_t>(stops.size()) - 1));
}

} // namespace

std::string_view pathOf(PlaneQuantity quantity, bool priced)
{
    switch (quantity) {
    case PlaneQuantity::Mfu:
        break;
    case PlaneQuantity::StepTime:
        return "step_time_s";
    case PlaneQuantity::PeakMemory:
        return "memory.peak_bytes";
    case PlaneQuantity::Bubble:
        return "bubble_fraction";
    case PlaneQuantity::TokensPerDevice:
        return "tokens_per_s_per_device";
    case PlaneQuantity::Exposed:
        return "exposed_communication";
    case PlaneQuantity::Cost:
        return priced ? "usd_per_billion_tokens" : "device_hours_per_billion_tokens";
    }
    return "mfu.causal";
}

std::string_view pathOf(PlaneQuantity quantity, const Scenario& scenario)
{
    return pathOf(quantity, scenario.cluster.accelerator.pricePerHour > 0);
}

double quantityOf(const Report& report, PlaneQuantity quantity)
{
    switch (quantity) {
    case PlaneQuantity::Mfu:
        return report.mfu.causal;
    case PlaneQuantity::StepTime:
        return report.stepTime;
    case PlaneQuantity::PeakMemory:
        return report.peakMemory();
    case PlaneQuantity::Bubble:
        return report.bubbleFraction;
    case PlaneQuantity::TokensPerDevice:
        return report.tokensPerSecondPerDevice;
    case PlaneQuantity::Exposed:
        return report.time.exposedCommunication() / report.stepTime;
    case PlaneQuantity::Cost:
        return deviceHoursPerBillionTokens(1, report.tokensPerSecondPerDevice);
    }
    return 0;
}

Result<Scenario> scenarioAt(const Scenario& scenario, PlaneAxis rowAxis, std::int64_t row, PlaneAxis columnAxis,
                            std::int64_t column)
{
    Scenario moved = scenario;
    // A split by layer counts belongs to the number of stages it was written for.
    if (rowAxis == PlaneAxis::Pp || columnAxis == PlaneAxis::Pp) {
        moved.layout.layersPerStage.clear();
    }
    // What surrounds the layout first: its fields are fitted to that.
    if (!setSurroundings(moved, rowAxis, row)) {
        return noModel(row);
    }
    if (!setSurroundings(moved, columnAxis, column)) {
        return noModel(column);
    }
    // Chunks are those of the stages there are, and replicas leave the other degrees less room: both come last.
    const auto late = [](PlaneAxis axis) { return axis == PlaneAxis::Vpp ? 2 : axis == PlaneAxis::Dp ? 1 : 0; };
    if (late(rowAxis) > late(columnAxis)) {
        move(moved, columnAxis, column);
        move(moved, rowAxis, row);
    } else {
        move(moved, rowAxis, row);
        move(moved, columnAxis, column);
    }
    // What the second move changed of the first is put back: a cell shows its own place or says why there is none.
    setField(moved.layout, rowAxis, row);
    setField(moved.layout, columnAxis, column);
    const std::int64_t split = std::int64_t{moved.layout.tp} * moved.layout.cp * moved.layout.pp;
    const std::int64_t devices = moved.cluster.devices();
    if (split <= 0 || devices % split != 0) {
        return Problem{std::string("layout.") + std::string(keyOf(columnAxis)),
                       fmt::format("{}", column),
                       fmt::format("tp {} × cp {} × pp {} = {} does not divide {} devices", moved.layout.tp,
                                   moved.layout.cp, moved.layout.pp, split, devices),
                       {}};
    }
    const bool replicasGiven = rowAxis == PlaneAxis::Dp || columnAxis == PlaneAxis::Dp;
    if (replicasGiven && moved.layout.dp != devices / split) {
        return Problem{"layout.dp",
                       fmt::format("{}", moved.layout.dp),
                       fmt::format("times tp {} × cp {} × pp {} is not {} devices", moved.layout.tp, moved.layout.cp,
                                   moved.layout.pp, devices),
                       {}};
    }
    moved.layout.dp = static_cast<int>(devices / split);
    const bool countsRows = rowAxis == PlaneAxis::MicroBatches;
    if (countsRows || columnAxis == PlaneAxis::MicroBatches) {
        const std::int64_t count = countsRows ? row : column;
        const bool batchIsGiven = (countsRows ? columnAxis : rowAxis) == PlaneAxis::GlobalBatch;
        if (!setMicroBatches(moved.layout, count, batchIsGiven)) {
            return Problem{"layout.global_batch",
                           fmt::format("{}", moved.layout.globalBatch),
                           fmt::format("does not divide into {} micro-batches on {} replicas", count, moved.layout.dp),
                           {}};
        }
    }
    return moved;
}

Result<Scenario> scenarioOf(const Scenario& scenario, const Plane& plane, std::size_t row, std::size_t column)
{
    if (plane.rest == PlaneRest::Kept) {
        return scenarioAt(scenario, plane.rowAxis, plane.rows[row], plane.columnAxis, plane.columns[column]);
    }
    const PlaneCell& cell = plane.cells[plane.index(row, column)];
    if (cell.state == CellState::Pending || cell.state == CellState::Illegal) {
        return Problem{"search", {}, cell.reason.empty() ? "not searched yet" : cell.reason, {}};
    }
    Scenario moved = scenario;
    SearchSpace space;
    fix(moved, space, plane.rowAxis, plane.rows[row]);
    fix(moved, space, plane.columnAxis, plane.columns[column]);
    moved.layout = cell.layout;
    return moved;
}

Plane planeAround(const Scenario& scenario, PlaneAxis rowAxis, PlaneAxis columnAxis, PlaneRest rest,
                  const SearchSpace& limits)
{
    Plane plane{rowAxis,
                columnAxis,
                rest,
                stopsOf(scenario, rowAxis, columnAxis, rest),
                stopsOf(scenario, columnAxis, rowAxis, rest),
                {},
                rest == PlaneRest::Searched ? limits : SearchSpace()};
    plane.cells.resize(plane.rows.size() * plane.columns.size());
    return plane;
}

void sweep(const Scenario& scenario, const Plane& plane, const std::function<bool()>& stop,
           const std::function<void(std::size_t, PlaneCell)>& sink, int threads)
{
    if (plane.cells.empty()) {
        return;
    }
    const auto homeRow = static_cast<std::ptrdiff_t>(nearest(plane.rows, valueOn(scenario, plane.rowAxis)));
    const auto homeColumn = static_cast<std::ptrdiff_t>(nearest(plane.columns, valueOn(scenario, plane.columnAxis)));
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> order; // distance from home, cell
    for (std::size_t i = 0; i < plane.cells.size(); ++i) {
        const auto row = static_cast<std::ptrdiff_t>(i / plane.columns.size());
        const auto column = static_cast<std::ptrdiff_t>(i % plane.columns.size());
        order.emplace_back(std::max(std::abs(row - homeRow), std::abs(column - homeColumn)), i);
    }
    std::sort(order.begin(), order.end());
    std::vector<CellQueue::Entry> entries;
    const SharedModels keys(plane, scenario.cluster);
    for (const auto& [distance, i] : order) {
        entries.push_back({i, keys.keyOf(i / plane.columns.size(), i % plane.columns.size())});
    }
    CellQueue queue(std::move(entries));
    Plane swept = plane;
    std::mutex mutex; // of what is swept, and the sink
    const auto layoutsKnown = [&](const Scenario& moved, std::size_t row, std::size_t column) {
        const std::lock_guard lock(mutex);
        return layoutsAround(moved, swept, row, column);
    };
    const bool searched = plane.rest == PlaneRest::Searched;
    const auto work = [&] {
        const int thread = queue.newcomer();
        SharedModels models(plane, scenario.cluster);
        for (auto taken = queue.take(thread); taken && !stop(); taken = queue.take(thread)) {
            const std::size_t i = *taken;
            const std::size_t row = i / plane.columns.size();
            const std::size_t column = i % plane.columns.size();
            Scenario moved = scenario;
            SearchSpace space = plane.limits;
            std::string broken = brokenOn(plane.rowAxis, plane.rows[row], space);
            broken = broken.empty() ? brokenOn(plane.columnAxis, plane.columns[column], space) : broken;
            PlaneCell cell = !broken.empty() ? illegalCell(std::move(broken))
                : searched && fix(moved, space, plane.rowAxis, plane.rows[row])
                    && fix(moved, space, plane.columnAxis, plane.columns[column])
                ? bestCell(moved, space, layoutsKnown(moved, row, column), stop, models.modelOf(moved, row, column))
                : keptCell(scenario, plane, row, column);
            if (cell.state != CellState::Pending) {
                const std::lock_guard lock(mutex);
                swept.cells[i] = cell;
                sink(i, std::move(cell));
            }
        }
    };
    inThreads(threads, work);
}

std::vector<StopMark> markStops(const Scenario& scenario, LayoutField field, const std::function<bool()>& stop)
{
    std::vector<StopMark> marks;
    for (const std::int64_t value : legalStops(scenario, field)) {
        if (stop()) {
            break;
        }
        Scenario moved = scenario;
        moved.layout = withField(scenario, field, value);
        const PlaneCell cell = cellOf(moved);
        marks.push_back({value, cell.state, cell.lacks, cell.stage, cell.reason, cell[PlaneQuantity::StepTime],
                         cell[PlaneQuantity::Mfu], cell[PlaneQuantity::PeakMemory]});
    }
    return marks;
}

} // namespace partita
