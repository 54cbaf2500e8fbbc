// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace partita::ui {

/// A line that takes the room it gets: where the text does not fit, a shorter one, or an end in an ellipsis and all of
/// it in the tool tip.
class ElidedLabel final : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);

    /// Shown instead where it fits and the text does not; empty = none.
    void setShorterText(const QString& text);
    QString shownText() const;

    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_shorter;
};

} // namespace partita::ui
