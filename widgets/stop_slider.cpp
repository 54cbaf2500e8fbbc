// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stop_slider.h"

#include "core/base/format.h"
#include "widgets/number_spin.h"
#include "widgets/text.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace partita::ui {

StopSpin::StopSpin(const StopTrack* track, QWidget* parent)
    : QSpinBox(parent)
    , m_track(track)
{
    setRange(0, std::numeric_limits<int>::max());
    setAlignment(Qt::AlignCenter);
    dressNumberBox(this);
    wheelOnlyWithFocus(this);
}

void StopSpin::stepBy(int steps)
{
    setValue(static_cast<int>(m_track->stepped(steps)));
    selectAll();
}

QAbstractSpinBox::StepEnabled StopSpin::stepEnabled() const
{
    if (isReadOnly()) {
        return StepNone;
    }
    const std::int64_t now = m_track->current();
    return (m_track->stepped(1) > now ? StepUpEnabled : StepNone)
        | (m_track->stepped(-1) < now ? StepDownEnabled : StepNone);
}

StopSlider::StopSlider(const QString& key, const QString& label, const QString& unit, QWidget* parent)
    : FieldEditor(key, parent)
    , m_label(label)
    , m_unit(unit)
    , m_name(new ToneLabel)
    , m_track(new StopTrack)
    , m_spin(new StopSpin(m_track))
    , m_note(new ToneLabel(Tone::Muted, 0.88))
{
    const QString spoken = unit.isEmpty() ? label : tr("%1, %2").arg(label, unit);
    m_track->setAccessibleName(tr("%1, slider").arg(spoken));
    m_spin->setAccessibleName(spoken);
    m_name->setBuddy(m_spin);
    m_spin->setFixedWidth(m_spin->fontMetrics().horizontalAdvance(QStringLiteral("1,048,576")) + 16);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_track, 1, Qt::AlignTop);
    row->addWidget(m_spin, 0, Qt::AlignTop);
    rows()->setSpacing(1);
    rows()->addWidget(m_name);
    rows()->addLayout(row);
    rows()->addWidget(m_note);
    m_note->setMinimumHeight(m_note->fontMetrics().height() + 2); // marks come from a font with taller lines
    showNote();

    connect(m_track, &StopTrack::picked, this, [this](std::int64_t value) {
        showSpin();
        showNote();
        Q_EMIT edited(value);
    });
    connect(m_track, &StopTrack::dragStarted, this, &StopSlider::dragStarted);
    connect(m_track, &StopTrack::dragFinished, this, &StopSlider::dragFinished);
    connect(m_track, &StopTrack::explainRequested, this, &StopSlider::explainRequested);
    connect(m_spin, &QSpinBox::valueChanged, this, &StopSlider::takeTyped);
    m_note->installEventFilter(this);
}

bool StopSlider::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_note && event->type() == QEvent::MouseButtonRelease && m_track->markOf(value()) != nullptr) {
        const StopMark* other = m_track->contrast();
        Q_EMIT explainRequested(other != nullptr ? other->value : value());
        return true;
    }
    return FieldEditor::eventFilter(watched, event);
}

void StopSlider::setStops(const std::vector<std::int64_t>& ascending)
{
    m_track->setStops(ascending);
    showNote();
}

void StopSlider::setMarks(const std::vector<StopMark>& marks)
{
    m_track->setMarks(marks);
    showNote();
}

void StopSlider::setValue(std::int64_t value)
{
    if (m_track->isDragging()) {
        return; // an answer that comes late must not pull the handle from under the pointer
    }
    m_track->setCurrent(value);
    showSpin();
    showNote();
}

void StopSlider::setDetail(const QString& detail)
{
    m_detail = detail;
    showNote();
}

void StopSlider::setSolved(bool solved)
{
    m_solved = solved;
    m_track->setEnabled(!solved);
    m_spin->setReadOnly(solved);
    m_spin->setFocusPolicy(solved ? Qt::ClickFocus : Qt::StrongFocus);
    showNote();
}

void StopSlider::takeTyped(int value)
{
    if (value < 1) {
        setOwnProblem(tr("must be at least 1"));
        return;
    }
    m_track->setCurrent(value);
    showNote();
    Q_EMIT edited(value);
}

void StopSlider::showSpin()
{
    showQuietly(m_spin, value());
}

void StopSlider::showNote()
{
    m_name->setText(title());
    const QString text = note();
    m_note->setText(text);
    m_note->setVisible(!text.isEmpty() || !m_track->marks().empty()); // what is below must not jump while one drags
    m_note->setToolTip(m_track->marks().empty() ? QString() : tr("Click for where this is from (X on the slider)"));
    const StopMark* mark = m_track->markOf(value());
    const CellState state = mark ? mark->state : CellState::Pending;
    m_note->setTone(state == CellState::Fits ? Tone::Good : state == CellState::OutOfMemory ? Tone::Bad : Tone::Muted);
    m_track->setAccessibleDescription(tr("now %1. %2").arg(toText(formatCount(value())), text));
    setOwnProblem(m_solved || m_track->stops().empty() || m_track->onStop() ? QString() : offStopText(value()));
}

QString StopSlider::title() const
{
    const QString name = m_unit.isEmpty() ? m_label : tr("%1 (%2)").arg(m_label, m_unit);
    return m_solved ? tr("%1 (solved)").arg(name) : name;
}

QString StopSlider::note() const
{
    const QString marks = marksText();
    return m_detail.isEmpty() || marks.isEmpty() ? m_detail + marks : tr("%1 · %2").arg(m_detail, marks);
}

/// The current stop, and the nearest one that fares differently.
QString StopSlider::marksText() const
{
    const StopMark* now = m_track->markOf(value());
    if (!now || now->state == CellState::Pending || now->state == CellState::Illegal) {
        return {};
    }
    const StopMark* other = m_track->contrast();
    return other ? tr("%1 · %2").arg(describe(*now), describe(*other)) : describe(*now);
}

QString StopSlider::offStopText(std::int64_t value) const
{
    const std::int64_t below = m_track->stepped(-1);
    const std::int64_t above = m_track->stepped(1);
    const bool between = below < value && value < above;
    const QString nearest = between ? tr("%1 or %2").arg(toText(formatCount(below)), toText(formatCount(above)))
                                    : toText(formatCount(value < below ? below : above));
    return tr("%1 is not a legal value (nearest: %2)").arg(toText(formatCount(value)), nearest);
}

} // namespace partita::ui
