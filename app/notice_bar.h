// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QStringList>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace partita::ui {

/// A line above the charts that tells or asks something without stopping the work. One notice at a time, the latest
/// wins.
class NoticeBar final : public QFrame {
    Q_OBJECT

public:
    struct Answer {
        QString text;
        std::function<void()> chosen;
    };

    explicit NoticeBar(QWidget* parent = nullptr);

    /// Stays until answered or dismissed. details: one line each, shown below the text. The number of the notice.
    int tell(const QString& text, const QStringList& details = {}, std::vector<Answer> answers = {});
    void dismiss();
    void withdraw(int notice); ///< dismisses that one; a later notice stays
    QString text() const;

private:
    QLabel* m_text;
    QHBoxLayout* m_buttons;
    int m_told = 0; ///< notices so far
};

} // namespace partita::ui
