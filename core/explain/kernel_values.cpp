// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/kernel_values.h"

#include "core/kernels/attention_terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

constexpr std::string_view scanSource = "Dao & Gu 2024 (Mamba-2), arXiv:2405.21060, section 6";

} // namespace

Term KernelLaw::bandwidth() const
{
    return given("W", "bandwidth that a long stream reaches", Measure::BytesPerSecond,
                 accelerator().memoryBandwidth * accelerator().kernels.memoryEfficiency,
                 fmt::format("accelerator {}: memory bandwidth x efficiency", accelerator().name));
}

std::string KernelLaw::constant(std::string_view what) const
{
    return fmt::format("accelerator {}: {}", accelerator().name, what);
}

/// One kernel: the longer of its tiles over the cores and its bytes through memory.
void KernelLaw::flash(Derivation& d, const AttentionShape& shape, Pass pass, AttentionKernel kernel) const
{
    const KernelConstants& kernels = accelerator().kernels;
    const FlashTerms terms = flashTerms(shape, pass, accelerator());
    d.terms = {given("B", "Q, K, V, the output and their gradients", Measure::Bytes, terms.bytes, "shape"),
               bandwidth()};
    d.formula = "B/W";
    if (terms.pace > 0) {
        d.formula = "max(max(l, t*m/n + c*l)*r*f*n / (A*u*z/(z + y)), B/W)";
        const bool forward = pass == Pass::Forward;
        for (Term& term : std::vector<Term>{
                 given("l", "keys of the longest tile", Measure::Count, terms.longest, "shape, kernel constants"),
                 given("t", "tiles of queries", Measure::Plain, terms.tiles, "shape, kernel constants"),
                 given("m", "keys a tile sees on average", Measure::Plain, terms.mean, "shape, kernel constants"),
                 given("n", "cores", Measure::Count, std::max(accelerator().cores, 1), constant("cores")),
                 given("c", "part of the longest tile left when other cores are done", Measure::Share, terms.tail,
                       "list scheduling"),
                 given("r", "queries of a tile", Measure::Count, terms.tileRows, constant("attention tile")),
                 given("f", "FLOP a score", Measure::Count, terms.flopsPerScore, "head sizes"),
                 given("A", "dense 16-bit peak", Measure::FlopsPerSecond, matrixPeak(accelerator()), constant("peak")),
                 given("u", "share of it that a long core reaches", Measure::Share,
                       forward ? kernels.attentionForward : kernels.attentionBackward,
                       constant("attention efficiency")),
                 given("z", "head size", Measure::Count, terms.size, "model"),
                 given("y", "head size at which half is reached", Measure::Count, kernels.attentionHeadHalf,
                       constant("attention head half"))}) {
            d.terms.push_back(std::move(term));
        }
    }
    if (kernel == AttentionKernel::Flash2) {
        d.formula = fmt::format("({}) / v", d.formula);
        d.terms.push_back(given("v", "speed of FlashAttention 2 against the best", Measure::Share, kernels.flash2Speed,
                                constant("FlashAttention 2")));
    }
    d.assumptions.push_back(fmt::format("{} heads of {} + {}, {} queries on {} keys{}.", shape.heads, shape.queryKeyDim,
                                        shape.valueDim, shape.queries, shape.keys,
                                        shape.causal ? ", the masked half left out" : ""));
    d.sources = acceleratorSources(m_scenario);
    d.sources.emplace_back("Dao 2023 (FlashAttention-2), arXiv:2307.08691");
}

void KernelLaw::batched(Derivation& d, const AttentionShape& shape, Pass pass, AttentionKernel kernel,
                        Term products) const
{
    const double slowdown = alignmentSlowdown(shape);
    products.symbol = "g";
    d.formula = slowdown > 1 ? "a*sum(g) + B/W" : "sum(g) + B/W";
    d.terms = {std::move(products),
               given("B", "scores scaled, masked and normalised through memory", Measure::Bytes,
                     scoreMatrixTraffic(shape, pass, kernel), "shape, stack: attention"),
               bandwidth()};
    if (slowdown > 1) {
        d.terms.push_back(given("a", "heads that are no multiple of 16 bytes: no tensor cores", Measure::Plain,
                                slowdown, "head size"));
    }
    d.assumptions.emplace_back("Every score is computed, masked or not.");
    d.sources = acceleratorSources(m_scenario);
}

void KernelLaw::scan(Derivation& d, Term work, Term bytes, const ScanShape& shape, Pass pass) const
{
    work.symbol = "F";
    bytes.symbol = "B";
    const bool onVectorUnits = shape.kind == ScanKind::Selective;
    const double peak = onVectorUnits ? accelerator().peak.vector : matrixPeak(accelerator());
    d.formula = peak > 0 ? "n*max(F/(P*u), B/W)" : "n*B/W";
    d.terms = {given("n", "passes: backward runs the forward again, then two products for each", Measure::Count,
                     pass == Pass::Forward ? 1 : 3, "pass"),
               std::move(bytes), bandwidth()};
    if (peak > 0) {
        d.terms.push_back(std::move(work));
        d.terms.push_back(given("P", onVectorUnits ? "peak of the vector units" : "dense 16-bit peak",
                                Measure::FlopsPerSecond, peak, constant("peak")));
        d.terms.push_back(given("u", "share of it that scans reach", Measure::Share,
                                accelerator().kernels.scanEfficiency, constant("scan efficiency")));
    }
    d.sources = acceleratorSources(m_scenario);
    d.sources.emplace_back(scanSource);
}

void KernelLaw::gemm(Derivation& d, Term tiles, const GemmShape& shape, DataType type, double pace) const
{
    const GemmTerms terms = gemmTerms(shape, type, accelerator());
    d.formula = "c";
    tiles.symbol = "c";
    d.terms = {std::move(tiles)};
    if (terms.sides.memory > 0) {
        d.formula = "max(c, B/W) + x*min(c, B/W)";
        d.terms.push_back(bandwidth());
        d.terms.push_back(given("B", "operands, result, and operands that later waves read again", Measure::Bytes,
                                terms.sides.memory * d.terms.back().values.front().value, "shape, last-level cache"));
        d.terms.push_back(given("x", "share of the shorter that is not hidden", Measure::Share,
                                accelerator().kernels.exposure,
                                fmt::format("accelerator {}: exposure", accelerator().name)));
    }
    if (pace != 1) {
        d.formula = fmt::format("({}) / v", d.formula);
        d.terms.push_back(given("v", "pace of row-scaled products", Measure::Share, pace, "workload.precision"));
    }
    const double peak = peakFor(accelerator(), type);
    const double time = overlapped(terms.sides, accelerator()) / pace;
    d.assumptions.push_back(fmt::format(
        "{} x {} x {}{}: {}, {} of the {} peak.", shape.m, shape.n, shape.k,
        shape.count > 1 ? fmt::format(", {} alike", shape.count) : "", formatMeasure(shape.flops(), Measure::Flops),
        formatMeasure(shape.flops() / (peak * time), Measure::Share), labelOf(productType(accelerator(), type))));
    d.sources = acceleratorSources(m_scenario);
}

void KernelLaw::tiles(Derivation& d, const TileTerms& tile, const GemmShape& shape) const
{
    const bool split = tile.splits > 1;
    d.formula = split ? "2*r*c*f/q * (K/s + k) + z + s*v" : "y * 2*r*c*f/q * (K + k)";
    const std::string law = fmt::format("accelerator {}: kernel constants", accelerator().name);
    d.terms = {given("r", "rows of the tile", Measure::Count, tile.rows, law),
               given("c", "columns of the tile", Measure::Count, tile.columns, law),
               given("f", "operand loads against the largest tile", Measure::Plain, tile.feed, law),
               given("q", "pace of one core", Measure::FlopsPerSecond, tile.corePace,
                     fmt::format("accelerator {}: peak x GEMM efficiency / {} cores", accelerator().name,
                                 accelerator().cores)),
               given("K", "inner size", Measure::Count, tile.k, "shape of the product"),
               given("k", "inner size that the ends of a tile cost", Measure::Count, tile.fill, law)};
    if (split) {
        d.terms.push_back(given("s", "parts that K is split into", Measure::Count, tile.splits, "fastest choice"));
        d.terms.push_back(given("z", "second pass over the partial results", Measure::Seconds, tile.splitTime, law));
        d.terms.push_back(given("v", "partial results of a part", Measure::Seconds, tile.resultTime, law));
    } else {
        d.terms.push_back(given("y", "waves of tiles, idle cores of the last one partly hidden", Measure::Plain,
                                tile.busy,
                                fmt::format("{} x {} in tiles over {} cores", shape.m, shape.n, accelerator().cores)));
    }
    d.assumptions.emplace_back("Several tiles and splits of K are tried, as libraries do; the fastest counts.");
}

namespace {

std::vector<Term> scanSizes(const ScanShape& shape)
{
    return {given("t", "tokens", Measure::Tokens, static_cast<double>(shape.tokens), "workload, layout"),
            given("h", "heads on the device", Measure::Count, static_cast<double>(shape.heads), "model, layout.tp"),
            given("d", "size of a head", Measure::Count, static_cast<double>(shape.headDim), "model"),
            given("n", "state of a channel", Measure::Count, static_cast<double>(shape.stateSize), "model")};
}

Term scanGroups(const ScanShape& shape)
{
    return given("g", "groups of keys and queries", Measure::Count, static_cast<double>(shape.groups),
                 "model, layout.tp");
}

Term scanChunk(const ScanShape& shape)
{
    return given("c", "tokens of a chunk", Measure::Tokens, static_cast<double>(shape.chunk), "model");
}

} // namespace

void deriveScanFlops(Derivation& d, const ScanShape& shape)
{
    d.terms = scanSizes(shape);
    d.sources.emplace_back(scanSource);
    switch (shape.kind) {
    case ScanKind::Selective:
        d.formula = "6*t*h*d*n";
        d.assumptions.emplace_back("Decay, input and output: a multiply-add each for every channel and state.");
        return;
    case ScanKind::StateSpaceDual:
        d.formula = "t*(2*c*(h*d + g*n) + 4*n*h*d)";
        d.terms.push_back(scanGroups(shape));
        d.assumptions.emplace_back("In chunks: scores of a chunk and their product with its values, then two products "
                                   "with the state.");
        break;
    case ScanKind::GatedDelta:
        d.formula = "t*(2*c*(3*h*n + 2*h*d) + 6*n*h*d)";
        d.assumptions.emplace_back("In chunks: two products of keys, the solved triangle on keys and values, scores on "
                                   "values; then three products with the state.");
        break;
    }
    d.terms.push_back(scanChunk(shape));
}

void deriveScanBytes(Derivation& d, const ScanShape& shape)
{
    d.terms = scanSizes(shape);
    d.terms.push_back(scanGroups(shape));
    d.sources.emplace_back(scanSource);
    d.formula = "2*t*(2*h*d + 2*g*n + h)";
    if (shape.kind == ScanKind::Selective) {
        d.formula += " + 2*t*h*d";
        d.assumptions.emplace_back("A step size of its own for every channel.");
        return;
    }
    d.formula += " + t/c*h*d*n*16";
    d.terms.push_back(scanChunk(shape));
    d.assumptions.emplace_back("Values in and out, keys, queries and decay in 16 bits; the state in 32 bits at every "
                               "border of chunks, written twice and read twice.");
}

void addAttention(Ledger& ledger, const std::string& path, const std::string& name, const Scenario& scenario,
                  const AttentionShape& shape, Pass pass, AttentionKernel kernel)
{
    const Accelerator& accelerator = scenario.cluster.accelerator;
    const double time = attentionTime(shape, pass, kernel, accelerator);
    if (time <= 0) {
        return;
    }
    if (isFlash(kernel)) {
        ledger.add(path, name, Measure::Seconds, time, [&scenario, shape, pass, kernel](Derivation& d) {
            KernelLaw(scenario).flash(d, shape, pass, kernel);
        });
        return;
    }
    std::vector<std::string> paths;
    for (const GemmShape& product : batchedProducts(shape, pass)) {
        paths.push_back(fmt::format("{}.products[{}]", path, paths.size()));
        const std::string what =
            fmt::format("{} products of {} x {} x {}, {}", product.count, product.m, product.n, product.k, name);
        addGemm(ledger, paths.back(), what, scenario, product, DataType::Bf16, 1);
    }
    ledger.add(path, name, Measure::Seconds, time, [&ledger, &scenario, shape, pass, kernel, paths](Derivation& d) {
        KernelLaw(scenario).batched(d, shape, pass, kernel, ledger.list("g", "batched products", paths));
    });
}

void addGemm(Ledger& ledger, const std::string& path, const std::string& name, const Scenario& scenario,
             const GemmShape& shape, DataType type, double pace)
{
    addTiles(ledger, path + ".tiles_s", name, scenario, shape, type);
    ledger.add(path, name, Measure::Seconds, gemmTime(shape, type, scenario.cluster.accelerator) / pace,
               [&ledger, &scenario, path, shape, type, pace](Derivation& d) {
                   KernelLaw(scenario).gemm(d, ledger.term("c", path + ".tiles_s"), shape, type, pace);
               });
}

void addTiles(Ledger& ledger, const std::string& path, const std::string& name, const Scenario& scenario,
              const GemmShape& shape, DataType type)
{
    const GemmTerms terms = gemmTerms(shape, type, scenario.cluster.accelerator);
    ledger.add(path, fmt::format("tiles of {}", name), Measure::Seconds, terms.sides.compute,
               [&scenario, terms, shape](Derivation& d) { KernelLaw(scenario).tiles(d, terms.tile, shape); });
}

void addScan(Ledger& ledger, const std::string& path, const std::string& name, const ScanShape& shape)
{
    ledger.add(path + ".flops", "work of " + name, Measure::Flops, shape.flops(),
               [shape](Derivation& d) { deriveScanFlops(d, shape); });
    ledger.add(path + ".bytes", "traffic of " + name, Measure::Bytes, shape.bytes(),
               [shape](Derivation& d) { deriveScanBytes(d, shape); });
}

} // namespace partita
