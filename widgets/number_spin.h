// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDoubleSpinBox>
#include <QSpinBox>

#include <cstdint>

namespace partita::ui {

/// How every number box of the panel behaves: no buttons, commas between thousands, nothing taken before Enter or Tab.
void dressNumberBox(QAbstractSpinBox* box);

/// A whole number from 1 on.
class NumberSpin : public QSpinBox {
    Q_OBJECT

public:
    explicit NumberSpin(QWidget* parent = nullptr);
};

/// A number in a unit; decimals that are zero are not shown.
class QuantitySpin : public QDoubleSpinBox {
    Q_OBJECT

public:
    QuantitySpin(double most, const QString& suffix, QWidget* parent = nullptr);

    QString textFromValue(double value) const override;
};

/// Sets a value without telling anybody.
void showQuietly(QSpinBox* box, std::int64_t value);
void showQuietly(QDoubleSpinBox* box, double value);

} // namespace partita::ui
