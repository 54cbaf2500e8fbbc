// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <utility>

namespace partita::ui {

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent)
    , m_text(new QLabel(this))
    , m_buttons(new QHBoxLayout)
{
    setObjectName(QStringLiteral("noticeBar"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss notice"));
    close->setToolTip(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &NoticeBar::dismiss);
    auto* row = new QHBoxLayout(this);
    row->addWidget(m_text, 1);
    row->addLayout(m_buttons);
    row->addWidget(close, 0, Qt::AlignTop);
    hide();
}

int NoticeBar::tell(const QString& text, const QStringList& details, std::vector<Answer> answers)
{
    constexpr qsizetype mostDetails = 6;
    QStringList lines{text};
    lines += details.mid(0, mostDetails);
    if (details.size() > mostDetails) {
        lines += tr("… and %n more", nullptr, static_cast<int>(details.size() - mostDetails));
    }
    m_text->setText(lines.join(QLatin1Char('\n')));
    setAccessibleName(text);
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (Answer& answer : answers) {
        auto* button = new QPushButton(answer.text, this);
        connect(button, &QPushButton::clicked, this, [this, chosen = std::move(answer.chosen)] {
            dismiss();
            chosen();
        });
        m_buttons->addWidget(button, 0, Qt::AlignTop);
    }
    show();
    return ++m_told;
}

void NoticeBar::dismiss()
{
    hide();
}

void NoticeBar::withdraw(int notice)
{
    if (notice == m_told) {
        dismiss();
    }
}

QString NoticeBar::text() const
{
    return isHidden() ? QString() : m_text->text();
}

} // namespace partita::ui
