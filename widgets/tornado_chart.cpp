// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tornado_chart.h"

#include "core/layout/layout_text.h"
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/markers.h"
#include "widgets/text.h"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <utility>

namespace partita::ui {

namespace {

constexpr double leastBars = 0.25; ///< of the width, beside names and values; else names stand above
constexpr double boundless = 1e6; ///< px
constexpr int mostTold = 3; ///< of the constants that change the ranking, in a sentence

QString changeText(double share)
{
    const QString size = percentText(std::abs(share));
    const QString sign = share < 0 ? QString(QChar(0x2212)) : QStringLiteral("+");
    return size == percentText(0) ? size : sign + size;
}

FillStyle lowStyle(const Theme& theme)
{
    FillStyle style = theme.categoryStyle(TimeKind::Gemm);
    style.hatch = Hatch::None;
    return style;
}

FillStyle highStyle(const Theme& theme)
{
    return theme.categoryStyle(TimeKind::Bubble);
}

} // namespace

const TornadoGeometry::Row* TornadoGeometry::rowAt(const QPointF& point) const
{
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.row.contains(point); });
    return found == rows.end() ? nullptr : &*found;
}

bool TornadoGeometry::Row::isHighAt(const QPointF& point) const
{
    const auto away = [&](const QRectF& end, const QRectF& text) {
        const QRectF both = end.united(text);
        return both.contains(point) ? 0.0 : std::abs(both.center().x() - point.x());
    };
    return high.contains(point) || (!low.contains(point) && away(high, highText.rect) < away(low, lowText.rect));
}

QString TornadoChart::title() const
{
    return m_tornado.share > 0 ? tr("Step time with each constant changed by %1").arg(wholePercentText(m_tornado.share))
                               : tr("Sensitivity");
}

QString TornadoChart::endText(const SensitivityEnd& end) const
{
    const QString text = end.fits ? changeText(end.stepTime / m_tornado.stepTime - 1) : tr("does not fit");
    return end.clamped ? tr("%1 at %2").arg(text, exactNumber(end.value)) : text;
}

QString TornadoChart::rankingText(const SensitivityEnd& end) const
{
    if (sameWinner(end, m_tornado.unchanged)) {
        return {};
    }
    return end.bestStepTime > 0
        ? tr("then fastest: %1, %2").arg(toText(layoutText(end.best)), timeText(end.bestStepTime))
        : tr("then nothing fits");
}

QStringList TornadoChart::rankingTexts(const Sensitivity& bar) const
{
    const QString share = wholePercentText(m_tornado.share);
    QStringList texts;
    for (const auto& [end, sign] :
         {std::pair{&bar.low, QString(QChar(0x2212))}, std::pair{&bar.high, QStringLiteral("+")}}) {
        if (const QString ranking = rankingText(*end); !ranking.isEmpty()) {
            texts << tr("%1%2: %3").arg(sign, share, ranking);
        }
    }
    return texts;
}

QString TornadoChart::description() const
{
    if (m_tornado.bars.empty()) {
        return tr("No constant to change");
    }
    const auto& bars = m_tornado.bars;
    const auto widest = std::max_element(
        bars.begin(), bars.end(), [](const Sensitivity& a, const Sensitivity& b) { return a.swing() < b.swing(); });
    const auto turning = std::count_if(bars.begin(), bars.end(),
                                       [&](const Sensitivity& bar) { return bar.changesRanking(m_tornado.unchanged); });
    QString text =
        tr("Step time %1; the widest is %2, from %3 to %4; %5 of %6 constants change which layout is fastest")
            .arg(timeText(m_tornado.stepTime), toText(widest->label), endText(widest->low), endText(widest->high))
            .arg(turning)
            .arg(bars.size());
    int told = 0;
    for (const Sensitivity& bar : bars) {
        if (bar.changesRanking(m_tornado.unchanged) && ++told <= mostTold) {
            text += tr("; %1, %2").arg(toText(bar.label), rankingTexts(bar).join(QStringLiteral(", ")));
        }
    }
    return text;
}

QString TornadoChart::noteText(std::size_t shown) const
{
    const auto any = [&](auto property) { return std::any_of(m_tornado.bars.begin(), m_tornado.bars.end(), property); };
    QStringList notes;
    if (any([&](const Sensitivity& bar) { return bar.changesRanking(m_tornado.unchanged); })) {
        notes << tr("◆ another layout becomes the fastest");
    }
    QStringList ends;
    for (const Sensitivity& bar : m_tornado.bars) {
        for (const SensitivityEnd* end : {&bar.low, &bar.high}) {
            if (end->clamped && !ends.contains(exactNumber(end->value))) {
                ends << exactNumber(end->value);
            }
        }
    }
    if (!ends.isEmpty()) {
        notes << tr("a bar at %1 ends at its limit").arg(ends.join(QStringLiteral(", ")));
    }
    if (shown < m_tornado.bars.size()) {
        notes << tr("%1 more in the table").arg(m_tornado.bars.size() - shown);
    }
    notes << tr("the line: %1 now").arg(timeText(m_tornado.stepTime));
    return notes.join(QStringLiteral("; "));
}

TornadoChart::Frame TornadoChart::frame(const QRectF& area, const TextMetrics& metrics) const
{
    Frame frame;
    frame.least = m_tornado.stepTime;
    double most = m_tornado.stepTime;
    for (const Sensitivity& bar : m_tornado.bars) {
        frame.names = std::max(frame.names, std::ceil(metrics.width(toText(bar.label), TextRole::Label)) + 1);
        for (const SensitivityEnd* end : {&bar.low, &bar.high}) {
            frame.values = std::max(frame.values, std::ceil(metrics.width(endText(*end), TextRole::Small)) + 1);
            frame.least = std::min(frame.least, end->stepTime);
            most = std::max(most, end->stepTime);
        }
    }
    frame.values += metrics.gap / 2;
    frame.diamond = metrics.gap * 1.5;
    frame.above = area.width() * (1 - leastBars) < frame.names + frame.diamond + 2 * frame.values;
    frame.span = std::max(most - frame.least, 1e-12);
    const double left = area.left() + (frame.above ? 0 : frame.names + frame.diamond) + frame.values;
    frame.bars = QRectF(left, area.top(), std::max(0.0, area.right() - frame.values - left), area.height());
    return frame;
}

TornadoGeometry::Row TornadoChart::rowAt(std::size_t index, double top, const QRectF& area, const Frame& frame,
                                         const TextMetrics& metrics) const
{
    const double line = metrics.height(TextRole::Label);
    const Sensitivity& bar = m_tornado.bars[index];
    const double names = frame.above ? area.width() - frame.diamond : frame.names;
    TornadoGeometry::Row row;
    row.bar = index;
    const double below = stackLines(row.name, metrics.wrapped(toText(bar.label), TextRole::Label, names),
                                    {area.left(), top, names, line}, TextRole::Label, metrics);
    const double nameEnd = frame.above ? metrics.width(row.name.back().text, TextRole::Label) : frame.names;
    row.diamond = QRectF(area.left() + nameEnd, below - line, frame.diamond, line);
    row.line = QRectF(area.left(), frame.above ? below : top, area.width(), line);
    double bottom = row.line.bottom();
    const QRectF indented = area.adjusted(metrics.gap, 0, 0, 0);
    for (const QString& winner : rankingTexts(bar)) {
        bottom = stackLines(row.winners, metrics.wrapped(winner, TextRole::Small, indented.width()),
                            {indented.left(), bottom, indented.width(), line}, TextRole::Small, metrics);
    }
    row.row = QRectF(area.left(), top, area.width(), bottom - top);
    row.changesRanking = bar.changesRanking(m_tornado.unchanged);
    const double base = frame.x(m_tornado.stepTime);
    const auto rectTo = [&](double seconds) {
        return QRectF(QPointF(std::min(base, frame.x(seconds)), row.line.top() + 1),
                      QPointF(std::max(base, frame.x(seconds)), row.line.bottom() - 1));
    };
    row.low = rectTo(bar.low.stepTime);
    row.high = rectTo(bar.high.stepTime);
    // The slower end stands to the right. Both may lie on one side: their texts still keep apart.
    const bool lowIsLeft = bar.low.stepTime < bar.high.stepTime;
    const double width = frame.values - metrics.gap / 2;
    const QRectF before(std::min(row.low.left(), row.high.left()) - frame.values, row.line.top(), width, line);
    const QRectF after(std::max(row.low.right(), row.high.right()) + metrics.gap / 2, row.line.top(), width, line);
    const auto text = [&](const SensitivityEnd& end, bool isLeft) {
        return Label{isLeft ? before : after, endText(end), TextRole::Small,
                     (isLeft ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, !end.fits};
    };
    row.lowText = text(bar.low, lowIsLeft);
    row.highText = text(bar.high, !lowIsLeft);
    return row;
}

TornadoGeometry TornadoChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    TornadoGeometry g;
    if (m_tornado.bars.empty()) {
        g.labels.push_back({area, description(), TextRole::Muted, Qt::AlignCenter});
        return g;
    }
    const QString share = wholePercentText(m_tornado.share);
    g.legend = legendRows({{0, tr("%1 lower").arg(share)}, {1, tr("%1 higher").arg(share)}}, area, metrics);
    const Frame frame = this->frame(area, metrics);
    const auto notes = [&](std::size_t shown) {
        return metrics.wrapped(noteText(shown), TextRole::Muted, area.width());
    };
    const auto noteHeight = [&](std::size_t shown) {
        return metrics.height(TextRole::Muted) * static_cast<double>(notes(shown).size());
    };
    const double top = legendBottom(g.legend) + metrics.gap;
    double bottom = top;
    for (std::size_t i = 0; i < m_tornado.bars.size(); ++i) {
        TornadoGeometry::Row row = rowAt(i, bottom, area, frame, metrics);
        if (row.row.bottom() + metrics.gap / 2 > area.bottom() - noteHeight(i + 1) + 0.5) {
            break;
        }
        bottom = row.row.bottom() + metrics.gap / 2;
        g.rows.push_back(std::move(row));
    }
    const double base = frame.x(m_tornado.stepTime);
    g.base = QLineF(base, top - metrics.gap / 2, base, bottom - metrics.gap / 2);
    const double end = std::min(area.bottom() - noteHeight(g.rows.size()), bottom);
    stackLines(g.labels, notes(g.rows.size()), {area.left(), end, area.width(), 0}, TextRole::Muted, metrics);
    return g;
}

double TornadoChart::heightAt(double width, const Theme& theme) const
{
    const TornadoGeometry g = geometry(QRectF(0, 0, width, boundless), textMetrics(theme));
    return m_tornado.bars.empty() ? Chart::heightAt(width, theme) : g.labels.back().rect.bottom();
}

void TornadoChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const TornadoGeometry g = geometry(area, textMetrics(theme));
    for (const TornadoGeometry::Row& row : g.rows) {
        for (const Label& name : row.name) {
            drawLabel(painter, name, theme);
        }
        drawArea(painter, row.low, lowStyle(theme));
        drawArea(painter, row.high, highStyle(theme));
        drawLabel(painter, row.lowText, theme);
        drawLabel(painter, row.highText, theme);
        for (const Label& winner : row.winners) {
            drawLabel(painter, winner, theme);
        }
        if (row.changesRanking) {
            painter.setRenderHint(QPainter::Antialiasing, true);
            drawMarker(painter, row.diamond.center(), {theme.accent, Marker::Diamond, theme.scale}, theme.card);
        }
        drawLine(
            painter,
            {g.base.x1(), row.line.top() - theme.halfGap() / 2, g.base.x1(), row.line.bottom() + theme.halfGap() / 2},
            theme.text);
    }
    for (const LegendEntry& entry : g.legend) {
        drawArea(painter, entry.swatch, entry.category == 0 ? lowStyle(theme) : highStyle(theme));
        drawLabel(painter, entry.label, theme);
    }
    for (const Label& label : g.labels) {
        drawLabel(painter, label, theme);
    }
}

QString TornadoChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const TornadoGeometry g = geometry(area, textMetrics(theme));
    const TornadoGeometry::Row* row = g.rowAt(point);
    if (row == nullptr) {
        return {};
    }
    const Sensitivity& bar = m_tornado.bars[row->bar];
    const QString share = wholePercentText(m_tornado.share);
    QStringList lines{toText(bar.label)};
    for (const auto& [end, direction] : {std::pair{&bar.low, tr("lower")}, std::pair{&bar.high, tr("higher")}}) {
        lines << tr("%1 %2: %3, %4").arg(share, direction, timeText(end->stepTime), endText(*end));
        if (const QString ranking = rankingText(*end); !ranking.isEmpty()) {
            lines << ranking;
        }
    }
    return lines.join(QLatin1Char('\n'));
}

ChartTable TornadoChart::table() const
{
    ChartTable table;
    table.header << tr("constant") << tr("value") << tr("lower") << tr("step time when lower (s)")
                 << tr("fits when lower") << tr("fastest when lower") << tr("higher") << tr("step time when higher (s)")
                 << tr("fits when higher") << tr("fastest when higher") << tr("changes which is fastest");
    const auto yes = [](bool value) { return value ? tr("yes") : tr("no"); };
    const auto winner = [](const SensitivityEnd& end) {
        return end.bestStepTime > 0 ? toText(layoutText(end.best)) : tr("nothing fits");
    };
    for (const Sensitivity& bar : m_tornado.bars) {
        table.rows.push_back({toText(bar.label), exactNumber(bar.value), exactNumber(bar.low.value),
                              exactNumber(bar.low.stepTime), yes(bar.low.fits), winner(bar.low),
                              exactNumber(bar.high.value), exactNumber(bar.high.stepTime), yes(bar.high.fits),
                              winner(bar.high), yes(bar.changesRanking(m_tornado.unchanged))});
    }
    return table;
}

} // namespace partita::ui
