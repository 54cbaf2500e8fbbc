// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/presenter.h"

#include "widgets/pipeline_view.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScreen>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int frameMilliseconds = 40;
constexpr double scaleStep = 0.2;
constexpr double spotlightShare = 0.16; // of the window's height
constexpr int hoveredLines = 4; // what an operation says of itself
constexpr double captionShare = 0.3; // of the window's height, at most
constexpr double smallestCaption = 0.4; // of its type
constexpr double linesOfText = 29; // that a screen would hold: the smallest type is a fortieth of its height

} // namespace

Presenter::Presenter(std::vector<Slide> slides, PipelineView& pipeline, QWidget* parent)
    : QWidget(parent, Qt::Window)
    , m_slides(std::move(slides))
    , m_pipeline(pipeline)
{
    setWindowTitle(QStringLiteral("Partita"));
    setObjectName(QStringLiteral("presenter"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    m_frames.setInterval(frameMilliseconds);
    connect(&m_frames, &QTimer::timeout, this, [this] {
        update();
        if (!m_pipeline.isPlaying()) {
            m_frames.stop();
        }
    });
}

void Presenter::present(const QString& id)
{
    showSlide(id);
    if (chart() == nullptr) {
        turn(1);
    }
    if (chart() == nullptr) {
        turn(-1);
    }
    if (!isVisible()) {
        m_playheadBefore = m_pipeline.playhead();
    }
    const QScreen* own = parentWidget() != nullptr ? parentWidget()->screen() : screen();
    for (QScreen* other : QGuiApplication::screens()) {
        if (other != own) {
            setScreen(other);
            setGeometry(other->geometry());
            break;
        }
    }
    m_black = false;
    m_spotlight = false;
    showFullScreen();
    activateWindow();
    setFocus();
}

void Presenter::showSlide(const QString& id)
{
    const auto found =
        std::find_if(m_slides.begin(), m_slides.end(), [&id](const Slide& slide) { return slide.id == id; });
    if (found != m_slides.end()) {
        m_slide = static_cast<std::size_t>(found - m_slides.begin());
        m_hovered.clear();
        rename();
    }
}

void Presenter::turn(int by)
{
    const int count = static_cast<int>(m_slides.size());
    for (int at = static_cast<int>(m_slide) + by; by != 0 && at >= 0 && at < count; at += by) {
        if (const Slide& slide = m_slides[static_cast<std::size_t>(at)]; slide.chart() != nullptr) {
            showSlide(slide.id);
            return;
        }
    }
}

void Presenter::refresh()
{
    if (isVisible()) {
        rename();
    }
}

double Presenter::scale() const
{
    const double lineHeight = textMetrics(Theme::fromPalette(palette())).height(TextRole::Label);
    const double fitting = height() / (linesOfText * lineHeight);
    return std::clamp(std::max(fitting, leastScale) + m_enlarged, leastScale, mostScale);
}

void Presenter::setCaption(const QString& caption)
{
    m_caption = caption;
    rename();
}

QString Presenter::caption() const
{
    const QString says = !m_hovered.isEmpty() ? m_hovered
        : chart() != nullptr                  ? chart()->description()
                                              : tr("This chart is being worked out.");
    return m_caption.isEmpty() ? says : m_caption + u'\n' + says;
}

/// For screen readers, as for the eye.
void Presenter::rename()
{
    setAccessibleName(chart() != nullptr ? chart()->title() : QString());
    setAccessibleDescription(caption());
    update();
}

Theme Presenter::theme() const
{
    return Theme::fromPalette(palette());
}

Theme Presenter::grownTheme(const Chart& chart) const
{
    Theme grown = theme();
    grown.scale *= chart.growthIn(chartArea().size(), grown);
    return grown;
}

namespace {

QRectF bounds(const QString& text, const QFont& font, double width)
{
    return QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 1e6), Qt::TextWordWrap | Qt::AlignTop, text);
}

} // namespace

QSizeF Presenter::units() const
{
    return QSizeF(size()) / scale();
}

/// Room for what an operation says, whether it is pointed at or not: the chart stays where it is.
QRectF Presenter::captionArea() const
{
    const Theme large = theme();
    const double margin = 2 * large.gap();
    QFont font = large.fontOf(TextRole::Label);
    const double width = units().width() - 2 * margin;
    const double own = m_caption.isEmpty() ? 0 : bounds(m_caption, font, width).height();
    const double wanted = own + hoveredLines * QFontMetricsF(font).lineSpacing();
    const double height = std::min(wanted, captionShare * units().height());
    return {margin, units().height() - margin - height, width, height};
}

QFont Presenter::captionFont(const Theme& theme) const
{
    const QRectF area = captionArea();
    QFont font = theme.fontOf(TextRole::Label);
    const int least = std::max(1, static_cast<int>(font.pixelSize() * smallestCaption));
    while (font.pixelSize() > least && bounds(caption(), font, area.width()).height() > area.height()) {
        font.setPixelSize(font.pixelSize() - 1);
    }
    return font;
}

QRectF Presenter::captionBounds() const
{
    const QRectF area = captionArea();
    const QRectF text = bounds(caption(), captionFont(theme()), area.width()).translated(area.topLeft());
    return {text.topLeft() * scale(), text.size() * scale()};
}

QRectF Presenter::chartArea() const
{
    const Theme shown = theme();
    const double top = 3 * shown.gap() + textMetrics(shown).height(TextRole::Title);
    const QRectF caption = captionArea();
    return {caption.left(), top, caption.width(), std::max(1.0, caption.top() - shown.gap() - top)};
}

void Presenter::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    if (m_black) {
        painter.fillRect(rect(), Qt::black);
        return;
    }
    const Theme shown = theme();
    painter.fillRect(rect(), shown.card);
    painter.scale(scale(), scale());
    const QRectF area = chartArea();
    if (const Chart* slide = chart()) {
        painter.setPen(shown.text);
        painter.setFont(shown.fontOf(TextRole::Title));
        painter.drawText(QRectF(area.left(), 2 * shown.gap(), area.width(), area.top()), Qt::TextSingleLine,
                         slide->title());
        const std::shared_ptr<const Chart> still = slide->still();
        const Chart& picture = still ? *still : *slide;
        picture.paint(painter, area, grownTheme(picture));
    }
    if (m_spotlight) {
        paintSpotlight(painter, shown);
    }
    painter.fillRect(QRectF(QPointF(0, area.bottom() + shown.gap() / 2), QPointF(units().width(), units().height())),
                     shown.card);
    painter.setPen(shown.text);
    painter.setFont(captionFont(shown));
    painter.drawText(captionArea(), Qt::TextWordWrap | Qt::AlignTop, caption());
}

/// What is not near the pointer steps back; not the caption, which says what the pointer is at.
void Presenter::paintSpotlight(QPainter& painter, const Theme& theme) const
{
    const double radius = units().height() * spotlightShare;
    const QPointF pointer = m_pointer / scale();
    QPainterPath shade;
    shade.addRect(QRectF(QPointF(), units()));
    shade.addEllipse(pointer, radius, radius);
    QColor dim = Qt::black;
    dim.setAlphaF(0.6F);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.fillPath(shade, dim);
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(pointer, radius, radius);
}

bool Presenter::runsPipeline() const
{
    return chart() != nullptr && chart() == m_pipeline.chart();
}

bool Presenter::pipelineKey(int key)
{
    if (!runsPipeline()) {
        return false;
    }
    if (key == Qt::Key_Space) {
        m_pipeline.setPlaying(!m_pipeline.isPlaying());
        m_frames.start();
    } else if (key == Qt::Key_Left || key == Qt::Key_Right) {
        m_pipeline.stepPlayhead(key == Qt::Key_Right ? 1 : -1);
    } else {
        return false;
    }
    rename();
    return true;
}

void Presenter::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (pipelineKey(key)) {
        return;
    }
    switch (key) {
    case Qt::Key_PageDown:
    case Qt::Key_PageUp:
        m_black = false;
        Q_EMIT turned(key == Qt::Key_PageDown ? 1 : -1);
        break;
    case Qt::Key_S:
        m_spotlight = !m_spotlight;
        break;
    case Qt::Key_B:
    case Qt::Key_Period:
        m_black = !m_black;
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_enlarged += scale() < mostScale ? scaleStep : 0;
        break;
    case Qt::Key_Minus:
        m_enlarged -= scale() > leastScale ? scaleStep : 0;
        break;
    case Qt::Key_Escape:
        close();
        break;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    update();
}

void Presenter::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position();
    const QRectF area = chartArea();
    const QPointF point = m_pointer / scale();
    QString at;
    if (const Chart* slide = chart(); slide != nullptr && area.contains(point)) {
        const std::shared_ptr<const Chart> still = slide->still();
        const Chart& picture = still ? *still : *slide;
        at = picture.textAt(point, area, grownTheme(picture));
    }
    if (at != m_hovered) {
        m_hovered = at;
        rename();
    }
    if (m_spotlight) {
        update();
    }
}

void Presenter::closeEvent(QCloseEvent* event)
{
    m_pipeline.setPlaying(false);
    m_pipeline.setPlayhead(m_playheadBefore);
    QWidget::closeEvent(event);
    Q_EMIT left();
}

} // namespace partita::ui
