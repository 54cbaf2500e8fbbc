// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/collapsible_section.h"

#include "widgets/tone_label.h"

#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace partita::ui {

CollapsibleSection::CollapsibleSection(const QString& title, Rank rank, QWidget* parent)
    : QWidget(parent)
    , m_rank(rank)
    , m_header(new QToolButton)
    , m_summary(new ToneLabel(Tone::Bad, 0.88))
    , m_content(new QWidget)
{
    m_header->setText(title);
    m_header->setAccessibleName(title);
    m_header->setCheckable(true);
    m_header->setChecked(true);
    m_header->setAutoRaise(true);
    m_header->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_header->setArrowType(Qt::DownArrow);
    m_header->setFocusPolicy(Qt::StrongFocus);
    m_header->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_header->setIconSize({10, 10});
    if (rank == Rank::Section) {
        QFont bold = m_header->font();
        bold.setBold(true);
        bold.setPointSizeF(bold.pointSizeF() * 1.08);
        m_header->setFont(bold);
    }
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
    connect(m_header, &QToolButton::toggled, this, &CollapsibleSection::setExpanded);
}

bool CollapsibleSection::isExpanded() const
{
    return m_header->isChecked();
}

void CollapsibleSection::setExpanded(bool expanded)
{
    m_header->setChecked(expanded);
    m_header->setArrowType(expanded ? Qt::DownArrow : Qt::RightArrow);
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
    m_header->setAccessibleDescription(m_all.isEmpty() ? QString() : tr("%n problem(s)", nullptr, static_cast<int>(m_all.size())));
}

void CollapsibleSection::paintEvent(QPaintEvent*)
{
    if (m_rank == Rank::Section) {
        QPainter painter(this);
        painter.setPen(themeOf(palette()).border);
        const int y = m_header->geometry().bottom() + 1;
        painter.drawLine(0, y, width(), y);
    }
}

} // namespace partita::ui
