// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/field_editor.h"
#include "widgets/stop_track.h"

#include <QSpinBox>

namespace partita::ui {

class ToneLabel;

/// A spin box that steps through stops but takes any number typed.
class StopSpin : public QSpinBox {
    Q_OBJECT

public:
    explicit StopSpin(const StopTrack* track, QWidget* parent = nullptr);

    void stepBy(int steps) override;

protected:
    StepEnabled stepEnabled() const override;

private:
    const StopTrack* m_track;
};

/// One whole-number field that has legal values: label, slider over the stops, spin box, and what the stops cost.
/// A typed value off the stops is shown in red with the reason and emitted as it is: whoever owns the scenario decides.
class StopSlider : public FieldEditor {
    Q_OBJECT

public:
    /// unit: shown behind the label, "sequences"; empty = none.
    StopSlider(const QString& key, const QString& label, const QString& unit = {}, QWidget* parent = nullptr);

    void setStops(const std::vector<std::int64_t>& ascending);
    void setMarks(const std::vector<StopMark>& marks);
    void setValue(std::int64_t value);
    std::int64_t value() const { return m_track->current(); }
    /// Shown under the slider in front of the marks: "2,097,152 tokens".
    void setDetail(const QString& detail);
    /// A solved field follows from the others: it shows its value and cannot be edited.
    void setSolved(bool solved);

    QString note() const;
    StopTrack* track() const { return m_track; }
    QSpinBox* spin() const { return m_spin; }
    QWidget* control() const override { return m_spin; }

Q_SIGNALS:
    void edited(std::int64_t value); ///< also while dragging
    void dragStarted();
    void dragFinished();
    void explainRequested(std::int64_t value); ///< where what that value would cost is from

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< a click on the note

private:
    void takeTyped(int value);
    void showSpin();
    void showNote();
    QString title() const;
    QString marksText() const;
    QString offStopText(std::int64_t value) const;

    QString m_label;
    QString m_unit;
    QString m_detail;
    bool m_solved = false;
    ToneLabel* m_name;
    StopTrack* m_track;
    StopSpin* m_spin;
    ToneLabel* m_note;
};

} // namespace partita::ui
