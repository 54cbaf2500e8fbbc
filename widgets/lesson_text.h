// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lessons/lesson_play.h"
#include "widgets/tone_label.h"

namespace partita::ui {

/// A Markdown text of a lesson whose numbers are links: Tab walks through them, Enter or a click asks where one is
/// from.
class LessonText final : public ToneLabel {
    Q_OBJECT

public:
    LessonText(Tone tone, double relativeSize, QWidget* parent = nullptr);

    /// The text for setMarkdown(), every number worked out and linked.
    static QString linked(const LessonPlay& play, std::string_view written);
    /// One that did not change keeps what is selected in it; an empty one is hidden.
    void setMarkdown(const QString& markdown);

Q_SIGNALS:
    void numberActivated(const QString& placeholder); ///< as the lesson writes it: "memory.peak_bytes|bytes"

protected:
    bool focusNextPrevChild(bool next) override;
    void focusInEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void tellNumber();
};

} // namespace partita::ui
