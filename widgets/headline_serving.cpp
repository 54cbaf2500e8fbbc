// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"
#include "core/explain/derivation.h"
#include "widgets/figures.h"
#include "widgets/headline_strip.h"
#include "widgets/text.h"

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

QString numberOrUnlimited(double number)
{
    return std::isfinite(number) ? toText(formatMeasure(number, Measure::Plain)) : HeadlineStrip::tr("unlimited");
}

} // namespace

void HeadlineStrip::setServing(const std::optional<ServingReport>& report)
{
    m_served = report;
    showFigures();
}

/// A limit that is missed is told in words and in colour; without one there is only the figure.
void HeadlineStrip::showServing()
{
    const ServingReport& report = *m_served;
    const bool known = report.legal();
    const Serving& asked = m_scenario.serving;
    const auto shown = [known](const QString& text) { return known ? text : unknown(); };
    const auto latency = [&](const QString& key, const QString& caption, double seconds, double limit, bool meets) {
        const QString told = toText(formatSeconds(limit));
        const QString detail = limit <= 0 ? tr("no limit set")
            : meets                       ? tr("✓ limit %1").arg(told)
                                          : tr("✗ limit %1").arg(told);
        setFigure(key, caption, shown(toText(formatSeconds(seconds))), shown(detail),
                  known && !meets ? Tone::Bad : Tone::Plain);
    };
    showKeyValueRoom();
    latency(QStringLiteral("ttft"), tr("First token"), report.ttft, asked.ttftLimit, report.meetsTtft);
    latency(QStringLiteral("tpot"), tr("Between tokens"), report.tpot, asked.tpotLimit, report.meetsTpot);
    setFigure(QStringLiteral("served_tokens_per_second"), tr("Tokens/s"), shown(rateText(report.tokensPerSecond)),
              shown(tr("%1 requests/s").arg(numberOrUnlimited(report.requestsPerSecond))));
    setFigure(QStringLiteral("served_tokens_per_second_per_device"), tr("Tokens/s/device"),
              shown(rateText(report.tokensPerSecondPerDevice)),
              shown(tr("batch %1").arg(numberOrUnlimited(report.batch))));
    setFigure(QStringLiteral("concurrency"), tr("Most requests at once"),
              shown(numberOrUnlimited(report.maxConcurrency)),
              shown(report.waiting > 0 ? tr("%1 asked for wait").arg(numberOrUnlimited(report.waiting))
                                       : tr("%1 in flight").arg(numberOrUnlimited(report.concurrency))),
              known && report.waiting > 0 ? Tone::Bad : Tone::Plain);
    setFigure(QStringLiteral("cost"), tr("A million tokens"),
              shown(toText(formatDollars(report.costPerMillionTokens))));
    std::vector<HeadlineFigure*> figures = m_ofServing;
    const bool priced = known ? report.costPerMillionTokens > 0 : m_scenario.cluster.accelerator.pricePerHour > 0;
    if (!priced) {
        figures.pop_back(); // the cost is the last
    }
    choose(std::move(figures));
}

void HeadlineStrip::showKeyValueRoom()
{
    const QString key = QStringLiteral("kv_room");
    const ServingReport& report = *m_served;
    if (!report.legal()) {
        setFigure(key, tr("✗ Serves nothing"),
                  report.problems.size() == 1 ? tr("1 problem") : tr("%1 problems").arg(report.problems.size()),
                  toText(report.problems.front().field), Tone::Bad);
    } else if (report.fits) {
        setFigure(key, tr("✓ Fits"), tr("%1 KV tokens").arg(numberOrUnlimited(report.cache.tokens)),
                  tr("a replica, beside %1 of weights").arg(toText(formatBytes(report.weightBytesPerDevice))),
                  Tone::Good);
    } else {
        setFigure(key, tr("✗ Out of memory"), tr("no room for a request"),
                  tr("%1 of weights a device").arg(toText(formatBytes(report.weightBytesPerDevice))), Tone::Bad);
    }
}

} // namespace partita::ui
