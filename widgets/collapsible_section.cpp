// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/collapsible_section.h"

#include "widgets/tone_label.h"

#include <QPainter>
#include <QVBoxLayout>

namespace partita::ui {

namespace {
constexpr int arrowWidth = 16;
constexpr int headerPadding = 4;
} // namespace

SectionHeader::SectionHeader(const QString& title, bool underlined, QWidget* parent)
    : QPushButton(title, parent)
    , m_underlined(underlined)
{
    setCheckable(true);
    setChecked(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    if (underlined) {
        QFont bold = font();
        bold.setBold(true);
        bold.setPointSizeF(bold.pointSizeF() * 1.08);
        setFont(bold);
    }
}

QSize SectionHeader::sizeHint() const
{
    return {arrowWidth + fontMetrics().horizontalAdvance(text()), fontMetrics().height() + 2 * headerPadding};
}

void SectionHeader::paintEvent(QPaintEvent*)
{
    const Theme theme = Theme::fromPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = underMouse() ? theme.accent : theme.text;
    const double middle = height() / 2.0;
    const QPolygonF down{QPointF(0, middle - 2), QPointF(8, middle - 2), QPointF(4, middle + 3)};
    const QPolygonF right{QPointF(1.5, middle - 4), QPointF(6.5, middle), QPointF(1.5, middle + 4)};
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawPolygon((isChecked() ? down : right).translated(2, 0));
    painter.setPen(ink);
    painter.drawText(rect().adjusted(arrowWidth, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
    if (m_underlined) {
        painter.setPen(theme.border);
        painter.drawLine(QPointF(0, height() - 0.5), QPointF(width(), height() - 0.5));
    }
    if (hasFocus() && window()->testAttribute(Qt::WA_KeyboardFocusChange)) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -1.75), 3, 3);
    }
}

CollapsibleSection::CollapsibleSection(const QString& title, Rank rank, QWidget* parent)
    : QWidget(parent)
    , m_header(new SectionHeader(title, rank == Rank::Section))
    , m_summary(new ToneLabel(Tone::Bad, 0.88))
    , m_content(new QWidget)
{
    m_header->setAccessibleName(title);
    m_body = new QVBoxLayout(m_content);
    m_body->setContentsMargins(2, 4, 2, 4);
    m_body->setSpacing(8);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_header);
    column->addWidget(m_summary);
    column->addWidget(m_content);
    m_summary->hide();
    connect(m_header, &QAbstractButton::toggled, this, &CollapsibleSection::setExpanded);
}

bool CollapsibleSection::isExpanded() const
{
    return m_header->isChecked();
}

void CollapsibleSection::setExpanded(bool expanded)
{
    m_header->setChecked(expanded);
    m_content->setVisible(expanded);
    showSummary();
}

void CollapsibleSection::setSummary(const QStringList& all, const QStringList& loose)
{
    m_all = all;
    m_loose = loose;
    showSummary();
}

QString CollapsibleSection::summary() const
{
    return m_summary->text();
}

void CollapsibleSection::showSummary()
{
    QStringList lines;
    for (const QString& problem : isExpanded() ? m_loose : m_all) {
        lines << QStringLiteral("✗ ") + problem;
    }
    m_summary->setText(lines.join(QLatin1Char('\n')));
    m_summary->setVisible(!lines.isEmpty());
    m_header->setAccessibleDescription(m_all.join(QStringLiteral("; ")));
}

} // namespace partita::ui
