// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace partita::ui {

/// Fusion, but for the frames of boxes to tick: it darkens the window's colour for them, which is not seen on dark.
class WindowStyle final : public QProxyStyle {
    Q_OBJECT

public:
    WindowStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
};

} // namespace partita::ui
