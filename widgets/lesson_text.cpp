// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lesson_text.h"

#include "widgets/text.h"

#include <QEvent>
#include <QFocusEvent>
#include <QTextDocument>
#include <QUrl>

namespace partita::ui {

namespace {

const QString scheme = QStringLiteral("number:");

} // namespace

LessonText::LessonText(Tone tone, double relativeSize, QWidget* parent)
    : ToneLabel(tone, relativeSize, parent)
{
    setTextFormat(Qt::MarkdownText);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard | Qt::LinksAccessibleByMouse
                            | Qt::LinksAccessibleByKeyboard);
    setAlignment(Qt::AlignTop | Qt::AlignLeft);
    connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link.startsWith(scheme)) {
            Q_EMIT numberActivated(QUrl::fromPercentEncoding(link.mid(scheme.size()).toUtf8()));
        }
    });
}

QString LessonText::linked(const LessonPlay& play, std::string_view written)
{
    return toText(play.text(written, [](std::string_view placeholder, const std::string& shown) {
        const QByteArray raw(placeholder.data(), static_cast<qsizetype>(placeholder.size()));
        return '[' + shown + "](" + scheme.toStdString() + QUrl::toPercentEncoding(QString::fromUtf8(raw)).toStdString()
            + ')';
    }));
}

void LessonText::setMarkdown(const QString& markdown)
{
    if (text() != markdown) {
        setText(markdown);
        if (!markdown.isEmpty()) {
            QTextDocument plain;
            plain.setMarkdown(markdown);
            setAccessibleName(plain.toPlainText());
        }
        setAccessibleDescription({});
    }
    setVisible(!markdown.isEmpty());
}

bool LessonText::focusNextPrevChild(bool next)
{
    const bool inside = ToneLabel::focusNextPrevChild(next);
    if (hasFocus()) {
        tellNumber();
    }
    return inside;
}

/// By Tab straight to a number.
void LessonText::focusInEvent(QFocusEvent* event)
{
    ToneLabel::focusInEvent(event);
    const bool byTab = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    if (byTab && text().contains(QStringLiteral("](") + scheme)) {
        focusNextPrevChild(event->reason() == Qt::TabFocusReason);
    }
}

void LessonText::changeEvent(QEvent* event)
{
    ToneLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !text().isEmpty()) {
        const QString same = text();
        setText({}); // links got the colour of their time
        setText(same);
    }
}

/// A label has no children for a screen reader to walk.
void LessonText::tellNumber()
{
    setAccessibleDescription(hasSelectedText() ? tr("%1: Enter says where it is from").arg(selectedText()) : QString());
}

} // namespace partita::ui
