// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QBoxLayout;

namespace partita::ui {

/// Two groups of controls beside each other, or one below the other where there is no room for that.
class FoldingRow final : public QWidget {
    Q_OBJECT

public:
    explicit FoldingRow(QWidget* parent = nullptr);

    QBoxLayout* first() const { return m_first; }
    QBoxLayout* second() const { return m_second; }
    bool isFolded() const;

    QSize minimumSizeHint() const override; ///< as narrow as the wider of the two

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QBoxLayout* m_both;
    QBoxLayout* m_first;
    QBoxLayout* m_second;
};

} // namespace partita::ui
