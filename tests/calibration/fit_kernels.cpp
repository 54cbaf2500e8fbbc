// SPDX-License-Identifier: GPL-3.0-or-later
// fit_kernels [DIRECTORY]: fits the kernel constants of every accelerator that has measured tables in DIRECTORY
// (gemm/*.csv, attn/*.csv; default ../shared/data/kernels), prints the error before and after by class of shape, and
// the constants as the "kernels" object of presets/accelerators. Every second row is fitted, the others are scored.
#include "tests/calibration/kernel_tables.h"
#include "tests/calibration/simplex_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace partita;
using namespace partita::calibration;

namespace {

struct Device {
    std::string table; ///< as in the names of the files
    Accelerator accelerator;
};

/// What the laws read of a device (vendor data sheets and architecture white papers); cores are the ones enabled.
std::vector<Device> devices()
{
    const auto device = [](const char* table, Peaks peak, double bandwidth, int cores, double l2) {
        Device out{table, {}};
        out.accelerator.peak = peak;
        out.accelerator.memoryBandwidth = bandwidth;
        out.accelerator.cores = cores;
        out.accelerator.l2Bytes = l2;
        return out;
    };
    constexpr double mib = 1048576;
    const Peaks hopper{989.5e12, 989.5e12, 1979e12, 0, 494.7e12, 66.9e12};
    const Peaks b200{2250e12, 2250e12, 4500e12, 9000e12, 1125e12, 75e12};
    const Peaks gb200{2500e12, 2500e12, 5000e12, 10000e12, 1250e12, 80e12};
    return {
        device("a100_sxm", {312e12, 312e12, 0, 0, 156e12, 19.5e12}, 2.039e12, 108, 40 * mib),
        device("h100_sxm", hopper, 3.35e12, 132, 50 * mib),
        device("h200_sxm", hopper, 4.8e12, 132, 50 * mib),
        device("l40s", {362.05e12, 362.05e12, 733e12, 0, 183e12, 91.6e12}, 0.864e12, 142, 96 * mib),
        device("b200_sxm", b200, 7.7e12, 148, 126 * mib),
        device("gb200", gb200, 8e12, 148, 126 * mib),
        device("b300_sxm", {2250e12, 2250e12, 4500e12, 14000e12, 1125e12, 75e12}, 8e12, 148, 126 * mib),
        device("gb300", {2500e12, 2500e12, 5000e12, 15000e12, 1250e12, 80e12}, 8e12, 148, 126 * mib),
    };
}

/// One number of the fit, searched on a logarithmic scale inside its bounds. Where the tables hardly determine it, it
/// stays near its start: width is the log-distance that costs a thousandth of the mean error.
struct Unknown {
    double* value;
    double low;
    double high;
    double width;
};

void fit(const std::vector<Unknown>& unknowns, const std::function<double()>& cost)
{
    std::vector<double> start;
    for (const Unknown& unknown : unknowns) {
        start.push_back(std::log(*unknown.value));
    }
    const auto assign = [&](const std::vector<double>& at) {
        double penalty = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double inside = std::clamp(at[i], std::log(unknowns[i].low), std::log(unknowns[i].high));
            const double away = (at[i] - start[i]) / unknowns[i].width;
            penalty += 0.1 * std::abs(at[i] - inside) + 0.001 * away * away;
            *unknowns[i].value = std::exp(inside);
        }
        return penalty;
    };
    assign(minimise([&](const std::vector<double>& at) { return assign(at) + cost(); }, start, 0.3));
}

/// Mean |log(predicted / measured)| of the rows to fit; large GEMMs count fully, those of decoding less.
template <class Shape>
double loss(const std::vector<Measured<Shape>>& rows, const std::function<double(const Shape&)>& predict,
            const std::function<double(const Shape&)>& weight)
{
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < rows.size(); i += 2) {
        const double w = weight(rows[i].shape);
        sum += w * std::abs(std::log(predict(rows[i].shape) / rows[i].seconds));
        weights += w;
    }
    return sum / weights;
}

template <class Shape> struct ShapeClass {
    const char* name;
    bool (*holds)(const Shape&);
};

template <class Shape>
void report(const char* what, const std::vector<Measured<Shape>>& rows, const std::vector<ShapeClass<Shape>>& classes,
            const std::function<double(const Shape&)>& predict)
{
    for (const ShapeClass<Shape>& each : classes) {
        std::vector<double> errors;
        double sum = 0;
        double bias = 0;
        for (std::size_t i = 1; i < rows.size(); i += 2) {
            if (each.holds(rows[i].shape)) {
                const double error = predict(rows[i].shape) / rows[i].seconds - 1;
                errors.push_back(std::abs(error));
                sum += std::abs(error);
                bias += error;
            }
        }
        if (errors.empty()) {
            continue;
        }
        std::sort(errors.begin(), errors.end());
        const double n = static_cast<double>(errors.size());
        fmt::print("  {:8} {:22} n {:5}  mean {:5.1f} %  median {:5.1f} %  p90 {:5.1f} %  bias {:+5.1f} %\n", what,
                   each.name, errors.size(), 100 * sum / n, 100 * errors[errors.size() / 2],
                   100 * errors[errors.size() * 9 / 10], 100 * bias / n);
    }
}

bool isTraining(const GemmShape& s)
{
    return s.m >= 256;
}

const std::vector<ShapeClass<GemmShape>> gemmClasses{
    {"M,N,K >= 256", isTraining},
    {"  M 256..1024", [](const GemmShape& s) { return isTraining(s) && s.m <= 1024; }},
    {"  M 2048..32768", [](const GemmShape& s) { return s.m >= 2048; }},
    {"  N <= 1024", [](const GemmShape& s) { return isTraining(s) && s.n <= 1024; }},
    {"  K <= 1024", [](const GemmShape& s) { return isTraining(s) && s.k <= 1024; }},
    {"  >= 100 GFLOP", [](const GemmShape& s) { return isTraining(s) && s.flops() >= 1e11; }},
    {"M 64, 128 (decoding)", [](const GemmShape& s) { return !isTraining(s); }},
};

void fitGemm(Accelerator& accelerator, const std::vector<Measured<GemmShape>>& rows)
{
    KernelConstants& k = accelerator.kernels;
    const std::function<double(const GemmShape&)> predict = [&](const GemmShape& shape) {
        return gemmTime(shape, DataType::Bf16, accelerator) + k.launch;
    };
    report("before", rows, {gemmClasses.front(), gemmClasses.back()}, predict);
    fit({{&k.gemmEfficiency, 0.3, 1, 1},
         {&k.gemmKHalf, 5, 500, 1},
         {&k.gemmTileFeed, 0.005, 0.5, 0.7},
         {&k.gemmWaveLoss, 0.02, 1, 0.7},
         {&k.exposure, 0.01, 0.5, 0.7},
         {&k.memoryEfficiency, 0.4, 0.95, 0.1},
         {&k.launch, 0.5e-6, 2e-5, 0.5}},
        [&] { return loss<GemmShape>(rows, predict, [](const GemmShape& s) { return isTraining(s) ? 1.0 : 0.4; }); });
    report("bf16", rows, gemmClasses, predict);
}

/// Tables of narrow types time the cast of the activations with the product: a pass over A by dependent kernels, behind
/// a host that needs a while to launch them. That part is the benchmark's, not the accelerator's.
struct Casting {
    double hostFloor = 0;
    double kernels = 3;
    double bytesPerElement = 5;
};

void fitNarrow(Accelerator& accelerator, const std::vector<Measured<GemmShape>>& rows, const char* name, DataType type,
               std::vector<Unknown> unknowns)
{
    Casting casting;
    casting.hostFloor = std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                            return a.seconds < b.seconds;
                        })->seconds;
    const std::function<double(const GemmShape&)> predict = [&](const GemmShape& shape) {
        const double elements = static_cast<double>(shape.m) * static_cast<double>(shape.k);
        const double cast = memoryPassTime(casting.bytesPerElement * elements, accelerator);
        const double device = cast + gemmTime(shape, type, accelerator) + casting.kernels * accelerator.kernels.launch;
        return std::max(casting.hostFloor, device);
    };
    unknowns.push_back({&casting.hostFloor, 1e-6, 1e-4, 1});
    unknowns.push_back({&casting.kernels, 1, 10, 1});
    unknowns.push_back({&casting.bytesPerElement, 1, 20, 1});
    fit(unknowns,
        [&] { return loss<GemmShape>(rows, predict, [](const GemmShape& s) { return isTraining(s) ? 1.0 : 0.4; }); });
    report(name, rows, gemmClasses, predict);
    fmt::print("  {:8} cast of A: {:.1f} bytes an element, {:.1f} kernels, host floor {:.1f} us\n", name,
               casting.bytesPerElement, casting.kernels, 1e6 * casting.hostFloor);
}

const std::vector<ShapeClass<AttentionShape>> attentionClasses{
    {"all", [](const AttentionShape&) { return true; }},
    {"  keys <= 1024", [](const AttentionShape& s) { return s.keys <= 1024; }},
    {"  keys 1536..4096", [](const AttentionShape& s) { return s.keys > 1024 && s.keys <= 4096; }},
    {"  keys > 4096", [](const AttentionShape& s) { return s.keys > 4096; }},
    {"  head size 64", [](const AttentionShape& s) { return s.valueDim == 64; }},
    {"  head size 128", [](const AttentionShape& s) { return s.valueDim == 128; }},
    {"  head size >= 192", [](const AttentionShape& s) { return s.valueDim >= 192; }},
    {"  batch * heads < 16", [](const AttentionShape& s) { return s.batch * s.heads < 16; }},
};

/// The tables time a serving engine's context step: rotation and cache writing of Q, K and V before the core.
void fitAttention(Accelerator& accelerator, const std::vector<Measured<AttentionShape>>& rows)
{
    KernelConstants& k = accelerator.kernels;
    double preparationPasses = 2;
    double kernels = 3;
    const bool severalSizes = std::any_of(
        rows.begin(), rows.end(), [&](const auto& row) { return row.shape.valueDim != rows[0].shape.valueDim; });
    const std::function<double(const AttentionShape&)> predict = [&](const AttentionShape& s) {
        const double elements = static_cast<double>(s.batch * s.queries * (s.heads + 2 * s.kvHeads) * s.valueDim);
        return kernels * k.launch + memoryPassTime(preparationPasses * 2 * elements, accelerator)
            + attentionTime(s, Pass::Forward, AttentionKernel::Flash, accelerator);
    };
    std::vector<Unknown> unknowns{{&k.attentionForward, 0.1, 1, 1},
                                  {&k.attentionHalfLength, 10, 2000, 1},
                                  {&preparationPasses, 0.1, 10, 1},
                                  {&kernels, 1, 10, 1}};
    if (severalSizes) {
        unknowns.push_back({&k.attentionHeadHalf, 2, 200, 1});
    }
    fit(unknowns, [&] { return loss<AttentionShape>(rows, predict, [](const AttentionShape&) { return 1.0; }); });
    report("flash", rows, attentionClasses, predict);
    fmt::print("  {:8} preparation: {:.1f} passes over Q, K, V, {:.1f} kernels\n", "flash", preparationPasses, kernels);
}

void scoreConvolution(const Accelerator& accelerator, const std::vector<Measured<double>>& rows)
{
    report<double>("conv", rows, {{"sequences >= 1024", [](const double&) { return true; }}},
                   [&](const double& elements) {
                       return accelerator.kernels.launch + convolutionTime(elements, Pass::Forward, accelerator);
                   });
}

void printConstants(const KernelConstants& k)
{
    fmt::print("  \"kernels\": {{\n");
    const auto line = [](const char* key, double value, int digits) {
        fmt::print("    \"{}\": {:.{}f},\n", key, value, digits);
    };
    line("gemm_efficiency", k.gemmEfficiency, 3);
    line("fp8_efficiency", k.fp8Efficiency, 3);
    line("fp4_efficiency", k.fp4Efficiency, 3);
    line("gemm_k_half", k.gemmKHalf, 0);
    line("fp4_k_half", k.fp4KHalf, 0);
    line("gemm_tile_feed", k.gemmTileFeed, 3);
    line("gemm_wave_loss", k.gemmWaveLoss, 2);
    line("exposure", k.exposure, 3);
    line("attention_forward", k.attentionForward, 3);
    line("attention_head_half", k.attentionHeadHalf, 0);
    line("attention_half_length", k.attentionHalfLength, 0);
    line("memory_efficiency", k.memoryEfficiency, 3);
    line("launch_us", 1e6 * k.launch, 2);
    fmt::print("  }}\n");
}

} // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path tables = argc > 1 ? argv[1] : PARTITA_SHARED_DIR "/data/kernels";
    bool found = false;
    for (Device device : devices()) {
        Accelerator& accelerator = device.accelerator;
        const std::filesystem::path gemms = tables / "gemm" / fmt::format("aiconfigurator_{}.csv", device.table);
        const auto wide = readGemms(gemms, "bfloat16");
        if (wide.empty()) {
            continue;
        }
        found = true;
        fmt::print("{}\n", device.table);
        fitGemm(accelerator, wide);
        if (const auto rows = readGemms(gemms, "fp8"); !rows.empty()) {
            fitNarrow(accelerator, rows, "fp8", DataType::Fp8, {{&accelerator.kernels.fp8Efficiency, 0.2, 1, 1}});
        }
        if (const auto rows = readGemms(gemms, "nvfp4"); !rows.empty()) {
            fitNarrow(accelerator, rows, "nvfp4", DataType::NvFp4,
                      {{&accelerator.kernels.fp4Efficiency, 0.2, 1, 1}, {&accelerator.kernels.fp4KHalf, 50, 5000, 1}});
        }
        const std::filesystem::path attention =
            tables / "attn" / fmt::format("{}_context_fwd_causal.csv", device.table);
        if (const auto rows = readAttention(attention, "bfloat16"); !rows.empty()) {
            fitAttention(accelerator, rows);
        }
        const std::filesystem::path convolution =
            tables / "attn" / fmt::format("{}_linear_attention_trtllm_1.3.0rc20_mamba2_perf.csv", device.table);
        if (const auto rows = readConvolutions(convolution); !rows.empty()) {
            scoreConvolution(accelerator, rows);
        }
        printConstants(accelerator.kernels);
    }
    if (!found) {
        fmt::print(stderr, "no kernel tables in {}\n", tables.string());
    }
    return found ? 0 : 1;
}
