// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

namespace partita::ui {

class PipelineView;

/// One chart on the whole of a screen, for a room: large type, a caption, a spotlight. Shows charts and what they say,
/// and nothing of files or settings.
///
/// Page down and up, as clickers send them: the next and the last chart, or page of a lesson. Space, left and right
/// play and step the pipeline. S: spotlight. B or full stop: black. + and -: type. Escape: leave.
class Presenter final : public QWidget {
    Q_OBJECT

public:
    struct Slide {
        QString id;
        std::function<const Chart*()> chart; ///< what is shown now; null = nothing that could be presented
    };

    /// The pipeline's own view is played and stepped; it must outlive the presenter.
    Presenter(std::vector<Slide> slides, PipelineView& pipeline, QWidget* parent = nullptr);

    /// Full screen, on a second screen where there is one; another slide where this one has nothing.
    void present(const QString& id);
    void showSlide(const QString& id); ///< the slide; unknown ids change nothing
    void refresh(); ///< slides may show something else now
    QString current() const { return m_slides[m_slide].id; }
    /// A line of its own above the chart's sentence, as a lesson's question; empty = none.
    void setCaption(const QString& caption);
    QString caption() const; ///< what is written below the chart
    double scale() const; ///< of type, lines and marks: grows with the screen, for the back row
    bool hasSpotlight() const { return m_spotlight; }
    QRectF captionBounds() const; ///< of its text, in the window
    bool isBlack() const { return m_black; }

    static constexpr double leastScale = 1.6;
    static constexpr double mostScale = 6;

Q_SIGNALS:
    void turned(int by); ///< page down and up; turn() is what happens where nobody else has pages
    void left();

public Q_SLOTS:
    void turn(int by); ///< to the next slide that has something; stays where there is none

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    Theme theme() const;
    Theme grownTheme(const Chart& chart) const; ///< as large as the chart can use
    const Chart* chart() const { return m_slides[m_slide].chart(); }
    QFont captionFont(const Theme& theme) const; ///< smaller where a long caption would leave the chart little
    QSizeF units() const; ///< the window's size, in units of scale() px, as everything that is painted
    QRectF chartArea() const; ///< units
    QRectF captionArea() const; ///< units
    bool runsPipeline() const; ///< whether keys that play and step mean this slide
    bool pipelineKey(int key);
    void rename();
    void paintSpotlight(QPainter& painter, const Theme& theme) const;

    std::vector<Slide> m_slides;
    PipelineView& m_pipeline;
    std::size_t m_slide = 0;
    double m_enlarged = 0; ///< by keys, on top of what the screen asks for
    bool m_spotlight = false;
    bool m_black = false;
    std::optional<double> m_playheadBefore; ///< of the pipeline's own view, which gets it back
    QPointF m_pointer; ///< px
    QString m_caption;
    QString m_hovered; ///< what the pointer is at
    QTimer m_frames; ///< while the pipeline plays
};

} // namespace partita::ui
