// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/layer_cost.h"

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

/// A pass of a layer while it is being added up: device seconds by kind, and the kernels that the host must launch.
struct Tally {
    TimeBreakdown time;
    int kernels = 0;

    void add(TimeKind kind, double seconds, int count, double launch)
    {
        time[kind] += seconds + count * launch;
        kernels += count;
    }
};

TimeKind exposedKind(GroupKind group)
{
    switch (group) {
    case GroupKind::Tensor:
        return TimeKind::TpExposed;
    case GroupKind::Context:
        return TimeKind::CpExposed;
    case GroupKind::Expert:
    case GroupKind::ExpertTensor:
        return TimeKind::EpExposed;
    case GroupKind::Pipeline:
        return TimeKind::PpExposed;
    case GroupKind::Data:
    case GroupKind::Gradient:
    case GroupKind::ExpertData:
        break;
    }
    return TimeKind::DpExposed;
}

/// Seconds a device idles because the host takes longer to enqueue its kernels than it to run them.
double hostBeyond(int kernels, double device, const Stack& stack)
{
    return std::max(0.0, kernels * stack.hostPerKernel - device);
}

/// Prices operators one after the other; ring exchanges wait for the core they hide behind.
class Pricer {
public:
    explicit Pricer(const Pricing& pricing)
        : m_pricing(pricing)
        , m_accelerator(pricing.cluster.accelerator)
        , m_launch(pricing.cluster.accelerator.kernels.launch)
    {
    }

    void add(const Op& op)
    {
        m_cost.saved += op.saved;
        m_cost.savedCore += op.part == OpPart::AttentionCore ? op.saved : 0;
        std::visit([this](const auto& work) { addWork(work); }, op.work);
    }

    LayerCost finish()
    {
        exposeHiddenExchange();
        finishPass(m_forward, m_cost.forward);
        finishPass(m_input, m_cost.backwardInput);
        finishPass(m_weight, m_cost.backwardWeight);
        m_cost.core[TimeKind::Attention] = m_coreForward / coreSpeed();
        m_cost.forwardKernels = m_forward.kernels;
        m_cost.inputKernels = m_input.kernels;
        m_cost.weightKernels = m_weight.kernels;
        return m_cost;
    }

private:
    void addWork(const WeightGemm& gemm)
    {
        const GemmShape& s = gemm.shape;
        const double input = productTime(gemm, {s.m, s.k, s.n, s.count});
        const double weight = gemm.frozen ? 0 : productTime(gemm, {s.k, s.n, s.m, s.count, accumulates()});
        const int kernels = expertKernels(gemm, m_pricing.stack);
        m_forward.add(TimeKind::Gemm, productTime(gemm, s), kernels, m_launch);
        m_input.add(TimeKind::Gemm, input, kernels, m_launch);
        if (!gemm.frozen) {
            m_weight.add(TimeKind::Gemm, weight, kernels, m_launch);
            addAdapter(gemm);
        }
        exposeCovered(input / gemmSpeed(), weight / gemmSpeed());
        const double rows = static_cast<double>(s.m) * static_cast<double>(s.count);
        m_cost.transient =
            std::max(m_cost.transient,
                     m_pricing.style.activationBytes * rows * (static_cast<double>(s.n) + static_cast<double>(s.k)));
        constexpr double keptOutputs = 0.5; // every second product's (torchtitan selective activation checkpointing)
        m_cost.savedPerOperator += keptOutputs * m_pricing.style.activationBytes * rows * static_cast<double>(s.n);
    }

    double productTime(const WeightGemm& gemm, GemmShape shape) const
    {
        const int kernels = expertKernels(gemm, m_pricing.stack);
        shape.count /= kernels;
        const DataType operands = m_pricing.style.operands;
        if (gemm.least) {
            const bool weight = shape.k == gemm.shape.m; // sums over the rows, which are joined for narrower experts
            return leastGemmTime(shape, operands, m_accelerator, weight) / m_pricing.style.productPace;
        }
        const double one = m_pricing.products != nullptr ? (*m_pricing.products)(shape, operands)
                                                         : gemmTime(shape, operands, m_accelerator);
        return kernels * one / m_pricing.style.productPace;
    }

    void addAdapter(const WeightGemm& gemm)
    {
        if (m_pricing.style.training == Training::Full) {
            return;
        }
        const GemmShape& s = gemm.shape;
        const double count = static_cast<double>(s.count) * static_cast<double>(s.n) * static_cast<double>(s.k);
        m_cost.adapters += gemm.expert ? DeviceParameters{0, count} : DeviceParameters{count, 0};
    }

    void addWork(const AttentionShape& shape)
    {
        const AttentionKernel kernel = m_pricing.style.attention;
        const int kernels = isFlash(kernel) ? 1 : kernel == AttentionKernel::FusedSoftmax ? 3 : 5;
        const double forward = attentionTime(shape, Pass::Forward, kernel, m_accelerator);
        m_forward.add(TimeKind::Attention, forward, kernels, m_launch);
        m_input.add(TimeKind::Attention, attentionTime(shape, Pass::Backward, kernel, m_accelerator), 2 * kernels,
                    m_launch);
        m_cost.savedPerOperator += m_pricing.style.activationBytes * static_cast<double>(shape.batch)
            * static_cast<double>(shape.heads) * static_cast<double>(shape.queries)
            * static_cast<double>(shape.valueDim);
        m_coreForward += forward + kernels * m_launch;
        m_coreBackward = m_input.time[TimeKind::Attention];
    }

    void addWork(const ScanShape& shape)
    {
        constexpr int kernels = 5; // chunk state, state passing, chunk scan, two products (mamba_ssm ssd_combined)
        m_forward.add(TimeKind::Scan, scanTime(shape, Pass::Forward, m_accelerator), kernels, m_launch);
        m_input.add(TimeKind::Scan, scanTime(shape, Pass::Backward, m_accelerator), 2 * kernels, m_launch);
    }

    void addWork(const MemoryPass& pass)
    {
        if (pass.forwardBytes > 0) {
            m_forward.add(TimeKind::Elementwise, memoryPassTime(pass.forwardBytes, m_accelerator), pass.forwardKernels,
                          m_launch);
        }
        if (pass.backwardBytes > 0) {
            m_input.add(TimeKind::Elementwise, memoryPassTime(pass.backwardBytes, m_accelerator), pass.backwardKernels,
                        m_launch);
        }
    }

    void addWork(const Exchange& exchange)
    {
        const GroupSpan& span = m_pricing.grid.span(exchange.group);
        const DispatchShares shares = dispatchShares(m_pricing.stack, exchange, span);
        const auto time = [&](int count, double bytes) {
            return count * exchangeTime(m_pricing.cluster, span, exchange.kind, bytes * shares.sent, shares.beyondNode);
        };
        const double forward = time(exchange.forwardCount, exchange.forwardBytes);
        const double backward = time(exchange.backwardCount, exchange.backwardBytes);
        const double visible = 1 - overlap(exchange.group);
        switch (exchange.cover) {
        case Cover::Core:
            m_hiddenForward += forward;
            m_hiddenBackward += backward;
            return;
        case Cover::InputGradient:
            m_besideInput += backward * visible;
            return;
        case Cover::WeightGradient:
            if (m_pricing.stack.asyncGradientExchange) {
                m_besideWeight += backward * visible;
                return;
            }
            break;
        case Cover::Nothing:
            break;
        }
        m_forward.add(exposedKind(exchange.group), forward * visible, exchange.forwardCount, 0);
        m_input.add(exposedKind(exchange.group), backward * visible, exchange.backwardCount, 0);
    }

    double overlap(GroupKind group) const
    {
        switch (group) {
        case GroupKind::Tensor:
            return m_pricing.stack.tpOverlap;
        case GroupKind::Expert:
            return m_pricing.stack.epOverlap;
        default:
            return 0;
        }
    }

    /// Exchanges that a backward product covers show as far as they are longer than it.
    void exposeCovered(double input, double weight)
    {
        m_input.time[TimeKind::TpExposed] += std::max(0.0, m_besideInput - input);
        m_weight.time[TimeKind::TpExposed] += std::max(0.0, m_besideWeight - weight);
        m_besideInput = 0;
        m_besideWeight = 0;
    }

    /// Ring steps run beside the core: what is longer than the core shows.
    void exposeHiddenExchange()
    {
        m_forward.time[TimeKind::CpExposed] += std::max(0.0, m_hiddenForward - m_coreForward / coreSpeed());
        m_input.time[TimeKind::CpExposed] += std::max(0.0, m_hiddenBackward - m_coreBackward / coreSpeed());
    }

    double coreSpeed() const
    {
        return m_accelerator.kernels.sustained * m_pricing.stack.efficiency * m_pricing.stack.attentionEfficiency;
    }

    double gemmSpeed() const { return m_accelerator.kernels.sustained * m_pricing.stack.efficiency; }

    /// Weight gradients are added to FP32 main gradients in the product itself.
    bool accumulates() const { return m_pricing.accumulates; }

    /// Divides compute by what the stack leaves of the kernels' speed, then adds the time the host needs beyond the
    /// device's.
    void finishPass(const Tally& tally, TimeBreakdown& out) const
    {
        out = tally.time;
        out[TimeKind::Gemm] /= m_accelerator.kernels.sustained;
        out[TimeKind::Attention] /= m_accelerator.kernels.sustained * m_pricing.stack.attentionEfficiency;
        for (TimeKind kind : {TimeKind::Gemm, TimeKind::Attention, TimeKind::Scan, TimeKind::Elementwise}) {
            out[kind] /= m_pricing.stack.efficiency;
        }
        out[TimeKind::Host] = hostBeyond(tally.kernels, out.total(), m_pricing.stack);
    }

    const Pricing& m_pricing;
    const Accelerator& m_accelerator;
    double m_launch;
    LayerCost m_cost;
    Tally m_forward;
    Tally m_input;
    Tally m_weight;
    double m_coreForward = 0;
    double m_coreBackward = 0;
    double m_hiddenForward = 0;
    double m_hiddenBackward = 0;
    double m_besideInput = 0;
    double m_besideWeight = 0;
};

} // namespace

LayerCost& LayerCost::add(const LayerCost& other, int count)
{
    forward += other.forward.scaled(count);
    backwardInput += other.backwardInput.scaled(count);
    backwardWeight += other.backwardWeight.scaled(count);
    core += other.core.scaled(count);
    saved += other.saved * count;
    savedPerOperator += other.savedPerOperator * count;
    adapters += other.adapters.times(count);
    savedCore += other.savedCore * count;
    experts += other.experts.scaled(count);
    savedExperts += other.savedExperts * count;
    transient = std::max(transient, other.transient);
    forwardKernels += other.forwardKernels * count;
    inputKernels += other.inputKernels * count;
    weightKernels += other.weightKernels * count;
    return *this;
}

int expertKernels(const WeightGemm& gemm, const Stack& stack)
{
    return gemm.expert && stack.launchesPerExpert ? static_cast<int>(gemm.shape.count) : 1;
}

LayerCost price(const std::vector<Op>& ops, const Pricing& pricing)
{
    Pricer pricer(pricing);
    for (const Op& op : ops) {
        pricer.add(op);
    }
    return pricer.finish();
}

LayerCost priceLayer(const std::vector<Op>& ops, const Pricing& pricing)
{
    LayerCost cost = price(ops, pricing);
    const auto isExperts = [](const Op& op) { return op.part == OpPart::Experts; };
    if (std::none_of(ops.begin(), ops.end(), isExperts)) {
        return cost;
    }
    Pricer pricer(pricing);
    for (const Op& op : ops) {
        if (isExperts(op)) {
            pricer.add(op);
        }
    }
    const LayerCost mixture = pricer.finish();
    cost.experts = mixture.forward;
    cost.savedExperts = mixture.saved;
    if (pricing.stack.expertHost > 0) {
        cost.experts[TimeKind::Host] += pricing.stack.expertHost;
        // Nothing is enqueued ahead of the wait: the host's lead over the rest of the layer is gone.
        const auto device = [](const TimeBreakdown& time) { return time.total() - time[TimeKind::Host]; };
        cost.forward[TimeKind::Host] = hostBeyond(cost.forwardKernels - mixture.forwardKernels,
                                                  device(cost.forward) - device(mixture.forward), pricing.stack)
            + cost.experts[TimeKind::Host];
    }
    return cost;
}

DispatchShares dispatchShares(const Stack& stack, const Exchange& exchange, const GroupSpan& span)
{
    if (!stack.sendsOncePerNode || exchange.copies <= 1 || span.size() <= 1) {
        return {};
    }
    const auto reached = [&](double places) { return places * (1 - std::pow(1 - 1 / places, exchange.copies)); };
    const auto devices = static_cast<double>(span.size());
    const double nodes = reached(devices / static_cast<double>(span.members.front()));
    const double receivers = reached(devices);
    return {receivers / exchange.copies,
            (exchange.nodes > 0 ? std::min<double>(nodes, exchange.nodes) : nodes) / receivers};
}

double exchangeTime(const Cluster& cluster, const GroupSpan& span, CollectiveKind kind, double bytes, double outside)
{
    if (bytes <= 0 || span.size() <= 1) {
        return 0;
    }
    switch (kind) {
    case CollectiveKind::AllReduce:
        return allReduceTime(cluster, span, bytes);
    case CollectiveKind::AllGather:
        return allGatherTime(cluster, span, bytes);
    case CollectiveKind::ReduceScatter:
        return reduceScatterTime(cluster, span, bytes);
    case CollectiveKind::AllToAll:
        return allToAllTime(cluster, span, bytes, outside);
    }
    return 0;
}

} // namespace partita
