// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/number_spin.h"

#include "widgets/window_undo.h"

#include <QLineEdit>
#include <QSignalBlocker>

#include <algorithm>
#include <limits>

namespace partita::ui {

void dressNumberBox(QAbstractSpinBox* box)
{
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->setKeyboardTracking(false); // "12" must not pass through 1
    box->setLocale(QLocale(QLocale::English, QLocale::UnitedStates)); // as core/base/format.h writes numbers
    box->setGroupSeparatorShown(true);
    leaveUndoToWindow(box, box->findChild<QLineEdit*>());
}

NumberSpin::NumberSpin(QWidget* parent)
    : QSpinBox(parent)
{
    setRange(1, std::numeric_limits<int>::max());
    dressNumberBox(this);
}

QuantitySpin::QuantitySpin(double most, const QString& suffix, QWidget* parent)
    : QDoubleSpinBox(parent)
{
    setDecimals(4);
    setRange(0, most);
    setSuffix(suffix);
    dressNumberBox(this);
}

QString QuantitySpin::textFromValue(double value) const
{
    QString text = QDoubleSpinBox::textFromValue(value);
    if (text.contains(QLatin1Char('.'))) {
        while (text.endsWith(QLatin1Char('0'))) {
            text.chop(1);
        }
        if (text.endsWith(QLatin1Char('.'))) {
            text.chop(1);
        }
    }
    return text;
}

void showQuietly(QSpinBox* box, std::int64_t value)
{
    const QSignalBlocker quiet(box);
    box->setValue(static_cast<int>(std::clamp<std::int64_t>(value, box->minimum(), box->maximum())));
}

void showQuietly(QDoubleSpinBox* box, double value)
{
    const QSignalBlocker quiet(box);
    box->setValue(value);
}

} // namespace partita::ui
