// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include <QFontDatabase>
#include <QPalette>

#include <array>
#include <cmath>

static void registerResources()
{
    Q_INIT_RESOURCE(
        resources); // a static library's resources are not linked in by themselves; must be outside namespaces
}

namespace partita::ui {

namespace {

// Okabe & Ito (2008), "Color Universal Design".
const QColor Blue(0x00, 0x72, 0xB2);
const QColor Sky(0x56, 0xB4, 0xE9);
const QColor Green(0x00, 0x9E, 0x73);
const QColor Yellow(0xF0, 0xE4, 0x42);
const QColor Orange(0xE6, 0x9F, 0x00);
const QColor Vermilion(0xD5, 0x5E, 0x00);
const QColor Purple(0xCC, 0x79, 0xA7);
const QColor Grey(0x9A, 0xA3, 0xB0);

// Ten equidistant samples of each map.
constexpr std::array<QRgb, 10> ViridisStops{0x440154, 0x482878, 0x3E4A89, 0x31688E, 0x26828E,
                                            0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725};
constexpr std::array<QRgb, 10> CividisStops{0x00204D, 0x00336F, 0x39486B, 0x575C6D, 0x707173,
                                            0x8A8779, 0xA69D75, 0xC4B56C, 0xE4CF5B, 0xFFEA46};

FillStyle filled(const QColor& fill, Hatch hatch = Hatch::None)
{
    return {fill, mix(fill, Qt::black, 0.3), inkOn(fill), hatch, false};
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double pixelSize(TextRole role)
{
    switch (role) {
    case TextRole::Title:
        return 15;
    case TextRole::Value:
    case TextRole::Label:
    case TextRole::Muted:
        return 12;
    case TextRole::Small:
        return 11;
    }
    return 12;
}

} // namespace

QColor mix(const QColor& a, const QColor& b, double share)
{
    const auto channel = [share](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * share));
    };
    return QColor(channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue()));
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor inkOn(const QColor& fill)
{
    return contrast(fill, Qt::white) >= contrast(fill, Qt::black) ? QColor(Qt::white) : QColor(Qt::black);
}

void loadFonts()
{
    [[maybe_unused]] static const bool loaded = [] {
        registerResources();
        const bool regular = QFontDatabase::addApplicationFont(QStringLiteral(":/partita/fonts/DejaVuSans.ttf")) >= 0;
        const bool bold = QFontDatabase::addApplicationFont(QStringLiteral(":/partita/fonts/DejaVuSans-Bold.ttf")) >= 0;
        return regular && bold;
    }();
    Q_ASSERT(loaded);
}

Theme Theme::light()
{
    Theme theme;
    theme.window = QColor(0xF4, 0xF5, 0xF7);
    theme.card = Qt::white;
    theme.border = QColor(0xD5, 0xD9, 0xE0);
    theme.text = QColor(0x1B, 0x1F, 0x2A);
    theme.mutedText = QColor(0x5A, 0x64, 0x78);
    theme.grid = QColor(0xE8, 0xEB, 0xEF);
    theme.accent = QColor(0x00, 0x72, 0xB2);
    theme.good = QColor(0x0B, 0x7A, 0x3E);
    theme.bad = QColor(0xB3, 0x26, 0x1E);
    theme.font = QFont(QStringLiteral("DejaVu Sans"));
    // A spacing of any kind makes Qt leave out ligatures: text copied or searched for in a PDF must be the letters.
    theme.font.setLetterSpacing(QFont::PercentageSpacing, 100);
    return theme;
}

Theme Theme::darkMode()
{
    Theme theme = light();
    theme.window = QColor(0x16, 0x19, 0x1F);
    theme.card = QColor(0x1F, 0x23, 0x2B);
    theme.border = QColor(0x3A, 0x41, 0x4E);
    theme.text = QColor(0xE8, 0xEA, 0xEE);
    theme.mutedText = QColor(0xA3, 0xAC, 0xBB);
    theme.grid = QColor(0x2C, 0x32, 0x3C);
    theme.accent = QColor(0x56, 0xB4, 0xE9);
    theme.good = QColor(0x4C, 0xC3, 0x8A);
    theme.bad = QColor(0xFF, 0x8A, 0x80);
    theme.dark = true;
    return theme;
}

Theme Theme::paper()
{
    Theme theme = light();
    theme.window = Qt::white;
    return theme;
}

Theme Theme::fromPalette(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? darkMode() : light();
}

QFont Theme::fontOf(TextRole role) const
{
    QFont sized = font;
    sized.setPixelSize(static_cast<int>(std::lround(pixelSize(role) * scale)));
    sized.setBold(role == TextRole::Title || role == TextRole::Value);
    sized.setHintingPreference(QFont::PreferNoHinting);
    sized.setKerning(false);
    return sized;
}

QColor Theme::colorOf(TextRole role) const
{
    return role == TextRole::Muted || role == TextRole::Small ? mutedText : text;
}

FillStyle Theme::categoryStyle(MemoryKind kind) const
{
    switch (kind) {
    case MemoryKind::Weights:
        return filled(Blue);
    case MemoryKind::Gradients:
        return filled(Sky, Hatch::Rising);
    case MemoryKind::OptimizerStates:
        return filled(Vermilion);
    case MemoryKind::Activations:
        return filled(Orange, Hatch::Falling);
    case MemoryKind::HeadAndLoss:
        return filled(Purple);
    case MemoryKind::WorkingSet:
        return filled(Yellow, Hatch::Level);
    case MemoryKind::CommunicationBuffers:
        return filled(Green);
    case MemoryKind::Framework:
        return filled(Grey, Hatch::Upright);
    case MemoryKind::Fragmentation:
        return {card, mutedText, text, Hatch::Rising, false};
    }
    return filled(Grey);
}

FillStyle Theme::categoryStyle(TimeKind kind) const
{
    switch (kind) {
    case TimeKind::Gemm:
        return filled(Blue);
    case TimeKind::Attention:
        return filled(Sky, Hatch::Rising);
    case TimeKind::Scan:
        return filled(Sky, Hatch::Level);
    case TimeKind::Elementwise:
        return filled(Green);
    case TimeKind::Recompute:
        return filled(Grey, Hatch::Falling);
    case TimeKind::Host:
        return filled(Yellow, Hatch::Upright);
    case TimeKind::TpExposed:
        return filled(Purple);
    case TimeKind::CpExposed:
        return filled(Purple, Hatch::Rising);
    case TimeKind::EpExposed:
        return filled(Purple, Hatch::Cross);
    case TimeKind::PpExposed:
        return filled(Orange, Hatch::Falling);
    case TimeKind::DpExposed:
        return filled(Orange, Hatch::Level);
    case TimeKind::Bubble:
        return {card, mutedText, text, Hatch::None, false};
    case TimeKind::Optimizer:
        return filled(Vermilion);
    }
    return filled(Grey);
}

FillStyle Theme::categoryStyle(RoomKind kind) const
{
    switch (kind) {
    case RoomKind::Weights:
        return categoryStyle(MemoryKind::Weights);
    case RoomKind::Activations:
        return categoryStyle(MemoryKind::Activations);
    case RoomKind::Graphs:
        return filled(Yellow, Hatch::Level);
    case RoomKind::Framework:
        return categoryStyle(MemoryKind::Framework);
    case RoomKind::Communicators:
        return filled(Purple);
    case RoomKind::KeyValues:
        return filled(Green);
    case RoomKind::Unused:
        return {card, mutedText, text, Hatch::Rising, false};
    }
    return filled(Grey);
}

FillStyle Theme::opStyle(OpKind kind, int chunk, int chunks) const
{
    const double tint = chunks > 1 ? 0.6 * std::max(0, chunk) / (chunks - 1) : 0.0;
    const auto tinted = [tint](const QColor& base, Hatch hatch, bool footer) {
        FillStyle style = filled(mix(base, Qt::white, tint), hatch);
        style.edge = mix(base, Qt::black, 0.35);
        style.footer = footer;
        return style;
    };
    switch (kind) {
    case OpKind::Forward:
        return tinted(Blue, Hatch::None, false);
    case OpKind::Backward:
    case OpKind::BackwardInput:
        return tinted(Green, Hatch::None, true);
    case OpKind::BackwardWeight:
        return tinted(Orange, Hatch::Rising, false);
    case OpKind::ForwardBackward:
        return tinted(Grey, Hatch::None, false);
    case OpKind::ReduceScatter:
        return categoryStyle(TimeKind::DpExposed);
    case OpKind::AllReduce:
        return filled(Orange, Hatch::Cross);
    case OpKind::AllGather:
        return filled(Orange, Hatch::Upright);
    case OpKind::Optimizer:
        return categoryStyle(TimeKind::Optimizer);
    case OpKind::Host:
        return categoryStyle(TimeKind::Host);
    }
    return filled(Grey);
}

FillStyle Theme::exchangeStyle(ExchangeGroup group) const
{
    switch (group) {
    case ExchangeGroup::Tensor:
        return categoryStyle(TimeKind::TpExposed);
    case ExchangeGroup::Context:
        return categoryStyle(TimeKind::CpExposed);
    case ExchangeGroup::Expert:
        return categoryStyle(TimeKind::EpExposed);
    case ExchangeGroup::Data:
        return categoryStyle(TimeKind::DpExposed);
    }
    return filled(Grey);
}

FillStyle Theme::transferStyle() const
{
    return filled(Purple);
}

FillStyle Theme::idleStyle() const
{
    const QColor fill = dark ? QColor(0x2A, 0x30, 0x3A) : QColor(0xF0, 0xF1, 0xF4);
    return {fill, mix(fill, mutedText, 0.25), text, Hatch::None, false};
}

FillStyle Theme::outOfMemoryStyle() const
{
    const QColor fill = dark ? QColor(0x2A, 0x2E, 0x37) : QColor(0xF0, 0xF1, 0xF4);
    return {fill, mix(fill, mutedText, 0.45), text, Hatch::Rising, false};
}

FillStyle Theme::pendingStyle() const
{
    return {mix(card, grid, 0.5), grid, mutedText, Hatch::None, false};
}

QColor Theme::rampColor(double share) const
{
    const auto& stops = ramp == Ramp::Viridis ? ViridisStops : CividisStops;
    const double last = static_cast<double>(stops.size() - 1);
    const double at = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * last : 0.0;
    const auto below = static_cast<std::size_t>(std::min(std::floor(at), last - 1));
    return mix(QColor(stops[below]), QColor(stops[below + 1]), at - static_cast<double>(below));
}

} // namespace partita::ui
