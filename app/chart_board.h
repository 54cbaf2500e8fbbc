// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chart_dock.h"

#include <QMainWindow>

namespace partita::ui {

/// The charts' cards beside each other: moved, floated, closed, or one of them filling the whole board.
class ChartBoard final : public QMainWindow {
    Q_OBJECT

public:
    /// A card and its share of the row's width, in any unit.
    struct Place {
        ChartDock* dock = nullptr;
        int width = 1;
        std::vector<ChartDock*> tabs = {}; ///< cards that share the place, behind the first
        std::vector<ChartDock*> behind =
            {}; ///< cards that share the place, closed at first; opened, they come to the front
    };
    /// Cards from left to right, and the row's share of the height.
    struct Row {
        int height = 1;
        std::vector<Place> places;
    };
    using Rows = std::vector<Row>; ///< top to bottom

    ChartBoard(Rows rows, QWidget* parent = nullptr);

    std::vector<ChartDock*> docks() const;
    /// The first of every place, from left to right and top to bottom, then those that share a place.
    static std::vector<ChartDock*> docksOf(const Rows& rows);
    /// As it was built, every card visible.
    void arrange();
    void maximise(ChartDock* dock);
    void showAll();
    /// Brings a card to the front and frames it; an unknown id only takes the frame away.
    void pointAt(const QString& id);
    /// Opens a card and brings it to the front; one that fills the board makes room.
    void bringUp(ChartDock* dock);
    ChartDock* maximised() const { return m_maximised; }
    /// Cards come and go because of where they stand, not because somebody wants to see them or not.
    bool isMoving() const { return m_arranging || m_maximised != nullptr; }
    /// A card with a chart at the keyboard focus or else under the pointer; the first open one when neither is on the
    /// board.
    ChartDock* current() const;
    ChartDock* card() const; ///< the same of any card

    QByteArray layoutState();
    bool restoreLayout(const QByteArray& state);

Q_SIGNALS:
    void arranged(); ///< anew, or as it was remembered
    void broughtUp(ChartDock* dock);

private:
    ChartDock* pointed(bool charts) const;

    Rows m_rows;
    ChartDock* m_maximised = nullptr;
    bool m_arranging = false;
    std::vector<ChartDock*> m_hidden; ///< by maximise()
    QByteArray m_arrangement; ///< before it
};

} // namespace partita::ui
