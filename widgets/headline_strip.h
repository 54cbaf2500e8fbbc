// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/formats/report_json.h"
#include "core/scenario/scenario.h"
#include "core/serving/serving_report.h"
#include "core/training/report.h"
#include "widgets/tone_label.h"

#include <QPushButton>

#include <vector>

class QToolButton;

namespace partita::ui {

/// By which count of attention FLOPs a utilization is told; see Utilization.
enum class MfuConvention { Causal, Full, SixN };

double utilizationBy(MfuConvention convention, const Utilization& utilization);

} // namespace partita::ui

namespace partita {

template <> struct Names<ui::MfuConvention> {
    static constexpr std::array table{
        Name<ui::MfuConvention>{ui::MfuConvention::Causal, "causal", "causal"},
        Name<ui::MfuConvention>{ui::MfuConvention::Full, "full", "full attention"},
        Name<ui::MfuConvention>{ui::MfuConvention::SixN, "6n", "6N"},
    };
};

} // namespace partita

namespace partita::ui {

/// One figure: a caption, a value, a line below it. Pressed like a button to ask where the value is from.
class HeadlineFigure : public QPushButton {
    Q_OBJECT

public:
    /// hint: what pressing it does, for the tool tip.
    explicit HeadlineFigure(QString key, QString hint, QWidget* parent = nullptr);

    struct Lines {
        QString caption;
        QString value;
        QString detail;
    };

    const QString& key() const { return m_key; }
    /// Never narrower than these; a longer detail ends in an ellipsis, with all of it in the tool tip.
    void setRoomFor(Lines lines);
    void setFigure(const QString& caption, const QString& value, const QString& detail = {}, Tone tone = Tone::Plain);
    QString caption() const { return m_caption; }
    QString value() const { return m_value; }
    QString detail() const { return m_detail; }
    void setRemark(const QString& remark); ///< what more the tool tip says, until the next figure
    /// Width kept free at the right end of the caption.
    void setCaptionReserve(int pixels) { m_reserve = pixels; }
    QRect captionRect() const;
    void setSeparated(bool separated); ///< a line on the left, towards the figure before

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QFont captionFont() const;
    QFont valueFont() const;
    QFont detailFont() const;

    QString m_key;
    QString m_hint;
    QString m_caption;
    QString m_value;
    QString m_detail;
    Tone m_tone = Tone::Plain;
    int m_reserve = 0;
    Lines m_room;
    bool m_separated = false;
};

/// The headline of a report in one strip of figures that wraps to more rows when it is narrow.
class HeadlineStrip : public QWidget {
    Q_OBJECT

public:
    explicit HeadlineStrip(QWidget* parent = nullptr);

    /// band: step times that measured runs of the same kind make likely.
    void setReport(const Scenario& scenario, const Report& report,
                   const std::optional<StepTimeBand>& band = std::nullopt);
    /// What is served takes the place of the training step; nullopt goes back to the step.
    void setServing(const std::optional<ServingReport>& report);
    void setConvention(MfuConvention convention);
    MfuConvention convention() const { return m_convention; }
    /// Keys: memory, step_time, mfu, tokens_per_second, bubble, exposed_communication, budget; of serving: kv_room,
    /// ttft, tpot, served_tokens_per_second, served_tokens_per_second_per_device, concurrency, cost. Null for another
    /// key.
    HeadlineFigure* figure(const QString& key) const;
    const std::vector<HeadlineFigure*>& figures() const { return m_figures; } ///< those shown

    int heightForWidth(int width) const override; ///< the height it gives itself at that width
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void figureActivated(const QString& key);
    void conventionChanged(partita::ui::MfuConvention convention);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    static QString unknown(); ///< stands for a value that there is none of
    void setFigure(const QString& key, const QString& caption, const QString& value, const QString& detail = {},
                   Tone tone = Tone::Plain);
    void showFigures();
    void showMemory();
    void showStepTime();
    void showBudget();
    void showServing();
    void showKeyValueRoom();
    void choose(std::vector<HeadlineFigure*> figures);
    int columnsFor(int width) const;
    int rowHeight() const;
    void place();
    void buildConventionMenu();

    Scenario m_scenario;
    Report m_report;
    std::optional<StepTimeBand> m_band;
    MfuConvention m_convention = MfuConvention::Causal;
    std::optional<ServingReport> m_served;
    std::vector<HeadlineFigure*> m_ofStep;
    std::vector<HeadlineFigure*> m_ofServing;
    std::vector<HeadlineFigure*> m_figures;
    QToolButton* m_conventionButton;
};

} // namespace partita::ui
