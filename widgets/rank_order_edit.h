// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/layout.h"

#include <QListWidget>

#include <array>

namespace partita::ui {

/// The dimensions in which ranks are numbered, innermost on the left: dragged by mouse, moved by Shift and an arrow
/// key.
class RankOrderEdit final : public QListWidget {
    Q_OBJECT

public:
    using Order = std::array<Axis, 5>;

    explicit RankOrderEdit(QWidget* parent = nullptr);

    void setOrderOf(const Layout& layout); ///< its order and degrees
    Order order() const; ///< as it stands now

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

    void dropEvent(QDropEvent* event) override; ///< of the current dimension, wherever the drag came from

Q_SIGNALS:
    void edited(const partita::ui::RankOrderEdit::Order& order);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override; ///< the dimensions share the width

private:
    void moveCurrent(int by);
    void moveTo(int place);
    int chipHeight() const; ///< px
    void recolour(); ///< as the theme has it

    Order m_told{}; ///< what was shown or told last
};

} // namespace partita::ui
