// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/geometry.h"

#include <QWidget>

#include <array>
#include <optional>

namespace partita::ui {

/// What one model chunk holds and what its stage costs.
struct StageRow {
    QString name; ///< "stage 2", "stage 2, chunk 1"
    int layers = 0;
    bool embedding = false;
    int predictors = 0; ///< prediction modules
    bool head = false;
    double forward = 0; ///< s of the whole stage per micro-batch
    double backward = 0;
    MemoryBreakdown memory; ///< of the stage's device
    bool costs =
        false; ///< whether the stage's costs stand in this row: in that of its first chunk, when they are known

    double time() const { return forward + backward; }
    bool operator==(const StageRow&) const = default;
};

/// The model's chunks in order, a row each: layers as cells, the time and memory of their stage beside them. Dragging
/// the end of a row moves the cut to the next; − and + and the keys change the current row.
class StageRows : public QWidget {
    Q_OBJECT

public:
    explicit StageRows(QWidget* parent = nullptr);

    void setRows(const std::vector<StageRow>& rows, double memoryLimit);
    const std::vector<StageRow>& rows() const { return m_rows; }
    std::vector<int> layers() const;
    int current() const { return m_current; } ///< -1 without rows
    void setCurrent(int row);

    struct Geometry {
        double rowHeight = 1;
        double nameWidth = 0;
        QRectF cells; ///< of all rows: where layers are drawn
        QRectF minus; ///< of the first row; others lie below
        QRectF plus;
        QRectF count;
        QRectF time;
        QRectF memory;
        double cellWidth = 1; ///< px a layer
        double unitWidth = 1; ///< px of an embedding, prediction module or head

        QRectF inRow(QRectF first, int row) const { return first.translated(0, rowHeight * row); }
    };
    Geometry geometry() const;
    QRectF handle(int row) const; ///< grip of the cut behind a row; empty behind the last
    int rowAt(double y) const; ///< -1 = none
    QString rowText(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentChanged(int row);
    void layersAsked(int row, int layers);
    void cutAsked(int row, int firstLayer); ///< the cut before a row, between layers of the model
    void dragStarted();
    void dragFinished();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void paintHeader(QPainter& painter, const Geometry& g, const Theme& theme) const;
    void paintCells(QPainter& painter, const Geometry& g, int row, const Theme& theme) const;
    void paintButtons(QPainter& painter, const Geometry& g, int row, const Theme& theme) const;
    void paintTime(QPainter& painter, const QRectF& room, const StageRow& row, const Theme& theme) const;
    void paintMemory(QPainter& painter, const QRectF& room, const StageRow& row, const Theme& theme) const;
    double cellsLeft(const Geometry& g, int row) const; ///< where a row's layers begin
    int mostCells() const;
    void tell();

    std::vector<StageRow> m_rows;
    double m_limit = 0; ///< bytes
    int m_current = -1;
    std::optional<int> m_dragged; ///< row whose end is dragged
    int m_cellsAtPress = 0; ///< the scale stays while the end of a row is dragged
    double m_grip = 0; ///< px from the pointer to the end of the row
};

} // namespace partita::ui
