// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/folding_row.h"

#include <QHBoxLayout>
#include <QResizeEvent>

#include <algorithm>

namespace partita::ui {

FoldingRow::FoldingRow(QWidget* parent)
    : QWidget(parent)
    , m_both(new QHBoxLayout(this))
    , m_first(new QHBoxLayout)
    , m_second(new QHBoxLayout)
{
    m_both->setContentsMargins(0, 0, 0, 0);
    m_both->setSpacing(4);
    m_both->addLayout(m_first, 1);
    m_both->addLayout(m_second, 1);
}

bool FoldingRow::isFolded() const
{
    return m_both->direction() == QBoxLayout::TopToBottom;
}

QSize FoldingRow::minimumSizeHint() const
{
    return {std::max(m_first->minimumSize().width(), m_second->minimumSize().width()), m_both->minimumSize().height()};
}

void FoldingRow::resizeEvent(QResizeEvent* event)
{
    const int beside = m_first->minimumSize().width() + m_second->minimumSize().width() + m_both->spacing();
    m_both->setDirection(event->size().width() >= beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    QWidget::resizeEvent(event);
}

} // namespace partita::ui
