// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/kernel_fit.h"

#include "core/calibration/kernel_tables.h"
#include "core/calibration/simplex_search.h"
#include "core/formats/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace partita::calibration {

namespace {

/// An accelerator of the same architecture without a table of its own.
struct Relative {
    std::string id;
    double level = 1; ///< of its GEMM shares over those of the table's accelerator
    std::string reason;
};

struct Device {
    std::string table; ///< as in the names of the files
    std::string id; ///< of the preset
    std::string attention; ///< where the level of attention in the preset is from
    std::vector<Relative> relatives;
};

std::vector<Device> devices()
{
    const std::string mamf = ", level by the best shapes of either (stas00/ml-engineering, MAMF: 0.811 and 0.869)";
    const std::string geforce =
        ", level of the A100: the rated peak is that of FP32 sums at half rate, which it can hold";
    const std::string blackwell = "level of FlashAttention 4 (at most 71 % of peak forward), backward assumed";
    return {
        {"a100_sxm",
         "a100-sxm-80gb",
         "level of FlashAttention 2 (arXiv:2307.08691: at most 73 % of peak forward, 63 % backward)",
         {{"a100-sxm-40gb", 1, ""},
          {"a100-pcie-80gb", 0.811 / 0.869, mamf},
          {"a800-sxm-80gb", 1, ""},
          {"v100-sxm2-16gb", 1, ""},
          {"v100-sxm2-32gb", 1, ""}}},
        {"h100_sxm",
         "h100-sxm-80gb",
         "forward as in the tables, backward 0.8 of it as in FlashAttention 3 (arXiv:2407.08608)",
         {{"h100-hbm2e-96gb-500w", 1, ""},
          {"h100-nvl-94gb", 1, ""},
          {"h100-pcie-80gb", 1, ""},
          {"h20-sxm", 1, ""},
          {"h800-sxm-80gb", 1, ""}}},
        {"h200_sxm", "h200-sxm-141gb", "that of the H100 SXM", {}},
        {"l40s",
         "l40s",
         "that of the A100, scaled by the GEMM shares",
         {{"rtx6000-ada", 1, ""}, {"rtx4090", 1.5, geforce}, {"rtx-pro-6000-server", 1, ""}}},
        {"b200_sxm", "b200-sxm", blackwell, {}},
        {"gb200", "gb200", blackwell, {}},
        {"b300_sxm", "b300-sxm", blackwell, {}},
        {"gb300", "gb300", blackwell, {}},
    };
}

template <class... Args> void print(const Log& log, fmt::format_string<Args...> format, Args&&... args)
{
    log(fmt::format(format, std::forward<Args>(args)...));
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
void report(const Log& log, const char* what, const std::vector<Measured<Shape>>& rows,
            const std::vector<ShapeClass<Shape>>& classes, const std::function<double(const Shape&)>& predict)
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
        print(log, "  {:8} {:22} n {:5}  mean {:5.1f} %  median {:5.1f} %  p90 {:5.1f} %  bias {:+5.1f} %\n", what,
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

void fitGemm(const Log& log, Accelerator& accelerator, const std::vector<Measured<GemmShape>>& rows)
{
    KernelConstants& k = accelerator.kernels;
    const KernelConstants preset = k;
    const std::function<double(const GemmShape&)> predict = [&](const GemmShape& shape) {
        return gemmTime(shape, DataType::Bf16, accelerator) + k.launch;
    };
    report(log, "presets", rows, {gemmClasses.front(), gemmClasses.back()}, predict);
    k = KernelConstants{}; // the start, so that the same tables give the same fit
    k.attentionForward = preset.attentionForward;
    k.attentionBackward = preset.attentionBackward;
    k.attentionTile = preset.attentionTile;
    k.attentionHeadHalf = preset.attentionHeadHalf;
    k.attentionHalfLength = preset.attentionHalfLength;
    k.scanEfficiency = preset.scanEfficiency;
    fit({{&k.gemmEfficiency, 0.3, 1, 1},
         {&k.gemmKHalf, 5, 500, 1},
         {&k.gemmTileFeed, 0.005, 0.5, 0.7},
         {&k.gemmWaveLoss, 0.02, 1, 0.7},
         {&k.exposure, 0.01, 0.5, 0.7},
         {&k.memoryEfficiency, 0.4, 0.95, 0.1},
         {&k.launch, 0.5e-6, 2e-5, 0.5}},
        [&] { return loss<GemmShape>(rows, predict, [](const GemmShape& s) { return isTraining(s) ? 1.0 : 0.4; }); });
    report(log, "bf16", rows, gemmClasses, predict);
}

/// Tables of narrow types time the cast of the activations with the product: a pass over A by dependent kernels, behind
/// a host that needs a while to launch them. That part is the benchmark's, not the accelerator's.
struct Casting {
    double hostFloor = 0;
    double kernels = 3;
    double bytesPerElement = 5;
};

void fitNarrow(const Log& log, Accelerator& accelerator, const std::vector<Measured<GemmShape>>& rows, const char* name,
               DataType type, std::vector<Unknown> unknowns)
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
    report(log, name, rows, gemmClasses, predict);
    print(log, "  {:8} cast of A: {:.1f} bytes an element, {:.1f} kernels, host floor {:.1f} us\n", name,
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
void fitAttention(const Log& log, Accelerator& accelerator, const std::vector<Measured<AttentionShape>>& rows)
{
    KernelConstants& k = accelerator.kernels;
    const double publishedLevel = k.attentionForward;
    k.attentionForward = KernelConstants{}.attentionForward;
    k.attentionHeadHalf = KernelConstants{}.attentionHeadHalf;
    k.attentionHalfLength = KernelConstants{}.attentionHalfLength;
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
    report(log, "flash", rows, attentionClasses, predict);
    print(log, "  {:8} level {:.3f}, preparation: {:.1f} passes over Q, K, V, {:.1f} kernels\n", "flash",
          k.attentionForward, preparationPasses, kernels);
    k.attentionForward = publishedLevel;
}

void scoreConvolution(const Log& log, const Accelerator& accelerator, const std::vector<Measured<double>>& rows)
{
    report<double>(log, "conv", rows, {{"sequences >= 1024", [](const double&) { return true; }}},
                   [&](const double& elements) {
                       return accelerator.kernels.launch + convolutionTime(elements, Pass::Forward, accelerator);
                   });
}

void roundAll(KernelConstants& k)
{
    for (double* value :
         {&k.gemmEfficiency, &k.fp8Efficiency, &k.fp4Efficiency, &k.gemmKHalf, &k.fp4KHalf, &k.gemmTileFeed,
          &k.gemmWaveLoss, &k.exposure, &k.attentionHeadHalf, &k.attentionHalfLength, &k.memoryEfficiency}) {
        *value = threeDigits(*value);
    }
    k.launch = std::round(k.launch * 1e8) / 100 / 1e6;
}

/// The constants of the device and of its relatives.
void addConstants(const Device& device, const KernelConstants& fitted, const Catalogue& catalogue,
                  std::vector<FittedKernels>& all)
{
    all.push_back({device.id, fitted});
    for (const Relative& relative : device.relatives) {
        const Accelerator* accelerator = catalogue.accelerator(relative.id);
        if (accelerator == nullptr) {
            continue;
        }
        KernelConstants constants = fitted;
        constants.gemmEfficiency *= relative.level;
        constants.fp8Efficiency *= relative.level;
        constants.attentionForward = accelerator->kernels.attentionForward;
        constants.attentionBackward = accelerator->kernels.attentionBackward;
        constants.sustained = accelerator->kernels.sustained;
        constants.source = fmt::format("nearest relative with tables, {}{}", device.id, relative.reason);
        roundAll(constants);
        all.push_back({relative.id, constants});
    }
}

/// Prints the fit of a device; false when it has no table. Constants of the preset are the ones to compare with.
bool fitDevice(const Log& log, const Device& device, const std::filesystem::path& tables, Accelerator& accelerator)
{
    const std::filesystem::path gemms = tables / "gemm" / fmt::format("aiconfigurator_{}.csv", device.table);
    const auto wide = readGemms(gemms, "bfloat16");
    if (wide.empty()) {
        return false;
    }
    print(log, "{}\n", device.id);
    KernelConstants& k = accelerator.kernels;
    fitGemm(log, accelerator, wide);
    if (const auto rows = readGemms(gemms, "fp8"); !rows.empty()) {
        fitNarrow(log, accelerator, rows, "fp8", DataType::Fp8, {{&k.fp8Efficiency, 0.2, 1, 1}});
    }
    if (const auto rows = readGemms(gemms, "nvfp4"); !rows.empty()) {
        fitNarrow(log, accelerator, rows, "nvfp4", DataType::NvFp4,
                  {{&k.fp4Efficiency, 0.2, 1, 1}, {&k.fp4KHalf, 50, 5000, 1}});
    }
    const std::filesystem::path attention = tables / "attn" / fmt::format("{}_context_fwd_causal.csv", device.table);
    if (const auto rows = readAttention(attention, "bfloat16"); !rows.empty()) {
        fitAttention(log, accelerator, rows);
    }
    const std::filesystem::path convolution =
        tables / "attn" / fmt::format("{}_linear_attention_trtllm_1.3.0rc20_mamba2_perf.csv", device.table);
    if (const auto rows = readConvolutions(convolution); !rows.empty()) {
        scoreConvolution(log, accelerator, rows);
    }
    k.source = fmt::format("GEMM, bandwidth and launch fitted to the {} tables of NVIDIA aiconfigurator 095f58a "
                           "(TensorRT-LLM, short bursts); attention: {}; scan assumed",
                           device.table, device.attention);
    roundAll(k);
    print(log, "{}\n\n", kernelsAsJson(k));
    return true;
}

} // namespace

std::vector<FittedKernels> fitKernels(const std::filesystem::path& tables, const Catalogue& catalogue, const Log& log)
{
    std::vector<FittedKernels> all;
    for (const Device& device : devices()) {
        const Accelerator* preset = catalogue.accelerator(device.id);
        if (preset == nullptr) {
            continue;
        }
        Accelerator accelerator = *preset;
        if (fitDevice(log, device, tables, accelerator)) {
            accelerator.kernels.sustained = preset->kernels.sustained; // of runs, not of tables
            addConstants(device, accelerator.kernels, catalogue, all);
        }
    }
    return all;
}

Result<std::vector<PresetChange>> changedPresets(const std::vector<FittedKernels>& fitted,
                                                 const std::filesystem::path& presets)
{
    std::vector<PresetChange> changes;
    Problems problems;
    for (const FittedKernels& each : fitted) {
        const std::filesystem::path file = presets / "accelerators" / (each.accelerator + ".json");
        const Result<std::string> text = readFile(file);
        const Result<std::string> changed = text ? withKernels(*text, each.constants) : text;
        if (!changed) {
            problems.insert(problems.end(), changed.problems.begin(), changed.problems.end());
        } else if (*changed != *text) {
            changes.push_back({file, *changed});
        }
    }
    if (!problems.empty()) {
        return problems;
    }
    return changes;
}

} // namespace partita::calibration
